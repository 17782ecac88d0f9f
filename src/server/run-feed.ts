/**
 * @file What has changed since somebody last asked. It follows the store, keeps the index up to date
 * with it, and numbers the states: a reader that says which it has gets what is new since then.
 *
 * A folder that is made or removed is told by the system; runs that are recorded are looked at four
 * times a second, their files and not their processes; all others every ten seconds, as a net.
 */
import type { FSWatcher } from "node:fs";
import { existsSync, watch } from "node:fs";
import { performance } from "node:perf_hooks";
import type { LiveIndex } from "../catalog/index.ts";
import { readRunIds } from "../catalog/index.ts";
import { describeError } from "../format/index.ts";
import { storePaths } from "../store/index.ts";

const OPEN_RUNS_MS = 250;
const ALL_RUNS_MS = 10_000;
/** Runs that are gone are remembered so long; a reader that was away for longer starts anew. */
const REMOVED_MAX = 1000;
/** Answers that are kept: those of a few readers. */
const REMEMBERED_MAX = 20;

/** How far the index is. */
export interface Indexing {
  readonly indexed: number;
  readonly pending: number;
  /** Why it does not go on; it is tried again. */
  readonly problem: string | null;
}

/** What is new since a state. */
export interface Changes {
  readonly generation: number;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

interface RunState {
  /** Its number, by which columns are sent; no other run ever gets it. */
  readonly row: number;
  readonly since: number;
  changed: number;
}

export class RunFeed {
  readonly #store: string;
  readonly #live: LiveIndex;
  readonly #runs = new Map<string, RunState>();
  readonly #removed: { readonly run: string; readonly at: number }[] = [];
  readonly #remembered = new Map<
    string,
    { readonly generation: number; readonly value: Promise<unknown> }
  >();
  readonly #listeners = new Set<() => void>();
  /** Those who wait until all is taken in that is there. */
  #waiting: (() => void)[] = [];
  #rows = 0;
  #generation = 0;
  /** Before this, what was removed is forgotten. */
  #oldest = 0;
  #indexing: Indexing = { indexed: 0, pending: 0, problem: null };
  #watcher: FSWatcher | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #isDue = true;
  #isClosed = false;
  #wake: () => void = () => undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(store: string, live: LiveIndex) {
    this.#store = store;
    this.#live = live;
  }

  /** Takes in the runs that are known already and the first of those that are new. */
  async start(): Promise<void> {
    const known = await this.#live.read((connection) => readRunIds(connection));
    const runs = known.map(({ run }) => run);
    this.#note(runs, []);
    await this.#refresh();
    this.#following = this.#follow();
  }

  get generation(): number {
    return this.#generation;
  }

  get indexing(): Indexing {
    return this.#indexing;
  }

  /** The number of a run; undefined for one that the feed has not met. */
  rowOf(run: string): number | undefined {
    return this.#runs.get(run)?.row;
  }

  /** The state in which a run changed last; undefined for one that the feed has not met. */
  changedAt(run: string): number | undefined {
    return this.#runs.get(run)?.changed;
  }

  /** What is new since a state; undefined: too long ago, or a state of another server. */
  since(generation: number): Changes | undefined {
    if (generation < this.#oldest || generation > this.#generation) return undefined;
    const added: string[] = [];
    const changed: string[] = [];
    for (const [run, state] of this.#runs) {
      if (state.since > generation) added.push(run);
      else if (state.changed > generation) changed.push(run);
    }
    const removed = this.#removed.flatMap(({ run, at }) => (at > generation ? [run] : []));
    return { generation: this.#generation, added, changed, removed };
  }

  /** What `make` answers, which holds as long as nothing changes: it is made once for a state. */
  remember<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#remembered.get(key);
    if (known?.generation === this.#generation) return known.value as Promise<T>;
    const value = make();
    const kept = { generation: this.#generation, value };
    this.#remembered.delete(key);
    this.#remembered.set(key, kept);
    const [oldest = key] = this.#remembered.keys();
    if (this.#remembered.size > REMEMBERED_MAX) this.#remembered.delete(oldest);
    value.catch(() => this.#remembered.get(key) === kept && this.#remembered.delete(key));
    return value;
  }

  /** Calls `listener` after each change, and when the index has gone on. Answers how to end that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Until all that is in the store by now is taken in, or it is known why that cannot be. */
  caughtUp(): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push(done);
      this.#isDue = true;
      this.#wake();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const done of this.#waiting) done();
    this.#watcher?.close();
    this.#wake();
    await this.#following;
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      const isIdle = this.#indexing.pending === 0 || this.#indexing.problem !== null;
      if (isIdle && this.#waiting.length === 0) await this.#pause();
      if (this.#isClosed) return;
      await this.#refresh();
    }
  }

  async #refresh(): Promise<void> {
    this.#watch();
    const isDue = this.#isDue || performance.now() - this.#lookedMs > ALL_RUNS_MS;
    const isAll = isDue || this.#indexing.pending > 0;
    const named = isAll ? undefined : this.#live.open;
    if (named?.length === 0) return;
    const waiting = isAll ? [...this.#waiting] : [];
    if (isDue) {
      this.#isDue = false;
      this.#lookedMs = performance.now();
    }
    try {
      const { changed, removed, indexed, pending } = await this.#live.refresh(named);
      const before = this.#indexing;
      this.#indexing = { indexed, pending, problem: null };
      this.#note(changed, removed);
      if (before.pending !== pending || before.problem !== null) this.#tell();
      if (pending === 0) this.#release(waiting);
    } catch (error) {
      this.#release(waiting);
      this.#isDue = true;
      this.#indexing = { ...this.#indexing, problem: describeError(error) };
      this.#tell();
    }
  }

  #release(waiting: readonly (() => void)[]): void {
    this.#waiting = this.#waiting.filter((done) => !waiting.includes(done));
    for (const done of waiting) done();
  }

  #note(changed: readonly string[], removed: readonly string[]): void {
    const gone = removed.filter((run) => this.#runs.delete(run));
    if (changed.length + gone.length === 0) return;
    const at = (this.#generation += 1);
    for (const run of changed) {
      const known = this.#runs.get(run);
      if (known) known.changed = at;
      else this.#runs.set(run, { row: this.#rows++, since: at, changed: at });
    }
    this.#removed.push(...gone.map((run) => ({ run, at })));
    const forgotten = this.#removed.splice(0, this.#removed.length - REMOVED_MAX);
    this.#oldest = Math.max(this.#oldest, ...forgotten.map((one) => one.at));
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  async #pause(): Promise<void> {
    await new Promise<void>((done) => {
      const timer = setTimeout(done, OPEN_RUNS_MS);
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  /** Nothing is watched before the first run has made the folder, or after somebody removed it. */
  #watch(): void {
    if (this.#watcher) return;
    const folder = storePaths.runs(this.#store);
    if (!existsSync(folder)) return;
    const end = (): void => {
      this.#watcher?.close();
      this.#watcher = undefined;
    };
    try {
      this.#watcher = watch(folder, () => {
        this.#isDue = true;
        if (!existsSync(folder)) end();
      });
      this.#watcher.on("error", end);
      this.#isDue = true;
    } catch {
      // Too many are watched on this machine, or it is gone again: the net remains.
    }
  }
}
