/**
 * @file A recording on the terminal: the program's output as it comes, a live line below it, and what
 * was recorded at the end. Signals to the command line are passed on.
 */
import type { RecordedProgram, RecordingEvent, RecordingSession } from "../../app/index.ts";
import type { Directive, StatusLine, TerminalSize } from "../../format/index.ts";
import type { CliContext } from "../context.ts";
import { forwardSignals } from "./forward-signals.ts";
import { LiveLine } from "../terminal/live-line.ts";
import { formatCount } from "../terminal/format-units.ts";
import { runSummary } from "./run-summary.ts";
import { onOneLine } from "../terminal/terminal-edge.ts";

/** Files that a line names. */
const FILES_NAMED = 3;

/** What a recording gets from a command; `file` is the program as the user named it. */
export function recordingSession(context: CliContext, file: string): RecordingSession {
  const view = new RecordingView(context, file);
  const { stdin, stdout, stderr } = process;
  const onTerminal = stdin.isTTY || stdout.isTTY || stderr.isTTY;
  return {
    emit: (event) => view.take(event),
    output: (stream, bytes) => view.pass(stream, bytes),
    stdin: "inherit",
    terminal: terminalSizes(),
    variables: terminalVariables(context),
    watch: (program) => forwardSignals(program, onTerminal, () => program.askToStop()),
  };
}

class RecordingView {
  readonly #context: CliContext;
  readonly #file: string;
  readonly #live: LiveLine | undefined;

  constructor(context: CliContext, file: string) {
    this.#context = context;
    this.#file = file;
    const { stderr } = process;
    if (stderr.isTTY && !context.json) {
      this.#live = new LiveLine(
        (text) => context.err(text),
        () => stderr.columns || 80,
      );
    }
  }

  take(event: RecordingEvent): void {
    switch (event.kind) {
      case "begin":
        return this.#begun(event);
      case "notice":
        return this.#notice(event.text);
      case "live":
        return this.#live?.update(event.loops, event.metrics);
      case "end":
        return;
      case "ended":
        this.#live?.end();
        return this.#summarize(event.recorded);
      case "nothing-to-resume":
        return this.#say(`nothing to resume: a new run of ${this.#file}`);
      case "resumes": {
        const { run, after, why, again, atLeast } = event;
        const where = after === null ? `from the start: ${why}` : `after ${after}`;
        return this.#say(`run ${run} resumes ${where}${againText(again, atLeast)}`);
      }
      case "foreign": {
        const { run, remote } = event;
        const what = "your working tree is executed, with all that you may do";
        return this.#say(`${run} came from ${remote}: ${what}, and not apart as in a replay`);
      }
      case "interpreter":
        return this.#say(`${event.gone} is gone: ${event.used} is used`);
      case "other-data": {
        const named = event.files.slice(0, FILES_NAMED).join(", ");
        const more = event.files.length - FILES_NAMED;
        const rest = more > 0 ? ` and ${more} more` : "";
        const it = event.files.length === 1 ? "it" : "them";
        const what = `changed since ${event.run} read ${it}`;
        return this.#say(
          `${named}${rest} ${what}: what the restored state holds of ${it} is as it was`,
        );
      }
      case "restarts": {
        const { code, delayMs, attempt, tries } = event;
        const which = `${attempt} of ${tries}`;
        return this.#say(`exit code ${code}: resumes in ${delayMs / 1000} s (${which})`);
      }
      case "gives-up": {
        const { code, tries } = event;
        this.#say(`exit code ${code}: given up after ${tries} tries to resume, as asked`);
      }
    }
  }

  /** Hands the program's bytes on as they come; a promise says that the terminal wants no more yet. */
  pass(stream: "stdout" | "stderr", bytes: Buffer): void | Promise<void> {
    const to = process[stream];
    const written = { isFull: false };
    const pass = (): void => {
      written.isFull = !to.write(bytes);
    };
    if (this.#live && to.isTTY) this.#live.around(bytes, pass);
    else pass();
    if (written.isFull) return new Promise((drained) => to.once("drain", () => drained()));
  }

  #say(text: string): void {
    this.#context.err(`● ${onOneLine(text)}\n`);
  }

  #begun({ run, commit, dirty }: Extract<StatusLine, { kind: "begin" }>): void {
    if (!process.stderr.isTTY || this.#context.json) return;
    const files = dirty === 1 ? "file" : "files";
    const changes = dirty === 0 ? "" : ` + ${dirty} changed ${files}`;
    const version = commit === null ? "" : ` · version ${commit.slice(0, 7)}${changes}`;
    this.#say(`run ${run}${version}`);
  }

  #notice(text: string): void {
    const line = `afterlog: ${text}\n`;
    const show = (): void => this.#context.err(line);
    if (this.#live) this.#live.around(Buffer.from(line), show);
    else show();
  }

  /** Standard output is the program's: what we say goes to standard error, JSON too. */
  #summarize({ run, end, signal, program, report }: RecordedProgram): void {
    const { json, errColor: color } = this.#context;
    if (json) this.#context.err(`${JSON.stringify(report)}\n`);
    else if (run !== undefined) {
      this.#context.err(runSummary({ run, end, signal, program, color }));
    }
  }
}

function againText(iterations: number, atLeast: boolean): string {
  const some = iterations === 1 ? "1 iteration" : `${formatCount(iterations)} iterations`;
  const counted = iterations === 0 ? [] : [`${some} again`];
  const unlogged = atLeast ? ["again what the killed run had not written to its log"] : [];
  const all = [...counted, ...unlogged];
  return all.length === 0 ? "" : `, and does ${all.join(", and ")}`;
}

/** What the streams of this process are, for the program that writes to them through it. */
function terminalSizes(): Directive["terminal"] {
  return { stdout: sizeOf(process.stdout), stderr: sizeOf(process.stderr) };
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
