/** @file What a run may be called, and what a tag may be: words that can be typed, and mean nothing else. */
import { PROGRAM_EXTENSIONS } from "./program-extensions.ts";

/** No wider than an id is in a table. */
const NAME_CHARACTERS_MAX = 60;
const WORD = /^[\p{L}\p{N}_][\p{L}\p{N}_.+-]*$/u;
const ID_END = /-\d{8}-\d{6}-[0-9a-z]{4}$/;

/** Why a run cannot be called so, in words; undefined: it can. */
export function runNameProblem(name: string): string | undefined {
  const problem = wordProblem(name);
  if (problem !== undefined) return problem;
  if (looksLikeRunId(name)) return "it looks like the id of a run";
  if (/^[0-9a-f]{7,40}$/.test(name)) return "it looks like a commit";
  const extension = /\.[^.]+$/.exec(name)?.[0];
  return extension !== undefined && PROGRAM_EXTENSIONS.has(extension)
    ? "it looks like a program"
    : undefined;
}

/** An id, or the beginning of one: it means that, whatever a run of another machine is called. */
export function looksLikeRunId(word: string): boolean {
  return /-\d{8}(?:-|$)/.test(word);
}

/** Why it cannot be a tag; undefined: it can. */
export function tagProblem(tag: string): string | undefined {
  return wordProblem(tag);
}

function wordProblem(word: string): string | undefined {
  if (word === "") return "it is empty";
  if (word.length > NAME_CHARACTERS_MAX)
    return `it is longer than ${NAME_CHARACTERS_MAX} characters`;
  if (word.startsWith("@")) return "@ is the newest run";
  if (/[/\\]/.test(word)) return "it looks like a path";
  if (/\s/.test(word)) return "it holds blanks";
  return WORD.test(word)
    ? undefined
    : "it may hold letters, digits and . _ + -, and begins with a letter or a digit";
}

/** A run as tables and messages call it, where several have its name: `baseline~x7q2`. */
function sharedRunName(name: string, run: string): string {
  return `${name}~${run.slice(-4)}`;
}

/** What was called so: the name, and the end of the id. */
export function splitSharedName(word: string): { name: string; end: string } | undefined {
  const [, name, end] = /^([^~]+)~([0-9a-z]{4})$/.exec(word) ?? [];
  return name === undefined || end === undefined ? undefined : { name, end };
}

/** Each named run as it is called: by its name, if no other has it. Ids do not need one. */
export function runLabels(
  named: Iterable<readonly [run: string, name: string]>,
): ReadonlyMap<string, string> {
  const all = [...named].filter(
    ([run, name]) => ID_END.test(run) && runNameProblem(name) === undefined,
  );
  const counts = new Map<string, number>();
  for (const [, name] of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    all.map(([run, name]) => [run, counts.get(name) === 1 ? name : sharedRunName(name, run)]),
  );
}
