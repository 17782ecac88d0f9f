/** @file The files of a program, and which name of one stands for a variable of another. */
import type { LibraryDescription, RunMode } from "../../../../format/index.ts";
import { readLibraries } from "../../../../format/index.ts";
import { isKnownPackage } from "../../libraries/library-effects.ts";
import { skeletonFor } from "../../libraries/loop-skeletons.ts";
import { ImportFinder } from "../../starting/find-import.ts";
import type { FileUnit, ImportedName, Op, Var } from "../lowering/ir.ts";
import { Binding } from "../lowering/ir.ts";
import { lowerFile } from "../lowering/lower-file.ts";

/** Files followed: a program with more is a bundle of something that is not its own. */
const FILES_MAX = 2000;

export interface Linked {
  /** By name, the program's own file first. */
  readonly units: ReadonlyMap<string, FileUnit>;
  /** Imported names to the variables that they are. */
  readonly resolved: ReadonlyMap<Var, Var>;
  /** Names of getters, setters and conversions that the program defines; `*`: any. */
  readonly accessors: ReadonlySet<string>;
  readonly uncertain: readonly string[];
  /** What the project says of packages that it uses. */
  readonly libraries: readonly LibraryDescription[];
  find(from: string, specifier: string): FileUnit | undefined;
  exportsOf(unit: FileUnit): Map<string, Binding>;
  /** Packages, by their specifier, and files of CommonJS of which a file exports all. */
  unnamedOf(unit: FileUnit): Iterable<FileUnit | string>;
}

type Read = (file: string) => string | undefined;

/** What a file of JSON is to the program: text that was parsed, for all that import it. */
const DATA = 'module.exports = JSON.parse("")';

/** Loads all files that the imports of a program lead to. */
export function linkProgram(entry: string, read: Read, options: RunMode): Linked {
  const units = new Map<string, FileUnit>();
  const uncertain: string[] = [];
  const paths = new Map<string, string>();
  const finder = new ImportFinder(read);
  /** Files of JSON. */
  const data = new Map<string, FileUnit>();
  const pending = [entry];
  /** Files that only what was added imports: nothing in them is the program's own. */
  const aside: string[] = [];
  for (;;) {
    const isAside = pending.length === 0;
    const file = pending.shift() ?? aside.shift();
    if (file === undefined) break;
    const text = units.has(file) ? undefined : read(file);
    if (text === undefined) continue;
    if (units.size >= FILES_MAX) {
      uncertain.push(`more than ${FILES_MAX} files`);
      break;
    }
    const unit = lowerFile(file, text, options, isAside);
    units.set(file, unit);
    const { ops } = unit.module;
    const forTypes = ops.filter((op) => op.op === "import" && op.isForTypes);
    if (forTypes.length > 0 && !finder.configs.over(file).verbatim) {
      ops.splice(0, ops.length, ...ops.filter((op) => !forTypes.includes(op)));
    }
    for (const [specifier, isOwn] of specifiersOf(unit)) {
      const found = skeletonFor(file, specifier, options.libraries) ?? finder.find(file, specifier);
      if (found === null && !/\.(?:json|node)$/.test(specifier)) {
        uncertain.push(`${file}: ${specifier} was not found`);
      }
      if (typeof found !== "string" || found.includes("node_modules/")) continue;
      paths.set(`${file}\n${specifier}`, found);
      if (found.endsWith(".json")) {
        if (!data.has(found)) data.set(found, lowerFile(found, DATA, options));
        if (isUnheld(unit, specifier)) uncertain.push(`${file}: ${specifier} has no variable`);
        continue;
      }
      if (isOwn) pending.push(found);
      else aside.push(found);
    }
  }
  const find = (from: string, specifier: string): FileUnit | undefined => {
    const path = paths.get(`${from}\n${specifier}`) ?? "";
    return units.get(path) ?? data.get(path);
  };
  const linker = new Linker(units, find);
  return {
    units,
    resolved: linker.link(),
    accessors: new Set([...units.values()].flatMap((unit) => [...unit.accessors])),
    uncertain,
    libraries: usesUnknown(units) ? readLibraries(read).libraries : [],
    find,
    exportsOf: (unit) => linker.exportsOf(unit),
    unnamedOf: (unit) => linker.unnamedOf(unit),
  };
}

/** Whether what a file of JSON has is imported as a whole, or exported again: no name leads to it. */
function isUnheld({ imports, exports, exportAll }: FileUnit, specifier: string): boolean {
  const isMeant = (one: ImportedName): boolean => one.specifier === specifier;
  return (
    exportAll.includes(specifier) ||
    [...imports.values()].some((one) => isMeant(one) && one.name === "*") ||
    [...exports.values()].some((one) => "specifier" in one && isMeant(one))
  );
}

