/** @file One program of the hunt by its seed: composed, recorded, asked, judged. */
import type { Placed, Program } from "./compose.ts";
import { compose } from "./compose.ts";
import type { Edit } from "./edits/edit.ts";
import { DRAWN_EDITS, EDITS } from "./edits/index.ts";
import type { Language } from "./ingredients.ts";
import type { Asked, Hunting, Verdict } from "./judge.ts";
import { judge, textOf } from "./judge.ts";

export interface Hunted extends Verdict {
  /** The working tree, where something was found. */
  readonly text?: string;
}

/** Those that are drawn; where a part of a name is given, those whose kind has it. */
export function editsOf(part?: string): readonly Edit[] {
  return part === undefined ? DRAWN_EDITS : EDITS.filter(({ kind }) => kind.includes(part));
}

/** Statements among the steps that an edit may change. */
const IN_STEPS = new Set(["steps", "drawn", "apply", "decayed", "decayReturn", "clip", "clipT"]);

/** `isQuick`: what does not gather is one question, and less is killed. */
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
function huntingOf(program: Program, isQuick: boolean): Hunting {
  const { seed, features } = program;
  const often = isQuick ? 10 : 5;
  const kills = ["plan", "progress", "cell"] as const;
  const questions = groupsOf(program).map((edits, at) => ({
    edits,
    // Each process has to start: of a quick hunt one question is divided.
    workers: isQuick && at > 0 ? 1 : 1 + ((seed + at) % 4),
    canary: !isQuick || at === 0,
    range: rangeOf(program, edits),
    killAt: seed % often === 2 && at === 0 ? kills[seed % 3] : undefined,
  }));
  // What a program appended behind its last checkpoint is in the file when it is resumed.
  const isKilled = seed % often === 4 && !features.includes("file");
  const killAtCheckpoint = isKilled ? 1 + (seed % 17) : undefined;
  return { questions, killAtCheckpoint };
}

/**
 * What is asked together. An edit that gathers has the whole run executed, and one in the steps all of the
 * asked epochs: beside them nothing would be restored for the others.
 */
function groupsOf({ edits }: Program): Placed[][] {
  const gathering = edits.filter(({ edit }) => edit.gathers);
  const inSteps = edits.filter(isInSteps);
  const others = edits.filter((one) => !gathering.includes(one) && !inSteps.includes(one));
  return [others, inSteps, gathering].filter((group) => group.length > 0);
}

/** Epochs that are asked for: always where all would be executed, else now and then. */
function rangeOf({ seed, versions, packaged }: Program, edits: readonly Placed[]): Asked["range"] {
  // An older version, or a program in which a framework has epochs too, calls the loop otherwise.
  if (versions > 1 || packaged === "tfjs") return undefined;
  // What is outside of loops is in no epoch.
  if (edits.some(isOutside)) return undefined;
  if (!edits.some(isInSteps) && seed % 3 > 0) return undefined;
  // What is asked once is asked in epoch 2.
  return [1 + (seed % 2), 2 + ((seed >> 1) % 2)];
}

function isInSteps({ text, edit }: Placed): boolean {
  const marks = Object.keys(text.changed ?? {});
  const isAdded = text.added?.step !== undefined || text.added?.forward !== undefined;
  return !edit.gathers && (isAdded || marks.some((mark) => IN_STEPS.has(mark)));
}

function isOutside({ text: { added = {} } }: Placed): boolean {
  return [added.init, added.end].some((part) => part?.includes("ask_"));
}
