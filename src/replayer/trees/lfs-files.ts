/**
 * @file Files in Git LFS: a version keeps a pointer in place of each. Where the working tree still
 * has the content that the pointer names, the replay gets it; nothing is downloaded.
 */
import { lstatSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { hashFile } from "./file-hash.ts";
import type { UnversionedFile } from "./unversioned-files.ts";
import type { Tops } from "./tree-links.ts";

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d+)\n/;
const POINTER_BYTES_MAX = 1024;

/** Removes the pointers whose content is at hand from the tree; answers what is to stand there. */
export function takeLfsFiles(tops: Tops, files: ReadonlySet<string>): UnversionedFile[] {
  const attributes = [...files].filter((path) => basename(path) === ".gitattributes");
  const usesLfs = attributes.some((path) =>
    readFileSync(join(tops.tree, path), "utf8").includes("filter=lfs"),
  );
  return usesLfs ? [...files].flatMap((path) => takeLfsFile(tops, path)) : [];
}

function takeLfsFile(tops: Tops, path: string): UnversionedFile[] {
  const inTree = join(tops.tree, path);
  const stat = lstatSync(inTree, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > POINTER_BYTES_MAX) return [];
  const [, sha256, size] = POINTER.exec(readFileSync(inTree, "latin1")) ?? [];
  const bytes = Number(size);
  const original = join(tops.original, path);
  if (sha256 === undefined || statSync(original, { throwIfNoEntry: false })?.size !== bytes) {
    return [];
  }
  if (hashFile(original) !== sha256) return [];
  rmSync(inTree);
  return [{ kind: "file", path, bytes }];
}
