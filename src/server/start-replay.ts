/**
 * @file Replays are processes of their own, which outlive the page and its server: the command that a
 * person would type, detached. What they print goes to files; how far they are is read from the store.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ports } from "../app/index.ts";
import type { Plan } from "../format/index.ts";
import { AfterlogError, ERROR_CODES } from "../format/index.ts";

export interface Starter {
  readonly ports: Pick<Ports, "cwd" | "env">;
  /** The command line: the interpreter and its file. */
  readonly command: readonly string[];
  /** For plans and what is printed. */
  readonly folder: string;
}

export interface StartOptions {
  /** The newest run first; then it waits to be told to go on. */
  readonly canary: boolean;
  readonly jobs?: number | undefined;
  /** As `--max-time` takes it. */
  readonly maxTime?: string | undefined;
}

const LOOK_MS = 30;

/** Begins a replay; answers its id when it has one. Throws what the command says. */
export function startReplayProcess(
  starter: Starter,
  plan: Plan,
  { canary, jobs, maxTime }: StartOptions,
): Promise<string> {
  const file = join(starter.folder, `plan-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(plan));
  return begin(starter, [
    "replay",
    "--plan",
    file,
    "--yes",
    "--newest-first",
    ...(canary ? ["--await-go"] : []),
    ...(jobs === undefined ? [] : ["--jobs", String(jobs)]),
    ...(maxTime === undefined ? [] : ["--max-time", maxTime]),
  ]);
}

/** Continues a replay that was stopped. */
export function resumeReplayProcess(starter: Starter, id: string): Promise<string> {
  return begin(starter, ["resume", id]);
}

async function begin(
  { ports, command: [program = "", ...before], folder }: Starter,
  words: readonly string[],
): Promise<string> {
  const name = join(folder, `replay-${randomUUID()}`);
  const [out, errors] = [`${name}.out`, `${name}.err`];
  const files = [openSync(out, "w"), openSync(errors, "w")] as const;
  const child = spawn(program, [...before, ...words, "--json"], {
    cwd: ports.cwd,
    env: ports.env,
    detached: true,
    stdio: ["ignore", ...files],
  });
  for (const file of files) closeSync(file);
  child.unref();
  const ended = once(child, "exit").then(
    () => true,
    () => true,
  );
  for (;;) {
    const isOver = await Promise.race([ended, sleep(LOOK_MS, false)]);
    const replay = firstReplay(readFileSync(out, "utf8"));
    if (replay !== undefined) return replay;
    if (isOver) throw errorOf(readFileSync(errors, "utf8"));
  }
}

/** The first event names it. */
function firstReplay(text: string): string | undefined {
  const end = text.indexOf("\n");
  if (end < 0) return undefined;
  return (JSON.parse(text.slice(0, end)) as { readonly replay?: string }).replay;
}

/** What the command said, as it would have said it to a person. */
export function errorOf(text: string): Error {
  const line = text.split("\n").findLast((one) => one.startsWith('{"error":'));
  if (line === undefined) return new Error(text.trim() || "the replay ended before it began");
  const { error } = JSON.parse(line) as { readonly error: AfterlogError };
  const { code, message, notes, data, help } = error;
  if (!(code in ERROR_CODES)) return new Error(message);
  const [first = "see docs/errors.md", ...others] = help;
  return new AfterlogError(code, message, { notes, data, help: [first, ...others] });
}
