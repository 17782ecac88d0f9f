/**
 * @file What a push is about to send, and which versions it must not: those that hold what looks like a
 * secret (decision 0090). Of a version that is what its commit has besides the commit it was made on; what
 * that one holds is in git already, and is only named.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../../format/index.ts";
import type { Project } from "../project.ts";
import { readManifest } from "../runs.ts";
import { storePaths } from "../store-paths.ts";
import type { GitPlace, RawPath } from "../versions/version-git.ts";
import { rawToText, splitNul, tryGit } from "../versions/version-git.ts";
import type { FoundSecret } from "../versions/version-secrets.ts";
import { secretByName, secretsInText, withoutNamed } from "../versions/version-secrets.ts";
import type { Remote } from "./exchange-git.ts";
import { exchangeGit, readObjects, sizesOf } from "./exchange-git.ts";
import { EXCHANGED } from "./exchange-log.ts";

/** One run on its way. */
export interface PushedRun {
  readonly run: string;
  readonly kind: Manifest["kind"];
  /** Of its log and what belongs to it. */
  readonly bytes: number;
  /** Null: none, or the remote has it. */
  readonly version: {
    readonly commit: string;
    readonly files: number;
    readonly bytes: number;
  } | null;
}

export interface PushContents {
  readonly runs: readonly PushedRun[];
  /** Tags, notes and names of runs that the remote has, or will have. */
  readonly annotations: number;
  /** Of these, notes that look like secrets: they stay here. */
  readonly held: readonly (SecretFile & { readonly run: string })[];
  /** Commits that the runs were made on and that no branch of the remote has; null: not known. */
  readonly commits: number | null;
  /** Files that the user has put into git, which travel with these commits. */
  readonly tracked: readonly SecretFile[];
}

/** A file from the top of the tree, or a text of the run's log, and what it looks like. */
export interface SecretFile {
  readonly file: string;
  readonly what: string;
  /** It is no file of the version, which could be taken out of that. */
  readonly inLog?: true;
}

/** A version that is to be sent. */
export interface LeavingVersion {
  readonly run: string;
  readonly version: NonNullable<Manifest["version"]>;
}

const LINK = "120000";
const SUBMODULE = "160000";
/** How much is looked into: a file that is larger holds no key that anybody typed. */
interface LookLimits {
  readonly fileBytes: number;
  readonly totalBytes: number;
}
const OF_VERSIONS: LookLimits = { fileBytes: 10_000_000, totalBytes: Infinity };
/** What is in git is only named: of a large repository the rest is known by its names. */
const OF_COMMITS: LookLimits = { fileBytes: 1_000_000, totalBytes: 256_000_000 };
/** Contents of files that are held at a time. */
const READ_AT_ONCE = 64_000_000;

interface VersionFile {
  readonly path: RawPath;
  readonly mode: string;
  readonly object: string;
  /** What the commit before has there, by the user's own word. */
  readonly before?: string;
}

/** What the versions of one repository hold of their own. */
export class LeavingVersions {
  readonly #place: GitPlace;
  readonly #root: string;
  readonly #versions: readonly LeavingVersion[];
  readonly #files: ReadonlyMap<string, readonly VersionFile[]>;
  readonly #sizes: ReadonlyMap<string, number>;

