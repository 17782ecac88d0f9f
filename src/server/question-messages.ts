/** @file What the server and the thread that lands questions say to each other: plain values. */
import type { AskedStatements, IndexAnswers, LandingDecision, PricedHow } from "../app/index.ts";
import type { Environment } from "../host/index.ts";
import { AfterlogError, describeError, isAfterlogError } from "../format/index.ts";

/** What the thread begins with. */
export interface ThreadStart {
  readonly cwd: string;
  readonly env: Environment;
}

export type Call =
  | { readonly method: "open"; readonly id: string; readonly asked: AskedStatements }
  | { readonly method: "price"; readonly id: string; readonly how: PricedHow }
  | { readonly method: "plan"; readonly id: string; readonly how: PricedHow }
  | {
      readonly method: "decide";
      readonly id: string;
      readonly group: string;
      readonly decision: LandingDecision;
    };

/** What the thread asks the index, which only the server can open. */
export type IndexCall =
  | { readonly method: "asked"; readonly question: Parameters<IndexAnswers["asked"]>[0] }
  | { readonly method: "loopsByValue" };

type Answer =
  | { readonly kind: "answer"; readonly number: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly number: number; readonly error: SentError };

export type ToThread =
  | { readonly kind: "call"; readonly number: number; readonly call: Call }
  | Answer;
export type FromThread =
  | { readonly kind: "ask"; readonly number: number; readonly call: IndexCall }
  | Answer;

/** An error as it crosses: of a class nothing would be left but its message. */
type SentError =
  | (Pick<AfterlogError, "code" | "message" | "notes" | "data"> & {
      readonly help: readonly [string, ...string[]];
    })
  | { readonly code: null; readonly message: string; readonly stack: string | undefined };

function sentError(error: unknown): SentError {
  if (isAfterlogError(error)) {
    const { code, message, notes, data } = error;
    const [first = "see docs/errors.md", ...others] = error.help;
    return { code, message, notes, help: [first, ...others], data };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return { code: null, message: describeError(error), stack };
}

function receivedError(error: SentError): Error {
  if (error.code !== null) return new AfterlogError(error.code, error.message, error);
  const received = new Error(error.message);
  if (error.stack !== undefined) received.stack = error.stack;
  return received;
}

/** Questions to the other side, each by its number, until they are answered. */
export class Pending<Question> {
  readonly #send: (number: number, question: Question) => void;
  readonly #open = new Map<
    number,
    { readonly done: (value: unknown) => void; readonly failed: (error: Error) => void }
  >();
  #number = 0;

  constructor(send: (number: number, question: Question) => void) {
    this.#send = send;
  }

  ask(question: Question): Promise<unknown> {
    const number = this.#number++;
    return new Promise((done, failed) => {
      this.#open.set(number, { done, failed });
      this.#send(number, question);
    });
  }

  settle(answer: Answer): void {
    const open = this.#open.get(answer.number);
    this.#open.delete(answer.number);
    if (answer.kind === "answer") open?.done(answer.value);
    else open?.failed(receivedError(answer.error));
  }

  /** The other side is gone. */
  fail(error: Error): void {
    for (const { failed } of this.#open.values()) failed(error);
    this.#open.clear();
  }
}

/** What `work` answers, or why it failed, as a message. */
export async function answerOf(number: number, work: () => Promise<unknown>): Promise<Answer> {
  try {
    return { kind: "answer", number, value: await work() };
  } catch (error) {
    return { kind: "failed", number, error: sentError(error) };
  }
}
