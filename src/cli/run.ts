/**
 * @file `afterlog run`: finds the program and reads the options; `record-program.ts` does the rest.
 */
import { statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Directive, SettingSources } from "../format/index.ts";
import { AfterlogError, describeError, isSeed, nearestName, parseShare } from "../format/index.ts";
import { knowsAfterlog, PROGRAM_EXTENSIONS } from "../languages/index.ts";
import { findProject } from "../store/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { exampleProgram, handOver, parsePolicy } from "../app/index.ts";
import { programsIn, requireSettings } from "../app/index.ts";
import type { Recorded } from "./record-program.ts";
import { recordProgram, terminalSizes } from "./record-program.ts";
import type { ResumeRequest } from "./resume-run.ts";

type RunOptions = OptionsOf<"run">;

/** A program that crashes at once is not started again in a hurry. */
const BACKOFF_MS = 1000;
const BACKOFF_MS_MAX = 60_000;

/** Records a program; resolves to its own exit code. */
export async function runCommand(
  context: CliContext,
  file: string,
  argv: readonly string[],
  options: RunOptions,
): Promise<number> {
  const program = findProgram(context.cwd, file);
  const project = findProject(dirname(program), context.cwd, context.env["AFTERLOG_DIR"]);
  const settings = requireSettings(context, project, flagsOf(options));
  const { value: graceS } = settings["record.grace"];
  const { value: rule } = settings["record.console"];
  const tries = countOf("--auto-resume", options.autoResume, AUTO_HELP) ?? 0;
  const request: ResumeRequest = {
    project,
    program: relative(project.root, program),
    argv,
    reference: options.resumeRun,
    settings,
    force: options.force === true,
  };
  const directive: Directive = {
    v: 1,
    mode: "record",
    ...project,
    program,
    live: true,
    name: options.name ?? null,
    seed: handOver(settings["record.seed"]),
    overhead: handOver(settings["record.overhead"]),
    persist: handOver(settings["record.persist"]) as Directive["persist"],
    keep: handOver(settings["record.keep"]),
    handsFree: options.handsFree ?? !knowsAfterlog(program),
    console: rule !== false,
    ...(typeof rule === "string" ? { consoleRule: rule } : {}),
    terminal: terminalSizes(),
  };
  const resumes = options.resume === true || options.resumeRun !== undefined;
  const resumed = resumes ? await goOn(context, request) : undefined;
  if (resumes && resumed === undefined) {
    context.err(`● nothing to go on with: a new run of ${file}\n`);
  }
  const recorded =
    resumed ??
    (await recordProgram(context, directive, {
      argv,
      cwd: context.cwd,
      graceS,
      python: options.python,
    }));
  return restart(context, request, { tries, first: recorded });
}

async function goOn(context: CliContext, request: ResumeRequest): Promise<Recorded | undefined> {
  const { resumeRun } = await import("./resume-run.ts");
  return resumeRun(context, request);
}

/** Goes on with a run that crashed, so often at most; somebody who stopped it meant it. */
async function restart(
  context: CliContext,
  request: ResumeRequest,
  { tries, first }: { readonly tries: number; readonly first: Recorded },
): Promise<number> {
  // This very run: another of the same program may have been started meanwhile.
  const { run: reference } = first;
  let { code } = first;
  const isOver = (): boolean => reference === undefined || code === 0 || isStopped(code);
  for (let attempt = 0; attempt < tries && !isOver(); attempt++) {
    const delayMs = Math.min(BACKOFF_MS * 2 ** attempt, BACKOFF_MS_MAX);
    const which = `${attempt + 1} of ${tries}`;
    context.err(`● exit code ${code}: goes on in ${delayMs / 1000} s (${which})\n`);
    await wait(delayMs);
    code = (await goOn(context, { ...request, reference }))?.code ?? code;
  }
  if (tries > 0 && !isOver()) {
    context.err(`● exit code ${code}: given up, it went on ${tries} times as it was told\n`);
  }
  return code;
}

/** Ended by SIGINT or SIGTERM. */
function isStopped(code: number): boolean {
  return code === 130 || code === 143;
}

const GRACE_HELP = "give seconds for a last checkpoint after SIGTERM:  --grace 20";
const AUTO_HELP = "say how often to go on after a crash:  --auto-resume 3";

function countOf(option: string, text: string | undefined, help: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new AfterlogError("AL001", `${option} ${text} is not a whole number`, { help: [help] });
}

function findProgram(cwd: string, file: string): string {
  const program = resolve(cwd, file);
  const stat = statSync(program, { throwIfNoEntry: false });
  if (stat?.isFile() && PROGRAM_EXTENSIONS.has(extname(program))) return program;
  if (stat?.isFile()) {
    throw new AfterlogError("AL002", `${file} is not a TypeScript, JavaScript or Python file`, {
      help: [`afterlog run takes ${[...PROGRAM_EXTENSIONS].join(" ")}`],
    });
  }
  if (stat?.isDirectory()) {
    const inside = exampleProgram(program);
    throw new AfterlogError("AL002", `${file} is a folder`, {
      help: [`name the program in it:  afterlog run ${join(file, inside)}`],
    });
  }
  const near = stat ? undefined : nearestName(basename(file), programsIn(dirname(program)));
  const help = near === undefined ? `look at what is here:  ls ${dirname(file)}` : undefined;
  throw new AfterlogError("AL002", `there is no file ${file}`, {
    help: [help ?? `did you mean  afterlog run ${join(dirname(file), near ?? "")}`],
  });
}

/** What was said of settings on the command line, as texts. Throws AL001 for what is wrong. */
function flagsOf(options: RunOptions): SettingSources["flags"] {
  const { seed, overhead, keep, grace, console: given } = options;
  if (seed !== undefined && !isSeed(seed)) {
    throw new AfterlogError("AL001", `--seed ${seed} is not a whole number of 64 bits`, {
      help: ["give a number from 0 to 18446744073709551615:  --seed 42"],
    });
  }
  if (overhead !== undefined && parseShare(overhead) === undefined) {
    throw new AfterlogError("AL001", `--overhead ${overhead} is not a share between 0 and 1`, {
      help: ["give a share or percent:  --overhead 0.02   --overhead 2%"],
    });
  }
  if (keep !== undefined) parsePolicy("--keep", keep);
  countOf("--grace", grace, GRACE_HELP);
  if (typeof given === "string") checkRule(given);
  return {
    "record.seed": seed ?? null,
    "record.overhead": overhead ?? null,
    "record.keep": keep ?? null,
    "record.grace": grace ?? null,
    "record.console": given === undefined ? null : String(given),
  };
}

/** `--console` takes a regular expression whose groups are names. */
function checkRule(given: string): void {
  const help = ["name what is logged:  --console 'it (?<iteration>\\d+) L=(?<loss>\\S+)'"] as const;
  try {
    void new RegExp(given);
  } catch (error) {
    const why = describeError(error);
    throw new AfterlogError("AL001", `--console ${given}: ${why}`, { help });
  }
  if (/\(\?<[A-Za-z_]/.test(given)) return;
  throw new AfterlogError("AL001", `--console ${given} names no value`, { help });
}
