/**
 * @file What failed in a replay, as a person reads it: the same error in several versions is one, with
 * the user's line, a mark under what it is about, and what can be done. Pure.
 */
import pc from "picocolors";
import type { Plan, PlannedLanding } from "../format/index.ts";
import { landingOf } from "../format/index.ts";
import type { UnitFailure } from "../replayer/index.ts";
import { withoutMarks } from "../languages/index.ts";
import { formatCount } from "./format-units.ts";

export interface FailureOptions {
  readonly replay: string;
  readonly plan: Plan;
  readonly color: boolean;
}

/** Runs that are named; there may be hundreds. */
const RUNS_SHOWN = 3;

/** Failures of the same kind, with the runs that had them. */
export function failureText(failures: readonly UnitFailure[], about: FailureOptions): string {
  const groups = new Map<string, UnitFailure[]>();
  for (const failure of failures) {
    const place = programPlace(failure, landingOfRun(about.plan, failure.run));
    // Lines differ between versions: what stands there tells more.
    const key = `${errorOf(failure)}\n${place?.source ?? place?.text ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), failure]);
  }
  return [...groups.values()].flatMap((group) => groupLines(group, about)).join("\n");
}

function groupLines(group: readonly UnitFailure[], about: FailureOptions): string[] {
  const { red, dim } = pc.createColors(about.color);
  const [first] = group;
  if (!first) return [];
  const landing = landingOfRun(about.plan, first.run);
  const error = errorOf(first);
  const place = programPlace(first, landing);
  const notes = [...first.why.split("\n").slice(1), ...first.notes];
  return [
    `${red("✘")} ${whoFailed(group, about.plan)}: ${error}`,
    ...(place ? [`    ${place.text}`, ...caretLines(error, place)] : []),
    ...notes.map((line) => `    ${line.trim()}`),
    ...helpLines(group, { ...about, error, landing, isProbe: place?.isProbe ?? false }).map(
      (line) => dim(`  help: ${line}`),
    ),
  ];
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

function landingOfRun(plan: Plan, run: string): PlannedLanding | undefined {
  const planned = plan.runs.find((one) => one.run === run);
  return planned && landingOf(plan, planned);
}

/** What the program threw, if it says so; else how its process ended. */
export function errorOf({ stderr, why }: UnitFailure): string {
  const thrown = stderr.split("\n").findLast((line) => /^(?:Uncaught )?\w*Error\b.*: /.test(line));
  return thrown?.trim() ?? why.split("\n")[0] ?? "";
}

interface ProgramPlace {
  /** `train.ts:48  al.log("f1", f1.byClass)`. */
  readonly text: string;
  readonly source: string | undefined;
  /** It is a statement that the replay put in. */
  readonly isProbe: boolean;
}

const STACK_OF_NODE = /^\s+at .*\/trees\/[^/]+\/([^\s():]+):(\d+)(?::\d+)?\)?$/;
const STACK_OF_PYTHON = /^\s+File ".*\/trees\/[^/]+\/([^"]+)", line (\d+)/;

/** The innermost place of a stack that is in the program itself, with the line that stands there. */
function programPlace(
  { stderr }: UnitFailure,
  landing: PlannedLanding | undefined,
): ProgramPlace | undefined {
  const lines = stderr.split("\n");
  // Python tells the innermost last.
  const stack = [
    ...lines.map((text) => STACK_OF_NODE.exec(text)),
    ...lines.toReversed().map((text) => STACK_OF_PYTHON.exec(text)),
  ];
  for (const found of stack) {
    const [, file, line] = found ?? [];
    if (file === undefined || /(?:node_modules|site-packages)\//.test(file)) continue;
    const overlay = landing?.overlays.find((one) => one.file === file);
    const texts = overlay && withoutMarks(overlay.text).split(/\r?\n/);
    const source = texts?.[Number(line) - 1]?.trim();
    const isProbe =
      landing?.statements.some((one) => one.file === file && one.line === Number(line)) ?? false;
    const shown = `${file}:${line}${source === undefined ? "" : `  ${source}`}`;
    return { text: shown, source, isProbe };
  }
  return undefined;
}

/** A mark under the name that the error is about, if it stands in the line once. */
function caretLines(error: string, { text, source }: ProgramPlace): string[] {
  const [from, length] = source === undefined ? [-1, 0] : (culprit(error, source) ?? [-1, 0]);
  if (from < 0 || source === undefined) return [];
  const indent = text.length - source.length + from;
  return [`    ${" ".repeat(indent)}${"^".repeat(length)}`];
}

function culprit(error: string, source: string): [from: number, length: number] | undefined {
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
      ? name && `(?<![\\w$])${escaped(name)}(?![\\w$])`
      : `[\\w$]+(?=\\)?\\??(?:\\.${escaped(read)}(?![\\w$])|\\[["']${escaped(read)}["']\\]))`;
  if (pattern === undefined || pattern === "") return undefined;
  const [found, again] = source.matchAll(new RegExp(pattern, "g"));
  return found && !again ? [found.index, found[0].length] : undefined;
}

function escaped(text: string): string {
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
  const isPackage = /Cannot find (?:package|module) '[^./]/.test(error);
  return [
    ...(isVariable ? [`set it as it was, and:  afterlog resume ${replay}`] : []),
    ...(isPackage ? [`with the packages of that version:  afterlog replay ${name} --install`] : []),
    ...(isProbe && version !== ""
      ? [`give this version its own expression:  afterlog where ${name} ${version} --edit`]
      : []),
    `leave it out:  afterlog resume ${replay} ${skip.join(" ")}${more}`,
  ];
}
