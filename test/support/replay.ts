/** @file Starts a program with orders of its own making, without planner and trees. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Course, Manifest, Orders, Record, ReplayOutcome } from "../../src/format/index.ts";
import { DIRECTIVE_VARIABLE, formatPath, modeOf } from "../../src/format/index.ts";
import type { Finished } from "./process.ts";
import type { TestProject } from "./project.ts";
import { ROOT } from "./project.ts";

export interface LoggedValue {
  readonly path: string;
  readonly name: string;
  readonly value: unknown;
}

export interface Replayed {
  readonly code: number | null;
  readonly outcome: ReplayOutcome;
  readonly values: readonly LoggedValue[];
  readonly iterations: number;
  readonly stderr: string;
  /** How the state compared with the checkpoints on the way. */
  readonly states: readonly { path: string; equal: boolean; differs: readonly string[] }[];
}

export interface ReplayOptions {
  /** Another folder that has the program. */
  readonly root?: string;
  /** Of a Python program. */
  readonly interpreter?: string;
}

export async function replay(
  project: TestProject,
  file: string,
  courses: readonly Course[],
  { root = project.folder, interpreter }: ReplayOptions = {},
): Promise<Replayed> {
  const unit = join(project.folder, ".afterlog/replays/r1");
  const out = join(unit, "out");
  rmSync(unit, { recursive: true, force: true });
  for (const folder of [out, join(unit, "tmp")]) mkdirSync(folder, { recursive: true });
  const parent = project.run;
  const orders: Orders = { v: 1, parent, out, names: [], probes: [], courses, args: {} };
  writeFileSync(join(unit, "orders.json"), JSON.stringify(orders));
  const program = join(root, file);
  const { manifest } = project;
  const directive = {
    v: 1,
    mode: "replay",
    root,
    store: join(project.folder, ".afterlog"),
    program,
    name: null,
    seed: manifest.seed,
    overhead: null,
    persist: null,
    live: false,
    ...modeOf(manifest),
    terminal: { stdout: null, stderr: null },
    orders: join(unit, "orders.json"),
  };
  const env = { [DIRECTIVE_VARIABLE]: JSON.stringify(directive), TMPDIR: join(unit, "tmp") };
  const { code, stderr } = await (interpreter === undefined
    ? project.start(["--import", preload(), program], env, { cwd: root }).finished
    : launch(project, interpreter, { program, manifest, env }));
  const lines = readFileSync(join(out, "log.jsonl"), "utf8").trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record);
  const values = logged(records);
  return {
    code,
    stderr,
    outcome: JSON.parse(readFileSync(join(out, "outcome.json"), "utf8")) as ReplayOutcome,
    values,
    iterations: values.filter(({ name }) => name === "loss").length,
    states: records.flatMap((record) => (record.k === "state" ? [compared(record)] : [])),
  };
}

/** The URL of what the replayer has Node load before a program. */
export function preload(): string {
  const url = pathToFileURL(join(ROOT, "dist/sdk/preload.js"));
  for (const [kind, file] of [
    ["hooks", "import-hooks"],
    ["require", "require-hook"],
  ] as const) {
    const hook = join(ROOT, `dist/languages/typescript/starting/${file}.js`);
    url.searchParams.set(kind, pathToFileURL(hook).href);
  }
  return url.href;
}

function launch(
  project: TestProject,
  interpreter: string,
  how: { readonly program: string; readonly manifest: Manifest; readonly env: NodeJS.ProcessEnv },
): Promise<Finished> {
  const { program, manifest, env } = how;
  const argv = ["-m", "afterlog.launch", program, ...manifest.argv];
  const hashSeed = manifest.hashSeed ?? "random";
  const variables = { ...env, PYTHONPATH: join(ROOT, "python"), PYTHONHASHSEED: hashSeed };
  return project.start(argv, variables, { command: interpreter }).finished;
}

function compared({
  path,
  equal,
  differs,
}: Extract<Record, { k: "state" }>): Replayed["states"][number] {
  return { path: formatPath(path), equal, differs };
}

/** What was logged, and where. */
export function logged(records: readonly Record[]): LoggedValue[] {
  return records.flatMap((record) =>
    record.k === "log"
      ? [{ path: formatPath(record.path), name: record.name, value: record.value }]
      : [],
  );
}
