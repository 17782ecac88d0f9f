/**
 * @file Controls of a replay (decision 0043): one unit of each source is executed in two ways, and
 * what is asked must be the same. Where it is not, a loop that was skipped has changed what no
 * checkpoint holds, and whatever is asked of that source is executed from the start of its runs.
 */
import type { LogRecord } from "../../format/index.ts";
import { formatPath } from "../../format/index.ts";
import type { CheckedCell } from "../checking/check-replay.ts";
import { compareValues, TOLERANCE } from "../checking/compare-values.ts";
import type { Judged } from "../checking/judge-unit.ts";
import { ValueBytes } from "../recorded/value-bytes.ts";
import type { ExecutedUnit, ReplayContext, ReplayUnit } from "./execute-unit.ts";
import { judgeExecuted, unitFolder } from "./execute-unit.ts";
import type { UnitEvent } from "./executor.ts";
import type { UnitState } from "./replay-state.ts";
import { clearUnit, unitPaths } from "./unit-process.ts";

/** A unit, and the control that reaches its last place too. */
class Controlled {
  readonly unit: ReplayUnit;
  readonly control: ReplayUnit;
  /** What the control gave; null: nothing that tells anything. */
  readonly given: Promise<Judged | null>;
  close: (given: Judged | null) => void = () => undefined;
  isBegun = false;

  constructor(unit: ReplayUnit, control: ReplayUnit) {
    this.unit = unit;
    this.control = control;
    this.given = new Promise((resolve) => {
      this.close = resolve;
    });
  }
}

export class Controls {
  readonly #context: ReplayContext;
  /** By landing, why what is asked of its source has to be executed from the start. */
  readonly #refuted = new Map<number | undefined, string>();
  /** Landings whose controls have said what they can. */
  readonly #settled = new Set<number | undefined>();
  readonly all: readonly Controlled[];

  constructor(context: ReplayContext, units: readonly ReplayUnit[], states: readonly UnitState[]) {
    this.#context = context;
    this.all = listControls(units);
    for (const { unit } of this.all) {
      // What a session before this one found.
      const { whole = false, wholeBecause = "", status } = states[unit.index] ?? {};
      if (whole) this.#refuted.set(unit.ofRun.landing, wholeBecause);
      if (status === "done" || status === "failed") this.settle(unit);
    }
  }

  /** Units that others wait for. */
  get urgent(): ReadonlySet<number> {
    return new Set(this.all.map(({ unit }) => unit.index));
  }

  /** Whether what a unit restored may still turn out not to be enough, by the control of another one. */
  isOpen({ index, ofRun, planned, isWhole }: ReplayUnit): boolean {
    const restored = !isWhole && planned.checkpoints.length > 0;
    const own = this.all.find(({ unit }) => unit.ofRun.landing === ofRun.landing);
    return (
      restored && own !== undefined && own.unit.index !== index && !this.#settled.has(ofRun.landing)
    );
  }

  /** Nothing more comes of the control of a unit, if it has one; whether that is so. */
  settle(unit: ReplayUnit): boolean {
    const isControlled = this.#of(unit) !== undefined;
    if (isControlled) this.#settled.add(unit.ofRun.landing);
    return isControlled;
  }

  /** Why a unit has to be executed from the start of its run; undefined: it need not. */
  whyRefuted({ ofRun }: ReplayUnit): string | undefined {
    return this.#refuted.get(ofRun.landing);
  }

  /** What becomes of a control. */
  note(event: UnitEvent): void {
    if (event.kind !== "ended" || !event.unit.controls) return;
    const { unit, executed } = event;
    const { outcome, stopped } = executed.result;
    const isDone = outcome?.kind === "done" && !stopped;
    this.#of(event.unit.controls)?.close(isDone ? this.#judgeControl(unit, executed) : null);
  }

