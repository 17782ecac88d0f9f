/**
 * @file Removes checkpoints that a policy does not keep, in two steps: what would go and what would
 * become slower, then the removal.
 */
import type { Connection } from "../../catalog/index.ts";
import { literal } from "../../catalog/index.ts";
import type { KeepPolicy, LeftOut } from "../../format/index.ts";
import { formatPath, parsePath } from "../../format/index.ts";
import { learnCosts } from "../../planner/index.ts";
import { pastReplays } from "../../replayer/index.ts";
import type { GcPlan, LoggedFacts } from "./gc-run.ts";
import { busyRuns, entryKey, executeRemoval, planRemoval } from "./gc-run.ts";
import { parsePolicy } from "./keep-policy.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { requireProject } from "../required-project.ts";
import { readRunNames, resolveRun } from "../run-reference.ts";

export interface GcRequest {
  /** References; all runs if there is none. */
  readonly runs: readonly string[];
  /** What stays: `peak:accuracy`, `every:5`, `20GB`. */
  readonly policy: string;
}

/** What would go, and runs of which nothing can. */
export interface PlannedGc {
  readonly policy: string;
  readonly plans: readonly GcPlan[];
  readonly leftOut: readonly LeftOut[];
}

/** What would go or has gone, as JSON. */
export interface GcReport {
  readonly schema: 1;
  readonly policy: string;
  readonly dry_run: boolean;
  readonly freed_bytes: number;
  readonly runs: readonly GcRunReport[];
  readonly left_out: readonly LeftOut[];
}

export interface GcRunReport {
  readonly run: string;
  readonly freed_bytes: number;
  readonly removed: readonly {
    readonly path: string;
    readonly file: string;
    readonly bytes: number;
  }[];
  readonly leftovers: readonly { readonly file: string; readonly bytes: number }[];
  readonly kept: number;
  /** Of questions to it; null if nobody can tell, or nothing changes. */
  readonly seconds: Readonly<{ [scan in "step" | "outer" | "inner"]: PriceChange }> | null;
}

export interface PriceChange {
  readonly before: number | null;
  readonly after: number | null;
}

/** Says what would go. Throws AL001 if the text names no policy, AL004. */
export async function planGc(ports: Ports, request: GcRequest): Promise<PlannedGc> {
  const { policy, text } = parsePolicy("--policy", request.policy);
  const project = requireProject(ports);
  const costs = learnCosts(pastReplays(project.store));
  const question = { project, policy, costs, nowMs: ports.now().getTime() };
  return withCatalog(ports, async ({ connection }) => {
    const plans: GcPlan[] = [];
    const leftOut: LeftOut[] = [];
    const busy = busyRuns(project);
    for (const run of await runsOf(connection, request.runs)) {
      const logged = await readLogged(connection, run, policy);
      const blind = policy.kind === "peak" && logged.peak === undefined;
      const why = busy.get(run) ?? (blind ? `it has no ${policy.name}` : undefined);
      if (why !== undefined) {
        leftOut.push({ run, why });
        continue;
      }
      const plan = planRemoval(question, run, logged);
      if (plan.freedBytes > 0) plans.push(plan);
    }
    return { policy: text, plans, leftOut };
  });
}

/** Removes what was planned; those of which nothing could be removed are left out. */
export function executeGc(
  ports: Ports,
  planned: PlannedGc,
): PlannedGc & {
  /** Of those left out: what could not be removed. */
  readonly failed: readonly LeftOut[];
} {
  const project = requireProject(ports);
  const nowMs = ports.now().getTime();
  const failed: LeftOut[] = [];
  // Somebody may have thought for a while.
  const busy = busyRuns(project);
  const plans = planned.plans.filter((plan) => {
    const why = busy.get(plan.run) ?? executeRemoval(project, plan, nowMs);
    if (why !== undefined) failed.push({ run: plan.run, why });
    return why === undefined;
  });
  return { ...planned, plans, leftOut: [...planned.leftOut, ...failed], failed };
}

/** The same as JSON. */
export function gcReport(
  { policy, plans, leftOut }: PlannedGc,
  { dryRun }: { readonly dryRun: boolean },
): GcReport {
  return {
    schema: 1,
    policy,
    dry_run: dryRun,
    freed_bytes: plans.reduce((sum, { freedBytes }) => sum + freedBytes, 0),
    runs: plans.map(({ run, removed, leftovers, kept, freedBytes, prices }) => ({
      run,
      freed_bytes: freedBytes,
      removed: removed.map(({ path, file, bytes }) => ({ path: formatPath(path), file, bytes })),
      leftovers: leftovers.map(({ file, bytes }) => ({ file, bytes })),
      kept,
      seconds: prices && {
        step: { before: prices.before.step, after: prices.after.step },
        outer: { before: prices.before.outer, after: prices.after.outer },
        inner: { before: prices.before.inner, after: prices.after.inner },
      },
    })),
    left_out: leftOut,
  };
}

/** Those named, each once; all that are no replays if none is. */
async function runsOf(connection: Connection, references: readonly string[]): Promise<string[]> {
  if (references.length === 0) {
    const all = await readRunNames(connection);
    return all.filter(({ kind }) => kind !== "replay").map(({ run }) => run);
  }
  const runs = new Set<string>();
  for (const reference of references) runs.add(await resolveRun(connection, reference));
  return [...runs];
}

async function readLogged(
  connection: Connection,
  run: string,
  policy: KeepPolicy,
): Promise<LoggedFacts> {
  const loops = await connection.rows(`SELECT path, loop, entry, (t / 1000)::DOUBLE AS ms
    FROM loops WHERE run = ${literal(run)}`);
  const entered = loops.map((row): [string, number] => {
    const around = parsePath(String(row["path"])) ?? [];
    return [entryKey(around, String(row["loop"]), Number(row["entry"])), Number(row["ms"])];
  });
  return { entered: new Map(entered), peak: await readPeak(connection, run, policy) };
}

/** Where the best value was logged, in hindsight too, unless its replay was not sound. */
async function readPeak(
  connection: Connection,
  run: string,
  policy: KeepPolicy,
): Promise<LoggedFacts["peak"]> {
  if (policy.kind !== "peak") return undefined;
  const order = policy.best === "max" ? "DESC" : "ASC";
  const [row] = await connection.rows(`SELECT path FROM frame
    WHERE run = ${literal(run)} AND name = ${literal(policy.name)}
      AND number IS NOT NULL AND NOT isnan(number) AND "check" IS DISTINCT FROM 'diverged'
    ORDER BY number ${order}, seq LIMIT 1`);
  return row && parsePath(String(row["path"]));
}
