/**
 * @file Where the units of a replay are executed: the seam between a replay and machines. A replay
 * decides what is executed, judges it and keeps it; an executor finds a place for each unit, starts
 * it there and tells how it went. `local-executor.ts` has processes of this machine.
 */
import type { StatusLine } from "../../format/index.ts";
import type { ExecutedUnit, ReplayContext, ReplayUnit } from "./execute-unit.ts";

/** What a unit needs where it is executed; what is absent is not known. */
export interface UnitResources {
  readonly gpus: number;
  readonly cpus?: number;
  readonly memoryBytes?: number;
}

/** `unit` is the unit as it was given to `start`, with the place that it got. */
export type UnitEvent = { readonly unit: ReplayUnit } & (
  | { readonly kind: "begun" }
  | { readonly kind: "status"; readonly line: StatusLine }
  | { readonly kind: "ended"; readonly executed: ExecutedUnit }
  /** It could not be started. */
  | { readonly kind: "failed"; readonly error: unknown }
);

export interface Executor {
  /**
   * Executes units, in the order given, as there is room for them; those of a later call before
   * those that still wait. A unit has one `begun`, any number of `status`, then one `ended` or
   * `failed`. The iteration is over when no unit has an event to come.
   *
   * When `signal` aborts, units that wait are not begun and have no events; those that run are told
   * to stop, and end with what they have.
   */
  start(units: readonly ReplayUnit[], signal: AbortSignal): AsyncIterable<UnitEvent>;
}

/** Makes the executor of one replay. */
export type MakeExecutor = (
  context: ReplayContext,
  limits: {
    /** Units at a time. */
    readonly workers: number;
    /** GPUs that may be used; none: nothing is said to a process. */
    readonly gpus: readonly string[];
  },
) => Executor;
