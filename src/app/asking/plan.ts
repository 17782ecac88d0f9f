/** @file A question about values to a plan: which iterations of which runs, how, and for how long. */
import { availableParallelism } from "node:os";
import type { AskedIterations, AskedQuestion } from "../../catalog/index.ts";
import { readAsked, readLoopsByValue } from "../../catalog/index.ts";
import type { Plan } from "../../format/index.ts";
import type { AskedLine, Logpoint } from "../../replayer/index.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { projectSettings } from "../settings.ts";

export interface PlanRequest {
  /** Names of log statements, those of the logpoints included; with no lines either: all added ones. */
  readonly names: readonly string[];
  /** Lines of the working tree whose log calls are asked for. */
  readonly lines?: readonly AskedLine[];
  /** The name that the values get; its own if it is not given. */
  readonly as?: string | undefined;
  /** The log calls without what was added beside them. */
  readonly onlyStatement?: boolean | undefined;
  /** Functions and classes of the working tree that are used in place of a version's own. */
  readonly bring?: readonly string[] | undefined;
  /** SQL: only runs and iterations for which it holds. */
  readonly where?: string | undefined;
  /** Statements that stand in no file. */
  readonly logpoints?: readonly Logpoint[];
  /** Processes at a time. */
  readonly jobs?: number | undefined;
  /** What the workers see of the GPUs, in turn. */
  readonly gpus?: readonly string[] | undefined;
  /** False: no part is replayed before the rest. */
  readonly canary?: boolean | undefined;
  readonly control?: boolean | undefined;
  readonly fromStart?: boolean | undefined;
  /** Versions get the packages that their own lockfiles name; `scripts`: these may run their own. */
  readonly install?: boolean | "scripts" | undefined;
}

/** More processes than this train slower than they save, on any machine that was tried. */
const WORKERS_MAX = 8;

/** How many processes replay at a time; with GPUs named, and nothing else said, one on each. */
export function workersOf(
  ports: Pick<Ports, "cwd" | "env">,
  { jobs, gpus }: Pick<PlanRequest, "jobs" | "gpus">,
): number {
  const given = jobs ?? gpus?.length ?? projectSettings(ports)["replay.workers"].value;
  return given ?? Math.min(WORKERS_MAX, availableParallelism());
}

/** FlorDB §6.2.2: the machine is paid for as long as it is busy, by however many processes. */
export function moneyOf(seconds: number, pricePerHour: number): number {
  return (seconds * pricePerHour) / 3600;
}

/** Makes the plan; starts nothing. Throws AL001 if nothing is asked, AL020, AL021. */
export async function makePlan(ports: Ports, request: PlanRequest): Promise<Plan> {
  const { OpenQuestion } = await import("./open-question.ts");
  const question = await OpenQuestion.open(ports, request, indexAnswers(ports));
  return question.plan(request);
}

/** What a question asks the index: who has none at hand sends it where there is one. */
export interface IndexAnswers {
  asked(question: AskedQuestion): Promise<AskedIterations>;
  loopsByValue(): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
}

export function indexAnswers(ports: Ports): IndexAnswers {
  return {
    asked: (question) => withCatalog(ports, ({ connection }) => readAsked(connection, question)),
    loopsByValue: () => withCatalog(ports, ({ connection }) => readLoopsByValue(connection)),
  };
}
