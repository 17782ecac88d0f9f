// @ts-check
/**
 * @file How far each file is from one that it imports, over others or directly: a unit test that
 * does not come to the edited file cannot fail by it, unless modules are loaded by name, as those of
 * Python are. Pure.
 */
import { posix } from "node:path";

/**
 * Numbers of imports from each file that leads to `target`, 0 for itself.
 * @param {ReadonlyMap<string, string>} texts Sources and tests by path.
 * @param {string} target
 * @returns {Map<string, number>}
 */
export function distancesTo(texts, target) {
  /** @type {Map<string, string[]>} */
  const importers = new Map();
  for (const [file, text] of texts) {
    const found = file.endsWith(".py") ? pythonImports(file, text) : scriptImports(file, text);
    for (const imported of found) {
      const known = importers.get(imported);
      if (known) known.push(file);
      else importers.set(imported, [file]);
    }
  }
  const distances = new Map([[target, 0]]);
  // A map that grows while it is gone through is gone through to its new end.
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}

/**
 * @param {string} file
 * @param {string} text
 */
function scriptImports(file, text) {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, path = ""]) => posix.join(posix.dirname(file), path));
}

/**
 * @param {string} file
 * @param {string} text
 */
function pythonImports(file, text) {
  const found = text.matchAll(/^[ \t]*from (\.*)([\w.]*) import (\([^)]*\)|.*)$/gm);
  return [...found].flatMap(([, dots = "", module = "", names = ""]) => {
    const folder = dots === "" ? "python" : posix.join(file, ...dots.split("").map(() => ".."));
    const path = posix.join(folder, ...module.split("."));
    const inside = (names.match(/\w+/g) ?? []).map((name) => posix.join(path, name));
    return [path, ...inside].flatMap((one) => [`${one}.py`, `${one}/__init__.py`]);
  });
}
