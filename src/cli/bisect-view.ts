/** @file What a bisection says: its price, each run that was looked at, and what it found. */
import pc from "picocolors";
import { cellToJson } from "../catalog/index.ts";
import type { Manifest } from "../format/index.ts";
import type { Project } from "../store/index.ts";
import { headCommit, listCheckpoints, readManifest, storePaths } from "../store/index.ts";
import type { BisectRuns, Candidate } from "./bisect-runs.ts";
import { formatCount, formatDuration, formatTime } from "./format-units.ts";
import { displayText } from "./output.ts";

/** Runs without an answer that are named. */
const SKIPPED_SHOWN = 5;

export interface Bisected {
  readonly project: Project;
  readonly lastGood: string;
  readonly firstBad: string;
  /** Between these two, without an answer. */
  readonly untold: readonly string[];
  readonly between: number;
  /** Runs that were replayed, in order. */
  readonly looked: readonly Candidate[];
}

export interface Price {
  readonly between: number;
  readonly replays: number;
  readonly seconds: number;
  /** Of replaying all of them. */
  readonly all: number;
  readonly workers: number;
}

/** `211 runs between · at most 8 replays, about 9 s (backfilling all: 1m 45s on 2 workers)`. */
export function priceText(price: Price, { skipped }: BisectRuns): string {
  const { between, replays, seconds, all, workers } = price;
  const time = (value: number): string => formatDuration(value * 1000);
  const on = `${workers} worker${workers === 1 ? "" : "s"}`;
  const cost =
    replays === 0
      ? "all values are there"
      : `at most ${plural(replays, "replay")}, about ${time(seconds)} (backfilling all: ${time(all)} on ${on})`;
  const lines = [`${plural(between, "run")} between · ${cost}`];
  const shown = [...skipped].slice(0, SKIPPED_SHOWN);
  lines.push(...shown.map(([run, why]) => `  ${run}  skipped: ${why.split("\n")[0] ?? ""}`));
  const more = skipped.size - shown.length;
  if (more > 0) lines.push(`  … and ${formatCount(more)} more cannot answer`);
  return `${lines.join("\n")}\n`;
}

/** `  train-0107  0.548  good`. */
export function stepText(candidate: Candidate, runs: BisectRuns, color: boolean): string {
  const { green, red, yellow } = pc.createColors(color);
  const width = Math.max(...runs.candidates.map(({ run }) => run.length));
  const run = candidate.run.padEnd(width);
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
export function bisectedText(found: Bisected, runs: BisectRuns, color: boolean): string {
  const { bold, dim, yellow } = pc.createColors(color);
  const { firstBad, lastGood, untold, between, looked } = found;
  const next = [
    `last good: ${lastGood}`,
    `afterlog diff ${lastGood} ${firstBad}`,
    ...(hasEnd(found) ? [`afterlog restore ${lastGood}@end --out model.safetensors`] : []),
  ];
  const { when, commit } = describeRun(found);
  const lines = [
    `${bold("first bad run:")} ${firstBad} (${when})`,
    ...commit.map((line) => `  ${line}`),
    ...next.map((line, at) => (at === 0 ? `  ${line}${valueNote(found, runs)}` : `  ${dim(line)}`)),
    ...(untold.length === 0 ? [] : [yellow(untoldText(untold))]),
    dim(
      `note: assumes it changed once; ${formatCount(looked.length)} of ${plural(between + 2, "run")} were replayed`,
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
function valueNote({ firstBad, lastGood }: Bisected, { candidates }: BisectRuns): string {
  const valueOf = (name: string): string =>
    candidates
      .filter(({ run }) => run === name)
      .map(valuesText)
      .join("");
  const [now, before] = [valueOf(firstBad), valueOf(lastGood)];
  return now === "" || before === "" ? "" : ` (${before}, then ${now})`;
}

/** `2023-08-23 02:10`, and `commit 6c2d9b0 "add batch 14" + 2 changed files` if there is one. */
function describeRun({ project, firstBad }: Bisected): {
  readonly when: string;
  readonly commit: readonly string[];
} {
  const manifest = manifestOf(project, firstBad);
  const when = formatTime(new Date(manifest.started));
  const head = headCommit(project, manifest);
  if (!head) return { when, commit: [] };
  const dirty = manifest.version?.dirty ?? 0;
  const changed = dirty > 0 ? ` + ${plural(dirty, "changed file")}` : "";
  const commit = `commit ${head.commit.slice(0, 7)} ${JSON.stringify(head.subject)}${changed}`;
  return { when, commit: [commit] };
}

function hasEnd({ project, lastGood }: Bisected): boolean {
  return listCheckpoints(storePaths.run(project.store, lastGood)).some(({ kind }) => {
    return kind === "loop";
  });
}

function manifestOf(project: Project, run: string): Manifest {
  return readManifest(storePaths.run(project.store, run));
}

/** The object of `--json`. */
export function bisectedObject(found: Bisected, runs: BisectRuns): object {
  const { project, firstBad, lastGood, untold, between, looked } = found;
  const manifest = manifestOf(project, firstBad);
  return {
    schema: 1,
    condition: runs.condition,
    first_bad: {
      run: firstBad,
      started: manifest.started,
      commit: manifest.version?.commit ?? null,
      head: headCommit(project, manifest),
      dirty: manifest.version?.dirty ?? null,
    },
    last_good: lastGood,
    between,
    untold,
    replayed: looked.map((candidate) => ({
      run: candidate.run,
      quality: candidate.quality ?? null,
      replay: candidate.replay,
      why: candidate.why,
    })),
    runs: Object.fromEntries(
      runs.candidates.flatMap(({ run, quality, values }) =>
        quality === undefined ? [] : [[run, { quality, ...objectOf(values) }]],
      ),
    ),
    skipped: Object.fromEntries(runs.skipped),
  };
}

function objectOf(values: Candidate["values"]): object {
  return {
    values: Object.fromEntries([...values].map(([name, cell]) => [name, cellToJson(cell)])),
  };
}

function plural(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;
}
