/**
 * @file Questions about Python sources, answered by Python itself: its own parser reads every
 * version of the language that it runs, and says where everything stands. One process answers all of
 * them: to start one takes longer than most answers. Answers are kept, for the same texts are asked
 * about again and again.
 *
 * Whoever asks waits, as for a parser in this process: a thread talks with the interpreter meanwhile.
 */
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { ownEnvironment } from "../../host/index.ts";
import type { Interpreter, ServiceRequest } from "./python-service-worker.ts";
import { pythonEnvironment } from "./interpreter.ts";

/** Beside this file, built as this file is or not. */
const WORKER = new URL(`./python-service-worker${extname(import.meta.url)}`, import.meta.url);
/** Where the package is: modules of the project must not come before those of Python. */
const FOLDER = fileURLToPath(new URL("../../../python", import.meta.url));

/** An interpreter that says nothing for so long is given up. */
const SILENT_MS = 600_000;

const answers = new Map<string, unknown>();
let serviceThread: ServiceThread | undefined;

/** Undefined if there is no Python that answers. */
export function callPythonService(request: object): unknown {
  const input = JSON.stringify(request);
  if (!answers.has(input)) answers.set(input, answerRequest(input));
  return answers.get(input);
}

function answerRequest(input: string): unknown {
  const { command, env: variables } = pythonEnvironment({ env: ownEnvironment });
  const interpreter = { command, cwd: FOLDER, env: { ...variables, AFTERLOG_MODE: "off" } };
  serviceThread ??= new ServiceThread();
  return serviceThread.send({ interpreter, input });
}

class ServiceThread {
  readonly #port: MessagePort;
  /** Becomes 1 when an answer is there. */
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const worker = new Worker(WORKER, {
      workerData: { port: port2, signal: this.#signal },
      transferList: [port2],
    });
    // The interpreter ends when its input does, which this process holds open.
    worker.unref();
    port1.unref();
  }

  send(request: ServiceRequest & { readonly interpreter: Interpreter }): unknown {
    Atomics.store(this.#signal, 0, 0);
    this.#port.postMessage(request);
    // The notice of the answer before may come this late: what counts is the signal, not to be woken.
    while (Atomics.load(this.#signal, 0) === 0) {
      if (Atomics.wait(this.#signal, 0, 0, SILENT_MS) !== "timed-out") continue;
      // Its answer would be taken for that of the next question.
      serviceThread = undefined;
      return { problem: "Python does not answer" };
    }
    const received: { message: string } | undefined = receiveMessageOnPort(this.#port);
    return JSON.parse(received?.message ?? "null");
  }
}