  constructor(place: GitPlace, { root }: Project, versions: readonly LeavingVersion[]) {
    this.#place = place;
    this.#root = root;
    this.#versions = versions;
    this.#files = ownFiles(
      place,
      versions.map(({ version }) => version.commit),
    );
    this.#sizes = sizesOf(place, objectsOf([...this.#files.values()].flat()));
  }

  sizeOf(commit: string): NonNullable<PushedRun["version"]> {
    const files = this.#files.get(commit) ?? [];
    const bytes = files.reduce((sum, { object }) => sum + (this.#sizes.get(object) ?? 0), 0);
    return { commit, files: files.length, bytes };
  }

  /** Files of versions that must not leave, by run. */
  secrets(): Map<string, FoundSecret[]> {
    const looks = this.#looks([...this.#files.values()].flat(), OF_VERSIONS);
    const found = new Map<string, FoundSecret[]>();
    for (const { run, version } of this.#versions) {
      const all = (this.#files.get(version.commit) ?? []).flatMap((file) => looks(file));
      const left = withoutNamed(all, { root: this.#root, folder: folderOf(version) });
      if (left.length > 0) found.set(run, left);
    }
    return found;
  }

  /** Files that look like secrets in the commits that travel with the versions, and how many these are. */
  tracked({ name }: Remote): Pick<PushContents, "commits" | "tracked"> {
    const heads = [...new Set(this.#versions.flatMap(({ version }) => version.head ?? []))];
    if (heads.length === 0) return { commits: 0, tracked: [] };
    const isNamed = tryGit(this.#place, ["remote", "get-url", "--", name]).ok;
    const asked = ["rev-list", ...heads, ...(isNamed ? ["--not", `--remotes=${name}`] : [])];
    const commits = splitLines(tryGit(this.#place, asked).out);
    const fresh = new Set(commits);
    const files = ownTrees(
      this.#place,
      heads.filter((head) => fresh.has(head)),
    );
    const looks = this.#looks(files, OF_COMMITS);
    const found = files.flatMap((file) => looks(file));
    const named = new Map(found.map(({ path, what }) => [rawToText(path), what]));
    const tracked = [...named].map(([file, what]) => ({ file, what }));
    return { commits: isNamed ? commits.length : null, tracked };
  }

  /** What files look like, each content read once. */
  #looks(files: readonly VersionFile[], limits: LookLimits): (file: VersionFile) => FoundSecret[] {
    const texts = files.filter(({ mode }) => mode !== LINK && mode !== SUBMODULE);
    const objects = texts.flatMap(({ object, before }) => (before ? [object, before] : [object]));
    const held = secretsOf(this.#place, [...new Set(objects)], limits);
    return ({ path, mode, object, before }) => {
      if (mode === LINK || mode === SUBMODULE) return [];
      const known = before === undefined ? undefined : (held.get(before) ?? new Map());
      const fresh = [...(held.get(object) ?? [])].find(([secret]) => !known?.has(secret));
      const what = (known ? undefined : secretByName(path)) ?? fresh?.[1];
      return what === undefined ? [] : [{ path, what }];
    };
  }
}

/** What each content holds, of those that hold something. */
function secretsOf(
  place: GitPlace,
  objects: readonly string[],
  { fileBytes, totalBytes }: LookLimits,
): Map<string, ReadonlyMap<string, string>> {
  const sizes = sizesOf(place, objects);
  const held = new Map<string, ReadonlyMap<string, string>>();
  let part: string[] = [];
  let bytes = 0;
  let left = totalBytes;
  const read = (): void => {
    for (const [object, content] of readObjects(place, part)) {
      const found = secretsInText(content.bytes.toString("latin1"));
      if (found.size > 0) held.set(object, found);
    }
    part = [];
    bytes = 0;
  };
  for (const object of objects) {
    const size = sizes.get(object) ?? 0;
    if (size > fileBytes || size > left) continue;
    left -= size;
    if (bytes + size > READ_AT_ONCE) read();
    part.push(object);
    bytes += size;
  }
  read();
  return held;
}

/** The project's folder in the tree of a version: empty, or ending in a slash. */
export function folderOf({ folder }: LeavingVersion["version"]): string {
  return folder === "." ? "" : `${folder}/`;
}

/** The rows of what is sent; `sizeOf`: of the versions that the remote lacks. */
export function pushedRun(
  { store }: Project,
  run: string,
  sizeOf: (run: string) => PushedRun["version"],
): PushedRun {
  const folder = storePaths.run(store, run);
  const sizes = EXCHANGED.map((file) => {
    return statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
  });
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { run, kind: readManifest(folder).kind, bytes, version: sizeOf(run) };
}

function objectsOf(files: readonly VersionFile[]): string[] {
  const blobs = files.filter(({ mode }) => mode !== SUBMODULE);
  return [...new Set(blobs.map(({ object }) => object))];
}

/** What each commit has that its parent has not, or otherwise; all, if it has none. */
function ownFiles(place: GitPlace, commits: readonly string[]): Map<string, VersionFile[]> {
  const files = new Map<string, VersionFile[]>();
  if (commits.length === 0) return files;
  const asked = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--root", "--stdin"];
  let own: VersionFile[] = [];
  let change: string[] | undefined;
  for (const part of splitNul(exchangeGit(place, asked, `${commits.join("\n")}\n`))) {
    if (change) {
      // `:100644 100644 OLD NEW M`
      const [, mode = "", before = "", object = "", status = ""] = change;
      const known = status === "A" ? {} : { before };
      if (status !== "D") own.push({ path: part, mode, object, ...known });
      change = undefined;
    } else if (part.startsWith(":")) change = part.split(" ");
    else files.set(part, (own = []));
  }
  return files;
}

/** All files of commits. */
function ownTrees(place: GitPlace, commits: readonly string[]): VersionFile[] {
  return commits.flatMap((commit) => {
    return splitNul(exchangeGit(place, ["ls-tree", "-r", "-z", commit])).map((line) => {
      // `100644 blob OBJECT`, a tab, the path.
      const [mode = "", , object = ""] = line.slice(0, line.indexOf("\t")).split(" ");
      return { path: line.slice(line.indexOf("\t") + 1), mode, object };
    });
  });
}

function splitLines(out: string): string[] {
  return out.split("\n").filter((line) => line !== "");
}
