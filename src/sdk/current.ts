/**
 * @file The one cell of state that the SDK has: the run of this process.
 *
 * It hangs on the global object, so that two copies of the package in one program share one run.
 * Importing the SDK seeds `Math.random`; the run begins with the first call, or before the program
 * under `afterlog run`.
 */
import { isMainThread } from "node:worker_threads";
import { rememberBound } from "../adapters/index.ts";
import type { Directive, GeneratorState } from "../format/index.ts";
import {
  describeError,
  DIRECTIVE_VARIABLE,
  resolveSettings,
  visibleText,
} from "../format/index.ts";
import { ProgramArguments } from "./arguments.ts";
import { begin, drawSeed } from "./begin.ts";
import { GENERATOR_ALGORITHM, SeededRandom } from "./random.ts";
import type { Session } from "./session.ts";
import { sendStatus } from "./live-status.ts";
import { FileWatch } from "./files/watch-files.ts";

interface ProcessCell {
  /** `idle`: imported, nothing called yet. */
  state: "idle" | "recording" | "off";
  session: Session | undefined;
  readonly random: SeededRandom;
  readonly seed: string;
  readonly directive: Directive | undefined;
  readonly watch: FileWatch;
  arguments: ProgramArguments | undefined;
  readonly sources: (() => { [file: string]: string })[];
}

const CELL = Symbol.for("afterlog.current");
const holder = globalThis as { [CELL]?: ProcessCell };

function makeCell(): ProcessCell {
  const directive = takeDirective();
  const { settings, problems } = resolveSettings({ env: process.env });
  const seed = directive?.seed ?? settings["record.seed"].value ?? drawSeed();
  const random = new SeededRandom(seed);
  const off = settings["record.mode"].value === "off" || !isMainThread;
  // Nobody else will: what is wrong otherwise is said when the run begins.
  const wrong = problems.find(({ setting }) => setting?.key === "record.mode");
  if (wrong && isMainThread) notifyUser(directive, `warning: ${wrong.message}; ${wrong.instead}`);
  const watch = new FileWatch();
  if (!off) {
    Math.random = random.random;
    rememberBound();
    watch.install();
  }
  return {
    state: off ? "off" : "idle",
    session: undefined,
    arguments: undefined,
    random,
    seed,
    directive,
    watch,
    sources: [],
  };
}

/** Reads the directive and removes it, so that processes of the program record on their own. */
function takeDirective(): Directive | undefined {
  const text = process.env[DIRECTIVE_VARIABLE];
  if (text === undefined) return undefined;
  delete process.env[DIRECTIVE_VARIABLE];
  return JSON.parse(text) as Directive;
}

const cell: ProcessCell = (holder[CELL] ??= makeCell());

/** The directive of the command line, if it started this process. */
export function directive(): Directive | undefined {
  return cell.directive;
}

/** Adds a source of hashes of loaded files. */
export function onSources(read: () => { [file: string]: string }): void {
  cell.sources.push(read);
}

/** The run of this process; begins it if needed. Undefined when recording is off. */
export function current(): Session | undefined {
  return cell.state === "idle" ? startSession() : cell.session;
}

/** The program's arguments, for when nothing is recorded: they are the program's all the same. */
export function unrecordedArguments(): ProgramArguments {
  return (cell.arguments ??= new ProgramArguments(process.argv.slice(2)));
}

/** Sets the generators back to what a checkpoint holds. */
export function restoreGenerators(generators: readonly GeneratorState[]): void {
  for (const state of generators) {
    if (state.algorithm === GENERATOR_ALGORITHM) cell.random.state = state;
  }
}

/** Tells the user: through the command line that started us, else on the program's stderr. */
function notifyUser(directive: Directive | undefined, text: string): void {
  if (directive?.live) sendStatus({ kind: "notice", text });
  else process.stderr.write(`afterlog: ${visibleText(text)}\n`);
}

function runNotice(text: string): void {
  notifyUser(cell.directive, text);
}

/** What goes wrong here must not become the program's exit code. */
function endSession(session: Session, code: number): void {
  try {
    // Node itself decides in a listener that an await which never ended is exit code 13.
    session.end(Number(process.exitCode ?? code));
  } catch (error) {
    runNotice(`warning: the run could not be completed: ${describeError(error)}`);
  }
}

function startSession(): Session | undefined {
  // First, so that a failure inside does not start another one.
  cell.state = "off";
  try {
    const { directive, random, seed, watch } = cell;
    const loadedSources = (): { [file: string]: string } =>
      Object.assign({}, ...cell.sources.map((read) => read())) as { [file: string]: string };
    const session = begin({ directive, random, seed, watch, notice: runNotice, loadedSources });
    process.on("exit", (code) => endSession(session, code));
    cell.session = session;
    cell.state = "recording";
  } catch (error) {
    if (cell.directive !== undefined && cell.directive.mode !== "record") refuseToResume(error);
    runNotice(`warning: not recording: ${describeError(error)}`);
  }
  return cell.session;
}

/** Without its run the program would begin at its start, which is not what it was started for. */
function refuseToResume(error: unknown): never {
  runNotice(`error: the run cannot be resumed: ${describeError(error)}`);
  process.exit(1);
}
