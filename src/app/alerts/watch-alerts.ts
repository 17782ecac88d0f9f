/**
 * @file Holds a run to the armed alerts while another process records it: reads what it writes, and notes
 * where each alert holds first. Nothing of it is in the program's process, and nothing of it reaches it.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cell, FiredRun, LiveIndex } from "../../catalog/index.ts";
import { cellToJson, openLive, readFired } from "../../catalog/index.ts";
import type { Alert, FiredAlert } from "../../format/index.ts";
import { describeError } from "../../format/index.ts";
import {
  annotate,
  readAlerts,
  readManifest,
  readReceived,
  readRunAnnotations,
  runPaths,
  storePaths,
} from "../../store/index.ts";
import { findRun } from "../following/find-run.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import { callOf } from "./alert-calls.ts";

/** What is told, as JSON. */
export type AlertEvent =
  | ({ readonly kind: "fired"; readonly run: string; readonly call: string | null } & FiredAlert)
  | { readonly kind: "failed"; readonly run: string; readonly alert: string; readonly why: string };

/** A look at a run waits this long, and so many times as long as the one before took. */
const REST_MS = 500;
const REST_FACTOR = 20;

/** Watches until the run ends or all alerts have fired. Throws AL004. */
export async function* watchAlerts(
  ports: Ports,
  reference: string,
  signal?: AbortSignal,
): AsyncGenerator<AlertEvent> {
  const { store } = requireProject(ports);
  await begun(store, reference);
  const { run, folder } = findRun(ports, reference);
  const fired = readRunAnnotations(store).get(run)?.alerts ?? [];
  const isOpen = ({ alert, condition }: Alert): boolean =>
    !fired.some((one) => one.alert === alert && one.condition === condition);
  let open = readAlerts(store).filter((alert) => alert.armed && isOpen(alert));
  if (open.length === 0) return;
  const aside = mkdtempSync(join(tmpdir(), "afterlog-alerts-"));
  let index: LiveIndex | undefined;
  try {
    // An index of this run alone: small, and nobody else waits for it.
    mkdirSync(storePaths.runs(aside));
    symlinkSync(folder, storePaths.run(aside, run), "junction");
    index = await openLive(aside, { threads: 1 });
    for (let seen = -1; ;) {
      // In this order: what is written before the end is read after it.
      const { status } = readManifest(folder);
      const bytes = statSync(runPaths.log(folder), { throwIfNoEntry: false })?.size ?? 0;
      const startedAt = performance.now();
      if (bytes !== seen) {
        await bringUpToDate(index, run);
        for (const alert of open) {
          const event = await look(index, run, alert);
          if (!event) continue;
          open = open.filter((one) => one !== alert);
          yield event.kind === "failed" ? event : note(ports, store, event, alert);
        }
      }
      seen = bytes;
      if (status !== "recording" || open.length === 0) return;
      const until = performance.now() + REST_FACTOR * (performance.now() - startedAt);
      await rest(folder, until, signal);
      if (signal?.aborted) return;
    }
  } finally {
    await index?.close();
    rmSync(aside, { recursive: true, force: true });
  }
}

/** The end is looked at without delay. */
async function rest(folder: string, until: number, signal: AbortSignal | undefined): Promise<void> {
  do {
    await sleep(REST_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
    if (signal?.aborted) return;
  } while (performance.now() < until && isRecording(folder));
}

function isRecording(folder: string): boolean {
  return readManifest(folder).status === "recording";
}

/** A run that has just begun writes its manifest in a moment. */
async function begun(store: string, reference: string): Promise<void> {
  const folder = storePaths.run(store, reference);
  const isThere = (): boolean => existsSync(runPaths.manifest(folder));
  for (let tries = 0; tries < 50 && existsSync(folder) && !isThere(); tries++) await sleep(100);
}

async function bringUpToDate(index: LiveIndex, run: string): Promise<void> {
  while ((await index.refresh([run])).pending > 0);
}

type Found = { readonly kind: "found"; readonly run: string; readonly fired: FiredAlert };

/** Where the alert holds; what stands in the way of knowing is told once. */
async function look(
  index: LiveIndex,
  run: string,
  { alert, condition }: Alert,
): Promise<Found | Extract<AlertEvent, { kind: "failed" }> | undefined> {
  try {
    const { runs } = await index.read((connection) => readFired(connection, condition));
    const found = runs.find((one) => one.run === run && one.path !== undefined);
    return found && { kind: "found", run, fired: { alert, condition, ...placeOf(found) } };
  } catch (error) {
    return { kind: "failed", run, alert, why: describeError(error) };
  }
}

function placeOf({ path = "", values }: FiredRun): Pick<FiredAlert, "path" | "values"> {
  return {
    path,
    values: Object.fromEntries([...values].map(([name, cell]) => [name, short(cell)])),
  };
}

const SHORT = 200;

function short(cell: Cell): FiredAlert["values"][string] {
  const value = cellToJson(cell);
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, SHORT);
}

/** In the store first: whatever becomes of the rest, it is known. */
function note(ports: Ports, store: string, { run, fired }: Found, alert: Alert): AlertEvent {
  annotate(store, [{ run, change: { k: "alert", ...fired } }], ports.now().getTime());
  // A run that came from somebody else calls nothing here.
  const isOwn = readReceived(storePaths.run(store, run)) === undefined;
  const call = isOwn ? callOf(ports.env, { store, ...alert }) : null;
  if (call !== null) callCommand(ports, call, { run, fired });
  return { kind: "fired", run, call, ...fired };
}

/** The user's own words for a shell; what a program logged stands in none of them. */
function callCommand(ports: Ports, call: string, { run, fired }: Omit<Found, "kind">): void {
  const { alert, condition, path, values } = fired;
  const env = {
    ...ports.env,
    AFTERLOG_ALERT: alert,
    AFTERLOG_CONDITION: condition,
    AFTERLOG_RUN: run,
    AFTERLOG_POINT: path,
    AFTERLOG_VALUES: JSON.stringify(values),
  };
  const child = spawn(call, { shell: true, detached: true, stdio: "ignore", cwd: ports.cwd, env });
  child.on("error", () => undefined);
  child.unref();
}
