/**
 * @file Threads that run one function of `map`. They are started when first needed, and keep the
 * process alive only while they have work. Each has one task at a time, so that one that dies takes
 * no other batch with it.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { MapTask } from "./apply-map.ts";
import { MapFailure } from "./apply-map.ts";
import type { WorkerReply, MapWorkerStart } from "./map-worker.ts";

/** A task, and who waits for it. */
interface Job {
  readonly task: MapTask;
  readonly done: (value: unknown) => void;
  readonly failed: (failure: MapFailure) => void;
}

export class MapPool {
  readonly #start: MapWorkerStart;
  readonly #size: number;
  readonly #threads = new Set<MapThread>();
  #waiting: Job[] = [];

  constructor(start: MapWorkerStart, size: number) {
    this.#start = start;
    this.#size = size;
  }

  /** Has a thread do the task; rejects with a `MapFailure`. */
  run(task: MapTask): Promise<unknown> {
    return new Promise((done, failed) => {
      this.#waiting.push({ task, done, failed });
      this.#dispatch();
    });
  }

  /** Ends the threads; what they have not done fails. */
  async close(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { failed } of waiting) failed(new MapFailure(-1, new Error("it was closed")));
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const thread = [...this.#threads].find(({ busy }) => !busy) ?? this.#startThread();
      const job = thread && this.#waiting.shift();
      if (!job) return;
      thread.take(job);
    }
  }

  #startThread(): MapThread | undefined {
    if (this.#threads.size >= this.#size) return undefined;
    const thread = new MapThread(this.#start, {
      free: () => this.#dispatch(),
      ended: () => {
        this.#threads.delete(thread);
        this.#dispatch();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}

/** Beside this file, built as this file is or not. */
const WORKER = new URL(`./map-worker${extname(import.meta.url)}`, import.meta.url);

class MapThread {
  readonly #worker: Worker;
  #job: Job | undefined;

  constructor(start: MapWorkerStart, events: { free: () => void; ended: () => void }) {
    this.#worker = new Worker(WORKER, { workerData: start });
    this.#worker.unref();
    this.#worker.on("message", (reply: WorkerReply) => {
      this.#settle(reply);
      events.free();
    });
    let why: unknown = new Error("the thread ended before it had answered");
    this.#worker.on("error", (error) => (why = error));
    this.#worker.on("exit", () => {
      this.#settle({ kind: "failed", at: -1, cause: why });
      events.ended();
    });
  }

  get busy(): boolean {
    return this.#job !== undefined;
  }

  take(job: Job): void {
    try {
      this.#worker.postMessage(job.task);
    } catch (error) {
      job.failed(new MapFailure(-1, error));
      return;
    }
    this.#job = job;
    this.#worker.ref();
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(reply: WorkerReply): void {
    const job = this.#job;
    this.#job = undefined;
    this.#worker.unref();
    if (reply.kind === "done") job?.done(reply.value);
    else job?.failed(new MapFailure(reply.at, reply.cause));
  }
}
