/**
 * @file The tree that a replay is executed in, in what its program keeps and shows: names of files that the
 * run had in its project are names in the tree there. Both are told of JSON text, of whatever it is.
 * `python/afterlog/format/own_tree.py` has the same rules.
 */
import { pathToFileURL } from "node:url";

export interface OwnTree {
  /** Stands in for the root of the file system: what is in it has the path there that it has in the run. */
  readonly mirror: string;
  /** The project in it. */
  readonly root: string;
}

/** How a path is written as it is, in a URL by Node, and in one by Python, which keeps fewer characters. */
const WRITTEN: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => pathToFileURL(path).pathname,
  (path) => path.split("/").map(encodeURIComponent).join("/"),
];

/** JSON text of a replay, with the names that the run had. */
export function asInProject(json: string, tree: OwnTree | undefined): string {
  if (!tree) return json;
  const names = new Set(WRITTEN.map((write) => inJson(write(tree.mirror))));
  return [...names].reduce((text, name) => text.replaceAll(`${name}/`, "/"), json);
}

/** JSON text of a run, with the names that a replay in this tree has. */
export function asInTree(json: string, tree: OwnTree | undefined): string {
  if (!tree) return json;
  const { mirror, root } = tree;
  const named = (write: (path: string) => string, text: string): string => {
    const original = inJson(write(root.slice(mirror.length)));
    // `/data/a` is neither in `/data/ab` nor in `/mnt/data/a`.
    const pattern = new RegExp(`(?<=file://|^|[^\\w.~/-])${escaped(original)}(?![\\w.~-])`, "g");
    return text.includes(original) ? text.replace(pattern, () => inJson(write(root))) : text;
  };
  const ways = new Map(WRITTEN.map((write) => [write(root), write]));
  return [...ways.values()].reduce((text, write) => named(write, text), json);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
