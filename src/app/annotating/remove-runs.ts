/**
 * @file Runs go to the trash, come back from it, or go for good. What others need stays: a run that is
 * recorded or replayed, and one from which a fork began.
 */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../../format/index.ts";
import { AfterlogError, describeError } from "../../format/index.ts";
import type { Project } from "../../store/index.ts";
import {
  listTrash,
  moveFromTrash,
  moveToTrash,
  readManifest,
  readRunAnnotations,
  removeFromTrash,
  removeVersion,
  storePaths,
} from "../../store/index.ts";
import { busyRuns } from "../storage/gc-run.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import type { RunName } from "../run-reference.ts";
import { matchRun } from "../run-reference.ts";
import type { RunChoice } from "./choose-runs.ts";
import { chooseRuns } from "./choose-runs.ts";

/** A run in the trash, or back from it. */
export interface TrashedRun {
  readonly run: string;
  /** Replays that went along with it. */
  readonly replays: readonly string[];
  readonly bytes: number;
}

/** What was done with runs, as JSON. */
export interface TrashReport {
  readonly schema: 1;
  readonly runs: readonly TrashedRun[];
}

interface Relation {
  readonly run: string;
  readonly kind: string;
  readonly parent: string | null;
}

/** Moves runs to the trash, all or none. Throws AL001, AL004, AL020, and AL037 if one is needed. */
export async function removeRuns(ports: Ports, choice: RunChoice): Promise<TrashReport> {
  const project = requireProject(ports);
  const { chosen, all } = await withCatalog(ports, async ({ connection }) => {
    const rows = await connection.rows("SELECT run, kind, parent FROM runs");
    const relations = rows.map(({ run, kind, parent }): Relation => {
      return {
        run: String(run),
        kind: String(kind),
        parent: typeof parent === "string" ? parent : null,
      };
    });
    return { chosen: await chooseRuns(connection, choice), all: relations };
  });
  const replaysOf = (run: string): string[] =>
    all.flatMap((one) => (one.kind === "replay" && one.parent === run ? one.run : []));
  // A replay that is named besides its run goes along with it.
  const runs = chosen.filter((run) => !chosen.some((other) => replaysOf(other).includes(run)));
  refuseNeeded(project, runs, { all, replaysOf });
  return {
    schema: 1,
    runs: runs.map((run) => {
      const replays = replaysOf(run);
      moveToTrash(project.store, run, replays);
      return trashedRun(project, run, [run, ...replays]);
    }),
  };
}

function refuseNeeded(
  project: Project,
  runs: readonly string[],
  {
    all,
    replaysOf,
  }: { readonly all: readonly Relation[]; readonly replaysOf: (run: string) => readonly string[] },
): void {
  const busy = busyRuns(project);
  const reasons = runs.flatMap((run) => {
    const used = [run, ...replaysOf(run)].flatMap((one) => busy.get(one) ?? []);
    const forks = all
      .filter((one) => one.kind === "fork" && one.parent === run && !runs.includes(one.run))
      .map((one) => one.run);
    const needed =
      forks.length === 0
        ? []
        : [
            `it has ${forks.length === 1 ? "a fork" : "forks"}: ${forks.slice(0, 4).join(", ")}${forks.length > 4 ? ", …" : ""}`,
          ];
    return [...used.slice(0, 1), ...needed].map((why) => `${run}: ${why}`);
  });
  if (reasons.length === 0) return;
  throw new AfterlogError(
    "AL037",
    `${runs.length === 1 ? "the run" : "some of the runs"} cannot be removed now; nothing was`,
    {
      notes: reasons.slice(0, 8),
      help: [
        "a run goes together with its forks where they are named, too:  afterlog rm RUN FORK",
        "or only out of sight:  afterlog hide RUN",
      ],
      data: { reasons },
    },
  );
}

/** What is in the trash, newest first. */
export function readTrash(ports: Ports): TrashReport {
  const project = requireProject(ports);
  const named = trashNames(project);
  const trash = listTrash(project.store);
  return {
    schema: 1,
    runs: named.map(({ run }) => trashedRun(project, run, trash.get(run) ?? [])),
  };
}

/** Moves runs back out of the trash; all if none is named. Throws AL004. */
export function bringBackRuns(ports: Ports, references: readonly string[]): TrashReport {
  const project = requireProject(ports);
  const { store } = project;
  const names = trashNames(project);
  if (names.length === 0) {
    throw new AfterlogError("AL004", "the trash is empty", {
      help: ["list the runs:  afterlog ls"],
    });
  }
  const chosen =
    references.length === 0
      ? names.map(({ run }) => run)
      : references.map((reference) => chooseTrashed(names, reference));
  const runs = [...new Set(chosen)].map((run) => {
    const bytes = bytesUnder(storePaths.trashed(store, run));
    const moved = moveFromTrash(store, run);
    if (!moved.includes(run)) {
      throw new AfterlogError("AL042", `there is a run ${run} here already`, {
        help: [`look at it:  afterlog show ${run}`],
      });
    }
    return { run, replays: moved.filter((one) => one !== run), bytes };
  });
  return { schema: 1, runs };
}

function chooseTrashed(names: readonly RunName[], reference: string): string {
  // In the trash a replay that was removed by itself is named like any other.
  const any = names.map((one) => ({ ...one, kind: "record" }));
  return matchRun(any, reference);
}

/** What was removed for good, as JSON. */
export interface EmptiedTrash extends TrashReport {
  /** How many versions went with them. */
  readonly versions: number;
  /** Runs that are still in the trash, and why. */
  readonly failed: Readonly<{ [run: string]: string }>;
}

/** Removes for good what is in the trash, with the refs of the versions. */
export function emptyTrash(ports: Ports): EmptiedTrash {
  const project = requireProject(ports);
  const { store } = project;
  const done: TrashedRun[] = [];
  const failed: { [run: string]: string } = {};
  let versions = 0;
  for (const trashed of readTrash(ports).runs) {
    const { run, replays } = trashed;
    try {
      // The refs first: while the folder is there, they are known.
      for (const one of [run, ...replays]) {
        const version = manifestOf(join(storePaths.trashed(store, run), one))?.version;
        if (version && removeVersion(project, one, version)) versions++;
      }
      removeFromTrash(store, run);
      done.push(trashed);
    } catch (error) {
      failed[run] = describeError(error);
    }
  }
  return { schema: 1, runs: done, versions, failed };
}

/** Runs in the trash as references know them, newest first. */
function trashNames({ store }: Project): RunName[] {
  const said = readRunAnnotations(store);
  const known = [...listTrash(store).keys()].map((run) => {
    const manifest = manifestOf(join(storePaths.trashed(store, run), run));
    const name = said.get(run)?.name;
    return {
      run,
      name: name === undefined ? (manifest?.name ?? null) : name,
      kind: manifest?.kind ?? "record",
      order: manifest?.order ?? 0,
    };
  });
  return known.toSorted((a, b) => b.order - a.order);
}

function manifestOf(folder: string): Manifest | undefined {
  try {
    return readManifest(folder);
  } catch {
    // It is damaged, or on its way to or from the trash.
    return undefined;
  }
}

function trashedRun({ store }: Project, run: string, all: readonly string[]): TrashedRun {
  const bytes = bytesUnder(storePaths.trashed(store, run));
  return { run, replays: all.filter((one) => one !== run).toSorted(), bytes };
}

function bytesUnder(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stat?.isFile()) bytes += stat.size;
  }
  return bytes;
}
