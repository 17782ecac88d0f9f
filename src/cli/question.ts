/**
 * @file The words of a question on the command line (`NAME… --where SQL --at FILE:LINE 'name =
 * expression' -j N`) to a plan.
 */
import { availableParallelism } from "node:os";
import { readFileSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { readAsked } from "../catalog/index.ts";
import type { Plan } from "../format/index.ts";
import { AfterlogError, planFromJson } from "../format/index.ts";
import type { Logpoint } from "../replayer/index.ts";
import { preparePlan } from "../replayer/index.ts";
import type { Project } from "../store/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { exampleProgram } from "../app/index.ts";
import { requireProject, withCatalog } from "./project.ts";

/** What `plan` and `replay` say alike; a plan says nothing of the canary. */
export type QuestionOptions = OptionsOf<"plan"> & Pick<OptionsOf<"replay">, "canary">;

/** More processes than this train slower than they save, on any machine that was tried. */
const WORKERS_MAX = 8;

/** How many processes replay at a time; with GPUs named, and nothing else said, one on each. */
export function workersOf(
  context: CliContext,
  jobs: number | undefined,
  gpus?: readonly string[],
): number {
  const given = jobs ?? gpus?.length ?? Number(context.env["AFTERLOG_WORKERS"]);
  if (Number.isInteger(given) && given > 0) return given;
  return Math.min(WORKERS_MAX, availableParallelism());
}

/** Makes the plan that the words ask for. Throws AL001, AL020, AL021. */
export async function askPlan(
  context: CliContext,
  words: readonly string[],
  options: QuestionOptions,
): Promise<Plan> {
  const project = requireProject(context);
  const question = parseQuestion(context, project, words, options);
  const { gpus } = options;
  const plan = await preparePlan({
    project,
    question,
    workers: workersOf(context, options.jobs, gpus),
    canary: options.canary ?? true,
    fromStart: options.fromStart ?? false,
    install: options.install ?? false,
    ask: (statements, except) =>
      withCatalog(context, ({ connection }) =>
        readAsked(connection, { where: question.where, statements, except }),
      ),
  });
  return gpus === undefined ? plan : { ...plan, gpus };
}

/** `name = expression`, but not a comparison. */
const ASSIGNMENT = /^\s*([^\s=!<>]+)\s*=(?!=)/;

export function parseQuestion(
  context: CliContext,
  project: Project,
  words: readonly string[],
  options: QuestionOptions,
): { names: string[]; where: string | null; logpoints: Logpoint[] } {
  const places = options.at ?? [];
  const assignments = words.filter((word) => ASSIGNMENT.test(word));
  if (assignments.length !== places.length) {
    throw new AfterlogError("AL001", "each --at needs one statement, and each statement an --at", {
      help: [`for example:  ${exampleOf(context)}`],
    });
  }
  const logpoints = places.map((place, at) => {
    return parseLogpoint(context, project, place, assignments[at] ?? "");
  });
  const own = words.filter((word) => !assignments.includes(word));
  const assigned = assignments.map((text) => ASSIGNMENT.exec(text)?.[1] ?? "");
  const names = [...new Set([...own, ...assigned])];
  if (names.length === 0) {
    throw new AfterlogError("AL001", "name what is to be logged", {
      help: ["a name of a log statement:  afterlog plan grad_norm"],
    });
  }
  return { names, where: options.where ?? null, logpoints };
}

function exampleOf({ cwd }: CliContext): string {
  return `--at ${exampleProgram(cwd)}:57 'grad_norm = l2(grads)'`;
}

function parseLogpoint(
  context: CliContext,
  project: Project,
  place: string,
  assignment: string,
): Logpoint {
  const [, file, line] = /^(.+?):(\d+)(?::\d+)?$/.exec(place) ?? [];
  if (file === undefined || line === undefined) {
    throw new AfterlogError("AL001", `--at ${place} is not a file and a line`, {
      help: [`give both:  ${exampleOf(context)}`],
    });
  }
  const way = relative(project.root, resolve(context.cwd, file));
  if (way.startsWith("..") || isAbsolute(way)) {
    throw new AfterlogError("AL001", `--at ${file} is not in the project ${project.root}`, {
      help: ["name a source file that the runs executed"],
    });
  }
  return { file: way.split(sep).join("/"), line: Number(line), assignment };
}

/** A plan that `afterlog plan --out` or `--json` wrote. Throws AL001 if it is none. */
export function readPlanFile(context: CliContext, file: string): Plan {
  try {
    const plan = planFromJson(JSON.parse(readFileSync(resolve(context.cwd, file), "utf8")));
    if (plan) return plan;
  } catch (cause) {
    throw notAPlan(file, cause);
  }
  throw notAPlan(file);
}

function notAPlan(file: string, cause?: unknown): AfterlogError {
  return new AfterlogError("AL001", `--plan ${file} is not a plan that can be read`, {
    help: ["write one:  afterlog plan NAME --out plan.json"],
    cause,
  });
}
