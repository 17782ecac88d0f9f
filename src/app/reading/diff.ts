/** @file What is different between two runs: arguments, last values, environment, and source. */
import type { Cell, Connection } from "../../catalog/index.ts";
import { cellToJson, nameOfColumn, readLastValues, readRunNumbers } from "../../catalog/index.ts";
import type { Manifest } from "../../format/index.ts";
import { AfterlogError, describeError } from "../../format/index.ts";
import type { Project, VersionDiff } from "../../store/index.ts";
import { diffVersions, readManifest, storePaths } from "../../store/index.ts";
import { plainText } from "./cells.ts";
import type { SharedFact } from "./differences.ts";
import { dataDifferences } from "./differences.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { requireProject } from "../required-project.ts";
import { readRunNames, resolveRun } from "../run-reference.ts";

/** The older run first. */
export interface RunDiff {
  readonly report: RunDiffReport;
  readonly from: Manifest;
  readonly to: Manifest;
  readonly args: readonly SharedFact[];
  readonly values: readonly SharedFact[];
  /** Files that they read, with other content or only one of them. */
  readonly data: readonly SharedFact[];
  readonly environment: readonly SharedFact[];
  /** A text says why there is no diff. */
  readonly source: VersionDiff | string;
}

/** What is different as JSON, with the whole source diff. */
export interface RunDiffReport {
  readonly from: string;
  readonly to: string;
  readonly args: Differences;
  readonly values: Differences;
  readonly data: Differences;
  readonly environment: Differences;
  readonly source: VersionDiff | { readonly problem: string };
}

export type Differences = Readonly<{ [name: string]: readonly [from: unknown, to: unknown] }>;

/** Compares a run with another, or with the one before it. Throws AL004. */
export async function diffRuns(
  ports: Ports,
  { run, other }: { readonly run: string; readonly other?: string | undefined },
): Promise<RunDiff> {
  const project = requireProject(ports);
  return withCatalog(ports, async ({ connection }) => {
    const named = await resolveRun(connection, run);
    const [first, second] =
      other === undefined
        ? [await runBefore(connection, named), named]
        : [named, await resolveRun(connection, other)];
    return diffPair(connection, project, [first, second]);
  });
}

/** What is different between two runs that are known by their ids. */
export async function diffPair(
  connection: Connection,
  project: Project,
  ids: readonly [first: string, second: string],
): Promise<RunDiff> {
  const [from, to] = ids.map((id) => readManifest(storePaths.run(project.store, id)));
  if (!from || !to) throw new Error("two runs were named");
  const runs = await readRunNumbers(connection, ids);
  const { args, metrics, columns } = await readLastValues(connection, { runs });
  const pairs = (names: readonly string[]): SharedFact[] =>
    names.map((name) => {
      const found = columns.get(name);
      const [from = null, to = null] = runs.map((no): Cell => {
        return found?.cells[found.runs.indexOf(no)] ?? null;
      });
      return { name: nameOfColumn(name), from, to };
    });
  const diff = {
    from,
    to,
    args: pairs(args),
    values: pairs(metrics),
    data: await dataDifferences(connection, [from, to]),
    environment: environmentOf(from, to),
    source: sourceOf(() => diffVersions(project, from, to)),
  };
  return { ...diff, report: reportOf(diff) };
}

async function runBefore(connection: Connection, run: string): Promise<string> {
  const runs = (await readRunNames(connection)).filter(({ kind }) => kind !== "replay");
  const before = runs[runs.findIndex((row) => row.run === run) + 1];
  if (before) return before.run;
  throw new AfterlogError("AL004", `there is no run before ${run}`, {
    help: ["name the run to compare it with:  afterlog diff RUN RUN"],
  });
}

function environmentOf(from: Manifest, to: Manifest): SharedFact[] {
  const facts = (manifest: Manifest): Map<string, string> =>
    new Map([
      ["program", manifest.program],
      ["argv", manifest.argv.join(" ")],
      ["seed", manifest.seed],
      ["host", manifest.host.name],
      ["status", manifest.status],
      ...Object.entries(manifest.versions),
    ]);
  const [older, newer] = [facts(from), facts(to)];
  return [...new Set([...older.keys(), ...newer.keys()])].map((name) => {
    return { name, from: older.get(name) ?? null, to: newer.get(name) ?? null };
  });
}

function sourceOf(read: () => VersionDiff): VersionDiff | string {
  try {
    return read();
  } catch (error) {
    return describeError(error);
  }
}

/** Whether the two are not the same. */
export function isDifferent({ from, to }: SharedFact): boolean {
  return plainText(from) !== plainText(to);
}

function reportOf(diff: Omit<RunDiff, "report">): RunDiffReport {
  const { from, to, args, values, data, environment, source } = diff;
  const different = (pairs: readonly SharedFact[]): Differences =>
    Object.fromEntries(
      pairs
        .filter(isDifferent)
        .map((pair) => [pair.name, [cellToJson(pair.from), cellToJson(pair.to)]]),
    );
  return {
    from: from.run,
    to: to.run,
    args: different(args),
    values: different(values),
    data: different(data),
    environment: different(environment),
    source: typeof source === "string" ? { problem: source } : source,
  };
}
