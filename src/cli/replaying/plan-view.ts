/** @file A plan as a person reads it: what is asked, of which runs, how, and for how long. Pure. */
import type { Box, Plan, PlannedRun, Span, UnitPart, Verdict } from "../../format/index.ts";
import { landingOf, parsePath, shownPath } from "../../format/index.ts";
import { explainedLines } from "../commands/topics.ts";
import { formatCount, formatDuration, formatMoney, formatShare } from "../terminal/format-units.ts";
import { renderTable } from "../terminal/text-table.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

export interface ViewOptions {
  readonly width: number;
  readonly color: boolean;
  /** Runs by their names in the place of their ids. */
  readonly named?: (text: string) => string;
  /** Whether a person reads it, who may not know our words. */
  readonly isTTY?: boolean;
}

/** Groups shown; more are summed up in one line. */
const GROUPS_MAX = 12;
const BOXES_SHOWN = 2;
const NOTES_SHOWN = 6;

/** The whole plan. */
export function planText(plan: Plan, options: ViewOptions): string {
  const parts = [
    statementLines(plan, options),
    groupTable(plan, options),
    explanation(plan, options),
    processTable(plan, options),
    leftOutLines(plan, options),
    noteLines(plan, options),
    reviewLines(plan, options),
    totalLines(plan, options),
  ];
  return `${parts.filter((part) => part !== "").join("\n")}\n`;
}

/** `grad_norm  train.ts:57  in loop epoch › step  →  inner scan`. */
function statementLines(plan: Plan, { width, color }: ViewOptions): string {
  const { bold, dim } = createColors(color);
  const scans = [...new Set(plan.runs.map(({ scan }) => scan))];
  // Several statements share a plan: its scan is that of the costliest.
  const isOne = plan.statements.length === 1 && scans.length > 0;
  const scan = !isOne ? "" : `  ${dim("→")}  ${scans.join(" or ")} scan`;
  const lines = plan.statements.map(({ name, file, line, loops, version }) => {
    const where = loops.length === 0 ? "at the top level" : `in loop ${loops.join(" › ")}`;
    const of = version === undefined ? "" : ` @ ${version.slice(0, 7)}`;
    const head = `${bold(name)}  ${file}:${line}${of}  ${where}${scan}`;
    return [
      onOneLine(head),
      ...pieceLines(plan, name, width).map((text) => dim(`    ${text}`)),
    ].join("\n");
  });
  const after =
    plan.after === null ? [] : [dim(`afterwards only cells with ${plan.after} are shown`)];
  return [...lines, ...after, ""].join("\n");
}

/** Statements of a question that are shown beside its log call. */
const PIECE_SHOWN = 4;

/** What comes along with the log call of a name, each by its first line. */
export function pieceLines({ landings }: Plan, name: string, width: number): string[] {
  const [own] = landings.flatMap(({ statements }) => statements.filter((one) => one.name === name));
  const texts = own?.carried ?? [];
  const shown = texts.slice(0, texts.length > PIECE_SHOWN ? PIECE_SHOWN - 1 : PIECE_SHOWN);
  const more = texts.length - shown.length;
  const lines = shown.map((text) => {
    const [first = "", ...rest] = text.split(/\r?\n/);
    const line = `with  ${first}${rest.length > 0 ? " …" : ""}`;
    return line.length > width - 4 ? `${line.slice(0, Math.max(8, width - 5))}…` : line;
  });
  return more > 0 ? [...lines, `and ${more} more:  afterlog where ${name}`] : lines;
}

interface PlanGroup {
  readonly runs: readonly PlannedRun[];
  readonly ranges: string;
  /** Of the versions; null where the plan does not say. */
  readonly landing: Verdict | null;
  /** Commits, oldest run first. */
  readonly versions: readonly string[];
}

