/**
 * @file Asks a recorded program for what it did not log, as a user would, and compares with the
 * truth: the same program, with the statement in it, run from scratch under the same seed.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { useCatalog } from "../../src/catalog/index.ts";
import type { Plan } from "../../src/format/index.ts";
import type { ReplayEvent } from "../../src/replayer/index.ts";
import type { Finished } from "./process.ts";
import { TestProject } from "./project.ts";
import type { Cell } from "../truth/reference-sdk.ts";

export const SEED = "42";

/** How a program is recorded: all checkpoints, those of the usual budget, or not rewritten. */
export type Recording = "all" | "budget" | "plain";

type Files = { readonly [name: string]: string };

export async function record(
  files: Files,
  entry: string,
  how: Recording,
  env: NodeJS.ProcessEnv = {},
): Promise<TestProject> {
  const project = new TestProject(files);
  const budget = how === "all" ? ["--overhead", "inf"] : [];
  const argv = ["run", "--seed", SEED, ...budget, entry];
  const plain = { AFTERLOG_SEED: SEED, AFTERLOG_OVERHEAD: "inf" };
  const { code, stderr } =
    how === "plain"
      ? await project.start([entry], plain).finished
      : await project.afterlogWith(env, ...argv);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

/** Puts other texts in the working tree. */
export function edit(project: TestProject, files: Files): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project.folder, name), text);
}

/** A value that a replay has found. */
export interface Found extends Cell {
  readonly check: string | null;
}

export interface Answer extends Finished {
  readonly plan: Omit<Plan, "overlays"> | undefined;
  readonly events: readonly ReplayEvent[];
  readonly cells: readonly Found[];
}

interface AskOptions {
  readonly where?: string | undefined;
  readonly workers?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** What the command is told; the names if it is not given. */
  readonly words?: readonly string[];
}

/** `afterlog replay NAME… --yes --json`, and what the catalog has of these names then. */
export async function ask(
  project: TestProject,
  names: readonly string[],
  { where, workers = 1, env = {}, words = names }: AskOptions = {},
): Promise<Answer> {
  const condition = where === undefined ? [] : ["--where", where];
  const argv = ["replay", ...words, ...condition, "--yes", "--json", "-j", String(workers)];
  const finished = await project.afterlogWith(env, ...argv);
  const events = finished.stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as ReplayEvent);
  const plan = events.find((event) => event.kind === "plan")?.plan;
  return { ...finished, events, plan, cells: await hindsight(project, names) };
}

/** What replays have found of names, in the order of their work; of one run alone if it is named. */
export async function hindsight(
  project: TestProject,
  names: readonly string[],
  run?: string,
): Promise<Found[]> {
  const ofRun = run === undefined ? "" : ` AND run = '${run}'`;
  const list = names.map((name) => `'${name}'`).join(", ");
  const sql = `SELECT path, name, coalesce(to_json(text), to_json(number), value)::VARCHAR AS value, "check" FROM logs
    WHERE origin = 'hindsight' AND name IN (${list === "" ? "NULL" : list})${ofRun}
    ORDER BY min(list_zip(entries, indices)) OVER (PARTITION BY source), source, seq`;
  const rows = await useCatalog(join(project.folder, ".afterlog"), {}, ({ connection }) =>
    connection.rows(sql),
  );
  return rows.map((row) => row as unknown as Found);
}

/** All values of a name at a path, in order: `name @ path` to them. */
export function byPlace(cells: readonly Cell[]): { [place: string]: string[] } {
  const places = new Map<string, string[]>();
  for (const { name, path, value } of cells) {
    const place = `${name} @ ${path}`;
    places.set(place, [...(places.get(place) ?? []), value]);
  }
  return Object.fromEntries([...places].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * What was executed again: the iterations of innermost loops, and their share of the recorded time, which
 * is another one in every recording; the scan, and why it is costlier than asked.
 */
export function costOf({ plan }: Answer): {
  readonly scan: string;
  readonly share: number;
  readonly iterations: number;
  readonly notes: readonly string[];
} {
  const [run] = plan?.runs ?? [];
  if (!run) return { scan: "none", share: Number.NaN, iterations: Number.NaN, notes: [] };
  return { ...run, iterations: run.units.reduce((sum, unit) => sum + unit.iterations, 0) };
}
