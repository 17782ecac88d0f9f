/**
 * @file The execution of a plan: a canary, then all units (`executor.ts` says where). What is
 * finished is sealed at once, so that neither Ctrl-C nor a killed replayer loses it.
 */
import { setMaxListeners } from "node:events";
import type { Plan, PlannedRun, ReplayOutcome, ProbePlace } from "../../format/index.ts";
import { AfterlogError, formatError, isAfterlogError, withoutTexts } from "../../format/index.ts";
import { ownEnvironment, wallClock } from "../../host/index.ts";
import { replaceFile } from "../../store/index.ts";
import type { Canary, EventCell } from "./replay-events.ts";
import type { ReplayOptions } from "./replay-options.ts";
import type { Executor } from "./executor.ts";
import { isolationOfPlan } from "./isolation.ts";
import { localExecutor } from "./local-executor.ts";
import { PackageInstaller } from "../trees/install-packages.ts";
import type { Judged } from "../checking/judge-unit.ts";
import { ReplayJournal } from "./replay-journal.ts";
import type { ReplayState, UnitState } from "./replay-state.ts";
import {
  continuedState,
  makeReplayFolder,
  newState,
  readPlan,
  readReplay,
  removeStaleTrees,
  replayPaths,
  untilGo,
} from "./replay-state.ts";
import { Controls } from "./controls.ts";
import type { NextStep } from "./next-step.ts";
import { nextStep } from "./next-step.ts";
import { lastingEffect, reviewOf } from "./review-effects.ts";
import { clearUnit, endLeftover, readOutcome } from "./unit-process.ts";
import type { ExecutedUnit, ValueCounts, ReplayContext, ReplayUnit } from "./execute-unit.ts";
import {
  announcedResult,
  countValues,
  judgeExecuted,
  keepUnit,
  unitFolder,
} from "./execute-unit.ts";
import { eventCells, fixedSeconds, inOrder, listUnits } from "./replay-units.ts";

/** Executes a plan as a new replay; answers how it ended. */
export async function executePlan(
  options: ReplayOptions & {
    readonly plan: Plan;
    /** All statements that the runs do not have; the plan's own if absent. */
    readonly probes?: readonly ProbePlace[];
  },
): Promise<ReplayState> {
  const { plan, project } = options;
  const replay = makeReplayFolder(project.store);
  const folder = replayPaths.folder(project.store, replay);
  replaceFile(replayPaths.plan(folder), `${JSON.stringify(plan)}\n`);
  const probes =
    options.probes ??
    plan.statements.map(({ file, line, column }) => {
      return { file, line, column };
    });
  const state = newState(replay, plan, { workers: options.workers, probes });
  return new PlanExecution(options, plan, state).run();
}

/**
 * Continues a replay that was stopped or interrupted; the newest if no id is given. What units in
 * flight had done is kept first. Throws AL050 if there is none, or if it still runs.
 */
export async function continueReplay(
  options: ReplayOptions & {
    readonly id?: string;
    /** Runs that are left out from now on. */
    readonly skip?: readonly string[];
  },
): Promise<ReplayState> {
  const { store } = options.project;
  const before = readReplay(store, options.id);
  if (before.status === "running") {
    throw new AfterlogError("AL050", `replay ${before.replay} is still running`, {
      help: [`stop it first:  afterlog cancel ${before.replay}`],
      data: { id: before.replay },
    });
  }
  const state = continuedState(before, options);
  const replay = new PlanExecution(options, readPlan(store, before.replay), state);
  replay.keepLeftovers();
  return replay.run();
}

/** One session of a replay. */
class PlanExecution {
  readonly #options: ReplayOptions;
  readonly #context: ReplayContext;
  readonly #units: readonly ReplayUnit[];
  readonly #controls: Controls;
  readonly #valueCounts = new Map<string, ValueCounts>();
  readonly #stop = new AbortController();
  readonly #journal: ReplayJournal;
  readonly #executor: Executor;
  /** How often a unit's process was started again after it had died. */
  readonly #retries = new Map<number, number>();
  /** Ended, while the control of their source has not. */
  readonly #ended: { readonly unit: ReplayUnit; readonly executed: ExecutedUnit }[] = [];
  /** The landing in which the canary failed. */
  #held: number | null = null;