/** Runs that are replayed alike are one line. */
function groupRuns(plan: Plan): PlanGroup[] {
  const groups = new Map<string, PlannedRun[]>();
  for (const run of [...plan.runs, ...plan.review]) {
    const verdict = landingOf(plan, run)?.verdict ?? "";
    const key = `${verdict}\n${run.scan}\n${rangesText(run.ranges, run.by_value)}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].map((own) => {
    const landings = own.flatMap((run) => landingOf(plan, run) ?? []);
    return {
      runs: own,
      ranges: rangesText(own[0]?.ranges ?? [], own[0]?.by_value),
      landing: landings[0]?.verdict ?? null,
      versions: [...new Set(landings.flatMap(({ versions }) => versions.toReversed()))],
    };
  });
}

const left = (title: string) => ({ title, align: "left" }) as const;
const right = (title: string) => ({ title, align: "right" }) as const;

function groupTable(plan: Plan, { width, color }: ViewOptions): string {
  if (plan.runs.length + plan.review.length === 0) return "";
  const groups = groupRuns(plan);
  const shown = groups.slice(0, GROUPS_MAX);
  // Where all runs have the source that the user sees there is nothing to say about it.
  const isAcross =
    new Set(groups.flatMap(({ versions }) => versions)).size > 1 ||
    groups.some(({ landing }) => landing === "moved" || landing === "review");
  const rows = shown.map((group) => (isAcross ? acrossRow(group) : plainRow(group)));
  const table = renderTable(isAcross ? ACROSS_COLUMNS : PLAIN_COLUMNS, rows, {
    width: width - 2,
    color,
  });
  const more = groups.length - shown.length;
  const rest = more > 0 ? [`… and ${formatCount(more)} more groups of runs`] : [];
  return [...table.trimEnd().split("\n"), ...rest].map((line) => `  ${line}`).join("\n");
}

/** The words in the table that only we know. */
function explanation(plan: Plan, { width, color, isTTY = false }: ViewOptions): string {
  if (!isTTY) return "";
  const { dim } = createColors(color);
  const shown = [...plan.runs, ...plan.review];
  const verdicts = shown.flatMap((run) => landingOf(plan, run)?.verdict ?? []);
  const hasLandings = groupRuns(plan).some(
    ({ landing }) => landing !== "exact" && landing !== null,
  );
  const lines = [
    ...explainedLines(
      "scans",
      shown.map(({ scan }) => scan),
      width,
    ),
    ...(hasLandings ? explainedLines("landings", verdicts, width) : []),
  ];
  return lines.map((line) => dim(line)).join("\n");
}

const PLAIN_COLUMNS = [
  left("RUNS"),
  left("SCAN"),
  left("ASKED"),
  left("FROM"),
  right("EXECUTED"),
  right("EACH"),
  right("TOTAL"),
];

function plainRow({ runs, ranges }: PlanGroup): string[] {
  const [first] = runs;
  const [each = "", total = "", executed = ""] = costCells(runs);
  const from = [
    ...new Set(
      runs.map((run) => {
        const path = checkpointText(run.from_checkpoint ?? "start");
        return shownPath(path, new Set(run.by_value));
      }),
    ),
  ];
  return [
    runs.length === 1 ? (first?.run ?? "") : `${formatCount(runs.length)} runs`,
    first?.scan ?? "",
    ranges,
    from.length === 1 ? (from[0] ?? "") : "various",
    executed,
    each,
    total,
  ];
}

const ACROSS_COLUMNS = [
  right("RUNS"),
  left("VERSIONS"),
  left("SCAN"),
  left("LANDING"),
  right("EACH"),
  right("TOTAL"),
  right("EXECUTED"),
  left("ASKED"),
];

function acrossRow({ runs, ranges, landing, versions }: PlanGroup): string[] {
  return [
    formatCount(runs.length),
    versionsText(versions),
    runs[0]?.scan ?? "",
    landing === "review" ? "review !" : (landing ?? ""),
    ...costCells(runs),
    ranges,
  ];
}

function costCells(runs: readonly PlannedRun[]): string[] {
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0);
  return [
    formatDuration((seconds / runs.length) * 1000),
    formatDuration(seconds * 1000),
    formatShare(mean(runs.map(({ share }) => share))),
  ];
}

/** `9f8e7d6..41aa02c (31)`: the newest, the oldest, how many. */
function versionsText(versions: readonly string[]): string {
  const [oldest = "", ...more] = versions.map((commit) => commit.slice(0, 7));
  return more.length === 0 ? oldest : `${more.at(-1)}..${oldest} (${versions.length})`;
}

/** What somebody must look at before it is replayed. */
function reviewLines(plan: Plan, { color }: ViewOptions): string {
  const { yellow } = createColors(color);
  const versions = new Set(plan.review.flatMap((run) => landingOf(plan, run)?.versions ?? []));
  const [first = ""] = versions;
  if (versions.size === 0) return "";
  const needs = versions.size === 1 ? "1 version needs" : `${versions.size} versions need`;
  const where = `afterlog where ${plan.names[0] ?? ""}${versions.size === 1 ? ` ${first.slice(0, 7)}` : ""}`;
  return `${yellow("!")} ${needs} a look at where the statement lands:  ${where}`;
}

/** `epoch=6.safetensors` is the file; a person reads the path. */
function checkpointText(file: string): string {
  return file.replace(/(~\d+)?\.safetensors$/, "");
}

/** `epoch 3–7, step 0–99`; `epoch# 3–7` where the loop's name means something else than its index. */
export function rangesText(ranges: readonly Box[], byValue: readonly string[] = []): string {
  if (ranges.length === 0) return "all";
  const texts = ranges.slice(0, BOXES_SHOWN).map((box) =>
    Object.entries(box)
      .map(([loop, [first, last]]) => {
        const name = byValue.includes(loop) ? `${loop}#` : loop;
        return `${name} ${first === last ? first : `${first}–${last}`}`;
      })
      .join(", "),
  );
  const more = ranges.length - texts.length;
  return texts.join("; ") + (more > 0 ? `; … ${more} more` : "");
}

/** Processes shown; of more only the number. */
const PROCESSES_MAX = 8;
const SPANS_SHOWN = 3;

/** How what is asked of a run is shared, where several processes do it. */
function processTable({ runs }: Plan, { width, color, named = String }: ViewOptions): string {
  const cut = runs.filter(({ units }) => units.length > 1);
  const rows = cut.flatMap(({ run, units, by_value: byValue }) =>
    units.map(({ part, seconds }, nth) => [
      cut.length > 1 ? run : "",
      `${nth + 1} of ${units.length}`,
      formatDuration(seconds * 1000),
      part ? partText(part, byValue) : "all",
    ]),
  );
  if (rows.length === 0) return "";
  const columns = [
    left(cut.length > 1 ? "RUN" : ""),
    left("PROCESS"),
    right("TAKES"),
    left("ANSWERS"),
  ];
  const table = renderTable(columns, rows.slice(0, PROCESSES_MAX), {
    width: width - 2,
    color,
    named,
  });
  const more = rows.length - PROCESSES_MAX;
  const rest = more > 0 ? [`… and ${formatCount(more)} more processes`] : [];
  const lines = [...table.trimEnd().split("\n"), ...rest];
  return `\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

/** `pre; epoch 0–3; epoch 4, step 0–49`; of the last process, what the others leave. */
export function partText({ spans, rest }: UnitPart, byValue: readonly string[] = []): string {
  if (rest) return "the rest";
  const texts = spans.slice(0, SPANS_SHOWN).map((span) => spanText(span, byValue));
  const more = spans.length - texts.length;
  return texts.join("; ") + (more > 0 ? `; … ${more} more` : "");
}

function spanText({ entry, from, to, own }: Span, byValue: readonly string[]): string {
  if (entry === null) return "outside of the loops";
  const path = parsePath(entry) ?? [];
  const parts = path.map(([name, index, nth = 0]) => {
    const loop = `${name}${nth > 0 ? ` (entry ${nth})` : ""}${byValue.includes(name) ? "#" : ""}`;
    if (index !== "end") return `${loop} ${index}`;
    if (from === 0 && to === null) return loop;
    return from === to ? `${loop} ${from}` : `${loop} ${from}–${to ?? ""}`;
  });
  return `${parts.join(", ")}${own ? " itself" : ""}`;
}

function leftOutLines(plan: Plan, { color }: ViewOptions): string {
  const { dim } = createColors(color);
  const reasons = new Map<string, string[]>();
  for (const { run, why } of plan.left_out) reasons.set(why, [...(reasons.get(why) ?? []), run]);
  const lines = [...reasons].map(([why, runs]) => {
    const [first = ""] = runs;
    const who = runs.length === 1 ? first : `${formatCount(runs.length)} runs`;
    return onOneLine(`  ${dim(`${who}  left out: ${why}`)}`);
  });
  const more = lines.length - GROUPS_MAX;
  if (more <= 0) return lines.join("\n");
  return [...lines.slice(0, GROUPS_MAX), dim(`  … and ${more} more reasons`)].join("\n");
}

function noteLines(plan: Plan, { color }: ViewOptions): string {
  const { yellow } = createColors(color);
  const counts = new Map<string, number>();
  for (const note of plan.runs.flatMap(({ notes }) => notes)) {
    counts.set(note, (counts.get(note) ?? 0) + 1);
  }
  for (const note of plan.notes ?? []) counts.set(note, 1);
  const lines = [...counts].slice(0, NOTES_SHOWN).map(([note, count]) => {
    return onOneLine(`${yellow("!")} ${note}${count > 1 ? ` (${formatCount(count)} runs)` : ""}`);
  });
  return lines.join("\n");
}

function totalLines(plan: Plan, { color }: ViewOptions): string {
  if (plan.runs.length === 0) return "";
  const { bold, dim } = createColors(color);
  const all = plan.runs.length + plan.review.length + plan.left_out.length;
  const share = mean(plan.runs.map((run) => run.share));
  const time = (seconds: number): string => formatDuration(seconds * 1000);
  const interval = `(${time(plan.seconds_low)} – ${time(plan.seconds_high)})`;
  const workers = `${plan.workers} worker${plan.workers === 1 ? "" : "s"}`;
  const what = [
    `${formatCount(plan.runs.length)} of ${formatCount(all)} run${all === 1 ? "" : "s"}`,
    `${formatShare(share)} of the iterations executed again`,
  ].join(" · ");
  const long = [
    `${bold(`about ${time(plan.seconds)}`)} ${interval} with ${workers}${gpusText(plan)}`,
    ...(plan.runs.length > 1 ? [`work ${time(plan.work)}`] : []),
    ...(plan.money === undefined ? [] : [`costs ${formatMoney(plan.money)}`]),
  ].join(" · ");
  const past = plan.past === null ? [] : [dim(pastText(plan.past))];
  return ["", what, long, ...past].map((line) => (line === "" ? "" : `  ${line}`)).join("\n");
}

function gpusText({ gpus = [] }: Plan): string {
  if (gpus.length === 0) return "";
  return ` on GPU${gpus.length === 1 ? "" : "s"} ${gpus.join(", ")}`;
}

function pastText({ plans, median_error: error }: NonNullable<Plan["past"]>): string {
  const off = `${formatShare(error)} off`;
  return plans === 1
    ? `your past plan was ${off}`
    : `your past ${plans} plans were ${off} (median)`;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
