/**
 * @file The truth: an SDK that does nothing but run the program, and write down what it logs.
 * It shares only the random generator with the real one: no rewriting, no checkpoints, no orders.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../support/project.ts";

/** A logged value, as the JSON text of it. */
export interface Cell {
  readonly path: string;
  readonly name: string;
  readonly value: string;
}

const RANDOM = pathToFileURL(join(ROOT, "build/sdk/random.js")).href;

const SDK = `
import { writeFileSync } from "node:fs";
import { SeededRandom } from ${JSON.stringify(RANDOM)};
const cells = [];
Math.random = new SeededRandom(process.env.TRUTH_SEED).random;
process.on("exit", () => writeFileSync("cells.json", JSON.stringify(cells)));
let top = { path: [], entries: new Map() };
function enter(name) {
  const entry = top.entries.get(name) ?? 0;
  top.entries.set(name, entry + 1);
  return { parent: top, index: -1, element: entry === 0 ? name : name + "#" + entry };
}
function begin(loop) {
  loop.index++;
  top = { path: [...loop.parent.path, loop.element + "=" + loop.index], entries: new Map() };
}
export function loop(name, iterable) {
  const pass = (source) => ({ loop: enter(name), source });
  return {
    [Symbol.iterator]() {
      const { loop: own, source } = pass(iterable[Symbol.iterator]());
      return {
        next() {
          top = own.parent;
          const result = source.next();
          if (!result.done) begin(own);
          return result;
        },
        return() {
          top = own.parent;
          source.return?.();
          return { done: true };
        },
      };
    },
    [Symbol.asyncIterator]() {
      const from = iterable[Symbol.asyncIterator] ?? iterable[Symbol.iterator];
      const { loop: own, source } = pass(from.call(iterable));
      return {
        async next() {
          top = own.parent;
          const { done, value } = await source.next();
          if (done) return { done, value };
          const item = await value;
          begin(own);
          return { done, value: item };
        },
        async return() {
          top = own.parent;
          await source.return?.();
          return { done: true };
        },
      };
    },
  };
}
export function log(name, value) {
  cells.push({ path: top.path.join(","), name, value: JSON.stringify(value) });
  return value;
}
export function range(first, stop, step = 1) {
  const [from, to] = stop === undefined ? [0, first] : [first, stop];
  return Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, i) => from + i * step);
}
export const arg = (name, value) => value;
export const checkpointing = (record) => record;
`;

/** What the program logs when it is run from scratch, in order. */
export async function runFromScratch(
  files: { readonly [name: string]: string },
  entry: string,
  seed: string,
): Promise<Cell[]> {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-truth-"));
  try {
    const sdk = join(folder, "node_modules/afterlog");
    mkdirSync(sdk, { recursive: true });
    writeFileSync(join(sdk, "package.json"), '{"type":"module","exports":"./index.js"}');
    writeFileSync(join(sdk, "index.js"), SDK);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, asModule(name)), text);
    }
    await runNode(folder, asModule(entry), seed);
    return JSON.parse(readFileSync(join(folder, "cells.json"), "utf8")) as Cell[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Generated programs have no types, so Node can run a `.ts` of theirs under another name. */
function asModule(name: string): string {
  return name.replace(/\.ts$/, ".mjs");
}

function runNode(cwd: string, entry: string, seed: string): Promise<void> {
  const env = { ...process.env, TRUTH_SEED: seed };
  const child = spawn(process.execPath, [entry], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => (code === 0 ? done() : failed(new Error(stderr))));
  });
}
