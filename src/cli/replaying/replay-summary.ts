/** @file What is said when a replay is over. Pure. */
import type { Plan } from "../../format/index.ts";
import { AfterlogError, formatError } from "../../format/index.ts";
import type { ReplayState, Summary, UnitState } from "../../replayer/index.ts";
import { explainedLines } from "../commands/topics.ts";
import { formatBytes, formatCount, formatDuration, formatShare } from "../terminal/format-units.ts";
import { pathText } from "../terminal/path-text.ts";
import { exactValue, frameWords } from "./replay-values.ts";
import { createColors } from "../terminal/terminal-edge.ts";

/** Names in the command that shows the values. */
const NAMES_SHOWN = 6;

/** `✔ 192 cells filled in 1m 41s (plan 1m 45s, −4 %)`, checks, and what to do next. */
export function summaryText(
  state: ReplayState,
  plan: Plan,
  {
    marks,
    color,
    filled,
    columns,
  }: {
    readonly marks: Partial<Summary["marks"]>;
    readonly color: boolean;
    /** Names of which there are values: a star stands for some of them. */
    readonly filled: ReadonlySet<string>;
    /** Of a person's terminal; undefined: nobody has to be told what a mark is. */
    readonly columns?: number | undefined;
  },
): string {
  const { green, yellow, red, dim } = createColors(color);
  const cells = state.units.reduce((sum, unit) => sum + unit.cells, 0);
  const failed = state.units.filter(({ status }) => status === "failed").length;
  const open = state.units.filter(({ status }) => status === "waiting").length;
  const isUnnamed = (name: string): boolean => {
    return plan.statements.some((one) => one.name === name && one.unnamed === true);
  };
  const isTold = (name: string): boolean => !name.includes("*") && !isUnnamed(name);
  const isPlain =
    plan.names.every(isTold) && [...filled].every((name) => plan.names.includes(name));
  const names = isPlain ? plan.names : [...filled].slice(0, NAMES_SHOWN);
  const counts = [
    `${formatCount(cells)} cell${cells === 1 ? "" : "s"} filled`,
    ...(failed > 0 ? [`${failed} of ${state.units.length} processes failed`] : []),
    ...(open > 0 ? [`${open} of ${state.units.length} parts not executed`] : []),
    ...(plan.review.length > 0 ? [`${plan.review.length} waiting for a review`] : []),
  ];
  const sign = failed > 0 ? red("✘") : open > 0 ? yellow("■") : green("✔");
  const lines = [
    `${sign} ${counts.join(", ")} ${timesText(state)}`,
    `  ${[checksText(state), ...markTexts(marks)].join(" · ")}`,
    ...(columns === undefined ? [] : explainedLines("marks", markNames(marks), columns).map(dim)),
    ...(state.status === "done" ? [`  ${executedText(state, plan)}`] : []),
    ...outsideLines(state),
    ...(open > 0 ? [`  continue:  afterlog resume ${state.replay}`] : []),
    ...(cells > 0 ? [dim(`  afterlog frame ${frameWords(names)}`)] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** `3 files outside the project were written to copies (1.2 MB): the originals are as they were`. */
function outsideLines({ units }: ReplayState): string[] {
  const files = units.reduce((sum, { outside }) => sum + (outside?.files ?? 0), 0);
  const bytes = units.reduce((sum, { outside }) => sum + (outside?.bytes ?? 0), 0);
  if (files === 0) return [];
  const what = files === 1 ? "1 file" : `${formatCount(files)} files`;
  const where = `outside the project went to copies (${formatBytes(bytes)})`;
  return [`  what was written to ${what} ${where}: the originals are as they were`];
}

function timesText({ actual_s, predicted_s, status }: ReplayState): string {
  const time = (seconds: number): string => formatDuration(seconds * 1000);
  if (status !== "done" || predicted_s <= 0) return `in ${time(actual_s)}`;
  const off = Math.round((actual_s / predicted_s - 1) * 100);
  const sign = off < 0 ? "−" : "+";
  return `in ${time(actual_s)} (plan ${time(predicted_s)}, ${sign}${Math.abs(off)} %)`;
}

function markNames(marks: Partial<Summary["marks"]>): string[] {
  return Object.entries(marks).flatMap(([mark, count]) => (count > 0 ? [mark] : []));
}

/** `marks: 12 verified`, all sessions together. */
function markTexts(marks: Partial<Summary["marks"]>): string[] {
  const parts = Object.entries(marks).filter(([, count]) => count > 0);
  const text = parts.map(([mark, count]) => `${formatCount(count)} ${mark}`).join(", ");
  return text === "" ? [] : [`marks: ${text}`];
}

/** `checks: 12 of 12 values equal the record`. */
export function checksText({ units }: { readonly units: readonly UnitState[] }): string {
  const sum = (kind: keyof UnitState["compared"]): number =>
    units.reduce((total, unit) => total + unit.compared[kind], 0);
  const [equal, close, different] = [sum("equal"), sum("close"), sum("different")];
  const all = equal + close + different;
  if (all === 0) return "checks: nothing to compare with was met on the way";
  const parts = [
    `${formatCount(equal)} of ${formatCount(all)} values equal the record`,
    ...(close > 0 ? [`${formatCount(close)} close`] : []),
    ...(different > 0 ? [`${formatCount(different)} differ`] : []),
  ];
  return `checks: ${parts.join(", ")}`;
}

/** Which share of the recorded iterations was executed again, by their time, whole fallbacks included. */
function executedText(state: ReplayState, plan: Plan): string {
  const runs = new Map(plan.runs.map((run) => [run.run, run]));
  const executed = state.units.filter((unit) => unit.whole);
  const whole = new Set(executed.map(({ run }) => run));
  const [why = "checkpoints were not enough"] = executed.flatMap((unit) => unit.wholeBecause ?? []);
  const shares = [...runs.values()].map(({ run, share }) => (whole.has(run) ? 1 : share));
  const share = shares.reduce((total, value) => total + value, 0) / Math.max(1, shares.length);
  const fallback =
    whole.size === 0
      ? ""
      : `; ${whole.size} run${whole.size === 1 ? "" : "s"} executed whole: ${why}`;
  return `${formatShare(share)} of the recorded iterations executed again${fallback}`;
}

/** For a run whose replay is not what was recorded: a warning, or what a check has found. */
export function differenceText(
  unit: UnitState,
  { isCheck }: { readonly isCheck: boolean } = { isCheck: false },
): string {
  const { run, first_difference: first, likely_cause: cause, compared } = unit;
  if (!first) return "";
  const many = compared.different > 1 ? ` (first of ${compared.different} differences)` : "";
  const error = new AfterlogError(
    "AL051",
    `replay of ${run} does not reproduce what was recorded`,
    {
      notes: [
        `${describeDifference(first)}${many}`,
        ...(cause === null ? [] : [`likely: ${cause}`]),
        ...(isCheck ? [] : ["hindsight values that depend on it are marked diverged"]),
      ],
      help: [
        isCheck
          ? "make what the program computes depend on its arguments, its files and seeded generators only"
          : `look closer:  afterlog check ${run} --explain`,
      ],
    },
  );
  const text = formatError(error);
  return `${isCheck ? text : text.replace(/^error/, "warning")}\n`;
}

/** `loss @ epoch 4, step 210: recorded 0.21844, replayed 0.22310`. */
export function describeDifference(first: NonNullable<UnitState["first_difference"]>): string {
  const where = `${first.name} @ ${pathText(first.path)}`;
  if (first.name === "outcome") return `${where}: ${String(first.replayed)}`;
  if (first.name === "state" && Array.isArray(first.replayed)) {
    const places = first.replayed.map((key) => placeText(String(key)));
    return `${where}: ${places.join(", ")} is not what the checkpoint holds`;
  }
  const recorded = exactValue(first.recorded);
  return `${where}: recorded ${recorded}, replayed ${exactValue(first.replayed)}`;
}

/** `train.ts:0:total#0` is `total (train.ts)`, `d0.params` the declared `params`. */
function placeText(key: string): string {
  const [, file, name] = /^(.+):[\d.]+:([^:#@]+)[#@]?/.exec(key) ?? [];
  return name === undefined ? key.replace(/^d\d+\./, "") : `${name} (${file})`;
}
