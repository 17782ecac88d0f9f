/**
 * @file The program under way: starts it with the recorder in it, stays out of its way, and answers
 * at the end what was recorded.
 *
 * The program's output goes through a pipe, unchanged, and is kept in the run: so is what Node
 * itself prints when the program crashes, and what its child processes print.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { relative } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Directive, StatusLine } from "../../format/index.ts";
import { DIRECTIVE_VARIABLE, manifestToJson, resolveSettings } from "../../format/index.ts";
import { languageOf } from "../../languages/index.ts";
import type { Project } from "../../store/index.ts";
import {
  keepSource,
  readManifest,
  replaceFile,
  runPaths,
  storePaths,
  watchForAlerts,
} from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import { ProgramStreams } from "./program-streams.ts";
import type { RecordedProgram, RecordingSession } from "./recording-report.ts";
import { recordingReport } from "./recording-report.ts";

/** How long output may still come after the program has ended, from children it left behind. */
const DRAIN_MS = 1000;
/** How long what was logged last may take to be held to the alerts. */
const LOOK_MS = 10_000;

export interface ProgramStart {
  readonly directive: Directive;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Seconds for a last checkpoint, once it is asked to stop. */
  readonly graceS: number;
  /** The interpreter of a Python program. */
  readonly python?: string | undefined;
}

/** Runs the program that a directive names, until it has ended. */
export async function recordProgram(
  ports: Ports,
  start: ProgramStart,
  session: RecordingSession,
): Promise<RecordedProgram> {
  const { argv, cwd, python } = start;
  const { program } = start.directive;
  const started = languageOf(program).start(program, { env: ports.env, python });
  const wanted = started.wantsSource ? withSource(ports, start.directive) : start.directive;
  const streams = new ProgramStreams();
  const startMs = Math.round(ports.processorMs?.() ?? 0);
  const directive: Directive = { ...wanted, startMs };
  const child = spawn(started.command, [...started.args, ...argv], {
    cwd,
    env: {
      ...started.env,
      ...session.variables,
      [DIRECTIVE_VARIABLE]: JSON.stringify(directive),
    },
    stdio: [session.stdin, ...streams.stdio, "pipe"],
  });
  const handed = { child, ...streams.handedOver(child) };
  return new Recording(ports, start, handed, session).finished();
}

/** What a variable of the environment may hold besides. */
const SOURCE_BYTES_MAX = 64_000;

/** The directive with the source that a new run is to have as its version, if it records. */
function withSource({ env, now }: Ports, directive: Directive): Directive {
  const isNew = directive.mode === "record" || directive.mode === "fork";
  const isOff = resolveSettings({ flags: {}, env }).settings["record.mode"].value === "off";
  if (!isNew || isOff) return directive;
  const source = keepSource(directive, now());
  // A long list of large files; whoever keeps the source itself has it too.
  if (Buffer.byteLength(JSON.stringify(source)) > SOURCE_BYTES_MAX) return directive;
  return { ...directive, source };
}

/** The program under way, and what it writes. */
interface Started {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** One child process, watched from its start to its end. */
class Recording {
  readonly #ports: Ports;
  readonly #store: string;
  readonly #project: Project;
  readonly #session: RecordingSession;
  readonly #child: ChildProcess;
  /** All that the program can write to; open until everyone who has it is gone. */
  readonly #channels: readonly Readable[];
  readonly #kept = { stdout: new KeptOutput(), stderr: new KeptOutput() };
  readonly #program: string;
  readonly #graceS: number;
  #grace: NodeJS.Timeout | undefined;
  #run: string | undefined;
  #alerts: Readable | null | undefined;
  #end: Extract<StatusLine, { kind: "end" }> | undefined;

  constructor(
    ports: Ports,
    { directive, cwd, graceS }: ProgramStart,
    { child, stdout, stderr }: Started,
    session: RecordingSession,
  ) {
    this.#ports = ports;
    this.#store = directive.store;
    this.#project = directive;
    this.#program = relative(cwd, directive.program);
    this.#session = session;
    this.#graceS = graceS;
    this.#child = child;
    const status = child.stdio[3] as Readable;
    this.#channels = [stdout, stderr, status];
    this.#pass(stdout, "stdout");
    this.#pass(stderr, "stderr");
    const lines = createInterface({ input: status });
    lines.on("line", (line) => {
      try {
        this.#status(JSON.parse(line) as StatusLine);
      } catch {
        // Any process of the program can write here: lines that are not ours are passed over.
      }
    });
  }

