/**
 * @file The program under way: starts it with the recorder in it, stays out of its way, and says at
 * the end what was recorded.
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
import type { Directive, StatusLine, TerminalSize } from "../format/index.ts";
import { DIRECTIVE_VARIABLE, manifestToJson } from "../format/index.ts";
import { startCommand } from "../languages/index.ts";
import { readManifest, replaceFile, runPaths, storePaths } from "../store/index.ts";
import type { Project } from "../store/index.ts";
import type { CliContext } from "./context.ts";
import { forwardSignals } from "./forward-signals.ts";
import { LiveLine } from "./live-line.ts";
import { ProgramStreams } from "./program-streams.ts";
import { runObject, runSummary } from "./run-summary.ts";

/** How long output may still come after the program has ended, from children it left behind. */
const DRAIN_MS = 1000;

/** What the streams of this process are, for the program that writes to them through it. */
export function terminalSizes(): Directive["terminal"] {
  return { stdout: sizeOf(process.stdout), stderr: sizeOf(process.stderr) };
}

/** How a program ended, and the run that recorded it; undefined if none could be begun. */
export interface Recorded {
  readonly code: number;
  readonly run: string | undefined;
}

/** Runs the program that a directive names, and says what was recorded. */
export async function recordProgram(
  context: CliContext,
  directive: Directive,
  options: {
    readonly argv: readonly string[];
    readonly cwd: string;
    /** Time for a last checkpoint after SIGTERM. */
    readonly graceS: number;
    /** The interpreter of a Python program. */
    readonly python?: string | undefined;
  },
): Promise<Recorded> {
  const { argv, cwd, graceS, python } = options;
  const { program, root, store } = directive;
  const started = startCommand(program, { env: context.env, python });
  const streams = new ProgramStreams();
  const child = spawn(started.command, [...started.args, ...argv], {
    cwd,
    env: {
      ...started.env,
      ...terminalVariables(context),
      [DIRECTIVE_VARIABLE]: JSON.stringify(directive),
    },
    stdio: ["inherit", ...streams.stdio, "pipe"],
  });
  return new Recording(
    context,
    { root, store },
    { child, ...streams.handedOver(child), program: relative(cwd, program) },
    graceS,
  ).finished();
}

/** The program under way, and what it writes. */
interface Started {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its file, as the user would name it. */
  readonly program: string;
}

/** One child process, watched from its start to its end. */
class Recording {
  readonly #context: CliContext;
  readonly #project: Project;
  readonly #child: ChildProcess;
  /** All that the program can write to; open until everyone who has it is gone. */
  readonly #channels: readonly Readable[];
  readonly #live: LiveLine | undefined;
  readonly #kept = { stdout: new KeptOutput(), stderr: new KeptOutput() };
  readonly #program: string;
  readonly #graceS: number;
  #grace: NodeJS.Timeout | undefined;
  #run: string | undefined;
  #end: Extract<StatusLine, { kind: "end" }> | undefined;

