/** @file A point of a run that has a checkpoint: `RUN`, `RUN@end`, `RUN@epoch=3,step=17`, or a row of a frame. */
import { pathByIndex, readLoopsByValue } from "../catalog/index.ts";
import type { CheckpointRecord } from "../format/index.ts";
import { AfterlogError, formatPath, nearestName, parsePath, shownPath } from "../format/index.ts";
import type { RunFacts } from "../planner/index.ts";
import { readRunFacts } from "../replayer/index.ts";
import type { CheckpointsElsewhere } from "../store/index.ts";
import { checkpointsElsewhere, storePaths } from "../store/index.ts";
import type { Ports } from "./ports.ts";
import { withCatalog } from "./lend-catalog.ts";
import { requireProject } from "./required-project.ts";
import { isRow, pointOfRow } from "./row-point.ts";
import { resolveRun, splitReference } from "./run-reference.ts";

export interface RunPoint {
  readonly run: string;
  readonly folder: string;
  readonly facts: RunFacts;
  readonly record: CheckpointRecord;
  /** Loops whose names mean their own values, which are not the indices. */
  readonly byValue: ReadonlySet<string>;
  /** False: none was taken where a row is about, and this is the newest before it. */
  readonly exact: boolean;
}

const SHOWN = 6;

/** The checkpoint that a reference names; without a path the last one. Throws AL001, AL004, AL035. */
export async function findPoint(ports: Ports, reference: string): Promise<RunPoint> {
  const { run, path, byValue, exact } = await withCatalog(ports, async ({ connection }) => {
    const row = isRow(reference) ? await pointOfRow(connection, reference) : undefined;
    const { run: word, path: asked } = splitReference(row?.reference ?? reference);
    const found = await resolveRun(connection, word);
    return {
      run: found,
      exact: row?.exact ?? true,
      path: asked === undefined ? undefined : await pathByIndex(connection, found, asked),
      byValue: (await readLoopsByValue(connection, found)).get(found) ?? new Set<string>(),
    };
  });
  const folder = storePaths.run(requireProject(ports).store, run);
  const facts = readRunFacts(folder);
  const record = checkpointAt(facts, path);
  if (record) return { run, folder, facts, record, byValue, exact };
  const show = (text: string): string => shownPath(text, byValue);
  throw noCheckpoint(facts, checkpointsElsewhere(folder), path, show);
}

function checkpointAt({ checkpoints, entries }: RunFacts, path: string | undefined) {
  const inOrder = [...checkpoints.values()].sort((a, b) => a.seq - b.seq);
  if (path === undefined || path === "") return inOrder.at(-1);
  if (path === "end") {
    // The end of training: that of the last outermost loop.
    const ends = entries.map(({ key }) => checkpoints.get(key));
    return ends.findLast((record) => record !== undefined);
  }
  const wanted = parsePath(path);
  return wanted && checkpoints.get(formatPath(wanted));
}

function noCheckpoint(
  { run, checkpoints, lost }: RunFacts,
  elsewhere: CheckpointsElsewhere | undefined,
  path: string | undefined,
  show: (path: string) => string,
) {
  const known = [...checkpoints.keys()].map(show);
  const where = path === undefined ? "" : ` at ${show(path)}`;
  const close = path === undefined ? undefined : nearestName(show(path), known);
  const list =
    known.length > SHOWN ? [...known.slice(-SHOWN).toReversed(), "…"] : known.toReversed();
  return new AfterlogError("AL035", `${run} has no checkpoint${where}`, {
    notes: [
      ...(path !== undefined && path !== "end" && !parsePath(path)
        ? [`${JSON.stringify(path)} is not a path such as epoch=3 or epoch=3,step=17`]
        : []),
      known.length === 0
        ? (elsewhere?.note ?? "none was taken")
        : `it has (newest first): ${list.join("  ")}`,
      ...(lost.length === 0 ? [] : [`files are missing of: ${lost.slice(0, SHOWN).join("  ")}`]),
    ],
    help: [
      close === undefined
        ? `see all of them:  afterlog show ${run}`
        : `did you mean ${run}@${close}?`,
      elsewhere?.help ?? "keep more of them next time:  afterlog run --overhead 10% …",
    ],
    data: { run, path: path ?? null },
  });
}