  async finished(): Promise<RecordedProgram> {
    const release = this.#watch();
    const { code, signal } = await programEnded(this.#child, this.#channels).finally(release);
    clearTimeout(this.#grace);
    if (this.#grace && this.#run !== undefined) rmSync(this.#stopFile(this.#run), { force: true });
    for (const kept of Object.values(this.#kept)) kept.close();
    if (signal !== null) this.#markInterrupted(signal);
    if (this.#alerts) await lastLook(this.#alerts);
    const facts = { run: this.#run, end: this.#end, signal };
    const recorded: RecordedProgram = {
      ...facts,
      program: this.#program,
      code: signal === null ? (code ?? 1) : 128 + constants.signals[signal],
      report: recordingReport({ ...facts, exitCode: code }),
    };
    this.#session.emit({ kind: "ended", recorded });
    return recorded;
  }

  /** Lets others end the program; answers how to keep them from it. */
  #watch(): () => void {
    const { watch, signal } = this.#session;
    const stop = (): void => {
      if (!this.#askToStop()) this.#child.kill("SIGTERM");
    };
    const unwatch = watch?.({
      kill: (name) => void this.#child.kill(name),
      askToStop: () => this.#askToStop(),
    });
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    return () => {
      signal?.removeEventListener("abort", stop);
      unwatch?.();
    };
  }

  /** Preemption: the program takes a last checkpoint where it is, or is ended after a while. */
  #askToStop(): boolean {
    if (this.#run === undefined || this.#graceS === 0) return false;
    try {
      writeFileSync(this.#stopFile(this.#run), "");
    } catch {
      return false;
    }
    this.#grace = setTimeout(() => this.#child.kill("SIGTERM"), this.#graceS * 1000);
    return true;
  }

  #stopFile(run: string): string {
    return runPaths.stop(storePaths.run(this.#store, run));
  }

  #status(line: StatusLine): void {
    if (line.kind === "begin") this.#begun(line.run);
    if (line.kind === "end") this.#end = line;
    this.#session.emit(line);
  }

  /** What it says comes as the program's warnings do; of its end there is a look, too. */
  #watchForAlerts(run: string): void {
    if (this.#run !== undefined) return;
    const said = watchForAlerts(this.#project, run, "pipe")?.stderr;
    said?.on("data", (bytes: Buffer) => void this.#session.output("stderr", bytes));
    this.#alerts = said;
  }

  #begun(run: string): void {
    this.#watchForAlerts(run);
    this.#run = run;
    const folder = storePaths.run(this.#store, run);
    this.#kept.stdout.open(runPaths.stdout(folder));
    this.#kept.stderr.open(runPaths.stderr(folder));
  }

  /** Hands the program's bytes on as they come, and keeps a copy. */
  #pass(from: Readable, stream: "stdout" | "stderr"): void {
    from.on("data", (bytes: Buffer) => {
      this.#kept[stream].write(bytes);
      const taken = this.#session.output(stream, bytes);
      if (taken === undefined) return;
      from.pause();
      void taken.finally(() => from.resume());
    });
  }

  /** Nobody was left in the program to say so. */
  #markInterrupted(signal: NodeJS.Signals): void {
    if (this.#run === undefined) return;
    const folder = storePaths.run(this.#store, this.#run);
    try {
      const manifest = readManifest(folder);
      if (manifest.status !== "interrupted") return;
      // The wall clock may have been set back meanwhile.
      const ended = new Date(
        Math.max(this.#ports.now().getTime(), Date.parse(manifest.started)),
      ).toISOString();
      replaceFile(runPaths.manifest(folder), manifestToJson({ ...manifest, ended, signal }));
    } catch {
      // Readers see that the process is gone; only the signal's name is lost.
    }
  }
}

/** What looks for alerts has seen the end of the run, or takes too long: then it goes on by itself. */
async function lastLook(alerts: Readable): Promise<void> {
  if (alerts.destroyed) return;
  const late = setTimeout(() => alerts.destroy(), LOOK_MS);
  await new Promise((done) => alerts.once("close", done));
  clearTimeout(late);
}

/** A copy of the output on disk; what comes before the run has a folder waits in memory. */
class KeptOutput {
  #fd: number | undefined;
  #waiting: Buffer[] = [];
  #failed = false;

  open(file: string): void {
    try {
      this.#fd = openSync(file, "a");
    } catch {
      this.#failed = true;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const bytes of waiting) this.write(bytes);
  }

  write(bytes: Buffer): void {
    if (this.#failed) return;
    if (this.#fd === undefined) {
      this.#waiting.push(bytes);
      return;
    }
    try {
      for (let at = 0; at < bytes.byteLength;) at += writeSync(this.#fd, bytes, at);
    } catch {
      // A full disk must not stop the program's output from being shown.
      this.#failed = true;
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/**
 * Waits for the program's end and for what is left in its pipes. A process that it left behind may
 * hold them for hours: after a while they are closed.
 */
async function programEnded(
  child: ChildProcess,
  channels: readonly Readable[],
): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const closed = channels.map((channel) => new Promise((done) => channel.once("close", done)));
  const exit = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
    (done, failed) => {
      child.once("error", failed);
      child.once("exit", (code, signal) => done({ code, signal }));
    },
  );
  const late = setTimeout(() => channels.forEach((channel) => channel.destroy()), DRAIN_MS);
  await Promise.all(closed);
  clearTimeout(late);
  return exit;
}
