/** @file `afterlog ui`: serves the project's page until Ctrl-C, and opens it in the browser. */
import { spawn } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { projectAround } from "../../app/read.ts";
import { AfterlogError, describeError } from "../../format/index.ts";
import type { ServerFile } from "../../server/index.ts";
import { findServer, startServer } from "../../server/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

const MAIN = fileURLToPath(new URL("../main.js", import.meta.url));
const DEFAULT_PORT = 4300;
/** A server that answers does so at once. */
const ANSWER_MS = 5000;

/** Serves the page; where another process does so already, opens that. */
export async function uiCommand(context: CliContext, options: OptionsOf<"ui">): Promise<number> {
  const ports = portsOf(context);
  const { root, store } = projectAround(ports);
  const running = findServer(store);
  if (running) return openRunning(context, running, options);
  const report = (text: string): void => context.err(`! ${text}\n`);
  const port = options.port ?? DEFAULT_PORT;
  const server = await startServer(ports, { port, command: [process.execPath, MAIN], report });
  if (!server) {
    const other = findServer(store);
    return other ? openRunning(context, other, options) : uiCommand(context, options);
  }
  const ended = signalled();
  show(context, { ...server, says: `the page of ${basename(root)}` });
  if (!context.json) context.err("Ctrl-C ends it; what is recorded or replayed goes on\n");
  if (options.open !== false) openBrowser(context, server.link);
  await ended;
  await server.close();
  return 0;
}

function show(
  context: CliContext,
  { origin, link, says }: { readonly origin: string; readonly link: string; readonly says: string },
): void {
  if (context.json) context.out(`${JSON.stringify({ schema: 1, origin, link })}\n`);
  else context.out(`${onOneLine(says)}:  ${createColors(context.color).bold(link)}\n`);
}

/** Of one project there is one server: it is asked for a link. */
async function openRunning(
  context: CliContext,
  { origin, token, host }: ServerFile,
  options: OptionsOf<"ui">,
): Promise<number> {
  const link = await newLink(origin, token).catch((error: unknown) => {
    const message = `another process serves this project at ${origin}, and does not answer`;
    const notes = [describeError(error)];
    throw new AfterlogError("AL081", message, { notes, help: [`end it:  kill ${host.pid}`] });
  });
  show(context, { origin, link, says: "the page is served already, by another process" });
  if (options.open !== false) openBrowser(context, link);
  return 0;
}

async function newLink(origin: string, token: string): Promise<string> {
  const response = await fetch(`${origin}/api/v1/links`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "x-afterlog": "1" },
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (!response.ok) throw new Error(`it answers ${response.status}`);
  const { path } = (await response.json()) as { readonly path: string };
  return origin + path;
}

function signalled(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => done());
  });
}

/** Where there is one to be opened: who comes over SSH has the link. */
function openBrowser({ env }: CliContext, link: string): void {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = env;
  const isMac = process.platform === "darwin";
  if (!isMac && !BROWSER && !DISPLAY && !WAYLAND_DISPLAY) return;
  const command = BROWSER ?? (isMac ? "open" : "xdg-open");
  const child = spawn(command, [link], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
