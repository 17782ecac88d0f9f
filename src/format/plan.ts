/**
 * @file A plan: which runs are replayed, how much of each, from which checkpoints, for how long.
 * A plain value: printed, saved, edited, executed later.
 */
import type {
  Course,
  ProbePlace,
  RecordedCall,
  RecordedText,
  SourcePlace,
  Varying,
} from "./directive.ts";
import type { Landing } from "./landing.ts";

/** How much of a run is executed again (semantics, "Scans"). */
export type Scan = "prefix" | "suffix" | "outer" | "inner";

/** Iterations that are asked for: each loop by name to its first and last index, inclusive. */
export type Box = Readonly<{ [loop: string]: readonly [first: number, last: number] }>;

/** Places of a run: some iterations of one loop entry, with the loops in them. */
export interface Span {
  /** Path of its loop end; null: what stands outside of all loops. */
  readonly entry: string | null;
  /** First and last index; the last is null where all that follow belong to it. */
  readonly from: number;
  readonly to: number | null;
  /** Without the loops in them. */
  readonly own?: true;
}

/** Of what is asked of a run, the part of one process. */
export interface UnitPart {
  readonly spans: readonly Span[];
  /** It is all that is asked but these, which others have. */
  readonly rest?: true;
}

/** One process of a replay: a part of a run that is reached and executed on its own. */
export interface PlannedUnit {
  /** Cells outside these are not kept; empty: all of the run. */
  readonly ranges: readonly Box[];
  /** What it keeps of these, where several processes share them; absent: all. */
  readonly part?: UnitPart;
  readonly courses: readonly Course[];
  readonly seconds: number;
  /** Of these, the program's own code; the rest is starting the process and loading. */
  readonly code_seconds?: number;
  /** Iterations of innermost loops that are executed, and the checkpoints that are loaded. */
  readonly iterations: number;
  readonly checkpoints: readonly string[];
  /** Every outermost loop entry is skipped, and its complete loop end restored; absent: not. */
  readonly restores?: true;
}

export interface PlannedRun {
  readonly run: string;
  readonly scan: Scan;
  readonly ranges: readonly Box[];
  /** Predicted seconds of work, all units together. */
  readonly seconds: number;
  /** The first checkpoint that is loaded; null: the run is executed from its start. */
  readonly from_checkpoint: string | null;
  /** Loops whose names mean their own values, which are not the indices that stand in a plan. */
  readonly by_value?: readonly string[];
  /** Of the recorded time of iterations of innermost loops, the share that is executed again. */
  readonly share: number;
  /** Why the scan is costlier than the place of the statement asks for; the user reads it. */
  readonly notes: readonly string[];
  /** Statements that this run did not have, asked for or not; absent: those of the plan. */
  readonly probes?: readonly ProbePlace[];
  /** What its replay does not compare with the record; absent: all is compared. */
  readonly varying?: Varying;
  /** The same where a call has no recorded result; absent: it is the same. */
  readonly varyingFresh?: Varying;
  /** Index in `landings`; absent: nothing is put into its source. */
  readonly landing?: number;
  /** It is replayed with the packages that this lockfile of its version names. */
  readonly packages?: {
    readonly lockfile: string;
    /** Packages may run their own scripts when they are installed; absent: none does. */
    readonly scripts?: true;
  };
  readonly units: readonly PlannedUnit[];
  /** Reaches the last place of the last unit in another way, to compare; absent: nothing does. */
  readonly control?: PlannedUnit;
}

/** A run that is not replayed, and why. */
export interface LeftOut {
  readonly run: string;
  readonly why: string;
  /** It has all that is asked for; absent: something of it is not to be had. */
  readonly filled?: true;
}

/** Source text that replaces a file of the version in the replay's tree. */
export interface Overlay {
  readonly file: string;
  readonly text: string;
  /** What the run executed instead; absent: it is the text without the probes. */
  readonly recorded?: Omit<RecordedText, "file">;
}

/** A log statement that is asked for: where it stands, and what is logged there. */
export interface PlannedStatement extends SourcePlace {
  /** What is asked for; a star in it stands for what only a run can tell. */
  readonly name: string;
  /** What it logs, where it is asked for under another name; absent: the name. */
  readonly logged?: string;
  /** It shows no name: whatever it logs is asked for, under the names that it has when it runs. */
  readonly unnamed?: true;
  /** Names that its text shows: what else it logs when it runs is asked for with it. Absent: nothing is. */
  readonly shown?: readonly string[];
  readonly text: string;
  /** Its place between the other statements: the same though log statements are added. */
  readonly anchor?: string;
  /** Names of the loops around it, outermost first. */
  readonly loops: readonly string[];
  /** The condition under which it stands, with its line, and what it logs; absent: under none. */
  readonly under?: { readonly text: string; readonly line: number; readonly value: string };
  /** Commit of the version that it was taken from; absent: the working tree. */
  readonly version?: string;
  /** What came with it into an older version; absent: nothing. */
  readonly carried?: readonly string[];
  /** Why its values are `unchecked` whatever was compared, in words; absent: they need not be. */
  readonly unsure?: readonly string[];
  /** Calls that its values depend on: `unchecked` where one of them has no recorded result. */
  readonly calls?: readonly RecordedCall[];
  /**
   * A statement of its question that may change the run for good: its values are `unchecked` unless
   * the state was compared behind them, and was equal. Absent: none.
   */
  readonly mayChange?: string;
  /** Statements of its question by what they change, for messages. Absent: none is seen to change anything. */
  readonly changing?: readonly ChangingStatement[];
  /** What it changes for good whenever it is evaluated, in words: it is not executed. Absent: nothing. */
  readonly lasting?: string;
  /** Keys of variables of the run that it may change, where checkpoints hold them; absent: none. */
  readonly changes?: readonly string[];
  /** Where the ends of all outermost loops are restored, its values are `restored`; absent: not. */
  readonly computes?: true;
}

