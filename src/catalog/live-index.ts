/**
 * @file The index of a server: a file of its own in the folder for temporary files, which it keeps up to
 * date with `runs/` while it answers from it.
 *
 * The project's `index.duckdb` is copied to begin with, and never held: other commands open it as if
 * there were no server. What is new comes in small batches, the newest runs first, so that the thread is
 * soon free again and the first answer is soon there. DuckDB is given copies of what it reads, in the
 * one folder that any SQL reaches (`openOwnDatabase`); whatever is lost with that can be made again.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { listRunIds, storePaths } from "../store/index.ts";
import { readIndexedRuns, readMeta } from "./catalog.ts";
import { copyWhileStill } from "./copy-index.ts";
import type { Connection, OwnDatabase, SqlRow } from "./database.ts";
import { duckdbReason, openOwnDatabase } from "./database.ts";
import { hasAnnotations, ingestAnnotations } from "./ingest/annotations.ts";
import type { BatchOptions } from "./ingest/ingest.ts";
import { ingestBatch } from "./ingest/ingest.ts";
import type { KnownRun, Pending } from "./ingest/pending.ts";
import { findPending } from "./ingest/pending.ts";
import { createTables, literal } from "./schema.ts";

/** What is read and copied at once, which is what the thread is kept from other work by. */
const BATCH: BatchOptions = { bytes: 4 * 1024 * 1024, runs: 100, copies: true };
/** The first is smaller: somebody waits for it. */
const FIRST_RUNS = 40;
/** How long a batch waits for those who read, and how often it looks for them. */
const YIELD_MS_MAX = 2000;
const YIELD_MS = 10;
/** So many folders are looked at before other work has its turn. */
const LOOK_RUNS = 200;

export interface LiveIndexOptions {
  /** Told what happens behind the scenes. */
  readonly notice?: (text: string) => void;
  /** Threads of the database; as many as there are processors if it is not given. */
  readonly threads?: number;
}

/** What a batch has changed. */
export interface Refreshed {
  /** Recorded runs of which something is new, be it a replay's value. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Runs that the index holds whole. */
  readonly indexed: number;
  /** Runs that are still to be read, whole or in part. */
  readonly pending: number;
}

