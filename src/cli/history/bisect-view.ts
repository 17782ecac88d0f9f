/** @file What a bisection says: its price, each run that was looked at, and what it found. */
import type {
  Bisection,
  BisectOutcome,
  BisectReport,
  BisectRuns,
  Candidate,
} from "../../app/index.ts";
import type { CliContext } from "../context.ts";
import { formatCount, formatDuration, formatTime } from "../terminal/format-units.ts";
import { displayText } from "../terminal/output.ts";
import { createColors } from "../terminal/terminal-edge.ts";
import { textWidth } from "../terminal/text-table.ts";

/** Runs without an answer that are named. */
const SKIPPED_SHOWN = 5;

type BisectFound = Extract<BisectOutcome, { kind: "found" }>;

/** `211 runs between · at most 8 replays, about 9 s (backfilling all: 1m 45s on 2 workers)`. */
export function priceText({ price, runs: { skipped } }: Bisection): string {
  const { between, replays, seconds, all, workers } = price;
  const time = (value: number): string => formatDuration(value * 1000);
  const on = `${workers} worker${workers === 1 ? "" : "s"}`;
  const cost =
    replays === 0
      ? "all values are there"
      : `at most ${pluralRuns(replays, "replay")}, about ${time(seconds)} (backfilling all: ${time(all)} on ${on})`;
  const lines = [`${pluralRuns(between, "run")} between · ${cost}`];
  const shown = [...skipped].slice(0, SKIPPED_SHOWN);
  lines.push(...shown.map(([run, why]) => `  ${run}  skipped: ${why.split("\n")[0] ?? ""}`));
  const more = skipped.size - shown.length;
  if (more > 0) lines.push(`  … and ${formatCount(more)} more cannot answer`);
  return `${lines.join("\n")}\n`;
}

/** `  train-0107  0.548  good`. */
export function stepText(
  candidate: Candidate,
  runs: BisectRuns,
  { color, named }: Pick<CliContext, "color" | "named">,
): string {
  const { green, red, yellow } = createColors(color);
  const width = Math.max(...runs.candidates.map(({ run }) => textWidth(named(run))));
  const name = named(candidate.run);
  const run = name + " ".repeat(width - textWidth(name));
  if (candidate.quality === undefined) {
    return `  ${run}  ${yellow("skipped")}: ${candidate.why?.split("\n")[0] ?? "no value"}\n`;
  }
  const values = valuesText(candidate);
  const marks = candidate.marks.length > 0 ? `  ${yellow(candidate.marks.join(", "))}` : "";
  const quality = candidate.quality === "bad" ? red("BAD") : green("good");
  return `  ${run}  ${values}  ${quality}${marks}\n`;
}

export function valuesText({ values }: Candidate): string {
  if (values.size === 1) return [...values.values()].map(displayText).join("");
  return [...values].map(([name, value]) => `${name} ${displayText(value)}`).join(", ");
}

/** What was found, and what to do next. */
export function bisectedText(
  { report, hasEnd }: BisectFound,
  runs: BisectRuns,
  color: boolean,
): string {
  const { bold, dim, yellow } = createColors(color);
  const { first_bad: firstBad, last_good: lastGood, untold, between, replayed } = report;
  const next = [
    `last good: ${lastGood}`,
    `afterlog diff ${lastGood} ${firstBad.run}`,
    `afterlog restore ${lastGood}${hasEnd ? "@end --out model.safetensors" : ""} --branch rollback`,
  ];
  const lines = [
    `${bold("first bad run:")} ${firstBad.run} (${formatTime(new Date(firstBad.started))})`,
    ...commitText(firstBad).map((line) => `  ${line}`),
    ...next.map((line, at) =>
      at === 0 ? `  ${line}${valueNote(report, runs)}` : `  ${dim(line)}`,
    ),
    ...(untold.length === 0 ? [] : [yellow(untoldText(untold))]),
    dim(
      `note: assumes it changed once; ${formatCount(replayed.length)} of ${pluralRuns(between + 2, "run")} were replayed`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function untoldText(untold: readonly string[]): string {
  const names =
    untold.slice(0, SKIPPED_SHOWN).join(", ") + (untold.length > SKIPPED_SHOWN ? ", …" : "");
  const [who, one] =
    untold.length === 1 ? ["1 run", "it"] : [`${untold.length} runs`, "one of them"];
  return `! ${who} before it cannot answer, and ${one} may be the first bad run: ${names}`;
}

/** ` (0.498, then 0.251)`. */
function valueNote(report: BisectReport, { candidates }: BisectRuns): string {
  const valueOf = (name: string): string =>
    candidates
      .filter(({ run }) => run === name)
      .map(valuesText)
      .join("");
  const [now, before] = [valueOf(report.first_bad.run), valueOf(report.last_good)];
  return now === "" || before === "" ? "" : ` (${before}, then ${now})`;
}

/** `commit 6c2d9b0 "add batch 14" + 2 changed files`, if there is one. */
function commitText({ head, dirty }: BisectReport["first_bad"]): string[] {
  if (!head) return [];
  const changed = (dirty ?? 0) > 0 ? ` + ${pluralRuns(dirty ?? 0, "changed file")}` : "";
  return [`commit ${head.commit.slice(0, 7)} ${JSON.stringify(head.subject)}${changed}`];
}

function pluralRuns(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;
}
