/** @file One program of the hunt by its seed: composed, recorded, asked, judged. */
import type { Program } from "./compose.ts";
import { compose } from "./compose.ts";
import type { Edit } from "./edits/edit.ts";
import { DRAWN_EDITS, EDITS } from "./edits/index.ts";
import type { Language } from "./ingredients.ts";
import type { Hunting, Verdict } from "./judge.ts";
import { judge, textOf } from "./judge.ts";

export interface Hunted extends Verdict {
  /** The working tree, where something was found. */
  readonly text?: string;
}

/** Those that are drawn; where a part of a name is given, those whose kind has it. */
export function editsOf(part?: string): readonly Edit[] {
  return part === undefined ? DRAWN_EDITS : EDITS.filter(({ kind }) => kind.includes(part));
}

/** `isQuick`: all edits are one question, and less is killed. */
export async function hunt(
  seed: number,
  language: Language,
  { table, isQuick = false }: { readonly table: readonly Edit[]; readonly isQuick?: boolean },
): Promise<Hunted> {
  const program = compose(seed, language, table);
  const verdict = await judge(program, huntingOf(program, isQuick));
  const text = textOf(program.render(program.versions - 1, [...program.edits, ...program.refused]));
  return verdict.findings.length > 0 ? { ...verdict, text } : verdict;
}

/** Of every five programs, or of every ten, one has its replay killed, and one its recording. */
function huntingOf({ seed, edits, features }: Program, isQuick: boolean): Hunting {
  const often = isQuick ? 10 : 5;
  const half = isQuick ? edits.length : Math.ceil(edits.length / 2);
  const kills = ["plan", "progress", "cell"] as const;
  const questions = [edits.slice(0, half), edits.slice(half)].map((asked, at) => ({
    edits: asked,
    workers: 1 + ((seed + at) % 4),
    killAt: seed % often === 2 && at === 0 ? kills[seed % 3] : undefined,
  }));
  // What a program appended behind its last checkpoint is in the file when it is resumed.
  const isKilled = seed % often === 4 && !features.includes("file");
  const killAtCheckpoint = isKilled ? 1 + (seed % 17) : undefined;
  return { questions: questions.filter((one) => one.edits.length > 0), killAtCheckpoint };
}
