/** @file Two runs and more side by side: what `diffRuns` tells of the first and each of the others, as one table. */
import type { Cell } from "../../catalog/index.ts";
import { cellToJson } from "../../catalog/index.ts";
import type { VersionDiff } from "../../store/index.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import { matchRun, readRunNames } from "../run-reference.ts";
import type { RunDiff } from "./diff.ts";
import { diffPair } from "./diff.ts";
import type { SharedFact } from "./differences.ts";

/** What each run has of a thing, in the order of the runs. */
export type ComparedFacts = Readonly<{ [name: string]: readonly unknown[] }>;

export interface CompareReport {
  /** By their ids. */
  readonly runs: readonly string[];
  readonly args: ComparedFacts;
  readonly values: ComparedFacts;
  /** Files that were read with other content than by the first run, or not at all. */
  readonly data: ComparedFacts;
  readonly environment: ComparedFacts;
  /** Of each run but the first: how its source differs from that of the first. */
  readonly sources: readonly (VersionDiff | { readonly problem: string })[];
}

/** Throws AL004. */
export function compareRuns(ports: Ports, references: readonly string[]): Promise<CompareReport> {
  const project = requireProject(ports);
  return withCatalog(ports, async ({ connection }) => {
    const all = await readRunNames(connection);
    const runs = references.map((reference) => matchRun(all, reference));
    const [first = "", ...others] = runs;
    const diffs: RunDiff[] = [];
    for (const other of others) diffs.push(await diffPair(connection, project, [first, other]));
    const facts = (of: (diff: RunDiff) => readonly SharedFact[]): ComparedFacts =>
      merged(diffs.map(of));
    return {
      runs,
      args: facts(({ args }) => args),
      values: facts(({ values }) => values),
      data: facts(({ data }) => data),
      environment: facts(({ environment }) => environment),
      sources: diffs.map(({ source }) =>
        typeof source === "string" ? { problem: source } : source,
      ),
    };
  });
}

/** A pair that does not tell of a thing has the same of it. */
function merged(pairs: readonly (readonly SharedFact[])[]): ComparedFacts {
  const byName = pairs.map((facts) => new Map(facts.map((fact) => [fact.name, fact])));
  const names = new Set(pairs.flatMap((facts) => facts.map(({ name }) => name)));
  return Object.fromEntries(
    [...names].map((name) => {
      const first: Cell = byName.find((facts) => facts.has(name))?.get(name)?.from ?? null;
      const others = byName.map((facts) => {
        const fact = facts.get(name);
        return fact ? fact.to : first;
      });
      return [name, [first, ...others].map(cellToJson)];
    }),
  );
}
