/** Python as users have it: the interpreters of this machine, and runs recorded with them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Course, Orders, Record, ReplayOutcome } from "../../src/format/index.ts";
import { DIRECTIVE_VARIABLE, formatPath } from "../../src/format/index.ts";
import type { Finished, TestProject } from "./project.ts";
import { ROOT } from "./project.ts";
import { interpreters, torchInterpreter } from "../support/interpreters.ts";

export const PACKAGES: string = join(ROOT, "python");

/** One of each version that a user would find on the PATH. */
export const INTERPRETERS: readonly string[] = interpreters();

/** The interpreter that has torch; undefined if none does. */
export const TORCH: string | undefined = torchInterpreter();

/** Runs a file with an interpreter, in the project, with the package on the path. */
export function python(
  project: TestProject,
  command: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Finished> {
  return project.start(argv, { PYTHONPATH: PACKAGES, ...env }, { command }).finished;
}

/** What a module of the package answers, as JSON. */
export function ask(command: string, code: string, ...argv: string[]): unknown {
  const env = { ...process.env, PYTHONPATH: PACKAGES, AFTERLOG_MODE: "off" };
  const out = execFileSync(command, ["-c", code, ...argv], { encoding: "utf8", env });
  return JSON.parse(out);
}

/** The same, of a module that reads JSON from its standard input. */
export function askWith(command: string, code: string, input: unknown): unknown {
  const env = { ...process.env, PYTHONPATH: PACKAGES, AFTERLOG_MODE: "off" };
  const options = { encoding: "utf8", env, input: JSON.stringify(input) } as const;
  return JSON.parse(execFileSync(command, ["-c", code], options));
}

export interface Replayed {
  readonly code: number | null;
  readonly outcome: ReplayOutcome | undefined;
  readonly values: { path: string; name: string; value: unknown }[];
  readonly stderr: string;
  readonly states: { path: string; differs: readonly string[] }[];
}

/** Starts a program of the project with orders of its own making, without planner and trees. */
export async function replay(
  project: TestProject,
  command: string,
  file: string,
  courses: readonly Course[],
): Promise<Replayed> {
  const parent = project.run;
  const unit = join(project.folder, ".afterlog/replays/r1");
  const out = join(unit, "out");
  rmSync(unit, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const orders: Orders = { v: 1, parent, out, names: [], probes: [], courses, args: {} };
  writeFileSync(join(unit, "orders.json"), JSON.stringify(orders));
  const program = join(project.folder, file);
  const { manifest } = project;
  const directive = {
    v: 1,
    mode: "replay",
    root: project.folder,
    store: join(project.folder, ".afterlog"),
    program,
    name: null,
    seed: manifest.seed,
    overhead: null,
    persist: null,
    live: false,
    terminal: { stdout: null, stderr: null },
    orders: join(unit, "orders.json"),
  };
  const env = {
    [DIRECTIVE_VARIABLE]: JSON.stringify(directive),
    PYTHONHASHSEED: manifest.hashSeed ?? "random",
  };
  const argv = ["-m", "afterlog.launch", program, ...manifest.argv];
  const { code, stderr } = await python(project, command, argv, env);
  const lines = readFileSync(join(out, "log.jsonl"), "utf8").trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record);
  const outcome = join(out, "outcome.json");
  return {
    code,
    stderr,
    outcome: existsSync(outcome)
      ? (JSON.parse(readFileSync(outcome, "utf8")) as ReplayOutcome)
      : undefined,
    values: logged(records),
    states: records.flatMap((record) =>
      record.k === "state" ? [{ path: formatPath(record.path), differs: record.differs }] : [],
    ),
  };
}

export function logged(records: readonly Record[]): Replayed["values"] {
  return records.flatMap((record) =>
    record.k === "log"
      ? [{ path: formatPath(record.path), name: record.name, value: record.value }]
      : [],
  );
}
