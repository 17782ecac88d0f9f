/**
 * @file Files of versions, read without checking anything out: many files of many runs with two
 * processes of git, each content once however many versions share it.
 */
import type { VersionReference } from "../../format/index.ts";
import type { Project } from "../project.ts";
import { findVersion } from "./version-checkout.ts";
import { rawPath, tryGit } from "./version-git.ts";

/** A file of the version of a run, named from the project's root. */
export interface WantedFile {
  readonly run: string;
  readonly version: VersionReference;
  readonly file: string;
}

export interface KeptFile {
  /** Git's name of the content: the same text has the same. */
  readonly id: string;
  readonly text: string;
}

/**
 * The wanted files, in the same order; undefined for one that its version does not have. Throws
 * AL045 if the repository is gone.
 */
export function readVersionFiles(
  project: Project,
  wanted: readonly WantedFile[],
): (KeptFile | undefined)[] {
  const found = new Map<WantedFile, KeptFile>();
  for (const isPrivate of [false, true]) {
    const own = wanted.filter(({ version }) => version.private === isPrivate);
    const [first] = own;
    if (!first) continue;
    const { gitDir, original } = findVersion(project, first.run, first.version);
    const place = { gitDir, workTree: original };
    const ids = contentIds(place, own.map(blobName));
    const texts = blobTexts(place, [...new Set(ids.filter((id) => id !== undefined))]);
    own.forEach((file, at) => {
      const id = ids[at];
      const text = id === undefined ? undefined : texts.get(id);
      if (id !== undefined && text !== undefined) found.set(file, { id, text });
    });
  }
  return wanted.map((file) => found.get(file));
}

type RepositoryPlace = { readonly gitDir: string; readonly workTree: string };

function blobName({ version, file }: WantedFile): string {
  const path = version.folder === "." ? file : `${version.folder}/${file}`;
  return rawPath(`${version.commit}:${path}`);
}

function contentIds(place: RepositoryPlace, names: readonly string[]): (string | undefined)[] {
  // A name with a newline would be taken for two.
  const input = names.map((name) => `${name.includes("\n") ? "-" : name}\n`).join("");
  const command = ["cat-file", "--batch-check=%(objecttype) %(objectname)"];
  const lines = tryGit(place, command, { input }).out.split("\n");
  return names.map((_, at) => /^blob ([0-9a-f]+)$/.exec(lines[at] ?? "")?.[1]);
}

function blobTexts(place: RepositoryPlace, ids: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  if (ids.length === 0) return texts;
  const { out } = tryGit(place, ["cat-file", "--batch"], { input: `${ids.join("\n")}\n` });
  let at = 0;
  for (const id of ids) {
    // "<id> blob <size>", a newline, the bytes, a newline.
    const end = out.indexOf("\n", at);
    const size = Number(out.slice(at, end).split(" ")[2]);
    if (end < 0 || !Number.isSafeInteger(size)) break;
    texts.set(id, Buffer.from(out.slice(end + 1, end + 1 + size), "latin1").toString("utf8"));
    at = end + 1 + size + 1;
  }
  return texts;
}
