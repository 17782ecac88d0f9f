/**
 * @file What failed in a replay, as a person reads it: the same error in several versions is one, with
 * the user's line, a mark under what it is about, and what can be done. Pure.
 */
import type { FailureGroup, ProgramPlace } from "../../app/index.ts";
import { groupFailures, landingOfRun } from "../../app/index.ts";
import type { Plan, PlannedLanding } from "../../format/index.ts";
import type { UnitFailure } from "../../replayer/index.ts";
import { formatCount } from "../terminal/format-units.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

export interface FailureOptions {
  readonly replay: string;
  readonly plan: Plan;
  readonly color: boolean;
}

/** Runs that are named; there may be hundreds. */
const RUNS_SHOWN = 3;

/** Failures of the same kind, with the runs that had them. */
export function failureText(failures: readonly UnitFailure[], about: FailureOptions): string {
  const groups = groupFailures(failures, about.plan);
  return groups.flatMap((group) => groupLines(group, about)).join("\n");
}

function groupLines(group: FailureGroup, about: FailureOptions): string[] {
  const { red, dim } = createColors(about.color);
  const { failures, error, place, landing } = group;
  const [first] = failures;
  const notes = [...first.why.split("\n").slice(1), ...first.notes];
  const isProbe = place?.isProbe ?? false;
  const help = first.review ? [] : helpLines(failures, { ...about, error, landing, isProbe });
  return [
    `${red("✘")} ${whoFailed(failures, about.plan)}: ${error}`,
    ...(place ? [`    ${place.text}`, ...caretLines(error, place)] : []),
    ...notes.map((line) => `    ${line.trim()}`),
    ...help.map((line) => dim(`  help: ${line}`)),
  ].map(onOneLine);
}

/** `train-0044 (e20fa11)`, or how many. */
function whoFailed(group: readonly UnitFailure[], plan: Plan): string {
  const runs = [...new Set(group.map(({ run }) => run))];
  const versions = versionsOf(group, plan);
  const [run = ""] = runs;
  const who = runs.length === 1 ? run : `${formatCount(runs.length)} runs`;
  if (versions.length === 0) return who;
  const shown = versions.slice(0, RUNS_SHOWN).join(", ");
  return `${who} (${shown}${versions.length > RUNS_SHOWN ? ", …" : ""})`;
}

function versionsOf(group: readonly UnitFailure[], plan: Plan): string[] {
  const commits = group.flatMap(({ run }) => landingOfRun(plan, run)?.versions ?? []);
  return [...new Set(commits.map((commit) => commit.slice(0, 7)))];
}

/** A mark under the name that the error is about, if it stands in the line once. */
function caretLines(error: string, { text, source }: ProgramPlace): string[] {
  const [from, length] = source === undefined ? [-1, 0] : (culpritIn(error, source) ?? [-1, 0]);
  if (from < 0 || source === undefined) return [];
  const indent = text.length - source.length + from;
  return [`    ${" ".repeat(indent)}${"^".repeat(length)}`];
}

function culpritIn(error: string, source: string): [from: number, length: number] | undefined {
  const [, read] =
    /Cannot (?:read|set) properties of \w+ \((?:reading|setting) '([^']+)'\)/.exec(error) ?? [];
  const [, name] =
    /: ([\w$.]+) is not (?:defined|a function|iterable)/.exec(error) ??
    /name '([^']+)' is not defined|has no attribute '([^']+)'|variable '([^']+)'/
      .exec(error)
      ?.filter((part) => part !== undefined) ??
    [];
  // What is undefined stands before the property that was read.
  const pattern =
    read === undefined
      ? name && `(?<![\\w$])${escapedForRegExp(name)}(?![\\w$])`
      : `[\\w$]+(?=\\)?\\??(?:\\.${escapedForRegExp(read)}(?![\\w$])|\\[["']${escapedForRegExp(read)}["']\\]))`;
  if (pattern === undefined || pattern === "") return undefined;
  const [found, again] = source.matchAll(new RegExp(pattern, "g"));
  return found && !again ? [found.index, found[0].length] : undefined;
}

function escapedForRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** What can be done about it. */
function helpLines(
  group: readonly UnitFailure[],
  about: FailureOptions & {
    readonly error: string;
    readonly landing: PlannedLanding | undefined;
    readonly isProbe: boolean;
  },
): string[] {
  const { plan, replay, error, landing, isProbe } = about;
  const name = landing?.statements[0]?.name ?? plan.names[0] ?? "";
  const [version = ""] = versionsOf(group, plan);
  const runs = [...new Set(group.map(({ run }) => run))];
  const skip = runs.slice(0, RUNS_SHOWN).map((run) => `--skip ${run}`);
  const more = runs.length > RUNS_SHOWN ? " …" : "";
  const isVariable = /^the environment variable \S+ is not what it was$/.test(error);
  const isData = /^\S+ (?:has changed since|is missing:) the run (?:read|found) it$/.test(error);
  const isPackage = /Cannot find (?:package|module) '[^./]/.test(error);
  return [
    ...(isVariable ? [`set it as it was, and:  afterlog resume ${replay}`] : []),
    ...(isData ? [`bring the file back as it was, and:  afterlog resume ${replay}`] : []),
    ...(isPackage ? [`with the packages of that version:  afterlog replay ${name} --install`] : []),
    ...(isProbe && version !== ""
      ? [`give this version its own expression:  afterlog where ${name} ${version} --edit`]
      : []),
    `leave it out:  afterlog resume ${replay} ${skip.join(" ")}${more}`,
  ];
}
