/**
 * @file How long restoring takes beside materializing (Flor §3.2.2: R = c·M), as it was measured, for each program on
 * each host: `rates/`. Replays, resumed runs and the ends of runs append to it, the next recording reads c. It is a
 * hint and no record: what cannot be read or written is not there.
 */
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "./durable.ts";
import { storePaths } from "./store-paths.ts";

export interface RateKey {
  /** From the project's root. */
  readonly program: string;
  readonly host: string;
}

/** Checkpoints that were restored, and what taking them had cost the training. */
export interface RestoreRate {
  /** `end`: a sample at the end of a run, which reads and does not put back. */
  readonly from: "replay" | "resume" | "end";
  readonly restoreMs: number;
  readonly materializeMs: number;
}

/** By so many of the newest c is judged. */
const RECENT = 16;
/** A file that is longer loses what is older. */
const LINES_MAX = 256;
/** What is below the resolution of clocks cannot be divided by. */
const MATERIALIZE_MS_MIN = 0.01;

function ratesFile(store: string, { program, host }: RateKey): string {
  const digest = createHash("sha256").update(`${host}\n${program}`).digest("hex");
  return join(storePaths.rates(store), `${digest.slice(0, 16)}.jsonl`);
}

export function noteRestore(store: string, key: RateKey, rate: RestoreRate): void {
  if (!(rate.materializeMs >= MATERIALIZE_MS_MIN) || !(rate.restoreMs > 0)) return;
  const file = ratesFile(store, key);
  const line = `${JSON.stringify({ v: 1, ...key, ...rate })}\n`;
  try {
    mkdirSync(storePaths.rates(store), { recursive: true });
    const before = readLines(file);
    if (before.length < LINES_MAX) appendFileSync(file, line);
    else replaceFile(file, `${before.slice(-RECENT).join("\n")}\n${line}`);
  } catch {
    // The next recording supposes what this one did.
  }
}

/**
 * c of a program on a host; undefined while nothing was measured. What was really put back counts before samples,
 * which do without the objects and the device.
 */
export function restoreFactor(store: string, key: RateKey): number | undefined {
  const all = readLines(ratesFile(store, key)).flatMap((line) => parseRate(line) ?? []);
  const restored = all.filter(({ from }) => from !== "end");
  const recent = (restored.length > 0 ? restored : all).slice(-RECENT);
  const sum = (value: (rate: RestoreRate) => number): number =>
    recent.reduce((total, rate) => total + value(rate), 0);
  if (recent.length === 0) return undefined;
  return sum((rate) => rate.restoreMs) / sum((rate) => rate.materializeMs);
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
}

function parseRate(line: string): RestoreRate | undefined {
  try {
    const { from, restoreMs, materializeMs } = JSON.parse(line) as RestoreRate;
    const isRate = restoreMs > 0 && materializeMs >= MATERIALIZE_MS_MIN && typeof from === "string";
    return isRate ? { from, restoreMs, materializeMs } : undefined;
  } catch {
    return undefined;
  }
}
