/**
 * @file What an alert would have done: in which past runs it would have fired, against what people said of
 * them (FlorDB §2.2, "Alert Tuning"). Values that are missing are asked in hindsight, after the price was said.
 */
import type { FiredRun, FiredRuns, Sweep } from "../../catalog/index.ts";
import { cellToJson, nameOfColumn, readFired } from "../../catalog/index.ts";
import type { Plan } from "../../format/index.ts";
import { isAfterlogError } from "../../format/index.ts";
import { makePlan } from "../asking/plan.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { Ports } from "../ports.ts";
import type { Threshold } from "./sweep-threshold.ts";
import { sweepThreshold } from "./sweep-threshold.ts";

/** What people said of a run, by its tags. */
export type Marked = "good" | "bad" | "unmarked";

export interface TestedRun {
  readonly run: string;
  readonly marked: Marked;
  /** Whether it would have fired; null: nobody can tell. */
  readonly fired: boolean | null;
  /** Where first, as it is typed behind RUN@, and what was logged there. */
  readonly path: string | null;
  readonly values: Readonly<{ [name: string]: unknown }>;
  /** A mark that is less than verified. */
  readonly mark: string | null;
  /** Why nobody can tell. */
  readonly why: string | null;
}

/** A backtest, as JSON. */
export interface AlertTest {
  readonly schema: 1;
  readonly condition: string;
  readonly fired: Readonly<{ [Group in Marked]: number }>;
  readonly silent: Readonly<{ [Group in Marked]: number }>;
  readonly untold: Readonly<{ [Group in Marked]: number }>;
  /** Oldest first. */
  readonly runs: readonly TestedRun[];
  /** The same with other numbers; null: the condition does not compare one value with a number. */
  readonly sweep: { readonly text: string; readonly rows: readonly Threshold[] } | null;
}

/** The replay of what is missing; undefined: all runs that can tell do. Throws AL020, AL021. */
export async function planAlertTest(
  ports: Ports,
  condition: string,
  { jobs }: { readonly jobs?: number | undefined },
): Promise<Plan | undefined> {
  const { found, all } = await read(ports, condition);
  const told = new Set(found.runs.map(({ run }) => run));
  if (found.missing.length === 0 && all.every(({ run }) => told.has(run))) return undefined;
  const names = [...found.missing, ...found.logged].map(nameOfColumn);
  try {
    const plan = await makePlan(ports, { names, jobs, canary: false });
    return plan.runs.length > 0 ? plan : undefined;
  } catch (error) {
    // Nothing logs it any more: what there is must do.
    const isGone = isAfterlogError(error) && error.code === "AL021" && found.missing.length === 0;
    if (!isGone) throw error;
    return undefined;
  }
}

/** What there is says. `leftOut`: runs that could not be asked, and why. */
export async function testAlert(
  ports: Ports,
  condition: string,
  leftOut: Plan["left_out"],
): Promise<AlertTest> {
  const { found, all } = await read(ports, condition);
  const byRun = new Map(found.runs.map((run) => [run.run, run]));
  const reasons = new Map(leftOut.map(({ run, why }) => [run, why]));
  const runs = all.map(({ run, marked }) =>
    testedRun(run, marked, byRun.get(run), reasons.get(run)),
  );
  return {
    schema: 1,
    condition,
    fired: counted(runs.filter(({ fired }) => fired === true)),
    silent: counted(runs.filter(({ fired }) => fired === false)),
    untold: counted(runs.filter(({ fired }) => fired === null)),
    runs,
    sweep: sweepOf(found.sweep, all, byRun),
  };
}

interface ListedRun {
  readonly run: string;
  readonly marked: Marked;
}

async function read(
  ports: Ports,
  condition: string,
): Promise<{ found: FiredRuns; all: readonly ListedRun[] }> {
  return withCatalog(ports, async ({ connection }) => {
    const found = await readFired(connection, condition);
    const rows = await connection.rows(
      `SELECT run, 'good' IN tags AS good, 'bad' IN tags AS bad FROM main.runs
       WHERE kind <> 'replay' AND status <> 'recording' ORDER BY ordinal, run`,
    );
    const all = rows.map(({ run, good, bad }): ListedRun => {
      // Both say nothing.
      return { run: String(run), marked: good === bad ? "unmarked" : good ? "good" : "bad" };
    });
    return { found, all };
  });
}

function testedRun(
  run: string,
  marked: Marked,
  found: FiredRun | undefined,
  why: string | undefined,
): TestedRun {
  if (!found) {
    const reason = why ?? "it has no row with all values of the condition";
    return { run, marked, fired: null, path: null, values: {}, mark: null, why: reason };
  }
  const { path = null, values, mark = null } = found;
  const cells = [...values].map(([name, cell]) => [name, cellToJson(cell)] as const);
  const shown = Object.fromEntries(cells);
  return { run, marked, fired: path !== null, path, values: shown, mark, why: null };
}

function counted(runs: readonly TestedRun[]): AlertTest["fired"] {
  const count = (group: Marked): number => runs.filter(({ marked }) => marked === group).length;
  return { good: count("good"), bad: count("bad"), unmarked: count("unmarked") };
}

function sweepOf(
  sweep: Sweep | undefined,
  all: readonly ListedRun[],
  byRun: ReadonlyMap<string, FiredRun>,
): AlertTest["sweep"] {
  if (!sweep) return null;
  const extremes = all.flatMap(({ run, marked }) => {
    const found = byRun.get(run);
    return found ? [{ marked, extreme: found.extreme ?? null }] : [];
  });
  return { text: sweep.text, rows: sweepThreshold(sweep, extremes) };
}
