/**
 * @file The tree that a replayed process runs in: the run's version, with the statements that are
 * asked for in it, and what else the run could see (semantics, "Files"). The user's own tree is
 * only read, and nothing here is a hard link to a file of it.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { FileRecord, Manifest, Overlay } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { CheckedOut, Project } from "../../store/index.ts";
import { checkOutVersion, runPaths, storePaths } from "../../store/index.ts";
import { takeLfsFiles } from "./lfs-files.ts";
import { findUnversionedFiles } from "./unversioned-files.ts";
import type { UnversionedFile } from "./unversioned-files.ts";
import { readLines } from "../recorded/raw-log.ts";
import { linkSurroundings } from "./surroundings.ts";
import { copyLink, linkOriginal, linkPackages } from "./tree-links.ts";
import type { Tops, TreeLink } from "./tree-links.ts";

export interface TreeOptions {
  readonly project: Project;
  /** Of the run that is asked. */
  readonly manifest: Manifest;
  /** Files as they are to be, named from the project's root. */
  readonly overlays: readonly Overlay[];
  /** Stands in for the root of the file system, with the tree in it; removed first if it is there. */
  readonly folder: string;
  /** Folder whose `node_modules` the project has there, in place of its own. */
  readonly modules?: string;
}

export interface Tree extends AsyncDisposable {
  /** Stands in for the root of the file system: the tree has the place in it that the project has. */
  readonly mirror: string;
  /** Stands in for the top of the repository. */
  readonly top: string;
  /** Stands in for the project's root. */
  readonly root: string;
  /** Stands in for the folder in which the run was started, in its project or outside it. */
  readonly cwd: string;
  /** What in the tree leads to originals. */
  readonly links: readonly TreeLink[];
  /** Files of the project that the run read and that cannot be had any more. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
  /** Removes it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A file of at most so many bytes is copied: a copy is safe from every writer, also from a program
 * that the replayed one starts, and takes no longer than starting a process. Above, and past the
 * sum, files are linked, and the SDK copies one before it is written.
 */
const COPIED_BYTES_MAX = 2 ** 20;
const COPIED_SUM_MAX = 2 ** 26;

/** Makes the tree. Throws AL045 if the version cannot be brought back. */
export function makeTree(options: TreeOptions): Tree {
  const { project, manifest } = options;
  rmSync(options.folder, { recursive: true, force: true });
  mkdirSync(options.folder, { recursive: true });
  // As the program finds it in its working folder.
  const mirror = realpathSync(options.folder);
  try {
    const version = checkOutVersion({
      project,
      manifest,
      folderFor: (original) => join(mirror, realpathSync(original)),
    });
    const top = join(mirror, realpathSync(version.original));
    const tops = { original: version.original, tree: top };
    const links: TreeLink[] = [];
    for (const path of version.links) links.push(...copyLink(tops, path));
    const used = usedFiles(project, manifest);
    const others = findUnversioned(options, version, used);
    const root = join(top, manifest.version?.folder ?? ".");
    links.push(...linkInstalled(options, tops, root));
    const given = options.modules === undefined ? null : join(relative(top, root), "node_modules");
    links.push(
      ...bringFiles(
        tops,
        others.files.filter(({ path }) => path !== given),
      ),
    );
    links.push(...bringFiles(tops, takeLfsFiles(tops, version.files)));
    checkTreeSources(root, options, used.written);
    for (const overlay of options.overlays) writeOverlay(root, overlay);
    const missing = [...used.read.keys()]
      .map((file) => relative(project.root, file))
      .filter((file) => !file.startsWith("..") && !existsSync(join(root, file)));
    // A run from elsewhere may have been deeper in its file system than there are folders here.
    const cwd = join(mirror, resolve(root.slice(mirror.length), manifest.cwd ?? "."));
    linkSurroundings(mirror, { top, cwd }, [...used.read.keys(), ...used.written]);
    endPackages(mirror);
    const warnings = [...version.warnings, ...others.warnings];
    const dispose = (): Promise<void> => rm(mirror, { recursive: true, force: true });
    return { mirror, top, root, cwd, links, missing, warnings, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    rmSync(mirror, { recursive: true, force: true });
    throw error;
  }
}

/**
 * How a file is loaded the nearest package.json over it says. The tree lies in that of the user, which is of
 * another day: the search ends before it.
 */
function endPackages(mirror: string): void {
  const file = join(mirror, "package.json");
  if (!existsSync(file)) writeFileSync(file, "{}\n");
}

/** Every source that the run loaded is the one it loaded, or is about to be replaced. */
function checkTreeSources(
  root: string,
  { project, manifest, overlays }: TreeOptions,
  written: ReadonlySet<string>,
): void {
  const replaced = new Set(overlays.map(({ file }) => join(root, file)));
  for (const [file, sha256] of Object.entries(manifest.sources)) {
    const path = join(root, file);
    const isGiven = replaced.has(path) || written.has(resolve(project.root, file));
    // One that is missing is met by the program itself.
    if (isGiven || !existsSync(path) || sha256 === sourceHash(path)) continue;
    throw new AfterlogError("AL045", `${manifest.run} cannot be replayed: ${file} has changed`, {
      notes: ["the version of the run does not hold it as the program loaded it"],
      help: [`bring back the file with SHA-256 ${sha256}`],
      data: { run: manifest.run, file, sha256 },
    });
  }
}

function sourceHash(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function findUnversioned(
  { project, manifest }: TreeOptions,
  version: CheckedOut,
  used: UsedFiles,
): { files: readonly UnversionedFile[]; warnings: readonly string[] } {
  const found = findUnversionedFiles({
    top: version.original,
    store: project.store,
    inVersion: version.files,
    ...used,
    startedMs: Date.parse(manifest.started),
  });
  // Large files are as they were: what else is known of them does not matter.
  const large = new Set(version.large);
  const known = version.large.map((path): UnversionedFile => {
    return { kind: "file", path, bytes: statSync(join(version.original, path)).size };
  });
  return { ...found, files: [...found.files.filter(({ path }) => !large.has(path)), ...known] };
}

/** Full names of files. */
interface UsedFiles {
  /** With the hash at the first read. */
  readonly read: ReadonlyMap<string, string>;
  readonly written: ReadonlySet<string>;
}

function usedFiles({ root, store }: Project, { run, sources }: Manifest): UsedFiles {
  const read = new Map(
    Object.entries(sources).map(([file, sha256]) => [resolve(root, file), `sha256:${sha256}`]),
  );
  const written = new Set<string>();
  for (const line of readLines(runPaths.log(storePaths.run(store, run)), '{"k":"file"')) {
    const { op, file, hash = "" } = line as unknown as FileRecord;
    if (op === "read") read.set(resolve(root, file), hash);
    else written.add(resolve(root, file));
  }
  return { read, written };
}

/** Packages of its own come first: those that are there already are not linked again. */
function linkInstalled({ modules, project }: TreeOptions, tops: Tops, root: string): TreeLink[] {
  if (modules === undefined) return [];
  // The replayed program talks to this SDK, whichever its version had.
  const sdk = join(relative(tops.original, project.root), "node_modules", "afterlog");
  const own = existsSync(join(tops.original, sdk)) ? [linkOriginal(tops, sdk)] : [];
  return [...own, ...linkPackages({ original: modules, tree: root }, "node_modules")];
}

function bringFiles(tops: Tops, files: readonly UnversionedFile[]): TreeLink[] {
  let copied = 0;
  const links = new Map<string, boolean>();
  // Where the version has a link and the working tree a folder, its files would be written elsewhere.
  const placed = files.filter(({ path }) => !isThroughLink(tops.tree, dirname(path), links));
  return placed.flatMap((file): readonly TreeLink[] => {
    switch (file.kind) {
      case "folder":
        mkdirSync(join(tops.tree, file.path), { recursive: true });
        return [];
      case "packages":
        return linkPackages(tops, file.path);
      case "link":
        return copyLink(tops, file.path);
      case "tree":
        // Made above, as a folder that existed.
        rmSync(join(tops.tree, file.path), { recursive: true, force: true });
        return [linkOriginal(tops, file.path)];
      case "file": {
        const small = file.bytes <= COPIED_BYTES_MAX && copied + file.bytes <= COPIED_SUM_MAX;
        if (!small || !copyFile(tops, file.path)) return [linkOriginal(tops, file.path)];
        copied += file.bytes;
        return [];
      }
    }
  });
}

/** Whether a folder of the tree is reached by a link. */
function isThroughLink(tree: string, folder: string, known: Map<string, boolean>): boolean {
  if (folder === ".") return false;
  const before = known.get(folder);
  if (before !== undefined) return before;
  const stat = lstatSync(join(tree, folder), { throwIfNoEntry: false });
  const is = stat?.isSymbolicLink() === true || isThroughLink(tree, dirname(folder), known);
  known.set(folder, is);
  return is;
}

/** Copies a file with its times; false if it cannot be read. */
function copyFile(tops: Tops, path: string): boolean {
  const from = join(tops.original, path);
  const to = join(tops.tree, path);
  mkdirSync(dirname(to), { recursive: true });
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    const { atime, mtime } = statSync(from);
    utimesSync(to, atime, mtime);
    return true;
  } catch {
    rmSync(to, { force: true });
    return false;
  }
}

function writeOverlay(root: string, { file, text }: Overlay): void {
  const path = resolve(root, file);
  if (!isWithin(root, path)) throw new Error(`${file} lies outside the project`);
  // A version may hold a link to a folder that is not in the tree.
  if (!isWithin(realpathSync(root), realFolder(dirname(path)))) throw linkedOutside(file);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // A link is replaced, never written through.
  rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (stat?.isFile()) chmodSync(path, stat.mode);
}

/** Where the nearest folder that is there really lies. */
function realFolder(folder: string): string {
  return lstatSync(folder, { throwIfNoEntry: false })
    ? realpathSync(folder)
    : realFolder(dirname(folder));
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return !(way.startsWith("..") || isAbsolute(way));
}

function linkedOutside(file: string): AfterlogError {
  return new AfterlogError("AL045", `${file} cannot be written into the tree of a replay`, {
    notes: ["the version has a link in the place of one of its folders, which leads outside"],
    help: ["ask other runs, or ask in a file that is in the project"],
    data: { file },
  });
}
