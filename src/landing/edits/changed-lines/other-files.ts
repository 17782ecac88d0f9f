/** @file What other files of a program have to do with one that is compared. */
import type { ParsedFile } from "../../../languages/index.ts";

export interface OtherFiles {
  /** Functions that give back more: each is one change, or none on which all files agree. */
  readonly agreed: ReadonlyMap<string, object | undefined>;
  /** The files of the older version that mention a word. */
  readonly filesWith: (word: string) => readonly string[];
  /** A file of the older version; undefined: it cannot be read. */
  readonly fileOf: (file: string) => ParsedFile | undefined;
  /** Whether what a file of the older version exports is taken by its names only. */
  readonly areTakenByName: (file: string) => boolean;
}

/** There are none. */
export const ALONE: OtherFiles = {
  agreed: new Map(),
  filesWith: () => [],
  fileOf: () => undefined,
  areTakenByName: () => true,
};
