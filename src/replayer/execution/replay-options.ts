/** @file What whoever starts a replay decides, and what he is told and asked while it runs. */
import type { Plan, PlannedUnit } from "../../format/index.ts";
import type { Project } from "../../store/index.ts";
import type { MakeExecutor } from "./executor.ts";
import type { Canary, ReplayEvent } from "./replay-events.ts";

export interface ReplayOptions {
  readonly project: Project;
  /** Processes at a time. */
  readonly workers: number;
  /** Executes one unit first and asks `confirmCanary` before the rest. */
  readonly canary: boolean;
  readonly emit: (event: ReplayEvent) => void;
  /** After the canary it waits until the file `go` is there; then `confirmCanary` is asked. */
  readonly awaitGo?: boolean;
  /**
   * Whether to go on after the canary; yes if it is not given. A plan means yes, with the times
   * that the canary suggests.
   */
  readonly confirmCanary?: (canary: Canary) => boolean | Plan | Promise<boolean | Plan>;
  /**
   * Whether to go on with other versions though the canary failed; yes if it is not given. Runs
   * with the same source are not executed then: they would fail alike.
   */
  readonly confirmOthers?: (why: string, units: number) => boolean | Promise<boolean>;
  /** The unit executed whole, for one whose checkpoints turn out not to be enough. */
  readonly fallback?: (
    run: string,
    unit: PlannedUnit,
  ) => PlannedUnit | null | Promise<PlannedUnit | null>;
  readonly signal?: AbortSignal;
  /** No unit is begun after it, and those that run are stopped. */
  readonly maxSeconds?: number;
  /** How often a process that died is started again. */
  readonly retries?: number;
  /** The newest runs first, not the longest. */
  readonly newestFirst?: boolean;
  /** Largest relative difference of floats that are close. */
  readonly tolerance?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Where units are executed; as processes of this machine if it is not given. */
  readonly executor?: MakeExecutor;
}
