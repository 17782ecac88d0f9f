/**
 * @file Packages that are part of the project: which folder has one, and which file of it is meant. In a
 * version of old there are no links of `node_modules` to follow, so that a pattern like `packages/*`
 * leads only to folders with the name of their package.
 */
import { posix } from "node:path";
import type { ReadText } from "./find-import.ts";
import { asObject } from "./tsconfig.ts";

export interface OwnPackage {
  readonly folder: string;
  readonly json: { readonly [key: string]: unknown };
}

/** The nearest package over a file. */
export function packageOver(file: string, read: ReadText): OwnPackage | undefined {
  return packagesOver(file, read).next().value ?? undefined;
}

function* packagesOver(file: string, read: ReadText): Generator<OwnPackage, undefined> {
  for (let folder = posix.dirname(file); ; folder = posix.dirname(folder)) {
    const json = parse(read(posix.join(folder, "package.json")));
    if (json) yield { folder, json };
    if (folder === posix.dirname(folder)) return undefined;
  }
}

/** The package of this name, if it is the file's own or one of its workspace. */
export function workspaceFolder(
  importer: string,
  name: string,
  read: ReadText,
): OwnPackage | undefined {
  let isOwn = true;
  for (const { folder, json } of packagesOver(importer, read)) {
    if (isOwn && json["name"] === name && json["exports"] !== undefined) return { folder, json };
    isOwn = false;
    for (const pattern of patternsOf(folder, json, read)) {
      const words = pattern.includes("*") ? [name, posix.basename(name)] : [""];
      for (const word of words) {
        const inside = posix.join(
          folder,
          pattern.replace(/\*\*?(?:\/\*)?/, () => word),
        );
        const found = parse(read(posix.join(inside, "package.json")));
        if (found?.["name"] === name) return { folder: inside, json: found };
      }
    }
  }
  return undefined;
}

function patternsOf(folder: string, json: OwnPackage["json"], read: ReadText): string[] {
  const { workspaces } = json;
  const list = asObject(workspaces)?.["packages"] ?? workspaces;
  if (Array.isArray(list)) return list.map(String);
  const pnpm = read(posix.join(folder, "pnpm-workspace.yaml"));
  const [, items = ""] = /^packages:\s*\n((?:\s*(?:#.*|-.*)?\n?)*)/m.exec(pnpm ?? "") ?? [];
  return [...items.matchAll(/^\s*-\s*["']?([^"'#\s]+)/gm)].map(([, item = ""]) => item);
}

/**
 * The file that `exports` or `imports` of a package names for a path; undefined: none, or another one for
 * `import` than for `require`.
 */
export function entryOf(map: unknown, path: string): string | undefined {
  const [imported, required] = ["import", "require"].map((how) => targetOf(map, path, how));
  return imported === required ? imported : undefined;
}

function targetOf(map: unknown, path: string, how: string): string | undefined {
  const object = asObject(map);
  const isTable = object && Object.keys(object).some((key) => /^[.#]/.test(key));
  if (!isTable) return path === "." ? chosen(map, how) : undefined;
  if (path in object) return chosen(object[path], how);
  for (const [pattern, target] of Object.entries(object)) {
    const [before = "", after] = pattern.split("*");
    if (after === undefined || !path.startsWith(before) || !path.endsWith(after)) continue;
    const star = path.slice(before.length, path.length - after.length);
    return chosen(target, how)?.replaceAll("*", () => star);
  }
  return undefined;
}

/** The first of its conditions that holds. */
function chosen(target: unknown, how: string): string | undefined {
  if (typeof target === "string") return target;
  for (const [condition, inner] of Object.entries(asObject(target) ?? {})) {
    const holds = ["node", "default", "module-sync", how].includes(condition);
    const found = holds ? chosen(inner, how) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function parse(text: string | undefined): OwnPackage["json"] | undefined {
  if (text === undefined) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