/** A statement of a question, by its first line, and words of what it changes. */
export interface ChangingStatement {
  readonly text: string;
  readonly names: readonly string[];
}

/** How the statements stand in versions whose source is the same text. */
export interface PlannedLanding {
  /** Commits, the newest first. */
  readonly versions: readonly string[];
  /** Where each statement lands, as far as that had to be found out: the worst one counts. */
  readonly verdict: Landing["verdict"];
  /** Of the statements that had to be placed. */
  readonly landings: readonly Landing[];
  /** The statements as they stand there. */
  readonly statements: readonly PlannedStatement[];
  /** Files as they are in the replay's tree, with the statements in them. */
  readonly overlays: readonly Overlay[];
}

export interface Plan {
  readonly v: 2;
  readonly names: readonly string[];
  readonly where: string | null;
  /** Conditions on the asked names themselves: cells are filtered by them afterwards. */
  readonly after: string | null;
  /** The statements in the newest version that has them. */
  readonly statements: readonly PlannedStatement[];
  /** How they stand in the versions of the runs. */
  readonly landings: readonly PlannedLanding[];
  readonly runs: readonly PlannedRun[];
  /** Priced, but not executed before somebody has looked at where the statement lands. */
  readonly review: readonly PlannedRun[];
  readonly left_out: readonly LeftOut[];
  /** What else the user should know. */
  readonly notes?: readonly string[];
  readonly workers: number;
  /** What the workers see of the GPUs, in turn, as CUDA_VISIBLE_DEVICES names them; absent: all. */
  readonly gpus?: readonly string[];
  /** Seconds on the wall clock, with an interval that holds nine times in ten. */
  readonly seconds: number;
  readonly seconds_low: number;
  readonly seconds_high: number;
  /** Seconds of all units one after the other. */
  readonly work: number;
  /** What it costs for as long as this machine is busy with it, in the user's currency; absent: no price was set. */
  readonly money?: number;
  /** How far off earlier plans were; null if there were none. */
  readonly past: { readonly plans: number; readonly median_error: number } | null;
}

/** A plan as it was written by an earlier version: all runs had one source with the statements. */
type PlanOfBefore = Omit<Plan, "v" | "landings" | "review"> & {
  readonly v: 1;
  readonly overlays: readonly Overlay[];
};

/** A plan that was read as JSON; undefined if it is not one. */
export function planFromJson(value: unknown): Plan | undefined {
  const plan = value as Plan | PlanOfBefore | null;
  if (typeof plan !== "object" || !Array.isArray(plan?.runs)) return undefined;
  if (plan.v === 2) return Array.isArray(plan.landings) ? plan : undefined;
  if (plan.v !== 1 || !Array.isArray(plan.overlays)) return undefined;
  const { overlays, ...rest } = plan;
  const { statements } = plan;
  return {
    ...rest,
    v: 2,
    landings: [{ versions: [], verdict: "exact", landings: [], statements, overlays }],
    runs: plan.runs.map((run) => ({ ...run, landing: 0 })),
    review: [],
  };
}

/** How the statements stand in the source of a run; undefined: they are not put into it. */
export function landingOf(plan: Plan, { landing }: PlannedRun): PlannedLanding | undefined {
  return landing === undefined ? undefined : plan.landings[landing];
}

/** How a question stood in the version of a run: what its values keep of the landing. */
export interface LandedAs {
  readonly verdict: Landing["verdict"];
  /** Why the least certain statement stands where it does. */
  readonly reason: string;
  /** What else the version has otherwise that the question can see, in words. */
  readonly differs: readonly string[];
}

/** Of definitions that came along with the question: nothing that the version has otherwise. */
const CAME_ALONG: ReadonlySet<string> = new Set(["carried_helper", "carried_import"]);

export function landedAs({ verdict, landings }: PlannedLanding): LandedAs | undefined {
  const worst = landings.reduce<Landing | undefined>(
    (least, one) => (least && least.confidence <= one.confidence ? least : one),
    undefined,
  );
  if (worst === undefined) return undefined;
  const warnings = landings.flatMap((one) => one.warnings);
  const differs = warnings.filter(({ code }) => !CAME_ALONG.has(code)).map(({ text }) => text);
  return { verdict, reason: worst.reason, differs: [...new Set(differs)] };
}

/** The plan without the texts of its files, which are long. */
export function withoutTexts(plan: Plan): Plan {
  return { ...plan, landings: plan.landings.map((landing) => ({ ...landing, overlays: [] })) };
}
