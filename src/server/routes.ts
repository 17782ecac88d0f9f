/**
 * @file What can be asked over HTTP (`docs/http.md`): the values of `src/app`, as `--json` prints them.
 */
import { basename } from "node:path";
import type { Context } from "hono";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { Ports } from "../app/index.ts";
import {
  exampleProgram,
  explainValue,
  matchRuns,
  projectAround,
  readRunCells,
  readRunTable,
  showRun,
} from "../app/read.ts";
import { nameOfColumn } from "../catalog/index.ts";
import { AfterlogError, describeError, isAfterlogError } from "../format/index.ts";
import type { AskingContext } from "./asking-routes.ts";
import { addAsking } from "./asking-routes.ts";
import { encodeColumns } from "./columns-format.ts";
import { addViews } from "./view-routes.ts";
import { sendEvents } from "./event-stream.ts";
import type { Keys } from "./guard.ts";
import { guard } from "./guard.ts";
import type { PageFile, PageFiles } from "./page-files.ts";
import { bodyOf, listOf } from "./request.ts";
import type { RunFeed } from "./run-feed.ts";

export interface RouteContext extends AskingContext {
  readonly ports: Ports;
  readonly feed: RunFeed;
  readonly keys: Keys;
  readonly page: PageFiles | undefined;
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
  /** Told of failures that are not the user's. */
  readonly report: (text: string) => void;
}

/** The application; the server that listens is the caller's. */
export function createRoutes(given: RouteContext): Hono {
  const { keys, page } = given;
  const routes = new Hono();
  routes.use(guard(keys, (context, { status, error }) => refused(context, status, error)));
  routes.onError((error, context) => failed(given, context, error));
  routes.notFound((context) => notFound(given, context));
  routes.get("/open", (context) => {
    if (keys.open(context, context.req.query("k") ?? "")) return context.redirect("/", 303);
    const help = "print a new one:  afterlog ui";
    const message = "this link has been used, or is of a server that has ended";
    return refused(context, 401, new AfterlogError("AL080", message, { help: [help] }));
  });
  const api = routes.basePath("/api/v1");
  addReading(api, given);
  addAsking(api, given);
  addViews(api, given);
  for (const [path, file] of page?.assets ?? [])
    routes.get(path, (context) => sendFile(context, file, "private, max-age=31536000, immutable"));
  return routes;
}

function addReading(api: Hono, { ports, feed, replays, keys, signal }: RouteContext): void {
  api.get("/project", (context) => {
    const { root, store } = projectAround(ports);
    const name = basename(root);
    const program = exampleProgram(ports.cwd);
    const { indexing } = feed;
    return context.json({ schema: 1, name, root, store, program, indexing });
  });
  api.post("/links", (context) => {
    const path = `/open?k=${keys.newLink()}`;
    return context.json({ schema: 1, path });
  });
  api.get("/runs", async (context) => {
    const { generation } = feed;
    const { runs, columns } = await feed.remember("table", () => readRunTable(ports));
    const known = runs.flatMap((run) => {
      const row = feed.rowOf(run);
      return row === undefined ? [] : [[row, run] as const];
    });
    return context.json({
      schema: 1,
      generation,
      rows: known.map(([row]) => row),
      runs: known.map(([, run]) => run),
      columns,
    });
  });
  api.get("/columns", async (context) => {
    const { generation } = feed;
    const names = listOf(context, "names");
    const bytes = await feed.remember(JSON.stringify(names), async () => {
      const cells = await readRunCells(ports, names);
      return encodeColumns(cells, generation, (run) => feed.rowOf(run));
    });
    return context.body(bytes, 200, { "content-type": "application/octet-stream" });
  });
  api.post("/filter", async (context) => {
    const { generation } = feed;
    const { where } = await bodyOf(context, { where: "lr < 0.01" }, {});
    const runs = await matchRuns(ports, where);
    const rows = runs.flatMap((run) => feed.rowOf(run) ?? []);
    return context.json({ schema: 1, generation, rows });
  });
  api.get("/runs/:id", async (context) => {
    const { report } = await showRun(ports, context.req.param("id"));
    return context.json({ schema: 1, run: report });
  });
  api.get("/why", async (context) => {
    const { run = "", name = "", path } = context.req.query();
    const { report, count } = await explainValue(ports, { run, name: nameOfColumn(name), path });
    return context.json({ schema: 1, count, value: report });
  });
  api.get("/events", (context) => {
    const since = Number(context.req.header("last-event-id") ?? context.req.query("since") ?? 0);
    const names = listOf(context, "names");
    return streamSSE(context, async (stream) => {
      const gone = new AbortController();
      stream.onAbort(() => gone.abort());
      const reader = { names, since, signal: AbortSignal.any([gone.signal, signal]) };
      await sendEvents(stream, ports, { feed, replays }, reader);
    });
  });
}

/** Every address of the page is the page: it reads the rest of it by itself. */
function notFound({ page }: RouteContext, context: Context): Response | Promise<Response> {
  const { path, method } = context.req;
  const isAddress = method === "GET" && !/^\/(?:api|assets)\//.test(path);
  if (isAddress && page) return sendFile(context, page.index, "no-store");
  const message = isAddress ? "the page is not built" : `there is no ${method} ${path}`;
  const help = isAddress
    ? "in a checkout of Afterlog, build it:  npm run build"
    : "see docs/http.md";
  return context.json(errorBody(new AfterlogError("AL080", message, { help: [help] })), 404);
}

function sendFile(context: Context, { type, bytes }: PageFile, cache: string): Response {
  return context.body(bytes, 200, { "content-type": type, "cache-control": cache });
}

/** For a browser that was led here by an address, as text that a person reads. */
function refused(context: Context, status: 401 | 403, error: AfterlogError): Response {
  const isPage = context.req.header("accept")?.includes("text/html") === true;
  if (!isPage) return context.json(errorBody(error), status);
  const lines = [error.message, ...error.help.map((help) => `help: ${help}`)];
  return context.text(`${lines.join("\n")}\n`, status);
}

/** Codes that say that a thing asked for is not there, and those that are the question's fault. */
const MISSING: ReadonlySet<string> = new Set([
  "AL003",
  "AL004",
  "AL021",
  "AL022",
  "AL035",
  "AL050",
  "AL080",
]);
const WRONG: ReadonlySet<string> = new Set(["AL001", "AL002", "AL020", "AL024", "AL034"]);

function failed({ report }: RouteContext, context: Context, error: Error): Response {
  if (!isAfterlogError(error)) {
    report(error.stack ?? describeError(error));
    const help = ["the terminal in which `afterlog ui` runs says more"];
    const message = describeError(error);
    return context.json({ schema: 1, error: { code: null, message, notes: [], help } }, 500);
  }
  const { code } = error;
  return context.json(errorBody(error), MISSING.has(code) ? 404 : WRONG.has(code) ? 400 : 500);
}

function errorBody({ code, message, notes, help, data }: AfterlogError): object {
  return { schema: 1, error: { code, message, notes, help, data } };
}
