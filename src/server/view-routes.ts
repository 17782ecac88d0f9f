/** @file What the views of one run, of several, and of the whole project ask for. */
import { existsSync } from "node:fs";
import type { Hono } from "hono";
import { compareRuns, projectAround, queryRows, RUN_PARTS, resolveRuns } from "../app/read.ts";
import { AfterlogError } from "../format/index.ts";
import { commandAnswer } from "./command-answer.ts";
import { bodyOf, listOf, numberOf } from "./request.ts";
import type { RouteContext } from "./routes.ts";
import { encodeSeries, SeriesCache } from "./series.ts";

/** Columns of pixels of a chart: those of the widest screen, and what is taken if none is said. */
const PX_MAX = 10_000;
const PX = 800;

export function addViews(api: Hono, given: RouteContext): void {
  addSeries(api, given);
  addParts(api, given);
  addCompare(api, given);
  addQuery(api, given);
  addStorage(api, given);
}

function addStorage(api: Hono, { ports, feed, starter, signal }: RouteContext): void {
  api.get("/storage", async (context) => {
    if (!existsSync(projectAround(ports).store)) return context.json({ schema: 1, storage: [] });
    // Looking at ten thousand folders takes long: once for a state, and elsewhere.
    const storage = await feed.remember("storage", () => commandAnswer(starter, ["du"], signal));
    return context.json({ schema: 1, storage });
  });
  api.post("/gc", async (context) => {
    const { policy } = await bodyOf(context, { policy: "peak:accuracy" }, {});
    const either = AbortSignal.any([context.req.raw.signal, signal]);
    const words = ["gc", "--policy", policy, "--dry-run"];
    return context.json(await commandAnswer(starter, words, either));
  });
}

/** What a person looks through, and waits for. */
const ROWS_MAX = 10_000;
const SECONDS_MAX = 10;

function addQuery(api: Hono, { ports, signal: ended }: RouteContext): void {
  api.post("/query", async (context) => {
    const { sql, seconds } = await bodyOf(context, { sql: "from runs" }, { seconds: SECONDS_MAX });
    const secondsMax = Math.min(SECONDS_MAX, Math.max(0, seconds));
    const signal = AbortSignal.any([context.req.raw.signal, ended]);
    const question = { sql, rowsMax: ROWS_MAX, secondsMax, signal };
    return context.json({ schema: 1, ...(await queryRows(ports, question)) });
  });
}

/** More are not seen side by side. */
const COMPARED_MAX = 50;

function addCompare(api: Hono, { ports }: RouteContext): void {
  api.get("/compare", async (context) => {
    const runs = listOf(context, "runs");
    if (runs.length >= 2 && runs.length <= COMPARED_MAX)
      return context.json({ schema: 1, compare: await compareRuns(ports, runs) });
    throw new AfterlogError("AL001", `${runs.length} of 2 to ${COMPARED_MAX} runs are named`, {
      help: [`name those that are to be compared:  /compare?runs=@~1,@`],
    });
  });
}

/** What of a run is asked for by itself, as it is long. */
function addParts(api: Hono, { ports }: RouteContext): void {
  for (const [part, read] of Object.entries(RUN_PARTS)) {
    api.get(`/runs/:id/${part}`, async (context) => {
      const report = await read(ports, context.req.param("id") ?? "");
      return context.json({ schema: 1, [part]: report });
    });
  }
}

function addSeries(api: Hono, { ports, feed }: RouteContext): void {
  const cache = new SeriesCache(ports, feed);
  api.get("/series", async (context) => {
    const named = listOf(context, "runs");
    const isKnown = named.every((run) => feed.changedAt(run) !== undefined);
    const runs = isKnown ? named : await resolveRuns(ports, named);
    const { name = "", x } = context.req.query();
    const px = Math.min(PX_MAX, Math.max(1, Math.floor(numberOf(context, "px", PX))));
    const window = {
      from: numberOf(context, "from", -Infinity),
      to: numberOf(context, "to", Infinity),
      px,
    };
    const series = await cache.read({ name, runs, x: x === "" ? undefined : x });
    const bytes = encodeSeries(name, series, window);
    return context.body(bytes, 200, { "content-type": "application/octet-stream" });
  });
}