/** Only then is it worth the look into `package.json`, of each version that is asked. */
function usesUnknown(units: ReadonlyMap<string, FileUnit>): boolean {
  return [...units.values()].some((unit) => {
    const imported = [...unit.imports.values()].map(({ specifier }) => specifier);
    return [...specifiersOf(unit).keys(), ...imported].some(
      (name) => !/^\.{0,2}\//.test(name) && !isKnownPackage(name),
    );
  });
}

/** What a file imports; true: not only for what was added. */
function specifiersOf(unit: FileUnit): Map<string, boolean> {
  const specifiers = new Map<string, boolean>();
  for (const { ops } of unit.loweredFunctions) {
    for (const op of ops) {
      if (op.op !== "import") continue;
      const isOwn = !op.logged || specifiers.get(op.specifier) === true;
      specifiers.set(op.specifier, isOwn);
    }
  }
  return specifiers;
}

class Linker {
  readonly #units: ReadonlyMap<string, FileUnit>;
  readonly #find: Linked["find"];
  readonly #resolved = new Map<Var, Var>();

  constructor(units: ReadonlyMap<string, FileUnit>, find: Linked["find"]) {
    this.#units = units;
    this.#find = find;
  }

  link(): Map<Var, Var> {
    for (const unit of this.#units.values()) this.#nameExports(unit);
    for (const unit of this.#units.values()) {
      for (const [binding, imported] of unit.imports) this.#linkName(unit, binding, imported);
    }
    return this.#resolved;
  }

  /** What a file exports of a package, of CommonJS or as a whole becomes a variable of its own. */
  #nameExports(unit: FileUnit): void {
    for (const [name, exported] of unit.exports) {
      if ("scope" in exported || this.exportOf(unit, name)) continue;
      const binding = new Binding(`*${name}*`, "const", unit.moduleObject.scope, null);
      unit.exports.set(name, binding);
      this.#linkName(unit, binding, exported);
    }
  }

  #linkName(unit: FileUnit, binding: Binding, { specifier, name }: ImportedName): void {
    const emit = (op: object): void => {
      unit.module.ops.push({ at: 0, region: null, logged: false, ...op } as Op);
    };
    const found = this.#find(unit.file, specifier);
    if (!found) {
      emit({ op: "native", path: `${specifier}|${name === "*" ? "" : name}`, to: binding });
      return;
    }
    const exported = name === "*" ? undefined : this.exportOf(found, name);
    if (exported) {
      this.#resolved.set(binding, exported);
      return;
    }
    emit({ op: "import", specifier, how: "require", to: binding });
    // A CommonJS file is its own default, and its fields are its names.
    const isField = name !== "*" && name !== "default";
    if (isField) emit({ op: "load", object: binding, field: name, to: binding });
  }

  /** The variable that a file exports under a name, through other files if need be. */
  exportOf(unit: FileUnit, name: string, seen: Set<FileUnit> = new Set()): Binding | undefined {
    if (seen.has(unit)) return undefined;
    seen.add(unit);
    const own = unit.exports.get(name);
    if (own && "scope" in own) return own;
    if (own) {
      const from = this.#find(unit.file, own.specifier);
      return from && own.name !== "*" ? this.exportOf(from, own.name, seen) : undefined;
    }
    for (const specifier of unit.exportAll) {
      const from = this.#find(unit.file, specifier);
      const found = from && this.exportOf(from, name, seen);
      if (found) return found;
    }
    return undefined;
  }

  /** What a file exports of others without naming it: packages, and files of CommonJS. */
  *unnamedOf(unit: FileUnit, seen: Set<FileUnit> = new Set()): Generator<FileUnit | string> {
    if (seen.has(unit)) return;
    seen.add(unit);
    for (const specifier of unit.exportAll) {
      const from = this.#find(unit.file, specifier);
      if (!from || from.isCommonJs) yield from ?? specifier;
      else yield* this.unnamedOf(from, seen);
    }
  }

  exportsOf(unit: FileUnit, seen: Set<FileUnit> = new Set()): Map<string, Binding> {
    const exports = new Map<string, Binding>();
    if (seen.has(unit)) return exports;
    seen.add(unit);
    for (const specifier of unit.exportAll) {
      const from = this.#find(unit.file, specifier);
      if (!from) continue;
      for (const [name, binding] of this.exportsOf(from, seen)) {
        if (name !== "default") exports.set(name, binding);
      }
    }
    for (const name of unit.exports.keys()) {
      const binding = this.exportOf(unit, name);
      if (binding) exports.set(name, binding);
    }
    return exports;
  }
}
