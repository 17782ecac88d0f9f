/**
 * @file Links in a replay's tree: those of the project, which must not lead back into the working
 * tree, and ours to packages and data that are too large to copy.
 */
import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** A path in the tree and what it stands for: no write may go through it. */
export type TreeLink = readonly [inTree: string, original: string];

/** The working tree and what stands in for it. */
export interface Tops {
  readonly original: string;
  readonly tree: string;
}

/**
 * Makes the link that the project has at `path`. One that stays inside the project leads to the
 * same place of the tree; one that leads out of it is answered, because it shares what it leads to.
 */
export function copyLink(tops: Tops, path: string): TreeLink[] {
  const inTree = join(tops.tree, path);
  const text = readlinkSync(existing(inTree) ? inTree : join(tops.original, path));
  const target = resolve(dirname(join(tops.original, path)), text);
  const way = relative(tops.original, target);
  const isInside = !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
  rmSync(inTree, { force: true });
  mkdirSync(dirname(inTree), { recursive: true });
  if (isInside) {
    symlinkSync(isAbsolute(text) ? join(tops.tree, way) : text, inTree);
    return [];
  }
  symlinkSync(target, inTree);
  return [[inTree, target]];
}

/** Links a file or folder of the working tree as it is. */
export function linkOriginal(tops: Tops, path: string): TreeLink {
  const inTree = join(tops.tree, path);
  const original = join(tops.original, path);
  mkdirSync(dirname(inTree), { recursive: true });
  symlinkSync(original, inTree);
  return [inTree, original];
}

/** Left out of a folder of packages: caches are written, and made again if they are missing. */
const CACHE = /^\.(?!bin$|pnpm$|package-lock\.json$|modules\.yaml$|yarn-)/;

/**
 * A folder `node_modules` with a link to each package. Not one link for all: packages of the
 * project itself (workspaces) are the tree's, not the working tree's, and caches stay apart.
 */
export function linkPackages(tops: Tops, folder: string): TreeLink[] {
  mkdirSync(join(tops.tree, folder), { recursive: true });
  const entries = readdirSync(join(tops.original, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (CACHE.test(entry.name) || existing(join(tops.tree, path))) return [];
    if (entry.name.startsWith("@") && entry.isDirectory()) return linkPackages(tops, path);
    return linkPackage(tops, path, entry.isSymbolicLink());
  });
}

function linkPackage(tops: Tops, path: string, isLink: boolean): TreeLink[] {
  return isLink && !leadsToPackage(tops, path) ? copyLink(tops, path) : [linkOriginal(tops, path)];
}

/** Whether a link leads to a package among others (pnpm), not to a folder of the project. */
function leadsToPackage(tops: Tops, path: string): boolean {
  const link = join(tops.original, path);
  return resolve(dirname(link), readlinkSync(link)).split(sep).includes("node_modules");
}

function existing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
