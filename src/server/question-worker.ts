/**
 * @file The thread in which questions are landed and priced: that takes the processor for seconds, and
 * the server must answer meanwhile. It opens no index; it asks the server's.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { IndexAnswers } from "../app/index.ts";
import { OpenQuestion } from "../app/index.ts";
import { AfterlogError, withoutTexts } from "../format/index.ts";
import { wallClock } from "../host/index.ts";
import type { Call, FromThread, IndexCall, ThreadStart, ToThread } from "./question-messages.ts";
import { answerOf, Pending } from "./question-messages.ts";

/** Each holds the sources of all versions. */
const OPEN_MAX = 8;

const { cwd, env } = workerData as ThreadStart;
const ports = { cwd, env, now: wallClock };
const questions = new Map<string, OpenQuestion>();
const index = new Pending<IndexCall>((number, call) => post({ kind: "ask", number, call }));
const answers: IndexAnswers = {
  asked: (question) =>
    index.ask({ method: "asked", question }) as ReturnType<IndexAnswers["asked"]>,
  loopsByValue: () =>
    index.ask({ method: "loopsByValue" }) as ReturnType<IndexAnswers["loopsByValue"]>,
};

/** One after the other: there is one processor's worth of work anyway. */
let last: Promise<unknown> = Promise.resolve();

parentPort?.on("message", (message: ToThread) => {
  if (message.kind !== "call") return index.settle(message);
  const { number, call } = message;
  last = last.then(async () => post(await answerOf(number, () => answer(call))));
});

async function answer(call: Call): Promise<unknown> {
  if (call.method === "open") return open(call);
  const question = questions.get(call.id);
  if (!question) {
    throw new AfterlogError("AL080", "this question is not open any more", {
      help: ["ask it again:  POST /questions"],
    });
  }
  await question.refresh();
  switch (call.method) {
    case "price":
      return { plan: withoutTexts(await question.plan(call.how)), groups: question.groups() };
    case "plan":
      return question.plan(call.how);
    case "decide":
      return question.decide(call.group, call.decision);
  }
}

async function open({ id, asked }: Extract<Call, { method: "open" }>): Promise<void> {
  const known = questions.get(id);
  questions.delete(id);
  if (known) await known.refresh();
  questions.set(id, known ?? (await OpenQuestion.open(ports, asked, answers)));
  const [oldest] = questions.keys();
  if (questions.size > OPEN_MAX && oldest !== undefined) questions.delete(oldest);
}

function post(message: FromThread): void {
  parentPort?.postMessage(message);
}
