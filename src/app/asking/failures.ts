/**
 * @file What failed in a replay: the same error at the same line of several versions is one, so that a
 * person decides about it once. Pure.
 */
import type { Plan, PlannedLanding } from "../../format/index.ts";
import { landingOf } from "../../format/index.ts";
import { withoutCarriedMarkers } from "../../languages/index.ts";
import type { UnitFailure } from "../../replayer/index.ts";

/** Failures of the same kind. */
export interface FailureGroup {
  readonly failures: readonly [UnitFailure, ...UnitFailure[]];
  readonly error: string;
  /** Of the first of them. */
  readonly place: ProgramPlace | undefined;
  readonly landing: PlannedLanding | undefined;
}

export interface ProgramPlace {
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
    const texts = overlay && withoutCarriedMarkers(overlay.text).split(/\r?\n/);
    const source = texts?.[Number(line) - 1]?.trim();
    const isProbe =
      landing?.statements.some((one) => one.file === file && one.line === Number(line)) ?? false;
    const shown = `${file}:${line}${source === undefined ? "" : `  ${source}`}`;
    return { text: shown, source, isProbe };
  }
  return undefined;
}

/** Groups failures, in the order in which they came. */
export function groupFailures(failures: readonly UnitFailure[], plan: Plan): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const failure of failures) {
    const landing = landingOfRun(plan, failure.run);
    const place = programPlace(failure, landing);
    const error = errorOf(failure);
    // Lines differ between versions: what stands there tells more.
    const key = `${error}\n${place?.source ?? place?.text ?? ""}`;
    const known = groups.get(key);
    if (known) groups.set(key, { ...known, failures: [...known.failures, failure] });
    else groups.set(key, { failures: [failure], error, place, landing });
  }
  return [...groups.values()];
}

/** Where the statements of a plan stand in the source of a run. */
export function landingOfRun(plan: Plan, run: string): PlannedLanding | undefined {
  const planned = plan.runs.find((one) => one.run === run);
  return planned && landingOf(plan, planned);
}

/** What the program threw, if it says so; else how its process ended. */
export function errorOf({ stderr, why, review }: UnitFailure): string {
  if (review) return why.split("\n")[0] ?? "";
  const thrown = stderr.split("\n").findLast((line) => /^(?:Uncaught )?\w*Error\b.*: /.test(line));
  return thrown?.trim() ?? why.split("\n")[0] ?? "";
}
