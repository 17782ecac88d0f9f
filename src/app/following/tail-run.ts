/** @file The last values of a run, and those that follow, from its log alone. */
import { setTimeout as sleep } from "node:timers/promises";
import type { LogRecord } from "../../format/index.ts";
import { valueFromJson } from "../../format/index.ts";
import {
  lineEndBefore,
  LogFollower,
  readManifest,
  recordsBackwards,
  runPaths,
} from "../../store/index.ts";
import { statSync } from "node:fs";
import type { Ports } from "../ports.ts";
import { findRun } from "./find-run.ts";

/** How often a log is looked at: it is written ten times a second. */
export const POLL_MS = 200;

export interface TailRequest {
  readonly run: string;
  readonly names?: readonly string[] | undefined;
  readonly count: number;
  /** Waits for what is logged further, until the run ends. */
  readonly follow: boolean;
}

/** A logged value, with the indices of its loops, from 0. */
export interface TailedValue {
  readonly path: LogRecord["path"];
  readonly name: string;
  readonly value: unknown;
}

/** What is told: values, that the run was resumed further back, and how it stands in the end. */
export type TailEvent =
  | { readonly kind: "value"; readonly run: string; readonly value: TailedValue }
  | { readonly kind: "resumed"; readonly run: string }
  | { readonly kind: "end"; readonly run: string; readonly status: string };

/** Tells the last values, oldest first, and what follows. Throws AL004. */
export async function* tailRun(
  ports: Pick<Ports, "cwd" | "env">,
  request: TailRequest,
  signal?: AbortSignal,
): AsyncGenerator<TailEvent> {
  const { run, folder, manifest } = findRun(ports, request.run);
  const log = runPaths.log(folder);
  const isAsked = (name: string): boolean => request.names?.includes(name) ?? true;
  const end = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  for (const value of lastValues(log, end, request.count, isAsked)) {
    yield { kind: "value", run, value };
  }
  let { status } = manifest;
  if (request.follow) {
    const follower = new LogFollower(log, lineEndBefore(log, end));
    while (true) {
      // In this order: what is written before the end is read after it.
      ({ status } = readManifest(folder));
      for (const record of statSync(log, { throwIfNoEntry: false }) ? follower.read() : []) {
        if (record.k === "rewind") yield { kind: "resumed", run };
        if (record.k === "log" && isAsked(record.name)) {
          yield { kind: "value", run, value: tailed(record) };
        }
      }
      if (status !== "recording" || signal?.aborted === true) break;
      await sleep(POLL_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
    }
  }
  yield { kind: "end", run, status };
}

function lastValues(
  log: string,
  end: number,
  count: number,
  isAsked: (name: string) => boolean,
): TailedValue[] {
  const found: TailedValue[] = [];
  if (end === 0 || count === 0) return found;
  // What was logged before a run was resumed further back is superseded.
  let last = Infinity;
  for (const record of recordsBackwards(log, end)) {
    if (record.k === "rewind") last = Math.min(last, record.seq);
    if (record.k !== "log" || record.seq > last || !isAsked(record.name)) continue;
    found.push(tailed(record));
    if (found.length >= count) break;
  }
  return found.toReversed();
}

function tailed({ path, name, value }: LogRecord): TailedValue {
  return { path, name, value: valueFromJson(value) };
}
