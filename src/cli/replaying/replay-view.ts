/**
 * @file What a replay tells a person while it runs and when it is over. The texts are pure; only
 * `ReplayView` draws, one line on a terminal, one line an event in a pipe.
 */
import { errorOf, landingOfRun } from "../../app/index.ts";
import type { Plan } from "../../format/index.ts";
import { formatPath, visibleText } from "../../format/index.ts";
import type {
  Canary,
  EventCell,
  Progress,
  ReplayEvent,
  Summary,
  UnitFailure,
} from "../../replayer/index.ts";
import type { CliContext } from "../context.ts";
import { formatCount, formatDuration } from "../terminal/format-units.ts";
import { pathText } from "../terminal/path-text.ts";
import { displayValue } from "./replay-values.ts";
import { createColors, onOneLine, WIPE_LINE } from "../terminal/terminal-edge.ts";

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
  for (const part of [`${done + failed}/${all}`, state, onOneLine(visibleText(loops.join(" ")))]) {
    if (part === "") continue;
    if (text.length + 2 + part.length >= columns) break;
    text += `  ${part}`;
  }
  return text.slice(0, Math.max(0, columns - 1));
}

function cellsText(count: number): string {
  return `${formatCount(count)} cell${count === 1 ? "" : "s"}`;
}

/** `canary  train-0213  f1_ped = 0.2419  1.02 s (plan 1.0 s)  check ✔`. */
export function canaryText(
  canary: Canary,
  {
    color,
    plan,
    columns,
  }: { readonly color: boolean; readonly plan: Plan | undefined; readonly columns: number },
): string {
  const { bold, green, yellow, dim } = createColors(color);
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
  const lines = [
    `${bold("canary")}  ${canary.run}  ${values}`,
    ...askedTexts(canary, plan).map((text) => `        ${dim(shortened(text, columns - 9))}`),
    `        ${took}  ${check}`,
  ];
  return lines.join("\n");
}

/** `print("ev", grad) with grad = evaluate(x)`: the question of each name, in the canary's version. */
function askedTexts({ run }: Canary, plan: Plan | undefined): string[] {
  const statements = plan && landingOfRun(plan, run)?.statements;
  const texts = (statements ?? []).map(({ text, carried = [] }) => {
    const [asked = "", ...along] = [text, ...carried].map((one) => one.split(/\r?\n/)[0] ?? one);
    return along.length === 0 ? asked : `${asked}  with  ${along.join("; ")}`;
  });
  return [...new Set(texts)].slice(0, CELLS_SHOWN);
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

function marksText(cells: readonly EventCell[], paint: (text: string) => string): string {
  const counts = new Map<string, number>();
  for (const { check } of cells) counts.set(check, (counts.get(check) ?? 0) + 1);
  const text = [...counts].map(([mark, count]) => `${formatCount(count)} ${mark}`).join(", ");
  return text === "" ? "" : paint(`check: ${text}`);
}

/** Draws what happens. */
export class ReplayView {
  readonly #context: CliContext;
  readonly #plan: Plan | undefined;
  readonly #live: boolean;
  readonly #columns: () => number;
  #drawn = false;
  #last = "";
  readonly failures: UnitFailure[] = [];
  /** Names of which there are values. */
  readonly filled: Set<string> = new Set();
  /** How many values got which mark, once it is over. */
  marks: Partial<Summary["marks"]> = {};

  constructor(
    context: CliContext,
    options: { readonly plan?: Plan; readonly live: boolean; readonly columns: () => number },
  ) {
    this.#context = context;
    this.#plan = options.plan;
    this.#live = options.live;
    this.#columns = options.columns;
  }

  take(event: ReplayEvent): void {
    switch (event.kind) {
      case "progress":
        return this.#progress(event);
      case "canary":
        return this.line(
          canaryText(event, {
            color: this.#context.errColor,
            plan: this.#plan,
            columns: this.#columns(),
          }),
        );
      case "failure":
        this.failures.push(event);
        if (!this.#live) this.line(onOneLine(`failed  ${event.run}: ${errorOf(event)}`));
        return;
      case "done":
        this.marks = event.marks;
        return;
      case "cell":
        this.filled.add(event.name);
        return;
      case "plan":
    }
  }

  /** A line that stays. */
  line(text: string): void {
    this.end();
    this.#context.err(`${text}\n`);
  }

  end(): void {
    if (this.#drawn) this.#context.err(WIPE_LINE);
    this.#drawn = false;
  }

  #progress(progress: Progress): void {
    if (this.#live) {
      this.#context.err(`${WIPE_LINE}${progressText(progress, this.#columns())}`);
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
