/**
 * @file Whether a version that came from elsewhere can be written to a disk: what its trees name,
 * how many files they come to, and how large these are. A tree that holds ten times the same tree that
 * holds ten times the same one is small, and fills any disk: each is read once, and counted as
 * often as it stands there.
 */
import type { ExchangePlace, GitObject } from "./exchange-git.ts";
import { exchangeGit, readObjects, sizesOf } from "./exchange-git.ts";
import { partsOf } from "./exchange-trees.ts";

/** Larger than any repository that somebody trains in; a version is written for each replay. */
const FILES_MAX = 1_000_000;
const BYTES_MAX = 20_000_000_000;
const DEPTH_MAX = 200;
const TREES_MAX = 500_000;
const TREE_BYTES_MAX = 50_000_000;
const BATCH_BYTES = 64_000_000;

const FOLDER = "40000";
const LINK = "120000";
const SUBMODULE = "160000";
const MODES = new Set([FOLDER, LINK, SUBMODULE, "100644", "100755", "100664"]);

const TWICE = "two names in it are the same";

interface Entry {
  readonly mode: string;
  readonly name: string;
  readonly id: string;
}

/** Of a tree, with all that is in it. */
interface Extent {
  readonly files: number;
  readonly bytes: number;
  readonly problem?: string;
}

/** What is wrong with the trees of commits, by commit; those that are sound have none. */
export function checkTrees(
  place: ExchangePlace,
  commits: readonly string[],
): ReadonlyMap<string, string> {
  const roots = rootsOf(place, commits);
  const trees = new Trees(place, [...roots.values()]);
  const problems = new Map<string, string>();
  if (trees.isBeyond && commits.length > 1) {
    // One of them is: the others need not suffer for it.
    for (const commit of commits) {
      for (const [one, problem] of checkTrees(place, [commit])) problems.set(one, problem);
    }
    return problems;
  }
  for (const commit of commits) {
    const problem = trees.problemOf(roots.get(commit) ?? "");
    if (problem !== undefined) problems.set(commit, problem);
  }
  return problems;
}

function rootsOf(place: ExchangePlace, commits: readonly string[]): Map<string, string> {
  if (commits.length === 0) return new Map();
  const asked = commits.map((commit) => `${commit}^{tree}\n`).join("");
  const lines = exchangeGit(place, ["cat-file", "--batch-check=%(objectname)"], asked).split("\n");
  return new Map(commits.map((commit, at) => [commit, lines[at] ?? ""]));
}

class Trees {
  readonly #place: ExchangePlace;
  readonly #entries = new Map<string, readonly Entry[] | string>();
  readonly #sizes = new Map<string, number>();
  readonly #extents = new Map<string, Extent>();
  #problem: string | undefined;