/** Opens the index of a store. Nothing is read yet but what the project's index holds already. */
export async function openLive(store: string, options: LiveIndexOptions = {}): Promise<LiveIndex> {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-ui-"));
  try {
    const database = await openCopy(store, folder, options);
    return new LiveIndex(store, folder, database, await readIndexedRuns(database.writer));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The project's index as a copy, if it can be copied and is of this version; else an empty one. */
async function openCopy(
  store: string,
  folder: string,
  { notice, threads }: LiveIndexOptions,
): Promise<OwnDatabase> {
  const file = join(folder, "index.duckdb");
  // Beside the index, and the one folder that SQL reaches.
  mkdirSync(linesFolder(folder));
  if (await copyWhileStill(storePaths.index(store), file)) {
    try {
      const database = await openOwnDatabase(file, linesFolder(folder), threads);
      try {
        await readMeta(database.writer);
        return database;
      } catch (error) {
        database.close();
        throw error;
      }
    } catch (error) {
      notice?.(`the index is built again: ${duckdbReason(error)}`);
      for (const part of [file, `${file}.wal`]) rmSync(part, { force: true });
    }
  }
  const database = await openOwnDatabase(file, linesFolder(folder), threads);
  await database.writer.run(createTables(randomUUID()));
  return database;
}

function linesFolder(folder: string): string {
  return join(folder, "lines");
}

/** An index that follows a store. One `refresh` at a time; it can be read at any time. */
export class LiveIndex {
  /** Removed when it is closed; of a process that was killed it is all that is left. */
  readonly folder: string;
  readonly #store: string;
  readonly #database: OwnDatabase;
  readonly #known = new Map<string, KnownRun>();
  /** Runs that a replay's values belong to. */
  readonly #shownAs = new Map<string, string>();
  /** Runs that were seen to have something new, the newest first, as far as they are not in. */
  #waiting: readonly string[] = [];
  #isFirst = true;
  #readers = 0;
  #closed = false;
  #refreshing: Promise<unknown> = Promise.resolve();

  constructor(store: string, folder: string, database: OwnDatabase, known: readonly KnownRun[]) {
    this.#store = store;
    this.folder = folder;
    this.#database = database;
    for (const run of known) this.#known.set(run.run, run);
  }

  /** Runs that may change without a folder being made or removed: those that are recorded just now. */
  get open(): readonly string[] {
    return [...this.#known.values()].flatMap(({ run, status }) =>
      status === "recording" ? [run] : [],
    );
  }

  /** Lends a connection that sees what is in when `work` begins. */
  async read<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#readers += 1;
    try {
      return await this.#database.read(work);
    } finally {
      this.#readers -= 1;
    }
  }

  /**
   * Takes in one batch of what is new, of the runs that are named or of all. While something is pending
   * it goes on with that, and looks for more when that is in.
   */
  async refresh(named?: readonly string[]): Promise<Refreshed> {
    const work = this.#refreshing.then(() => this.#refresh(named));
    this.#refreshing = work.catch(() => undefined);
    return work;
  }

  async #refresh(named: readonly string[] | undefined): Promise<Refreshed> {
    if (!named) await this.#afterReaders();
    let removed: readonly KnownRun[] = [];
    if (!named && this.#waiting.length === 0) removed = await this.#look();
    const next = named ?? this.#waiting.slice(0, this.#isFirst ? FIRST_RUNS : BATCH.runs);
    // Looked at again: what waits may have grown since, or be gone.
    const { runs } = this.#pendingOf(next);
    const gone = removed.map(({ run }) => run);
    const touched = await this.#recorded(gone);
    const said = await this.#takeAnnotations();
    if (runs.length + gone.length > 0) await this.#take({ runs, removed });
    const taken = new Set(next);
    // Of a long log a part is taken at a time, and of long logs not as many as were meant to be.
    const left = runs.flatMap(({ run, known }) => {
      const now = this.#known.get(run);
      return now === known || now?.stamp === "" ? [run] : [];
    });
    this.#waiting = [...left, ...this.#waiting.filter((run) => !taken.has(run))];
    for (const run of gone) this.#known.delete(run);
    const changed = await this.#recorded(runs.map(({ run }) => run));
    // A replay that is gone takes its values along.
    const own = new Set(gone);
    return {
      changed: [...new Set([...changed, ...said, ...touched.filter((run) => !own.has(run))])],
      removed: touched.filter((run) => own.has(run)),
      indexed: this.#known.size - left.length,
      pending: this.#waiting.length,
    };
  }

  /** Somebody waits for an answer, and nobody for the oldest runs. */
  async #afterReaders(): Promise<void> {
    for (let ms = 0; this.#readers > 0 && ms < YIELD_MS_MAX; ms += YIELD_MS) await sleep(YIELD_MS);
  }

  /** Notes what is new; answers what is gone. */
  async #look(): Promise<readonly KnownRun[]> {
    const present = listRunIds(this.#store);
    const waiting: string[] = [];
    for (let at = 0; at < present.length; at += LOOK_RUNS) {
      const { runs } = this.#pendingOf(present.slice(at, at + LOOK_RUNS));
      waiting.push(...runs.map(({ run }) => run));
      await immediate();
    }
    this.#waiting = newestFirst(waiting);
    const here = new Set(present);
    return [...this.#known.values()].filter(({ run }) => !here.has(run));
  }

  #pendingOf(runs: readonly string[]): Pending {
    const known = runs.flatMap((run) => this.#known.get(run) ?? []);
    return findPending(this.#store, known, runs);
  }

  /** Takes in what people said of runs, if it is new; answers of which. */
  async #takeAnnotations(): Promise<string[]> {
    const { writer } = this.#database;
    if (await hasAnnotations(writer, this.#store)) return [];
    const before = await annotatedRuns(writer);
    await this.#inTransaction(() => ingestAnnotations(writer, this.#store));
    return [...before, ...(await annotatedRuns(writer))];
  }

  async #inTransaction(work: () => Promise<unknown>): Promise<void> {
    const { writer } = this.#database;
    await writer.run("BEGIN");
    try {
      await work();
      await writer.run("COMMIT");
    } catch (error) {
      await writer.run("ROLLBACK").catch(() => undefined);
      throw error;
    }
  }

  async #take(pending: Pending): Promise<void> {
    const { writer } = this.#database;
    const runs = this.#isFirst ? FIRST_RUNS : BATCH.runs;
    const options = { ...BATCH, runs };
    try {
      await this.#inTransaction(() =>
        ingestBatch(writer, pending, linesFolder(this.folder), options),
      );
    } finally {
      await this.#forgetLines();
    }
    this.#isFirst = false;
    const taken = pending.runs.slice(0, runs).map(({ run }) => run);
    for (const run of await readIndexedRuns(writer, taken)) this.#known.set(run.run, run);
  }

  /** The recorded runs to which directories belong. */
  async #recorded(directories: readonly string[]): Promise<string[]> {
    const unknown = directories.filter((run) => !this.#shownAs.has(run));
    if (unknown.length > 0) {
      const rows: SqlRow[] = await this.#database.writer.rows(
        `SELECT run, CASE WHEN kind = 'replay' THEN parent ELSE run END AS shown FROM store.runs
         WHERE run IN (${unknown.map(literal).join(", ")})`,
      );
      for (const { run, shown } of rows)
        if (typeof shown === "string") this.#shownAs.set(String(run), shown);
    }
    return directories.flatMap((run) => this.#shownAs.get(run) ?? []);
  }

  async #forgetLines(): Promise<void> {
    await rm(linesFolder(this.folder), { recursive: true, force: true });
    await mkdir(linesFolder(this.folder), { recursive: true });
  }

  /** Waits for the batch under way, and removes the folder. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#refreshing;
    this.#database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function annotatedRuns(connection: Connection): Promise<string[]> {
  const [runs = []] = await connection.columns("SELECT run FROM store.annotations");
  return runs.map(String);
}

/** By the time in the run's id, which begins with that of its program; it costs no look at the disk. */
function newestFirst(runs: readonly string[]): string[] {
  const key = (run: string): string => /\d{8}-\d{6}/.exec(run)?.[0] ?? "";
  return runs.toSorted((a, b) => (key(a) < key(b) ? 1 : -1));
}
