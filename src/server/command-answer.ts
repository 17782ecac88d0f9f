/**
 * @file What a command prints as JSON, from a process of its own: what takes the processor for long would keep
 * everybody else waiting here. It ends with whoever asked.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Starter } from "./start-replay.ts";
import { errorOf } from "./start-replay.ts";

/** Throws what the command says. */
export async function commandAnswer(
  { ports, command: [program = "", ...before] }: Pick<Starter, "ports" | "command">,
  words: readonly string[],
  signal: AbortSignal,
): Promise<object> {
  const child = spawn(program, [...before, ...words, "--json"], {
    cwd: ports.cwd,
    env: ports.env,
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  const [out, errors] = [child.stdout, child.stderr].map((stream: Readable) => text(stream));
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return JSON.parse((await out) ?? "") as object;
  throw errorOf((await errors) ?? "");
}
