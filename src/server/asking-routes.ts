/** @file Questions over HTTP: what is asked, its price, and what is decided about where it lands. */
import type { Context, Hono } from "hono";
import type { AskedStatements, LandingDecision, Ports, PricedHow } from "../app/index.ts";
import { cancelReplay, findReplay, goOn, readinessOf, watchedReplay } from "../app/index.ts";
import { AfterlogError } from "../format/index.ts";
import type { ReplayFeed } from "./replay-feed.ts";
import type { Starter } from "./start-replay.ts";
import { resumeReplayProcess, startReplayProcess } from "./start-replay.ts";
import type { Questions } from "./questions.ts";
import type { RunFeed } from "./run-feed.ts";

export interface AskingContext {
  readonly ports: Ports;
  readonly feed: RunFeed;
  readonly questions: Questions;
  readonly replays: ReplayFeed;
  readonly starter: Starter;
}

export function addAsking(api: Hono, context: AskingContext): void {
  addQuestions(api, context);
  addReplays(api, context);
}

function addQuestions(api: Hono, { feed, questions }: AskingContext): void {
  api.post("/questions", async (context) => {
    const asked = askedOf(await bodyOf(context));
    // What was recorded just now is asked as well.
    await feed.caughtUp();
    return context.json({ schema: 1, id: await questions.open(asked) });
  });
  api.get("/questions/:id", async (context) => {
    const id = context.req.param("id");
    const { plan, groups } = await questions.price(id, howOf(context.req.query("where")));
    return context.json({ schema: 1, id, plan, groups });
  });
  api.put("/questions/:id/landings/:group", async (context) => {
    const { id, group } = context.req.param();
    const decision = decisionOf(await bodyOf(context));
    return context.json(await questions.decide(id, group, decision));
  });
}

function addReplays(api: Hono, { ports, feed, questions, replays, starter }: AskingContext): void {
  api.post("/replays", async (context) => {
    const body = await bodyOf(context);
    const { canary = false, jobs, where, max_time: maxTime } = body;
    const how = howOf(where === undefined ? undefined : text("a condition", where, true));
    await feed.caughtUp();
    const plan = await questions.plan(text("a question", body["question"]), how);
    const readiness = readinessOf(plan);
    if (readiness !== "ready") throw nothingToStart(plan.names, readiness);
    const replay = await startReplayProcess(starter, plan, {
      canary: canary === true,
      jobs: jobs === undefined ? undefined : numberOf("jobs", jobs),
      maxTime: maxTime === undefined ? undefined : text("max_time", maxTime),
    });
    return context.json({ schema: 1, replay });
  });
  api.get("/replays", (context) => {
    replays.look();
    const { generation } = replays;
    return context.json({
      schema: 1,
      generation,
      replays: replays.since(0).map(({ state }) => state),
    });
  });
  api.get("/replays/:id", (context) => {
    const { generation } = replays;
    const watched = watchedReplay(ports, context.req.param("id"));
    return context.json({ schema: 1, generation, ...watched });
  });
  api.post("/replays/:id/go", (context) => {
    return context.json({ schema: 1, ...goOn(ports, context.req.param("id")) });
  });
  api.post("/replays/:id/stop", (context) => {
    return context.json({ schema: 1, ...cancelReplay(ports, context.req.param("id")) });
  });
  api.post("/replays/:id/resume", async (context) => {
    const { replay, status } = findReplay(ports, context.req.param("id"));
    const isOpen = status !== "running" && status !== "done";
    if (isOpen) await resumeReplayProcess(starter, replay);
    return context.json({ schema: 1, replay, resumed: isOpen });
  });
}

function nothingToStart(
  names: readonly string[],
  why: "review" | "filled" | "none",
): AfterlogError {
  const said = {
    review: "every run that is asked waits for a look at where the statement lands",
    filled: "the cells are filled",
    none: "no run has what is asked for",
  };
  const help = `look at it:  afterlog where ${names[0] ?? "NAME"}`;
  return new AfterlogError("AL034", said[why], { help: [help] });
}

type Fields = Readonly<{ [name: string]: unknown }>;

/** The body as an object; an empty one if there is none. */
export async function bodyOf(context: Context): Promise<Fields> {
  const text = await context.req.text();
  if (text.trim() === "") return {};
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Fields;
  } catch {
    // As what is JSON and no object.
  }
  throw new AfterlogError("AL001", "the body is no object in JSON", { help: ["see docs/http.md"] });
}

export function howOf(where: string | undefined): PricedHow {
  return { where: where === undefined || where.trim() === "" ? undefined : where };
}

function askedOf({ names = [], logpoints = [], lines = [] }: Fields): AskedStatements {
  const texts = list("names", names).map((name) => text("a name", name));
  const points = list("logpoints", logpoints).map((one) => ({
    ...place(one),
    assignment: text("an assignment", one["assignment"]),
  }));
  return { names: texts, logpoints: points, lines: list("lines", lines).map(place) };
}

function list(what: string, value: unknown): Fields[] {
  if (Array.isArray(value)) return value as Fields[];
  throw wrong(`${what} is no list`);
}

function text(what: string, value: unknown, mayBeEmpty = false): string {
  if (typeof value === "string" && (mayBeEmpty || value.trim() !== "")) return value;
  throw wrong(`${what} is no text`);
}

function place(one: Fields): { readonly file: string; readonly line: number } {
  return { file: text("a file", one["file"]), line: numberOf("a line", one["line"]) };
}

function numberOf(what: string, value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) > 0) return Number(value);
  throw wrong(`${what} is no whole number from 1 on`);
}

function decisionOf({ kind, file, line, text: written }: Fields): LandingDecision {
  switch (kind) {
    case "accept":
    case "exclude":
    case "forget":
      return { kind };
    case "place":
      return {
        kind,
        ...(file === undefined ? {} : { file: text("a file", file) }),
        ...(line === undefined ? {} : { line: numberOf("a line", line) }),
        ...(written === undefined ? {} : { text: text("a statement", written) }),
      };
    default:
      throw wrong("a decision is one of accept, place, exclude, forget");
  }
}

function wrong(message: string): AfterlogError {
  return new AfterlogError("AL001", message, { help: ["see docs/http.md"] });
}
