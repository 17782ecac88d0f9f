/** @file Questions that are open: each is landed once, in a thread of its own, and priced again and again. */
import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import type {
  AskedStatements,
  IndexAnswers,
  LandingDecision,
  LandingsReport,
  Ports,
  PricedHow,
  PricedQuestion,
} from "../app/index.ts";
import { indexAnswers } from "../app/index.ts";
import type { Plan } from "../format/index.ts";
import type { Call, FromThread, IndexCall, ThreadStart, ToThread } from "./question-messages.ts";
import { answerOf, Pending } from "./question-messages.ts";

export class Questions {
  readonly #start: ThreadStart;
  readonly #index: IndexAnswers;
  readonly #calls = new Pending<Call>((number, call) => this.#post({ kind: "call", number, call }));
  #worker: Worker | undefined;

  constructor(ports: Ports) {
    this.#start = { cwd: ports.cwd, env: { ...ports.env } };
    this.#index = indexAnswers(ports);
  }

  /** Answers its id: the same for whoever asks the same. Throws AL001 if nothing is asked, AL021. */
  async open(asked: AskedStatements): Promise<string> {
    const id = createHash("sha256").update(JSON.stringify(asked)).digest("hex").slice(0, 16);
    await this.#calls.ask({ method: "open", id, asked });
    return id;
  }

  /** Throws AL020, AL080. */
  price(id: string, how: PricedHow): Promise<PricedQuestion> {
    return this.#calls.ask({ method: "price", id, how }) as Promise<PricedQuestion>;
  }

  /** The plan with the texts of its files, to be executed. */
  plan(id: string, how: PricedHow): Promise<Plan> {
    return this.#calls.ask({ method: "plan", id, how }) as Promise<Plan>;
  }

  /** Throws AL001, AL024. */
  decide(id: string, group: string, decision: LandingDecision): Promise<LandingsReport> {
    const call = { method: "decide", id, group, decision } as const;
    return this.#calls.ask(call) as Promise<LandingsReport>;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #post(message: ToThread): void {
    this.#worker ??= this.#begin();
    this.#worker.postMessage(message);
  }

  #begin(): Worker {
    const worker = new Worker(new URL("./question-worker.js", import.meta.url), {
      workerData: this.#start,
      execArgv: [],
    });
    worker.on("message", (message: FromThread) => {
      if (message.kind !== "ask") return this.#calls.settle(message);
      void answerOf(message.number, () => this.#ask(message.call)).then((answer) =>
        worker.postMessage(answer),
      );
    });
    // The next question begins another one.
    const end = (error: Error): void => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#calls.fail(error);
    };
    worker.on("error", end);
    worker.on("exit", () => end(new Error("the thread that lands questions has ended")));
    worker.unref();
    return worker;
  }

  #ask(call: IndexCall): Promise<unknown> {
    return call.method === "asked" ? this.#index.asked(call.question) : this.#index.loopsByValue();
  }
}
