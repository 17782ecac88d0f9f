/**
 * @file Threads that run one function of `map`. They are started when first needed, and keep the
 * process alive only while they have work.
 */
import { Worker } from "node:worker_threads";
import type { MapTask } from "./apply-map.ts";
import { MapFailure } from "./apply-map.ts";
import type { WorkerReply, WorkerRequest, WorkerStart } from "./map-worker.ts";

interface Waiting {
  readonly done: (value: unknown) => void;
  readonly failed: (failure: MapFailure) => void;
}

export class MapPool {
  readonly #start: WorkerStart;
  readonly #size: number;
  readonly #threads: MapThread[] = [];

  constructor(start: WorkerStart, size: number) {
    this.#start = start;
    this.#size = size;
  }

  /** Has a thread do the task; rejects with a `MapFailure`. */
  run(task: MapTask): Promise<unknown> {
    return this.#leastBusy().run(task);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.close()));
  }

  #leastBusy(): MapThread {
    const [least] = this.#threads.toSorted((a, b) => a.busy - b.busy);
    if (least && (least.busy === 0 || this.#threads.length >= this.#size)) return least;
    const thread = new MapThread(this.#start, () => {
      const at = this.#threads.indexOf(thread);
      if (at >= 0) this.#threads.splice(at, 1);
    });
    this.#threads.push(thread);
    return thread;
  }
}

class MapThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  constructor(start: WorkerStart, ended: () => void) {
    this.#worker = new Worker(new URL("./map-worker.js", import.meta.url), { workerData: start });
    this.#worker.unref();
    this.#worker.on("message", (reply: WorkerReply) => this.#settle(reply));
    let why: unknown = new Error("the thread ended before it had answered");
    this.#worker.on("error", (error) => (why = error));
    this.#worker.on("exit", () => {
      ended();
      for (const { failed } of this.#waiting.values()) failed(new MapFailure(-1, why));
      this.#waiting.clear();
    });
  }

  get busy(): number {
    return this.#waiting.size;
  }

  run(task: MapTask): Promise<unknown> {
    const request: WorkerRequest = { id: this.#count++, task };
    return new Promise((done, failed) => {
      try {
        this.#worker.postMessage(request);
      } catch (error) {
        failed(new MapFailure(-1, error));
        return;
      }
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(request.id, { done, failed });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.kind === "done") waiting?.done(reply.value);
    else waiting?.failed(new MapFailure(reply.at, reply.cause));
  }
}
