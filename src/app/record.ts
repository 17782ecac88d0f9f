/**
 * @file Records a program, or resumes a run of it, and does so again after a crash. It is a door
 * of its own: a program that is recorded does not wait until planner and index are loaded.
 */
import { lstatSync, readlinkSync, statSync } from "node:fs";
import { dirname, extname, join, relative, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Directive, SettingSources } from "../format/index.ts";
import { AfterlogError, LOOP_RULES, PROGRAM_EXTENSIONS } from "../format/index.ts";
import { languageOf } from "../languages/index.ts";
import { findProject, realProgram } from "../store/index.ts";
import type { Ports } from "./ports.ts";
import { exampleProgram, noProgram } from "./recording/programs.ts";
import { recordProgram } from "./recording/record-program.ts";
import type { RecordedProgram, RecordingSession } from "./recording/recording-report.ts";
import { checkRunName } from "./annotating/run-name.ts";
import type { ResumeRequest } from "./recording/resume-run.ts";
import { handOver, requireSettings } from "./settings.ts";

export { parsePolicy } from "./storage/keep-policy.ts";

export interface RecordRequest {
  /** Its file, as `findProgram` answers it. */
  readonly program: string;
  readonly argv: readonly string[];
  readonly name?: string | undefined;
  /** Settings that are said for this recording alone, as texts: `record.seed`, `record.keep`. */
  readonly flags?: SettingSources["flags"] | undefined;
  /** Whether plain loops are recorded; undefined: if the program knows nothing of Afterlog. */
  readonly handsFree?: boolean | undefined;
  /** The interpreter of a Python program. */
  readonly python?: string | undefined;
  /** Goes on with the newest run of the program, if it was interrupted; or with a certain run. */
  readonly resume?: { readonly reference?: string | undefined } | undefined;
  /** With `resume`: whoever recorded it on another machine is gone. */
  readonly force?: boolean | undefined;
  /** How often a crashed program is continued. */
  readonly tries?: number | undefined;
}

/** A program that crashes at once is not started again in a hurry. */
const BACKOFF_MS = 1000;
const BACKOFF_MS_MAX = 60_000;

/** Records a program until it has ended. Throws AL008, AL009, and AL004, AL034 if a run cannot be resumed. */
export async function recordRun(
  ports: Ports,
  request: RecordRequest,
  session: RecordingSession,
): Promise<RecordedProgram> {
  const { program, argv, python, tries = 0 } = request;
  if (request.name !== undefined) checkRunName(request.name);
  const project = findProject(dirname(program), ports.cwd, ports.env["AFTERLOG_DIR"]);
  const settings = requireSettings(ports, project, request.flags);
  const { value: graceS } = settings["record.grace"];
  const { value: rule } = settings["record.console"];
  const resumption: ResumeRequest = {
    project,
    program: relative(project.root, program),
    argv,
    reference: request.resume?.reference,
    settings,
    force: request.force ?? false,
  };
  const { knowsAfterlog, loopLibraries } = languageOf(program);
  const handsFree = request.handsFree ?? !knowsAfterlog(program);
  const libraries = handsFree ? loopLibraries(program) : [];
  const directive: Directive = {
    v: 1,
    mode: "record",
    ...project,
    program,
    live: true,
    name: request.name ?? null,
    seed: handOver(settings["record.seed"]),
    overhead: handOver(settings["record.overhead"]),
    persist: handOver(settings["record.persist"]) as Directive["persist"],
    keep: handOver(settings["record.keep"]),
    handsFree,
    loopRules: LOOP_RULES,
    ...(libraries.length > 0 ? { libraries } : {}),
    console: rule !== false,
    ...(typeof rule === "string" ? { consoleRule: rule } : {}),
    terminal: session.terminal,
  };
  const resumed = request.resume && (await resume(ports, resumption, session));
  if (request.resume && resumed === undefined) session.emit({ kind: "nothing-to-resume" });
  const { cwd } = ports;
  const first =
    resumed ?? (await recordProgram(ports, { directive, argv, cwd, graceS, python }, session));
  return restart(ports, resumption, { tries, first, session });
}

async function resume(
  ports: Ports,
  request: ResumeRequest,
  session: RecordingSession,
): Promise<RecordedProgram | undefined> {
  const { resumeRun } = await import("./recording/resume-run.ts");
  return resumeRun(ports, request, session);
}

/** Goes on with a run that crashed, so often at most; somebody who stopped it meant it. */
async function restart(
  ports: Ports,
  request: ResumeRequest,
  given: {
    readonly tries: number;
    readonly first: RecordedProgram;
    readonly session: RecordingSession;
  },
): Promise<RecordedProgram> {
  const { tries, first, session } = given;
  const { signal } = session;
  // This very run: another of the same program may have been started meanwhile.
  const { run: reference } = first;
  let last = first;
  const isOver = (): boolean =>
    reference === undefined || last.code === 0 || isStopped(last.code) || isAborted(session);
  for (let attempt = 1; attempt <= tries && !isOver(); attempt++) {
    const { code } = last;
    const delayMs = Math.min(BACKOFF_MS * 2 ** (attempt - 1), BACKOFF_MS_MAX);
    session.emit({ kind: "restarts", code, delayMs, attempt, tries });
    await wait(delayMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    if (isAborted(session)) break;
    last = (await resume(ports, { ...request, reference }, session)) ?? last;
  }
  if (tries > 0 && !isOver()) session.emit({ kind: "gives-up", code: last.code, tries });
  return last;
}

function isAborted({ signal }: RecordingSession): boolean {
  return signal?.aborted ?? false;
}

/** Ended by SIGINT or SIGTERM. */
function isStopped(code: number): boolean {
  return code === 130 || code === 143;
}

/** The file of a program, from the folder. Throws AL002 if it cannot be recorded. */
export function findProgram(ports: Ports, file: string): string {
  const { cwd } = ports;
  const program = file === "" ? "" : programBehind(ports, file);
  const stat = statSync(program, { throwIfNoEntry: false });
  if (stat?.isFile() && PROGRAM_EXTENSIONS.has(extname(program))) return program;
  if (stat?.isFile() && extname(program) === ".ipynb") {
    throw new AfterlogError("AL002", "notebooks are not recorded", {
      help: [`make a program of it:  jupyter nbconvert --to script ${file}`],
    });
  }
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
  throw noProgram(cwd, file, (meant) => `afterlog run ${meant}`);
}

/** A link is recorded as the file that it leads to. Throws AL002 if that is in no version of the project. */
function programBehind({ cwd, env }: Ports, file: string): string {
  const program = resolve(cwd, file);
  const leads = lstatSync(program, { throwIfNoEntry: false })?.isSymbolicLink();
  if (leads !== true) return program;
  if (!leadsSomewhere(program)) {
    const to = readlinkSync(program);
    throw new AfterlogError("AL002", `${file} is a link to ${to}, and there is no such file`, {
      help: [`see where it leads:  ls -l ${file}`],
    });
  }
  const { root } = findProject(dirname(program), cwd, env["AFTERLOG_DIR"]);
  const real = realProgram(root, program);
  if (!relative(root, real).startsWith("..")) return real;
  throw new AfterlogError("AL002", `${file} is a link to ${real}, outside of the project`, {
    notes: [
      "a version of the project would not hold its source, so that nothing could be replayed",
    ],
    help: [`record it where it lies:  afterlog run ${real}`, `or copy it here:  cp ${real} .`],
  });
}

/** Links may lead to one another for ever. */
function leadsSomewhere(link: string): boolean {
  try {
    return statSync(link, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
