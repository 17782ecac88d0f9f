/**
 * @file The catalog of a store: brings `index.duckdb` up to date with `runs/`, then answers.
 *
 * Several processes do this at once while programs record. Writing is done in short batches, each
 * a transaction with the file open only that long, so processes take turns and share the work.
 * A process that cannot get the file within three seconds works on a private copy: an answer is
 * never older than the question. A damaged, foreign or older index is removed and built again.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { describeError } from "../format/index.ts";
import { storePaths } from "../store/index.ts";
import { copyWhileStill } from "./copy-index.ts";
import type { Connection, OpenMode } from "./database.ts";
import { duckdbReason, isBusy, isDamaged, isUnwritable, openDatabase, textOf } from "./database.ts";
import { hasAnnotations, ingestAnnotations } from "./ingest/annotations.ts";
import { ingestBatch } from "./ingest/ingest.ts";
import type { KnownRun, Pending, PendingRun } from "./ingest/pending.ts";
import { noteNames } from "./ingest/note-names.ts";
import { findPending } from "./ingest/pending.ts";
import { createTables, literal, SCHEMA_VERSION } from "./schema.ts";

/** How long to wait for the file before working on a copy of it. */
const PATIENCE_MS = 3000;
const POLL_MS = 20;
/** Rebuilding twice means that something else destroys the index: then it is kept elsewhere. */
const REBUILDS_MAX = 2;

export interface CatalogOptions {
  /** Told what happens behind the scenes: rebuilt, waited, copied. */
  readonly notice?: (text: string) => void;
  /** Files that exports may write; SQL reaches no other. */
  readonly allowed?: readonly string[];
  /** Watches while the index is brought up to date. */
  readonly watchIndexing?: () => IndexingWatcher;
  /** For tests: how long to wait for the file. */
  readonly patienceMs?: number;
}

/** Who is told how far the index is, and may stop it: what is in it then stays, and is gone on from. */
export interface IndexingWatcher {
  readonly signal: AbortSignal;
  progress(state: IndexingProgress): void;
  end(): void;
}

export interface IndexingProgress {
  readonly runs: number;
  readonly runsTotal: number;
  readonly bytes: number;
  readonly bytesTotal: number;
}

/** An up-to-date, read-only index. Close it: it keeps others from writing. */
export interface Catalog {
  readonly connection: Connection;
  /** Whether it works on a private copy. */
  readonly isPrivate: boolean;
  close(): void;
}

/**
 * Opens the catalog for `work` and closes it after. If the index turns out to be damaged when its
 * blocks are read, it is built again and `work` is repeated, unless `isRepeatable` says no.
 */
export async function useCatalog<T>(
  store: string,
  options: CatalogOptions & { readonly isRepeatable?: () => boolean },
  work: (catalog: Catalog) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const catalog = await openCatalog(store, options);
    try {
      return await work(catalog);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      catalog.close();
      options.notice?.(`the index is built again: ${duckdbReason(error)}`);
      removeIndex(storePaths.index(store));
      if (attempt > 0 || options.isRepeatable?.() === false) throw error;
    } finally {
      catalog.close();
    }
  }
}

function removeIndex(file: string): void {
  for (const part of [file, `${file}.wal`]) rmSync(part, { force: true });
}

/** Opens the catalog of a store, ingesting what is new first. */
export async function openCatalog(store: string, options: CatalogOptions = {}): Promise<Catalog> {
  const file = storePaths.index(store);
  // Reading makes no store: that is for the first run to do.
  if (!existsSync(store)) return openPrivate(store, file, options);
  try {
    const connection = await inTurn(file, () => new Updater(store, file, options).open());
    if (connection !== undefined) {
      return { connection, isPrivate: false, close: () => connection.close() };
    }
    options.notice?.("the index is in use: working on a copy of it");
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    options.notice?.(`the index cannot be written: ${duckdbReason(error)}`);
  }
  return openPrivate(store, file, options);
}

/** An up-to-date index in a file of its own, which nobody else has open. */
export async function copyCatalog(
  store: string,
  copy: string,
  options: CatalogOptions,
): Promise<void> {
  (await openCatalog(store, options)).close();
  if (await copyWhileStill(storePaths.index(store), copy)) return;
  const updater = new Updater(store, copy, { ...options, patienceMs: 20 * PATIENCE_MS });
  (await updater.open())?.close();
}

/** The last opener of each file in this process. */
const openers = new Map<string, Promise<unknown>>();