  /** A control that cannot be read costs the question nothing. */
  #judgeControl(unit: ReplayUnit, { result }: ExecutedUnit): Judged | null {
    try {
      return this.#judge(unit, result);
    } catch {
      return null;
    }
  }

  /** The controls of units that are executed now, unless they have been. */
  begin(units: readonly ReplayUnit[]): ReplayUnit[] {
    const begun = units.flatMap((unit) => this.#of(unit) ?? []).filter((one) => !one.isBegun);
    for (const one of begun) one.isBegun = true;
    return begun.map(({ control }) => control);
  }

  /** Nothing more comes of these; what was not even begun says nothing. */
  end(controls: readonly ReplayUnit[]): void {
    for (const { controls: unit } of controls) if (unit) this.#of(unit)?.close(null);
  }

  /** Why what a unit gave cannot be right; undefined: its control says the same, or nothing. */
  async refute(unit: ReplayUnit, { result }: ExecutedUnit): Promise<string | undefined> {
    const own = this.#of(unit);
    const control = await own?.given;
    if (!own || !control) return undefined;
    const found = this.#findOther(this.#judge(unit, result), control, own);
    clearUnit(unitFolder(this.#context, own.control.index));
    if (!found) return undefined;
    const where = [found.name, formatPath(found.path)].filter((part) => part !== "").join(" at ");
    const why = `${where} is another value if more is executed before it: no checkpoint holds all that it depends on`;
    this.#refuted.set(unit.ofRun.landing, why);
    return why;
  }

  #of({ index }: ReplayUnit): Controlled | undefined {
    return this.all.find(({ unit }) => unit.index === index);
  }

  #judge(unit: ReplayUnit, { outcome }: ExecutedUnit["result"]): Judged {
    return judgeExecuted(this.#context, unit, { outcome, have: new Map() }).judged;
  }

  /** A promised value that is another one there; a control that differs from the record says nothing. */
  #findOther(
    given: Judged,
    control: Judged,
    { control: { index }, unit }: Pick<Controlled, "control" | "unit">,
  ): LogRecord | undefined {
    if (given.first || control.first) return undefined;
    const outOf = (of: number): string => unitPaths.out(unitFolder(this.#context, of));
    using bytes = new ValueBytes(outOf(unit.index));
    using otherBytes = new ValueBytes(outOf(index));
    const isSame = (one: CheckedCell, other: CheckedCell): boolean => {
      const how = compareValues(one.record.value, other.record.value, {
        tolerance: this.#context.tolerance ?? TOLERANCE,
        recordedBytes: bytes.read.bind(bytes),
        replayedBytes: otherBytes.read.bind(otherBytes),
      });
      // A GPU may sum in another order.
      return how === "equal" || (how === "close" && this.#context.plan.gpus !== undefined);
    };
    const others = new Map(control.cells.map((cell) => [keyOf(cell), cell]));
    const reached = new Set(control.cells.map(({ record }) => formatPath(record.path)));
    const promised = given.cells.filter(({ record, check }) => {
      return isPromise(check) && reached.has(formatPath(record.path));
    });
    const found = promised.find((cell) => {
      const other = others.get(keyOf(cell));
      return !other || !isSame(cell, other);
    });
    return found?.record;
  }
}

function keyOf({ record, occurrence }: CheckedCell): string {
  return JSON.stringify([record.path, record.name, occurrence]);
}

function isPromise(check: CheckedCell["check"]): boolean {
  return check === "verified" || check === "restored";
}

/** Each reaches the last place of the last unit of its run. */
function listControls(units: readonly ReplayUnit[]): Controlled[] {
  const controlled = units.flatMap((unit) => {
    const { control: planned, units: ofRun } = unit.ofRun;
    return planned && unit.ordinal === ofRun.length - 1 ? [{ unit, planned }] : [];
  });
  return controlled.map(({ unit, planned }, nth) => {
    const control = { ...unit, planned, index: units.length + nth, controls: unit };
    return new Controlled(unit, control);
  });
}
