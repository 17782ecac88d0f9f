/**
 * @file How far a replay is: written to disk at every step, and told to whoever listens. The state
 * on disk is always written first, so that nobody hears of what a crash could undo.
 */
import { appendFileSync } from "node:fs";
import type { CheckMark, Plan } from "../../format/index.ts";
import { plainToJson } from "../../format/index.ts";
import { wallClock } from "../../host/index.ts";
import { makespan } from "../../planner/index.ts";
import type { EventCell, Progress, ReplayEvent, Summary, UnitFailure } from "./replay-events.ts";
import type { Awaited, ReplayState, ReplayStatus, UnitState, UnitStatus } from "./replay-state.ts";
import { replayPaths, writeState } from "./replay-state.ts";
import { CHECK_MARKS, countMarks } from "./replay-result.ts";

type NewEvent = DistributiveOmit<ReplayEvent, "schema" | "replay">;

/** The plan has a file of its own; how far a process is just now is nobody's business later. */
function isKept(event: ReplayEvent): boolean {
  return event.kind !== "plan" && !(event.kind === "progress" && event.live !== undefined);
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown
  ? Omit<Union, Key>
  : never;

export class ReplayJournal {
  readonly #store: string;
  readonly #listener: (event: ReplayEvent) => void;
  readonly #marks: { [mark in CheckMark]: number };
  readonly #startedMs: number = performance.now();
  #idleMs = 0;
  #state: ReplayState;

  constructor(store: string, state: ReplayState, listener: (event: ReplayEvent) => void) {
    this.#store = store;
    this.#state = state;
    this.#listener = listener;
    // Those of the sessions before count too.
    this.#marks = countMarks(
      store,
      state.units.flatMap(({ results }) => results),
    );
    writeState(store, state);
  }

  get state(): ReplayState {
    return this.#state;
  }

  unit(index: number): UnitState {
    const unit = this.#state.units[index];
    if (!unit) throw new RangeError(`no unit ${index}`);
    return unit;
  }

  isWaiting(index: number): boolean {
    return this.unit(index).status === "waiting";
  }

  update(index: number, change: Partial<UnitState>): void {
    const units = this.#state.units.with(index, { ...this.unit(index), ...change });
    this.#state = { ...this.#state, units };
    writeState(this.#store, this.#state);
  }

  emit(event: NewEvent): void {
    this.#emitAll([event]);
  }

  emitCells(cells: readonly EventCell[]): void {
    for (const cell of cells) this.#marks[cell.check] += 1;
    this.#emitAll(cells.map((cell) => ({ kind: "cell", ...cell })));
  }

  #emitAll(events: readonly NewEvent[]): void {
    const { replay } = this.#state;
    const all = events.map((event): ReplayEvent => ({ schema: 1, replay, ...event }));
    const lines = all.filter(isKept).map((event) => `${plainToJson(event)}\n`);
    const file = replayPaths.events(replayPaths.folder(this.#store, replay));
    if (lines.length > 0) appendFileSync(file, lines.join(""));
    for (const event of all) this.#listener(event);
  }

  /** Takes up a result that a killed session had written and not told of. */
  adoptResult(index: number, result: string): void {
    const { results, cells } = this.unit(index);
    if (results.includes(result)) return;
    const marks = countMarks(this.#store, [result]);
    let count = 0;
    for (const mark of CHECK_MARKS) {
      this.#marks[mark] += marks[mark];
      count += marks[mark];
    }
    this.update(index, { results: [...results, result], cells: cells + count });
  }

  emitFailure(failure: UnitFailure): void {
    this.emit({ kind: "failure", ...failure });
  }

  emitProgress(live?: Progress["live"]): void {
    this.emit({
      kind: "progress",
      done: this.#countUnits("done"),
      running: this.#countUnits("running"),
      waiting: this.#countUnits("waiting"),
      failed: this.#countUnits("failed"),
      cells: this.#cellCount,
      seconds: this.#seconds,
      seconds_left: this.#secondsLeft,
      ...(live ? { live } : {}),
    });
  }

  /** Waits for somebody's decision: that is no time of the replay. */
  async idle<Answer>(decision: () => Answer | Promise<Answer>, from: Awaited): Promise<Answer> {
    const begun = performance.now();
    this.#note({ awaits: from });
    try {
      return await decision();
    } finally {
      this.#idleMs += performance.now() - begun;
      this.#note({ awaits: undefined });
    }
  }

  #note(change: Partial<ReplayState>): void {
    this.#state = { ...this.#state, ...change };
    writeState(this.#store, this.#state);
  }

  /** Predicts anew what has not run yet, with the times of `plan`. */
  rescale(plan: Plan): void {
    const planned = new Map(plan.runs.map(({ run, units }) => [run, units]));
    const units = this.#state.units.map((unit) => {
      const seconds = planned.get(unit.run)?.[unit.unit]?.seconds;
      const isOpen = unit.status === "waiting" && seconds !== undefined;
      return isOpen ? { ...unit, predicted_s: seconds } : unit;
    });
    const open = units.filter(({ status }) => status === "waiting");
    const rest = makespan(
      open.map(({ predicted_s }) => predicted_s),
      this.#state.workers,
    );
    this.#state = { ...this.#state, units, predicted_s: this.#seconds + rest };
    writeState(this.#store, this.#state);
  }

  /** Nothing more is executed in this session. */
  end(): void {
    const isOpen = this.#countUnits("waiting") + this.#countUnits("running") > 0;
    const status: ReplayStatus =
      this.#countUnits("failed") > 0 ? "failed" : isOpen ? "stopped" : "done";
    const ended = wallClock().toISOString();
    const actual_s = this.#state.actual_s + this.#seconds;
    this.#state = { ...this.#state, status, ended, actual_s };
    writeState(this.#store, this.#state);
    this.emit({ kind: "done", ...this.#summary() });
  }

  #summary(): Summary {
    const { status, units, predicted_s, actual_s } = this.#state;
    return {
      status,
      cells: this.#cellCount,
      marks: { ...this.#marks },
      units: {
        done: this.#countUnits("done"),
        failed: this.#countUnits("failed"),
        waiting: this.#countUnits("waiting"),
      },
      predicted_s,
      actual_s,
      differences: units.flatMap(({ run, first_difference, likely_cause }) => {
        return first_difference ? [{ run, first_difference, likely_cause }] : [];
      }),
    };
  }

  #countUnits(status: UnitStatus): number {
    return this.#state.units.filter((unit) => unit.status === status).length;
  }

  get #cellCount(): number {
    return this.#state.units.reduce((sum, unit) => sum + unit.cells, 0);
  }

  get #seconds(): number {
    return (performance.now() - this.#startedMs - this.#idleMs) / 1000;
  }

  /** What is left of the work as predicted, at the speed seen so far; half of what runs is done. */
  get #secondsLeft(): number {
    const { units, workers } = this.#state;
    const sum = (some: readonly UnitState[], seconds: (unit: UnitState) => number): number =>
      some.reduce((total, unit) => total + seconds(unit), 0);
    const predicted = (unit: UnitState): number => unit.predicted_s;
    const measured = units.filter(({ actual_s }) => actual_s !== null);
    const planned = sum(measured, predicted);
    const speed = planned > 0 ? sum(measured, (unit) => unit.actual_s ?? 0) / planned : 1;
    const isIn = (status: UnitStatus): UnitState[] =>
      units.filter((unit) => unit.status === status);
    const left = sum(isIn("waiting"), predicted) + sum(isIn("running"), predicted) / 2;
    return (left * speed) / Math.max(1, workers);
  }
}