/**
 * Openers in one process share DuckDB's instance of a file, and with it its settings: while one
 * brings the file up to date and locks the settings, another would take what it meets for damage.
 */
async function inTurn<T>(file: string, open: () => Promise<T>): Promise<T> {
  const before = openers.get(file);
  const own = Promise.resolve(before).then(open, open);
  openers.set(file, own);
  try {
    return await own;
  } finally {
    if (openers.get(file) === own) openers.delete(file);
  }
}

async function openPrivate(store: string, file: string, options: CatalogOptions): Promise<Catalog> {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-index-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "index.duckdb");
    if (!(await copyWhileStill(file, copy))) options.notice?.("building a private index");
    const updater = new Updater(store, copy, { ...options, patienceMs: 20 * PATIENCE_MS });
    const connection = await updater.open();
    if (connection === undefined) throw new Error("a private index cannot be in use");
    const close = (): void => {
      connection.close();
      remove();
    };
    return { connection, isPrivate: true, close };
  } catch (error) {
    remove();
    throw error;
  }
}

/** One attempt to bring one index file up to date and open it for reading. */
class Updater {
  readonly #store: string;
  readonly #file: string;
  readonly #options: CatalogOptions;
  #waitingSince: number | undefined;
  #rebuilds = 0;
  /** Identity and generation of the index once it held all there was: it need not be asked again. */
  #synced: Meta | undefined;
  /** What the last batch left: it need not be looked for again if nobody else wrote meanwhile. */
  #rest: { readonly meta: Meta; readonly runs: readonly PendingRun[] } | undefined;
  #watcher: IndexingWatcher | undefined;
  #done = { runs: 0, bytes: 0 };

  constructor(store: string, file: string, options: CatalogOptions) {
    this.#store = store;
    this.#file = file;
    this.#options = options;
  }

  /** `undefined` if others kept the file busy for too long. Throws an AbortError if it is told to stop. */
  async open(): Promise<Connection | undefined> {
    try {
      return await this.#open();
    } finally {
      this.#watcher?.end();
    }
  }

