/**
 * @file What a replay tells a person while it runs and when it is over. The texts are pure; only
 * `ReplayView` draws, one line on a terminal, one line an event in a pipe.
 */
import pc from "picocolors";
import type { LoopPath, Plan } from "../format/index.ts";
import { formatPath, landingOf } from "../format/index.ts";
import type {
  Canary,
  EventCell,
  Progress,
  ReplayEvent,
  Summary,
  UnitFailure,
} from "../replayer/index.ts";
import type { CliContext } from "./context.ts";
import { formatCount, formatDuration } from "./format-units.ts";
import { displayValue } from "./replay-values.ts";

const WIPE = "\r\u001B[2K";
const BAR_WIDTH = 24;
/** Names of which a canary shows the first value. */
const CELLS_SHOWN = 3;

/** `━━━━╸───  5/12  2 running · 1 failed · 34 s left`. */
export function progressText(progress: Progress, columns: number): string {
  const { done, running, waiting, failed, live } = progress;
  const all = done + running + waiting + failed;
  const filled = all === 0 ? 0 : Math.floor(((done + failed) / all) * BAR_WIDTH);
  const tip = filled < BAR_WIDTH ? "╸" : "";
  const bar = `${"━".repeat(filled)}${tip}${"─".repeat(Math.max(0, BAR_WIDTH - filled - 1))}`;
  const state = [
    `${running} running`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    cellsText(progress.cells),
    `${formatDuration(progress.seconds_left * 1000)} left`,
  ].join(" · ");
  const loops = (live?.loops ?? []).map(({ loop, index, length }) => {
    return `${loop} ${index + 1}${length === null ? "" : `/${length}`}`;
  });
  let text = `  ${bar}`;
  for (const part of [`${done + failed}/${all}`, state, loops.join(" ")]) {
    if (part === "") continue;
    if (text.length + 2 + part.length >= columns) break;
    text += `  ${part}`;
  }
  return text.slice(0, Math.max(0, columns - 1));
}

function cellsText(count: number): string {
  return `${formatCount(count)} cell${count === 1 ? "" : "s"}`;
}

/** `epoch 4, step 210`; the words a person uses for a path. */
export function pathText(path: LoopPath): string {
  if (path.length === 0) return "top level";
  return path
    .map(([loop, index, entry]) => `${loop} ${index}${entry ? ` (entry ${entry + 1})` : ""}`)
    .join(", ");
}

/** `canary  train-0213  f1_ped = 0.2419  1.02 s (plan 1.0 s)  check ✔`. */
export function canaryText(canary: Canary, color: boolean): string {
  const { bold, green, yellow } = pc.createColors(color);
  const firsts = new Map(canary.cells.toReversed().map((cell) => [cell.name, cell]));
  const cells = [...firsts.values()].slice(0, CELLS_SHOWN).map((cell) => {
    const where = cell.path.length === 0 ? "" : ` @ ${formatPath(cell.path)}`;
    return `${cell.name}${where} = ${displayValue(cell.value)}`;
  });
  const more = canary.cells.length - cells.length;
  const values =
    cells.length === 0
      ? "nothing was logged"
      : cells.join("  ") + (more > 0 ? `  … ${formatCount(more)} more` : "");
  const time = (seconds: number): string => formatDuration(seconds * 1000);
  const took = `${time(canary.actual_s)} (plan ${time(canary.predicted_s)})`;
  const check =
    canary.first_difference === null
      ? marksText(canary.cells, green)
      : yellow(`differs from the record at ${pathText(canary.first_difference.path)}`);
  return `${bold("canary")}  ${canary.run}  ${values}\n        ${took}  ${check}`;
}

function marksText(cells: readonly EventCell[], paint: (text: string) => string): string {
  const counts = new Map<string, number>();
  for (const { check } of cells) counts.set(check, (counts.get(check) ?? 0) + 1);
  const text = [...counts].map(([mark, count]) => `${formatCount(count)} ${mark}`).join(", ");
  return text === "" ? "" : paint(`check: ${text}`);
}

