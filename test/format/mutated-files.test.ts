/**
 * Files of a kept project, changed at random: what reads them says so by an error with a code, or leaves
 * them out; and what the validator lets through, the index and every command can read.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Manifest } from "../../src/format/index.ts";
import {
  foldAlerts,
  isAfterlogError,
  manifestFromJson,
  manifestToJson,
  planFromJson,
  valueFromJson,
} from "../../src/format/index.ts";
import { readRunFacts } from "../../src/replayer/index.ts";
import {
  CheckpointReader,
  listCheckpoints,
  readReceived,
  readRunAnnotations,
} from "../../src/store/index.ts";
import { validateRun } from "../../src/store/exchange/validate-run.ts";
import { sealed } from "../git/hostile-remote.ts";
import { inKeptProcess } from "../support/command-line.ts";
import { count, DRAW_SEED, IS_LONG, seededRandom } from "../support/draws.ts";

const HISTORY = join(import.meta.dirname, "../fixtures/histories/0.1.0/project.tar.gz");
const top = mkdtempSync(join(tmpdir(), "afterlog-mutated-"));
execFileSync("tar", ["-xzf", HISTORY, "-C", top]);
afterAll(() => rmSync(top, { recursive: true, force: true }));
const runs = join(top, ".afterlog/runs");
const FILES = ["run.json", "log.jsonl", "profile.jsonl"] as const;
const SEALED = readdirSync(runs).filter((run) => {
  return validateRun(run, filesOf(run)).kind === "sound";
});

let random = seededRandom(DRAW_SEED);
// What one test draws does not hang on whether another one was executed.
beforeEach(() => {
  random = seededRandom(DRAW_SEED);
});
const below = (limit: number): number => Math.floor(random() * limit);
function pick<T>(items: readonly T[]): T {
  const [item] = items.slice(below(items.length));
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}

function filesOf(run: string, folder: string = runs): Map<string, Buffer> {
  const there = FILES.filter((file) => existsSync(join(folder, run, file)));
  return new Map(there.map((file) => [file, readFileSync(join(folder, run, file))]));
}

/** What parsers stumble over. */
const TOKENS = [
  "1e999",
  "-1",
  "null",
  '"\\ud800"',
  "[[[[",
  "{}",
  '"__proto__":1,',
  "\n",
  "\0",
  "{",
];
const VALUES: readonly unknown[] = [
  null,
  -1,
  0.5,
  2 ** 31,
  1e300,
  "",
  "../..",
  "\u001b[31m",
  "x".repeat(20_000),
  true,
  [],
  {},
  [[["epoch", 1]]],
  { $: "bigint", v: "x" },
  { $: "tensor", bytes: 1e15 },
  { $: "map", v: 1 },
];

/** Bytes anywhere: turned, left out, doubled, or something put in between. */
function mutatedBytes(bytes: Buffer): Buffer {
  const at = below(bytes.length);
  const end = Math.min(bytes.length, at + below(64));
  switch (below(4)) {
    case 0: {
      const turned = Buffer.from(bytes);
      turned[at] = below(256);
      return turned;
    }
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    default:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(pick(TOKENS)), bytes.subarray(at)]);
  }
}

/** A field anywhere gets another value, is gone, or another one comes along. */
function mutateField(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const keys = Object.keys(value);
  const key = keys.length > 0 && below(10) > 0 ? pick(keys) : "added";
  const fields = value as { [key: string]: unknown };
  const inner = fields[key];
  if (typeof inner === "object" && inner !== null && below(3) > 0) mutateField(inner);
  else if (below(5) === 0) delete fields[key];
  // A copy: what is put in may be changed as well.
  else fields[key] = structuredClone(pick(VALUES));
}

/** A run with a few changes, whose seal and checksum fit again. */
function mutatedRun(run: string): Map<string, Buffer> {
  const files = filesOf(run);
  const file = pick([...files.keys()]);
  const bytes = files.get(file) ?? Buffer.alloc(0);
  if (file === "run.json") {
    const { sha256: _, ...manifest } = JSON.parse(bytes.toString()) as { [key: string]: unknown };
    for (let times = below(3); times >= 0; times--) mutateField(manifest);
    files.set(file, Buffer.from(manifestToJson(manifest as unknown as Manifest)));
    return files;
  }
  const lines = bytes.toString().trimEnd().split("\n");
  if (file === "log.jsonl") lines.pop();
  for (let times = below(3); times >= 0; times--) {
    const at = below(lines.length);
    if (below(4) === 0) lines[at] = mutatedBytes(Buffer.from(lines[at] ?? " ")).toString();
    else {
      const line = parsed(lines[at] ?? "");
      mutateField(line);
      lines[at] = JSON.stringify(line);
    }
  }
  const text = `${lines.join("\n")}\n`;
  files.set(file, file === "log.jsonl" ? sealed(text) : Buffer.from(text));
  return files;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

const ALERTS = Buffer.from(
  '{"v":1,"at":1,"alert":"low","condition":"f1 < 0.4","armed":true}\n'.repeat(3),
);
const SAID = Buffer.from(
  `${[
    '{"v":1,"run":"r","at":1,"k":"alert","alert":"low","condition":"f1 < 1","path":"epoch=1","values":{"f1":0.5}}',
    '{"v":1,"run":"r","at":2,"k":"tag","tag":"good","on":true}',
    '{"v":1,"run":"r","at":3,"k":"note","text":"a note"}',
  ].join("\n")}\n`,
);
const MARK = Buffer.from(
  '{"v":1,"remote":"origin","address":"a","received":"2026-11-20T00:00:00.000Z","order":1795130618136}\n',
);

/** Passes, or fails with a code. */
function survives(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!isAfterlogError(error)) throw error;
  }
}