  async #open(): Promise<Connection | undefined> {
    let looksCurrent = !this.#isOlder();
    while (true) {
      try {
        const readable = looksCurrent && existsSync(this.#file);
        looksCurrent = true;
        const connection = readable ? await this.#openCurrent() : undefined;
        if (connection !== undefined) return connection;
        await this.#write();
        this.#waitingSince = undefined;
      } catch (error) {
        if (this.#watcher?.signal.aborted) throw error;
        if (isBusy(error)) {
          if (!(await this.#wait())) return undefined;
        } else if (isUnwritable(error)) throw error;
        else this.#discard(error);
      }
    }
  }

  /** There is no index, or something was made after it: opening it for reading would be in vain. */
  #isOlder(): boolean {
    const changed = (path: string): number => {
      return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
    };
    const index = changed(this.#file);
    const { runs, annotations } = storePaths;
    return index < Math.max(0, changed(runs(this.#store)), changed(annotations(this.#store)));
  }

  /** Opens the file for reading; answers nothing if it lacks something. */
  async #openCurrent(): Promise<Connection | undefined> {
    const mode: OpenMode = { kind: "sandbox", allowed: this.#options.allowed ?? [] };
    const connection = await openDatabase(this.#file, mode);
    try {
      if (await this.#isCurrent(connection)) {
        if (!existsSync(storePaths.names(this.#store))) await this.#noteNames(connection);
        return connection;
      }
    } catch (error) {
      connection.close();
      throw error;
    }
    connection.close();
    return undefined;
  }

  async #isCurrent(connection: Connection): Promise<boolean> {
    const { identity, generation } = await readMeta(connection);
    const synced = this.#synced;
    if (synced?.identity === identity && generation >= synced.generation) return true;
    if (!(await hasAnnotations(connection, this.#store))) return false;
    const pending = findPending(this.#store, await readIndexedRuns(connection));
    return pending.runs.length === 0 && pending.removed.length === 0;
  }

  /** One batch. */
  async #write(): Promise<void> {
    const isNew = !existsSync(this.#file);
    const connection = await openDatabase(this.#file, { kind: "write" });
    const folder = mkdtempSync(join(tmpdir(), "afterlog-lines-"));
    try {
      await connection.run("BEGIN");
      if (isNew && !(await hasTables(connection))) await connection.run(createTables(randomUUID()));
      // First, so that of two writers in one process the second meets a conflict.
      await connection.run("UPDATE store.meta SET generation = generation + 1");
      const meta = await readMeta(connection);
      await ingestAnnotations(connection, this.#store);
      const pending = await this.#pending(connection, meta);
      this.#tell(pending.runs);
      const { whole, rest, bytes } = await ingestBatch(connection, pending, folder);
      await connection.run("COMMIT");
      if (whole) {
        this.#synced = meta;
        await this.#noteNames(connection);
      }
      this.#rest = rest.length === 0 ? undefined : { meta, runs: rest };
      this.#done.runs += pending.runs.length - rest.length;
      this.#done.bytes += bytes;
      this.#tell(rest);
    } finally {
      connection.close();
      rmSync(folder, { recursive: true, force: true });
    }
    this.#watcher?.signal.throwIfAborted();
    // Others who wait for the file look for it this often: let them have their turn.
    if (this.#synced === undefined) await sleep(2 * POLL_MS);
  }

  /** Nobody waits for these: an index without them is as good. */
  async #noteNames(connection: Connection): Promise<void> {
    if (this.#file !== storePaths.index(this.#store)) return;
    try {
      await noteNames(this.#store, connection);
    } catch (error) {
      this.#options.notice?.(`names for completion were not written: ${describeError(error)}`);
    }
  }

  async #pending(connection: Connection, meta: Meta): Promise<Pending> {
    const rest = this.#rest;
    const isOwn =
      rest?.meta.identity === meta.identity && rest.meta.generation + 1n === meta.generation;
    if (isOwn) return { runs: rest.runs, removed: [] };
    return findPending(this.#store, await readIndexedRuns(connection));
  }

  #tell(left: readonly PendingRun[]): void {
    if (left.length === 0 && this.#watcher === undefined) return;
    this.#watcher ??= this.#options.watchIndexing?.();
    const bytesLeft = left.reduce((sum, { stamp, known }) => {
      return sum + Math.max(0, stamp.logBytes - (known?.position.bytes ?? 0));
    }, 0);
    const { runs, bytes } = this.#done;
    const totals = { runsTotal: runs + left.length, bytesTotal: bytes + bytesLeft };
    this.#watcher?.progress({ runs, bytes, ...totals });
  }

  async #wait(): Promise<boolean> {
    const now = performance.now();
    this.#waitingSince ??= now;
    if (now - this.#waitingSince > (this.#options.patienceMs ?? PATIENCE_MS)) return false;
    await sleep(POLL_MS);
    return true;
  }

  /** Removes an index that cannot be read; it is made again from the runs. */
  #discard(error: unknown): void {
    if (this.#rebuilds >= REBUILDS_MAX) throw error;
    this.#rebuilds += 1;
    this.#synced = undefined;
    this.#options.notice?.(`the index is built again: ${duckdbReason(error)}`);
    removeIndex(this.#file);
  }
}

async function hasTables(connection: Connection): Promise<boolean> {
  const rows = await connection.rows(
    "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'store' AND table_name = 'meta'",
  );
  return rows.length > 0;
}

interface Meta {
  readonly identity: string;
  /** Counts the batches that were written. */
  readonly generation: bigint;
}

export async function readMeta(connection: Connection): Promise<Meta> {
  const [row] = await connection.rows("SELECT version, identity, generation FROM store.meta");
  if (row?.["version"] !== SCHEMA_VERSION) {
    throw new Error(`it has schema version ${String(row?.["version"])}, not ${SCHEMA_VERSION}`);
  }
  return { identity: String(row["identity"]), generation: BigInt(String(row["generation"])) };
}

/** What the index knows of runs; of those that are named alone, if some are. */
export async function readIndexedRuns(
  connection: Connection,
  named?: readonly string[],
): Promise<KnownRun[]> {
  const which = named ? `WHERE run IN (${["", ...named].map(literal).join(", ")})` : "";
  const rows = await connection.rows(`SELECT no, run, status, final, stamp, log_bytes, log_lines,
    log_crc, sealed, log_damage FROM store.runs ${which}`);
  return rows.map((row) => ({
    no: Number(row["no"]),
    run: String(row["run"]),
    status: String(row["status"]),
    final: row["final"] === true,
    stamp: String(row["stamp"]),
    position: {
      bytes: Number(row["log_bytes"]),
      lines: Number(row["log_lines"]),
      crc: Number(row["log_crc"]),
      sealed: textOf(row, "sealed"),
      damage: textOf(row, "log_damage"),
    },
  }));
}