  constructor(context: CliContext, project: Project, started: Started, graceS: number) {
    this.#program = started.program;
    this.#graceS = graceS;
    this.#context = context;
    this.#project = project;
    this.#child = started.child;
    const status = started.child.stdio[3] as Readable;
    this.#channels = [started.stdout, started.stderr, status];
    const { stderr } = process;
    if (stderr.isTTY && !context.json) {
      this.#live = new LiveLine(
        (text) => stderr.write(text),
        () => stderr.columns || 80,
      );
    }
    this.#pass(started.stdout, process.stdout, this.#kept.stdout);
    this.#pass(started.stderr, stderr, this.#kept.stderr);
    const lines = createInterface({ input: status });
    lines.on("line", (line) => {
      try {
        this.#status(JSON.parse(line) as StatusLine);
      } catch {
        // Any process of the program can write here: what is none of ours is passed over.
      }
    });
  }

  async finished(): Promise<Recorded> {
    const { stdin, stdout, stderr } = process;
    const onTerminal = stdin.isTTY || stdout.isTTY || stderr.isTTY;
    const release = forwardSignals(this.#child, onTerminal, () => this.#askToStop());
    const { code, signal } = await ended(this.#child, this.#channels).finally(release);
    clearTimeout(this.#grace);
    if (this.#grace && this.#run !== undefined) rmSync(this.#stopFile(this.#run), { force: true });
    this.#live?.end();
    for (const kept of Object.values(this.#kept)) kept.close();
    if (signal !== null) this.#markInterrupted(signal);
    this.#summarize(code, signal);
    const exitCode = signal === null ? (code ?? 1) : 128 + constants.signals[signal];
    return { code: exitCode, run: this.#run };
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
    return runPaths.stop(storePaths.run(this.#project.store, run));
  }

  #status(line: StatusLine): void {
    switch (line.kind) {
      case "begin":
        return this.#begun(line);
      case "notice":
        return this.#notice(line.text);
      case "live":
        return this.#live?.update(line.loops, line.metrics);
      case "end":
        this.#end = line;
    }
  }

  #begun({ run, commit, dirty }: Extract<StatusLine, { kind: "begin" }>): void {
    this.#run = run;
    const folder = storePaths.run(this.#project.store, run);
    this.#kept.stdout.open(runPaths.stdout(folder));
    this.#kept.stderr.open(runPaths.stderr(folder));
    if (!process.stderr.isTTY || this.#context.json) return;
    const files = dirty === 1 ? "file" : "files";
    const changes = dirty === 0 ? "" : ` + ${dirty} changed ${files}`;
    const version = commit === null ? "" : ` · version ${commit.slice(0, 7)}${changes}`;
    this.#context.err(`● run ${run}${version}\n`);
  }

  #notice(text: string): void {
    const line = `afterlog: ${text}\n`;
    const show = (): void => this.#context.err(line);
    if (this.#live) this.#live.around(Buffer.from(line), show);
    else show();
  }

  /** Hands the program's bytes on as they come, and keeps a copy. */
  #pass(from: Readable, to: NodeJS.WriteStream, kept: KeptOutput): void {
    from.on("data", (bytes: Buffer) => {
      kept.write(bytes);
      const pass = (): void => {
        if (to.write(bytes)) return;
        from.pause();
        to.once("drain", () => from.resume());
      };
      if (this.#live && to.isTTY) this.#live.around(bytes, pass);
      else pass();
    });
  }

  /** Nobody was left in the program to say so. */
  #markInterrupted(signal: NodeJS.Signals): void {
    if (this.#run === undefined) return;
    const folder = storePaths.run(this.#project.store, this.#run);
    try {
      const manifest = readManifest(folder);
      if (manifest.status !== "interrupted") return;
      // The wall clock may have been set back meanwhile.
      const ended = new Date(
        Math.max(new Date().getTime(), Date.parse(manifest.started)),
      ).toISOString();
      replaceFile(runPaths.manifest(folder), manifestToJson({ ...manifest, ended, signal }));
    } catch {
      // Readers see that the process is gone; only the signal's name is lost.
    }
  }

  /** Standard output is the program's: what we say goes to standard error, JSON too. */
  #summarize(exitCode: number | null, signal: NodeJS.Signals | null): void {
    const { json, errColor: color } = this.#context;
    const facts = { end: this.#end, signal };
    if (json) {
      const object = runObject({ ...facts, run: this.#run, exitCode });
      this.#context.err(`${JSON.stringify(object)}\n`);
    } else if (this.#run !== undefined) {
      this.#context.err(runSummary({ ...facts, run: this.#run, program: this.#program, color }));
    }
  }
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
async function ended(
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

/**
 * Colours survive the pipe: libraries that ask the system whether there is a terminal are told what
 * they would have found out, in as many colours as it has.
 */
function terminalVariables({ env, color }: CliContext): NodeJS.ProcessEnv {
  const decided = env["FORCE_COLOR"] !== undefined || env["NO_COLOR"] !== undefined;
  if (!color || decided || !process.stdout.isTTY) return {};
  const depth = process.stdout.getColorDepth();
  const level = depth >= 24 ? "3" : depth >= 8 ? "2" : "1";
  return depth > 1 ? { FORCE_COLOR: level } : {};
}

function sizeOf(stream: NodeJS.WriteStream): TerminalSize | null {
  return stream.isTTY ? { columns: stream.columns, rows: stream.rows } : null;
}
