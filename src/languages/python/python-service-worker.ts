/**
 * @file The thread that talks with an interpreter: a line of JSON to its input, a line from its output.
 * Every question gets an answer, if only that there is none; an interpreter that has ended is started anew.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import type { MessagePort } from "node:worker_threads";
import { workerData } from "node:worker_threads";
import { describeError } from "../../format/index.ts";

export interface Interpreter {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ServiceRequest {
  readonly interpreter: Interpreter;
  /** JSON, on one line. */
  readonly input: string;
}

const { port, signal } = workerData as { readonly port: MessagePort; readonly signal: Int32Array };

class InterpreterProcess {
  readonly key: string;
  readonly #process: ChildProcessWithoutNullStreams;
  #output: Buffer[] = [];
  #errorOutput = "";
  #reply: ((line: string) => void) | undefined;
  hasEnded = false;

  constructor({ command, cwd, env }: Interpreter, key: string) {
    this.key = key;
    this.#process = spawn(command, ["-m", "afterlog.source"], { cwd, env });
    const { stdin, stdout, stderr } = this.#process;
    stdout.on("data", (part: Buffer) => this.#take(part));
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-ERROR_OUTPUT_MAX);
    });
    // What is wrong is told when the process ends.
    stdin.on("error", () => undefined);
    this.#process.on("error", (error) => this.#end(describeError(error)));
    this.#process.on("close", (code, name) => this.#end(this.#endReason(code ?? name)));
  }

  send(input: string): Promise<string> {
    return new Promise((reply) => {
      this.#reply = reply;
      this.#process.stdin.write(`${input}\n`);
    });
  }

  close(): void {
    this.#process.stdin.end();
  }

  #take(part: Buffer): void {
    this.#output.push(part);
    if (part.at(-1) !== NEWLINE) return;
    const line = Buffer.concat(this.#output).toString("utf8");
    this.#output = [];
    this.#reply?.(line);
  }

  #end(why: string): void {
    this.hasEnded = true;
    const problem = `Python cannot be asked: ${why.split("\n")[0] ?? ""}`;
    this.#reply?.(JSON.stringify({ problem }));
  }

  #endReason(status: number | string | null): string {
    const last = this.#errorOutput.trim().split("\n").at(-1) ?? "";
    return last === "" ? `it ended (${status})` : last;
  }
}

const NEWLINE = 10;
/** Characters of an interpreter's errors that are kept. */
const ERROR_OUTPUT_MAX = 4000;

let interpreterProcess: InterpreterProcess | undefined;

async function answerRequest({ interpreter, input }: ServiceRequest): Promise<string> {
  const key = JSON.stringify([interpreter.command, interpreter.env["PYTHONPATH"]]);
  if (interpreterProcess?.key !== key || interpreterProcess.hasEnded) {
    interpreterProcess?.close();
    interpreterProcess = new InterpreterProcess(interpreter, key);
  }
  return interpreterProcess.send(input);
}

port.on("message", (request: ServiceRequest) => {
  const reply = (text: string): void => {
    port.postMessage(text);
    Atomics.store(signal, 0, 1);
    Atomics.notify(signal, 0);
  };
  answerRequest(request).then(reply, (error: unknown) => {
    reply(JSON.stringify({ problem: `Python cannot be asked: ${describeError(error)}` }));
  });
});
