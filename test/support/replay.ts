/** Starts a process with orders of its own making, without planner and trees. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Course, Orders, Record, ReplayOutcome } from "../../src/format/index.ts";
import { DIRECTIVE_VARIABLE, formatPath } from "../../src/format/index.ts";
import type { TestProject } from "./project.ts";
import { ROOT } from "./project.ts";

export interface Replayed {
  readonly code: number | null;
  readonly outcome: ReplayOutcome;
  readonly values: { path: string; name: string; value: unknown }[];
  readonly iterations: number;
  readonly stderr: string;
  /** How the state compared with the checkpoints on the way. */
  readonly states: boolean[];
}

export async function replay(
  project: TestProject,
  file: string,
  courses: Course[],
  root: string = project.folder,
): Promise<Replayed> {
  const parent = project.run;
  const unit = join(project.folder, ".afterlog/replays/r1");
  const out = join(unit, "out");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const orders: Orders = { v: 1, parent, out, names: [], probes: [], courses, args: {} };
  writeFileSync(join(unit, "orders.json"), JSON.stringify(orders));
  const program = join(root, file);
  const directive = {
    v: 1,
    mode: "replay",
    root,
    store: join(project.folder, ".afterlog"),
    program,
    name: null,
    seed: project.manifest.seed,
    overhead: null,
    persist: null,
    live: false,
    handsFree: project.manifest.handsFree ?? false,
    terminal: { stdout: null, stderr: null },
    orders: join(unit, "orders.json"),
  };
  const preload = pathToFileURL(join(ROOT, "dist/sdk/preload.js"));
  for (const kind of ["hooks", "require"]) {
    const url = pathToFileURL(join(ROOT, `dist/languages/typescript/${kind}.js`)).href;
    preload.searchParams.set(kind, url);
  }
  const temporary = join(unit, "tmp");
  mkdirSync(temporary, { recursive: true });
  const env = { [DIRECTIVE_VARIABLE]: JSON.stringify(directive), TMPDIR: temporary };
  const { finished } = project.start(["--import", preload.href, program], env, { cwd: root });
  const { code, stderr } = await finished;
  const lines = readFileSync(join(out, "log.jsonl"), "utf8").trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record);
  return {
    code,
    stderr,
    states: records.flatMap((record) => (record.k === "state" ? [record.equal] : [])),
    outcome: JSON.parse(readFileSync(join(out, "outcome.json"), "utf8")) as ReplayOutcome,
    values: logged(records),
    iterations: records.filter((record) => record.k === "log" && record.name === "loss").length,
  };
}

export function logged(records: readonly Record[]): Replayed["values"] {
  return records.flatMap((record) =>
    record.k === "log"
      ? [{ path: formatPath(record.path), name: record.name, value: record.value }]
      : [],
  );
}
