/** @file Starts the server of a project's page, and ends it without leaving anything. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { Ports } from "../app/index.ts";
import { projectAround } from "../app/read.ts";
import type { LiveIndex } from "../catalog/index.ts";
import { openLive } from "../catalog/index.ts";
import { AfterlogError, describeError } from "../format/index.ts";
import { Keys } from "./guard.ts";
import { readPageFiles } from "./page-files.ts";
import { Questions } from "./questions.ts";
import { ReplayFeed } from "./replay-feed.ts";
import { createRoutes } from "./routes.ts";
import { RunFeed } from "./run-feed.ts";
import { removeServerFile, writeServerFile } from "./server-file.ts";

/** Nobody but this machine can reach it; who is elsewhere has SSH. */
const HOST = "127.0.0.1";
/** Ports after the one that is asked for, if that is taken. */
const PORTS = 100;
const PORT_MAX = 65_535;
/** How often it is looked whether there is a store by now. */
const STORE_MS = 500;

export interface ServerOptions {
  readonly port: number;
  /** The command line, which is started for replays and for what takes long: the interpreter and its file. */
  readonly command: readonly string[];
  /** Told of what goes wrong while it runs. */
  readonly report: (text: string) => void;
}

export interface RunningServer {
  /** `http://127.0.0.1:4300` */
  readonly origin: string;
  /** Opens the page, once. */
  readonly link: string;
  close(): Promise<void>;
}

/** Answers nothing if another server of the project was quicker: `findServer` says where it is. */
export async function startServer(
  ports: Ports,
  { port, command, report }: ServerOptions,
): Promise<RunningServer | undefined> {
  const { store } = projectAround(ports);
  const live = await openLive(store, { notice: (text) => ports.notice?.(text) });
  const feed = new RunFeed(store, live);
  const ended = new AbortController();
  const keys = new Keys();
  const lent = withLiveIndex(ports, live);
  const questions = new Questions(lent);
  const replays = new ReplayFeed(ports);
  let server: Server | undefined;
  const close = async (): Promise<void> => {
    ended.abort();
    removeServerFile(store, keys.token);
    server?.close();
    server?.closeAllConnections();
    replays.close();
    await questions.close();
    await feed.close();
    await live.close();
  };
  try {
    const page = readPageFiles();
    const { signal } = ended;
    const starter = { ports, command, folder: live.folder };
    const { fetch } = createRoutes({
      ports: lent,
      feed,
      questions,
      replays,
      starter,
      keys,
      page,
      signal,
      report,
    });
    server = createAdaptorServer({ fetch }) as Server;
    const origin = `http://${HOST}:${await listen(server, port)}`;
    const place = { origin, token: keys.token, folder: live.folder };
    if (!existsSync(store)) announceLater(store, place, signal);
    else if (!writeServerFile(store, place)) {
      await close();
      return undefined;
    }
    await feed.start();
    replays.start();
    return { origin, link: `${origin}/open?k=${keys.newLink()}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The use cases ask the server's index. */
function withLiveIndex(ports: Ports, live: LiveIndex): Ports {
  return {
    ...ports,
    lendCatalog: (_, work) =>
      live.read((connection) => work({ connection, isPrivate: true, close: () => undefined })),
  };
}

/** The folder of a project is made by its first run, not by who looks whether there is one. */
function announceLater(
  store: string,
  place: Parameters<typeof writeServerFile>[1],
  signal: AbortSignal,
): void {
  const timer = setInterval(() => {
    if (!existsSync(store)) return;
    clearInterval(timer);
    writeServerFile(store, place);
  }, STORE_MS);
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** Answers the port: the one that is asked for, or the next that is free. */
async function listen(server: Server, first: number): Promise<number> {
  if (first > PORT_MAX) throw cannotListen(first, `ports end at ${PORT_MAX}`);
  for (let port = first; port < first + PORTS && port <= PORT_MAX; port++) {
    try {
      server.listen(port, HOST);
      await once(server, "listening");
      const address = server.address();
      // Of port 0 the system makes one that is free.
      return typeof address === "object" && address ? address.port : port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cannotListen(port, error);
    }
  }
  throw cannotListen(first, "it is in use, and so are those behind it");
}

function cannotListen(port: number, why: unknown): AfterlogError {
  return new AfterlogError(
    "AL081",
    `nobody can be answered at port ${port}: ${describeError(why)}`,
    {
      help: ["choose another port:  afterlog ui --port 8300"],
    },
  );
}
