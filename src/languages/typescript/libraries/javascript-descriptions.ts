/** @file The descriptions of packages of npm, of Node and of the language that come with Afterlog. */
import { builtinModules } from "node:module";
import type { LibraryDescription, LibraryEntry } from "../../../format/index.ts";
import type { ShownBy } from "../../anatomy.ts";
import { descriptionsOf } from "../../libraries/descriptions.ts";

/** What the language itself has is a package of this name. */
const GLOBAL = "global";
const NODE = "node:*";
const NODE_MODULES = new Set(builtinModules);

const byRoot = new Map<string, readonly LibraryDescription[]>();

/** What is said of a package, `root` as a program imports it: `node:fs`, `lodash/fp`. */
export function librariesOf(root: string): readonly LibraryDescription[] {
  let found = byRoot.get(root);
  if (!found) {
    const name = root.replace(/^node:/, "");
    const isNode = name !== root || NODE_MODULES.has(name);
    found = descriptionsOf("javascript").filter(({ packages }) =>
      packages.some((one) => (one === NODE ? isNode : fits(one, name))),
    );
    byRoot.set(root, found);
  }
  return found;
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

export function languageDescription(): LibraryDescription {
  const [found] = librariesOf(GLOBAL);
  if (!found) throw new Error(`no description of ${GLOBAL}`);
  return found;
}

/** Descriptions that say what functions do. */
export function librariesDescribing(root: string): readonly LibraryDescription[] {
  return librariesOf(root).filter(({ functions }) => functions.all.length > 0);
}

/** What a method of one of these packages can be given to show more. */
export function shownBy(roots: readonly string[], method: string): ShownBy | undefined {
  const found = roots.flatMap((root) =>
    librariesOf(root).flatMap(({ shown }) => shown.find(method) ?? []),
  );
  return found[0]?.detail;
}

/** Whether it is the language or Node, of which everything that keeps something is named. */
export function isPlatform(root: string): boolean {
  return root === GLOBAL || librariesOf(root).some(({ packages }) => packages.includes(NODE));
}

/** What is said of calling something of a package, by its path inside. */
export function functionEntry(root: string, path: string): LibraryEntry | undefined {
  const inner = path.replace(/^(?:globalThis\.|default\.|default$)/, "");
  const name = inner || fileName(root) || "default";
  for (const { functions, packages } of librariesDescribing(root)) {
    // Node's modules have parts in several ways: `fs.promises.read`, `promises.read`, `read`.
    const last = packages.includes(NODE) ? name.slice(name.lastIndexOf(".") + 1) : name;
    const entry = functions.find(last);
    if (entry) return entry;
  }
  return undefined;
}

/** What a file of a package gives has its name: `lodash/map`, `lodash-es/map.js`. */
function fileName(root: string): string {
  const [, name = ""] = /^(?:@[^/]+\/)?[^/]+\/(?:.*\/)?([\w-]+)(?:\.[cm]?js)?$/.exec(root) ?? [];
  return root.startsWith("node:") ? "" : name;
}

/** What is said of a method of an object of that kind. */
export function methodEntry(kind: string, name: string): LibraryEntry | undefined {
  for (const { objects } of descriptionsOf("javascript")) {
    const entry = objects.get(kind)?.find(name);
    if (entry) return entry;
  }
  return undefined;
}

/** What is said of methods of that name, of whatever object, without patterns. */
export function entriesNamed(name: string): readonly LibraryEntry[] {
  return descriptionsOf("javascript").flatMap(({ methods, objects }) =>
    [methods, ...objects.values()].flatMap((table) => table.named.get(name) ?? []),
  );
}
