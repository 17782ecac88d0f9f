/** @file `afterlog affected`: the runs that a data file reached. */
import { relative, resolve } from "node:path";
import type { Connection } from "../../catalog/index.ts";
import { AfterlogError, ANY_FILE, nearestName } from "../../format/index.ts";
import { fileFingerprint, SAMPLED_BYTES_MIN, WHOLE_BYTES_MAX } from "../../store/index.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import { resolveRun } from "../run-reference.ts";
import type { FileUse, ReachedRun, TracedRun } from "./trace-files.ts";
import { traceFile } from "./trace-files.ts";

export interface AffectedRequest {
  readonly file: string;
  /** The content is what this run read, or left there; absent: what the file holds now. */
  readonly run?: string | undefined;
}

/** What was found, as JSON. */
export interface AffectedReport {
  /** As the runs name it. */
  readonly file: string;
  /** Of the content that is meant; several if runs may know it by either. */
  readonly hashes: readonly string[];
  readonly runs: readonly ReachedRun[];
  /** Runs that wrote that content, and so did not have it from elsewhere. */
  readonly written_by: readonly string[];
  /** Runs that read a file of this name with other content. */
  readonly other_content: readonly string[];
  /** Runs that were reached and started other programs: what those wrote nobody knows. */
  readonly started_others: readonly string[];
}

/** Throws AL002 if there is no such file, AL004, AL049 if the run did not read it. */
export async function affectedRuns(
  ports: Ports,
  { file: given, run: word }: AffectedRequest,
): Promise<AffectedReport> {
  const { root } = requireProject(ports);
  const path = resolve(ports.cwd, given);
  const way = relative(root, path);
  const file = way.startsWith("..") ? path : way;
  return withCatalog(ports, async ({ connection }) => {
    const uses = await readUses(connection);
    const hashes =
      word === undefined
        ? hashesNow(path, given, (help) => helpFor(uses, file, help))
        : hashesAt(uses, file, await resolveRun(connection, word));
    const isContent = ({ hash }: FileUse): boolean => hash !== null && hashes.includes(hash);
    const runs = traceFile(await readRuns(connection), uses, isContent);
    const reached = new Set(runs.map(({ run }) => run));
    const named = (test: (use: FileUse) => boolean): string[] => [
      ...new Set(uses.filter(test).map(({ run }) => run)),
    ];
    return {
      file,
      hashes,
      runs,
      written_by: named((use) => use.access === "written" && isContent(use)),
      other_content: named(
        (use) => use.access === "read" && use.file === file && !isContent(use),
      ).filter((run) => !reached.has(run)),
      started_others: named(({ run, file: used }) => used === ANY_FILE && reached.has(run)),
    };
  });
}

/** A run may have hashed all of it, or samples. */
function hashesNow(path: string, given: string, helped: (help: string) => Help): string[] {
  const found = [WHOLE_BYTES_MAX, SAMPLED_BYTES_MIN].map((most) => fileFingerprint(path, most));
  const hashes = [...new Set(found.flatMap((one) => (one ? [one.hash] : [])))];
  if (hashes.length > 0) return hashes;
  throw new AfterlogError("AL002", `${given} is no file`, {
    help: helped(`name the content that a run read:  afterlog affected ${given} --run RUN`),
  });
}

type Help = readonly [string, ...string[]];

/** With the file of a run that is called nearly so. */
function helpFor(uses: readonly FileUse[], file: string, help: string): Help {
  const names = new Set(uses.map((use) => use.file));
  const nearest = names.has(file) ? undefined : nearestName(file, [...names]);
  return nearest === undefined ? [help] : [`did you mean ${nearest}?`, help];
}

function hashesAt(uses: readonly FileUse[], file: string, run: string): string[] {
  const own = uses.filter((use) => use.run === run && use.file === file && use.hash !== null);
  // What it read comes first: that it may have written over.
  const found = own.find(({ access }) => access === "read") ?? own[0];
  if (found?.hash) return [found.hash];
  throw new AfterlogError("AL049", `${run} neither read nor wrote ${file}`, {
    help: helpFor(uses, file, `see what it did:  afterlog query "from files where run = '${run}'"`),
    data: { run, file },
  });
}

async function readUses(connection: Connection): Promise<FileUse[]> {
  const rows = await connection.rows(
    "SELECT DISTINCT run, access, file, hash, bytes::DOUBLE AS bytes FROM files ORDER BY ALL",
  );
  return rows.map((row) => ({
    run: String(row["run"]),
    access: row["access"] === "read" ? "read" : "written",
    file: String(row["file"]),
    hash: typeof row["hash"] === "string" ? row["hash"] : null,
    bytes: typeof row["bytes"] === "number" ? row["bytes"] : null,
  }));
}

async function readRuns(connection: Connection): Promise<TracedRun[]> {
  const rows = await connection.rows(`SELECT run, CASE WHEN kind = 'fork' THEN parent END AS parent
    FROM runs WHERE kind <> 'replay' ORDER BY ordinal, run`);
  return rows.map((row) => ({
    run: String(row["run"]),
    parent: typeof row["parent"] === "string" ? row["parent"] : null,
  }));
}
