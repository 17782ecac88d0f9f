/**
 * @file Whether texts differ from those that ran by log statements and by what came with them, and by
 * nothing else: then a replay executes the program of the run.
 */
import type { Overlay, SourcePlace } from "../../format/index.ts";
import type { InsertedSource } from "../../languages/index.ts";
import type { ReadText } from "./version-texts.ts";

/** Texts to be put over those of a version. */
export interface InsertedTexts {
  readonly overlays: readonly Overlay[];
  /** Log statements that the version did not have. */
  readonly probes: readonly SourcePlace[];
  /** By file, what was put in. */
  readonly inserted: ReadonlyMap<string, Pick<InsertedSource, "before">>;
}

/** Compares each changed text with the one before; answers why they cannot be executed, if so. */
export function checkInserted(
  changed: readonly Overlay[],
  version: {
    readonly before: ReadText;
    /** Files that it does not have and gets. */
    readonly newFiles: readonly string[];
    readonly compare: (file: string, before: string, after: string) => InsertedSource;
  },
): InsertedTexts | { readonly problem: string } {
  const probes: SourcePlace[] = [];
  const overlays: Overlay[] = [];
  const inserted = new Map<string, InsertedSource>();
  for (const { file, text } of changed) {
    const before = version.before(file);
    if (before === undefined) {
      if (!version.newFiles.includes(file)) return problem(`${file} would be new in this version`);
      overlays.push({ file, text });
      continue;
    }
    const result = version.compare(file, before, text);
    const { difference } = result;
    if (difference.kind === "differs") {
      const { line, why } = difference;
      return problem(`more than the statement would change, at ${file}:${line}: ${why}`);
    }
    if (difference.kind === "logs") probes.push(...difference.added.map(({ place }) => place));
    overlays.push({ file, text: result.text });
    inserted.set(file, result);
  }
  return { overlays, probes, inserted };
}

function problem(why: string): { readonly problem: string } {
  return { problem: why };
}