/** Failures of the same kind, with the runs that had them. */
export function failureText(
  failures: readonly UnitFailure[],
  about: { readonly replay: string; readonly plan: Plan; readonly color: boolean },
): string {
  const { red, dim } = pc.createColors(about.color);
  const groups = new Map<string, UnitFailure[]>();
  for (const failure of failures) {
    const key = `${errorOf(failure)}\n${programLine(failure, about.plan) ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), failure]);
  }
  const lines = [...groups].flatMap(([key, own]) => {
    const [why = "", place = ""] = key.split("\n");
    const runs = [...new Set(own.map(({ run }) => run))];
    const who = runs.length === 1 ? runs[0] : `${formatCount(runs.length)} runs`;
    const notes = [...(own[0]?.why ?? "").split("\n").slice(1), ...(own[0]?.notes ?? [])];
    return [
      `${red("✘")} ${who}: ${why}`,
      ...(place === "" ? [] : [`    ${place}`]),
      ...notes.map((line) => `    ${line.trim()}`),
      dim(`  help: leave it out:  afterlog resume ${about.replay} --skip ${runs[0] ?? ""}`),
    ];
  });
  return lines.join("\n");
}

/** What the program threw, if it says so; else how its process ended. */
function errorOf({ stderr, why }: UnitFailure): string {
  const thrown = stderr.split("\n").findLast((line) => /^(?:Uncaught )?\w*Error\b.*: /.test(line));
  return thrown?.trim() ?? why.split("\n")[0] ?? "";
}

/** The first place of a stack that is in the program itself, with the line that stands there. */
function programLine({ run, stderr }: UnitFailure, plan: Plan): string | undefined {
  const planned = plan.runs.find((one) => one.run === run);
  const overlays = planned && landingOf(plan, planned)?.overlays;
  for (const text of stderr.split("\n")) {
    const [, file, line] =
      /^\s+at .*\/trees\/[^/]+\/([^\s():]+):(\d+)(?::\d+)?\)?$/.exec(text) ?? [];
    if (file === undefined || file.includes("node_modules/")) continue;
    const overlay = overlays?.find((one) => one.file === file);
    const source = overlay?.text.split(/\r?\n/)[Number(line) - 1]?.trim();
    return `${file}:${line}${source === undefined ? "" : `  ${source}`}`;
  }
  return undefined;
}

/** Draws what happens. */
export class ReplayView {
  readonly #context: CliContext;
  readonly #live: boolean;
  readonly #columns: () => number;
  #drawn = false;
  #last = "";
  readonly failures: UnitFailure[] = [];
  /** How many values got which mark, once it is over. */
  marks: Partial<Summary["marks"]> = {};

  constructor(context: CliContext, live: boolean, columns: () => number) {
    this.#context = context;
    this.#live = live;
    this.#columns = columns;
  }

  take(event: ReplayEvent): void {
    switch (event.kind) {
      case "progress":
        return this.#progress(event);
      case "canary":
        return this.line(canaryText(event, this.#context.errColor));
      case "failure":
        this.failures.push(event);
        if (!this.#live) this.line(`failed  ${event.run}: ${errorOf(event)}`);
        return;
      case "done":
        this.marks = event.marks;
        return;
      case "plan":
      case "cell":
    }
  }

  /** A line that stays. */
  line(text: string): void {
    this.end();
    this.#context.err(`${text}\n`);
  }

  end(): void {
    if (this.#drawn) this.#context.err(WIPE);
    this.#drawn = false;
  }

  #progress(progress: Progress): void {
    if (this.#live) {
      this.#context.err(`${WIPE}${progressText(progress, this.#columns())}`);
      this.#drawn = true;
      return;
    }
    const { done, failed, running, waiting, cells } = progress;
    const all = done + failed + running + waiting;
    const text = `progress  ${done + failed}/${all}  ${cellsText(cells)}`;
    if (text !== this.#last && done + failed > 0) this.line(text);
    this.#last = text;
  }
}