test("every run that an earlier version kept is sound, if its log has an end", () => {
  const fixtures = join(import.meta.dirname, "../fixtures");
  const kept = [runs, join(fixtures, "histories/0.1.0/runs"), join(fixtures, "python/0.1.0/runs")];
  const found = kept.flatMap((folder) =>
    readdirSync(folder).map((run) => [run, validateRun(run, filesOf(run, folder))] as const),
  );
  expect(found.length).toBeGreaterThan(15);
  expect(found.filter(([, { kind }]) => kind === "refused")).toEqual([]);
  expect(found.filter(([, { kind }]) => kind === "unsealed")).toHaveLength(2);
});

// Of many files on a machine that does other things as well, nobody knows how long it takes.
const LIMIT = IS_LONG ? { timeout: 3_600_000 } : {};

describe("files that are changed", LIMIT, () => {
  const times = count(100, { long: 20_000 });

  test("a manifest, a plan, an index of checkpoints and a checkpoint", () => {
    const plan = readFileSync(join(top, "momentum-plan.json"));
    const [run = ""] = SEALED.filter((one) => one.startsWith("model"));
    const folder = join(top, "changed");
    const checkpoints = join(folder, "checkpoints");
    mkdirSync(checkpoints, { recursive: true });
    const index = readFileSync(join(runs, run, "checkpoints/index.jsonl"));
    const [file = ""] = readdirSync(join(runs, run, "checkpoints")).filter((name) =>
      name.endsWith(".safetensors"),
    );
    const checkpoint = readFileSync(join(runs, run, "checkpoints", file));
    const header = checkpoint.subarray(0, 8 + Number(checkpoint.readBigUInt64LE(0)));
    for (let time = 0; time < times; time++) {
      const manifest = mutatedBytes(filesOf(run).get("run.json") ?? plan);
      survives(() => manifestFromJson(manifest.toString(), "run.json"));
      const changed = parsed(mutatedBytes(plan).toString());
      mutateField(changed);
      survives(() => planFromJson(changed));
      writeFileSync(join(checkpoints, "index.jsonl"), mutatedBytes(index));
      survives(() => listCheckpoints(folder));
      survives(() => foldAlerts(mutatedBytes(ALERTS).toString()));
      writeFileSync(join(folder, "annotations.jsonl"), mutatedBytes(SAID));
      survives(() => readRunAnnotations(folder));
      writeFileSync(join(folder, "received.json"), mutatedBytes(MARK));
      survives(() => readReceived(folder));
      const rest = checkpoint.subarray(header.length);
      writeFileSync(join(checkpoints, file), Buffer.concat([mutatedBytes(header), rest]));
      survives(() => {
        using reader = new CheckpointReader(join(checkpoints, file));
        reader.verify();
      });
    }
  });

  test("runs: refused by name, or sound for all that reads them", async () => {
    const project = join(top, "received");
    const store = join(project, ".afterlog/runs");
    mkdirSync(store, { recursive: true });
    let sound = 0;
    let refused = 0;
    for (let time = 0; time < times; time++) {
      const run = pick(SEALED);
      const files = mutatedRun(run);
      const validated = validateRun(run, files);
      if (validated.kind !== "sound") {
        refused++;
        expect(JSON.stringify(validated)).not.toMatch(/\\u001b|xxxxx/);
        continue;
      }
      const id = run.replace(/....$/, (sound++ % 36 ** 4).toString(36).padStart(4, "0"));
      const folder = join(store, id);
      mkdirSync(folder, { recursive: true });
      for (const [file, bytes] of files) {
        const text = bytes.toString().replaceAll(run, id);
        const isLog = file === "log.jsonl";
        const again = isLog ? sealed(text.slice(0, text.trimEnd().lastIndexOf("\n") + 1)) : text;
        writeFileSync(join(folder, file), again);
      }
      const { sha256: _, ...manifest } = JSON.parse(
        readFileSync(join(folder, "run.json"), "utf8"),
      ) as { [key: string]: unknown };
      writeFileSync(join(folder, "run.json"), manifestToJson(manifest as unknown as Manifest));
      survives(() => readRunFacts(folder));
      for (const line of readFileSync(join(folder, "log.jsonl"), "utf8").trimEnd().split("\n")) {
        const { value } = JSON.parse(line) as { readonly value?: unknown };
        valueFromJson(value);
      }
    }
    expect({ sound, refused }).toEqual({ sound: expect.any(Number), refused: expect.any(Number) });
    expect(Math.min(sound, refused)).toBeGreaterThan(times / 20);
    const names = readdirSync(store);
    for (const argv of [
      ["ls", "--limit", "0", "--json"],
      ["frame", "loss", "--limit", "0", "--json"],
      ...names.slice(0, 3).map((run) => ["show", run, "--json"]),
    ]) {
      const env = { ...process.env, NO_COLOR: "1", HOME: top };
      const result = await inKeptProcess(argv, { cwd: project, env });
      const said = `${argv.join(" ")}: exit code ${result?.code}\n${result?.stderr}`;
      expect(said).toBe(`${argv.join(" ")}: exit code 0\n`);
    }
  });
});
