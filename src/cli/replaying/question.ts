/**
 * @file The words of a question on the command line (`NAME… FILE:LINE… --where SQL --at FILE:LINE 'name
 * = expression' -j N`) to what a plan is asked for.
 */
import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { PlanRequest } from "../../app/read.ts";
import { exampleProgram, isProgramName, noProgram, requireProject } from "../../app/read.ts";
import { AfterlogError } from "../../format/index.ts";
import type { AskedLine, Logpoint } from "../../replayer/index.ts";
import type { Project } from "../../store/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";

/** What `plan` and `replay` say alike; a plan says nothing of the canary and the control. */
export type QuestionOptions = OptionsOf<"plan"> & Pick<OptionsOf<"replay">, "canary" | "control">;

/** The request that the words make. Throws AL001 if they make none. */
export function readQuestion(
  context: CliContext,
  words: readonly string[],
  options: QuestionOptions,
): PlanRequest {
  const { where, as, onlyStatement, bring, jobs, gpus, canary, control, fromStart } = options;
  const install = options.installScripts === true ? "scripts" : options.install;
  const question = parseQuestion(context, requireProject(portsOf(context)), words, options);
  // An option that nobody gave is true: the settings say what counts then.
  const own = control === false ? { control } : {};
  const asked = { ...question, where, as, onlyStatement, bring };
  return { ...asked, jobs, gpus, canary, ...own, fromStart, install };
}

/** `name = expression`, but not a comparison. */
const ASSIGNMENT = /^\s*([^\s=!<>]+)\s*=(?!=)/;

function parseQuestion(
  context: CliContext,
  project: Project,
  words: readonly string[],
  options: QuestionOptions,
): { names: string[]; lines: AskedLine[]; logpoints: Logpoint[] } {
  const places = options.at ?? [];
  const isStatement = (word: string): boolean =>
    ASSIGNMENT.test(word) || (places.length > 0 && /[();\n]/.test(word));
  const assignments = words.filter(isStatement);
  if (assignments.length !== places.length) {
    throw new AfterlogError("AL001", "each --at needs one statement, and each statement an --at", {
      help: [`for example:  ${exampleOf(context)}`],
    });
  }
  const logpoints = places.map((place, at) => {
    return parseLogpoint(context, project, place, assignments[at] ?? "");
  });
  const lines = words.flatMap((word) => askedLine(context, project, word) ?? []);
  const own = words.filter((word) => {
    return !assignments.includes(word) && !askedLine(context, project, word);
  });
  return { names: [...new Set(own)], lines, logpoints };
}

/** `train.py:41`, if there is such a file; anything else is a name. Throws AL002 if it is that of no file. */
function askedLine({ cwd }: CliContext, project: Project, word: string): AskedLine | undefined {
  const [, file, line] = /^(.+?):(\d+)(?::\d+)?$/.exec(word) ?? [];
  if (file === undefined) return undefined;
  if (!existsSync(resolve(cwd, file))) {
    if (!isProgramName(file)) return undefined;
    throw noProgram(cwd, file, (meant) => `${meant}:${line}`);
  }
  const way = wayIn(project, resolve(cwd, file));
  return way === undefined ? undefined : { file: way, line: Number(line) };
}

/** A file from the project's root; undefined if it is not in the project. */
function wayIn({ root }: Project, file: string): string | undefined {
  const way = relative(root, file);
  return way.startsWith("..") || isAbsolute(way) ? undefined : way.split(sep).join("/");
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
  const way = wayIn(project, resolve(context.cwd, file));
  if (way === undefined) {
    throw new AfterlogError("AL001", `--at ${file} is not in the project ${project.root}`, {
      help: ["name a source file that the runs executed"],
    });
  }
  return { file: way, line: Number(line), assignment };
}