  constructor(place: ExchangePlace, roots: readonly string[]) {
    this.#place = place;
    let open = [...new Set(roots)];
    for (let depth = 0; open.length > 0; depth++) {
      if (depth > DEPTH_MAX) this.#problem = `folders are nested more than ${DEPTH_MAX} deep`;
      else if (this.#entries.size + open.length > TREES_MAX)
        this.#problem = `it has more than ${TREES_MAX} folders`;
      if (this.#problem !== undefined) return;
      open = this.#read(open);
    }
    const files = [...this.#entries.values()].flatMap((entries) =>
      typeof entries === "string"
        ? []
        : entries.flatMap(({ mode, id }) => (isFile(mode) ? id : [])),
    );
    for (const [id, size] of sizesOf(place, [...new Set(files)])) this.#sizes.set(id, size);
  }

  /** There are too many to be looked at. */
  get isBeyond(): boolean {
    return this.#problem !== undefined;
  }

  problemOf(root: string): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    const { files, bytes, problem } = this.#extentOf(root);
    if (problem !== undefined) return problem;
    if (files > FILES_MAX) return `it unpacks to more than ${FILES_MAX} files`;
    return bytes > BYTES_MAX ? `it unpacks to more than ${BYTES_MAX / 1e9} GB` : undefined;
  }

  /** Reads trees; answers those in them that are not known yet. */
  #read(ids: readonly string[]): string[] {
    const sizes = sizesOf(this.#place, ids);
    const sound = ids.filter((id) => (sizes.get(id) ?? Infinity) <= TREE_BYTES_MAX);
    for (const id of ids) this.#entries.set(id, "a folder of it is missing or too large");
    const parts = partsOf(sound, (id) => sizes.get(id) ?? 0, BATCH_BYTES);
    const found = new Set<string>();
    for (const part of parts) {
      for (const [id, object] of readObjects(this.#place, part)) {
        const entries = entriesOf(object, id.length / 2);
        this.#entries.set(id, entries);
        if (typeof entries === "string") continue;
        for (const entry of entries) if (entry.mode === FOLDER) found.add(entry.id);
      }
    }
    return [...found].filter((id) => !this.#entries.has(id));
  }

  /** Trees of git cannot hold themselves: their names are hashes of what they hold. */
  #extentOf(tree: string): Extent {
    const known = this.#extents.get(tree);
    if (known) return known;
    const extent = this.#sum(this.#entries.get(tree) ?? "its tree is missing");
    this.#extents.set(tree, extent);
    return extent;
  }

  #sum(entries: readonly Entry[] | string): Extent {
    if (typeof entries === "string") return { files: 0, bytes: 0, problem: entries };
    let [files, bytes] = [0, 0];
    for (const { mode, id } of entries) {
      const size = isFile(mode) ? this.#sizes.get(id) : 0;
      if (size === undefined) return { files, bytes, problem: "a file of it is missing" };
      const inside = mode === FOLDER ? this.#extentOf(id) : { files: 1, bytes: size };
      if (inside.problem !== undefined) return inside;
      files += inside.files;
      bytes += inside.bytes;
    }
    return { files, bytes };
  }
}

function isFile(mode: string): boolean {
  return mode !== FOLDER && mode !== SUBMODULE;
}

/** The entries of a tree, or what is wrong with one: mode, a space, the name, NUL, the id's bytes. */
function entriesOf({ type, bytes }: GitObject, idBytes: number): readonly Entry[] | string {
  if (type !== "tree") return "a folder of it is none";
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    const space = bytes.indexOf(0x20, at);
    if (end < 0 || space < 0 || space > end || end + 1 + idBytes > bytes.length)
      return "a folder of it is cut off";
    const mode = bytes.toString("latin1", at, space).replace(/^0+/, "");
    const name = bytes.toString("utf8", space + 1, end);
    entries.push({ mode, name, id: bytes.toString("hex", end + 1, end + 1 + idBytes) });
    at = end + 1 + idBytes;
  }
  return whyNotEntries(entries) ?? entries;
}

function whyNotEntries(entries: readonly Entry[]): string | undefined {
  if (entries.some(({ mode }) => !MODES.has(mode))) return "it has an entry of an unknown kind";
  if (entries.some(({ name }) => !isPlainName(name))) return "a name in it leads elsewhere";
  if (new Set(entries.map(({ name }) => name)).size < entries.length) return TWICE;
  // Where case does not count, a file of the folder would be written through the link.
  const folded = ({ name }: Entry): string => name.normalize("NFC").toLowerCase();
  const links = new Set(entries.filter(({ mode }) => mode === LINK).map(folded));
  const seen = new Set<string>();
  const isThrough = entries.some((entry) => {
    const name = folded(entry);
    if (seen.has(name) && links.has(name)) return true;
    seen.add(name);
    return false;
  });
  return isThrough ? TWICE : undefined;
}

/** A name that stands for something in its folder, on any system, and is not git's own. */
function isPlainName(name: string): boolean {
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name)) return false;
  // What file systems take for `.git`: other cases, characters that they leave out, short names.
  const bare = name
    .replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "")
    .toLowerCase();
  return !/^(?:\.git|git~\d+)[ .]*(?:$|:)/.test(bare);
}