  constructor(options: ReplayOptions, plan: Plan, state: ReplayState) {
    this.#options = options;
    const { project, tolerance, env } = options;
    this.#journal = new ReplayJournal(project.store, state, options.emit);
    this.#context = {
      project,
      plan,
      replay: state.replay,
      probes: state.probes,
      packages: new PackageInstaller(project, this.#stop.signal, env),
      ...(tolerance === undefined ? {} : { tolerance }),
      ...(env === undefined ? {} : { env }),
      isolationOf: isolationOfPlan(project, plan, env ?? ownEnvironment),
    };
    const { gpus = [] } = plan;
    const { executor = localExecutor, workers } = options;
    this.#executor = executor(this.#context, { workers, gpus });
    this.#units = listUnits(project, plan);
    this.#controls = new Controls(this.#context, this.#units, state.units);
    for (const { parent } of this.#units) {
      if (this.#valueCounts.has(parent.run)) continue;
      const results = state.units.flatMap((unit) => (unit.run === parent.run ? unit.results : []));
      this.#valueCounts.set(parent.run, countValues(project.store, results));
    }
    removeStaleTrees(project.store);
    // Each process listens for the end.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Keeps what the processes of a killed replayer had written. */
  keepLeftovers(): void {
    for (const { control } of this.#controls.all)
      endLeftover(unitFolder(this.#context, control.index));
    for (const [index, unit] of this.#journal.state.units.entries()) {
      if (unit.status !== "running") continue;
      endLeftover(unitFolder(this.#context, index));
      const announced = announcedResult(this.#context, index);
      if (announced) {
        this.#journal.adoptResult(index, announced.run);
        this.#journal.update(index, { status: announced.isComplete ? "done" : "waiting" });
        this.#countResult(unit.run, announced.run);
        continue;
      }
      const outcome = readOutcome(unitFolder(this.#context, index));
      this.#journal.update(index, { status: "waiting" });
      const planned = this.#units[index];
      if (!planned || this.#controls.isOpen(planned)) continue;
      if (outcome?.kind !== "insufficient") this.#keepLeftover(index, outcome);
    }
  }

  async run(): Promise<ReplayState> {
    const { signal, maxSeconds } = this.#options;
    const stop = (): void => this.#stop.abort();
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true });
    const timer = maxSeconds === undefined ? undefined : setTimeout(stop, maxSeconds * 1000);
    try {
      this.#journal.emit({ kind: "plan", plan: withoutTexts(this.#context.plan) });
      this.#holdLasting();
      const mayProceed = !this.#options.canary || (await this.#runCanary());
      if (mayProceed) await this.#runWaiting();
    } finally {
      for (const { unit } of this.#ended) this.#journal.update(unit.index, { status: "waiting" });
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      this.#journal.end();
    }
    return this.#journal.state;
  }

  /** The first unit of the newest run; false if the rest is not to be executed. */
  async #runCanary(): Promise<boolean> {
    const open = this.#units.filter(({ index }) => this.#journal.isWaiting(index));
    if (open.length < 2) return true;
    const [first] = open.toSorted(
      (a, b) => b.parent.order - a.parent.order || a.ordinal - b.ordinal,
    );
    if (!first) return true;
    const cells = await this.#executeUnits([first]);
    const unit = this.#journal.unit(first.index);
    if (this.#stop.signal.aborted) return false;
    // A statement that throws fails once, not for every run of that source.
    if (unit.status === "failed" && cells.length === 0) {
      this.#held = first.ofRun.landing ?? null;
      const others = open.filter(({ ofRun }) => ofRun.landing !== first.ofRun.landing).length;
      const { confirmOthers } = this.#options;
      if (others === 0 || !(await this.#mayGo())) return false;
      if (!confirmOthers) return true;
      return this.#journal.idle(() => confirmOthers(unit.why ?? "", others), "answer");
    }
    const canary: Canary = {
      run: unit.run,
      unit: unit.unit,
      cells,
      predicted_s: unit.predicted_s,
      actual_s: unit.actual_s ?? 0,
      fixed_s: fixedSeconds(unit),
      first_difference: unit.first_difference,
      likely_cause: unit.likely_cause,
    };
    this.#journal.emit({ kind: "canary", ...canary });
    if (!(await this.#mayGo())) return false;
    const { confirmCanary } = this.#options;
    const answer = confirmCanary
      ? await this.#journal.idle(() => confirmCanary(canary), "answer")
      : true;
    if (typeof answer === "object") this.#journal.rescale(answer);
    return answer !== false;
  }

  async #mayGo(): Promise<boolean> {
    if (this.#options.awaitGo !== true) return true;
    const { replay } = this.#journal.state;
    const { store } = this.#options.project;
    this.#journal.emitProgress();
    return this.#journal.idle(() => untilGo(store, replay, this.#stop.signal), "go");
  }

  async #runWaiting(): Promise<void> {
    const { newestFirst, workers } = this.#options;
    const { urgent } = this.#controls;
    const waiting = this.#units.filter((unit) => this.#isOpen(unit));
    const units = inOrder(waiting, { workers, urgent, newestFirst }).map(async (unit) => {
      const why = this.#controls.whyRefuted(unit);
      return why === undefined ? unit : ((await this.#asWhole(unit, why)) ?? unit);
    });
    await this.#executeUnits(await Promise.all(units));
  }

  #isOpen({ index, ofRun }: ReplayUnit): boolean {
    return this.#journal.isWaiting(index) && !this.#isHeld(ofRun);
  }

  #isHeld({ landing }: PlannedRun): boolean {
    return landing !== undefined && landing === this.#held;
  }

  /** Executes units to their end, and again where that is needed; answers what they filled. */
  async #executeUnits(units: readonly ReplayUnit[]): Promise<readonly EventCell[]> {
    const ended: Promise<readonly EventCell[]>[] = [];
    const controls = this.#controls.begin(units);
    for await (const event of this.#executor.start([...controls, ...units], this.#stop.signal)) {
      const { unit } = event;
      if (unit.controls) {
        this.#controls.note(event);
        continue;
      }
      switch (event.kind) {
        case "begun":
          this.#noteBegun(unit);
          break;
        case "status":
          if (event.line.kind === "live") {
            this.#journal.emitProgress({ run: unit.parent.run, loops: event.line.loops });
          }
          break;
        case "ended":
          ended.push(this.#judgeEnded(unit, event.executed));
          break;
        case "failed":
          this.#noteBroken(unit, event.error);
          ended.push(...this.#release(unit));
      }
    }
    this.#controls.end(controls);
    return (await Promise.all(ended)).flat();
  }

  #noteBegun({ index, gpu }: ReplayUnit): void {
    const device = gpu === undefined ? {} : { gpu };
    this.#journal.update(index, { status: "running", ...device });
    this.#journal.emitProgress();
  }

  /**
   * Starts a unit again if its process died, and whole if what was planned is not enough. What restored something is
   * kept when the control of its source has ended, which may tell that.
   */
  async #unitEnded(unit: ReplayUnit, executed: ExecutedUnit): Promise<readonly EventCell[]> {
    const next = await this.#nextStep(unit, executed);
    if (next.kind === "retry" && this.#mayRetry(unit)) return this.#executeAgain(unit);
    if (next.kind === "done" && this.#controls.isOpen(unit)) {
      this.#ended.push({ unit, executed });
      const how = { outcome: executed.result.outcome, have: this.#valuesOf(unit) };
      return eventCells(unit, judgeExecuted(this.#context, unit, how).judged, null);
    }
    const released = next.kind === "stopped" ? [] : this.#release(unit);
    const [cells] = await Promise.all([this.#takeStep(unit, executed, next), ...released]);
    return cells;
  }

  async #takeStep(
    unit: ReplayUnit,
    executed: ExecutedUnit,
    next: NextStep,
  ): Promise<readonly EventCell[]> {
    if (next.kind !== "whole") return this.#keepResult(unit, executed, next);
    const whole = unit.isWhole ? null : await this.#asWhole(unit, next.why);
    return whole ? this.#executeAgain(whole) : this.#noteFailed(unit, next.why, { executed });
  }

  async #nextStep(unit: ReplayUnit, executed: ExecutedUnit): Promise<NextStep> {
    const next = nextStep(executed.result, unit);
    if (next.kind !== "done" || unit.isWhole || unit.planned.checkpoints.length === 0) return next;
    const why = (await this.#controls.refute(unit, executed)) ?? this.#controls.whyRefuted(unit);
    return why === undefined ? next : { kind: "whole", why };
  }

  /** What waited for the control of a unit. */
  #release(unit: ReplayUnit): Promise<readonly EventCell[]>[] {
    if (!this.#controls.settle(unit)) return [];
    const waited = this.#ended.filter((one) => !this.#controls.isOpen(one.unit));
    for (const one of waited) this.#ended.splice(this.#ended.indexOf(one), 1);
    return waited.map((one) => this.#judgeEnded(one.unit, one.executed));
  }

  #judgeEnded(unit: ReplayUnit, executed: ExecutedUnit): Promise<readonly EventCell[]> {
    return this.#unitEnded(unit, executed).catch((error) => this.#noteBroken(unit, error));
  }

  #valuesOf({ parent }: ReplayUnit): ValueCounts {
    return this.#valueCounts.get(parent.run) ?? new Map();
  }

  #executeAgain(unit: ReplayUnit): Promise<readonly EventCell[]> {
    // Until there is room for it; a replay that is stopped before finds it so.
    this.#journal.update(unit.index, { status: "waiting" });
    return this.#executeUnits([unit]);
  }

  #mayRetry({ index }: ReplayUnit): boolean {
    const tries = this.#retries.get(index) ?? 0;
    this.#retries.set(index, tries + 1);
    return tries < (this.#options.retries ?? 1);
  }

  /** What goes wrong on our side costs this unit, not the others. */
  #noteBroken(unit: ReplayUnit, error: unknown): readonly EventCell[] {
    if (this.#stop.signal.aborted) {
      this.#journal.update(unit.index, { status: "waiting" });
      return [];
    }
    return this.#noteFailed(unit, isAfterlogError(error) ? formatError(error) : String(error));
  }

  async #asWhole(unit: ReplayUnit, why: string): Promise<ReplayUnit | null> {
    const planned = await this.#options.fallback?.(unit.parent.run, unit.planned);
    if (!planned) return null;
    this.#journal.update(unit.index, { whole: true, wholeBecause: why });
    return { ...unit, planned, isWhole: true };
  }

  /** Seals what a process gave, all of it or a part. */
  #keepResult(unit: ReplayUnit, executed: ExecutedUnit, next: NextStep): readonly EventCell[] {
    const { result, started, ended } = executed;
    const incomplete = next.kind === "done" ? null : next.why;
    const have = this.#valuesOf(unit);
    const how = { outcome: result.outcome, started, ended, incomplete, have };
    const { judged, run } = keepUnit(this.#context, unit, how);
    const before = this.#journal.unit(unit.index);
    const cells = eventCells(unit, judged, run);
    const isLooked = next.kind === "failed" || (next.kind === "done" && judged.left.length > 0);
    const review = isLooked ? reviewOf(this.#context, unit, executed, judged) : null;
    const { failures = [], failureCount } = result.outcome ?? {};
    const cause = judged.first ? executed.cause(judged.first) : null;
    // A question that threw wherever it was asked: whoever put it there has to look at it.
    const thrown = judged.cells.length === 0 ? (failures[0] ?? null) : null;
    const failure = review ?? incomplete ?? thrown;
    const status = next.kind === "stopped" ? "waiting" : failure === null ? "done" : "failed";
    this.#journal.update(unit.index, {
      status,
      why: next.kind === "stopped" ? null : failure,
      ...(review === null ? {} : { review: true }),
      ...(failures.length > 0 ? { failures } : {}),
      ...(failureCount === undefined ? {} : { failureCount }),
      ...(next.kind === "done" && judged.silent.length > 0 ? { silent: judged.silent } : {}),
      ...(result.outside ? { outside: result.outside } : {}),
      ...namesAlone(judged),
      results: run === null ? before.results : [...before.results, run],
      cells: before.cells + judged.cells.length,
      compared: judged.compared,
      first_difference: judged.first,
      likely_cause: cause,
      actual_s: next.kind === "done" ? result.seconds + executed.treeS : null,
      tree_s: executed.treeS,
      times: judged.times,
    });
    // Where something differs, what the process wrote tells more.
    if (incomplete === null && judged.first === null) {
      clearUnit(unitFolder(this.#context, unit.index));
    }
    this.#journal.emitCells(cells);
    if (failure !== null && next.kind !== "stopped") {
      this.#emitFailure(unit, failure, { executed, judged, cause, review });
    }
    this.#journal.emitProgress();
    return cells;
  }

  /** Units whose question changes the run for certain are not executed: it would train on with that. */
  #holdLasting(): void {
    for (const unit of this.#units.filter(({ index }) => this.#journal.isWaiting(index))) {
      const why = lastingEffect(this.#context, unit);
      if (why !== undefined) this.#noteFailed(unit, why, { review: true });
    }
  }

  #noteFailed(
    unit: ReplayUnit,
    why: string,
    { executed, review }: { readonly executed?: ExecutedUnit; readonly review?: true } = {},
  ): readonly EventCell[] {
    const more = review ? { review } : {};
    this.#journal.update(unit.index, { status: "failed", why, ...more });
    this.#emitFailure(unit, why, { executed, cause: null, ...(review ? { review: why } : {}) });
    this.#journal.emitProgress();
    return [];
  }

  #emitFailure(
    { parent, ordinal }: ReplayUnit,
    why: string,
    more: {
      readonly executed: ExecutedUnit | undefined;
      readonly judged?: Judged;
      readonly cause: string | null;
      readonly review?: string | null;
    },
  ): void {
    this.#journal.emitFailure({
      run: parent.run,
      unit: ordinal,
      why,
      notes: more.executed?.notes ?? [],
      stderr: more.executed?.result.stderr ?? "",
      first_difference: more.judged?.first ?? null,
      likely_cause: more.cause,
      ...(more.review == null ? {} : { review: true }),
    });
  }

  /** What a process of an earlier session left. */
  #keepLeftover(index: number, outcome: ReplayOutcome | null): void {
    const planned = this.#units[index];
    const have = planned && this.#valueCounts.get(planned.parent.run);
    if (!planned || !have) return;
    const { gpu } = this.#journal.unit(index);
    const unit = gpu === undefined ? planned : { ...planned, gpu };
    const now = wallClock();
    const incomplete = outcome?.kind === "done" ? null : "the replayer was killed";
    const how = { outcome, started: now, ended: now, incomplete, have };
    const { judged, run } = keepUnit(this.#context, unit, how);
    if (run === null) return;
    const before = this.#journal.unit(index);
    this.#journal.update(index, {
      status: incomplete === null ? "done" : "waiting",
      results: [...before.results, run],
      cells: before.cells + judged.cells.length,
      compared: judged.compared,
      first_difference: judged.first,
    });
    this.#journal.emitCells(eventCells(unit, judged, run));
  }

  #countResult(run: string, result: string): void {
    const have = this.#valueCounts.get(run);
    for (const [key, count] of countValues(this.#options.project.store, [result])) {
      have?.set(key, (have.get(key) ?? 0) + count);
    }
  }
}

function namesAlone({ cells, compared }: Judged): Pick<UnitState, "alone"> {
  const alone = cells.filter(({ doubt }) => doubt?.kind === "alone");
  if (alone.length === 0 || compared.equal === 0) return {};
  return { alone: [...new Set(alone.map(({ record }) => record.name))] };
}
