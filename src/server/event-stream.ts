/**
 * @file What has changed, sent to a page as it happens (server-sent events). Each reader has a state of its
 * own, so that it may come late, be slow or have been away: it gets what is new since the state it names.
 */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { SSEStreamingApi } from "hono/streaming";
import type { Ports } from "../app/index.ts";
import type { RunTable } from "../app/read.ts";
import { readRunCells, readRunTable } from "../app/read.ts";
import { cellToJson, RUN_COLUMNS } from "../catalog/index.ts";
import type { ReplayFeed } from "./replay-feed.ts";
import type { Changes, RunFeed } from "./run-feed.ts";

/** Values of one event; a person sees no more than ten a second. */
const SPACING_MS = 100;
/** Of a project so large that it takes longer, this many times as long as it takes. */
const RESTS = 3;
/** A proxy closes what is silent for a minute. */
const SILENCE_MS = 15_000;
/** Of so many runs the cells are sent; of more the page fetches the columns, which is cheaper. */
const RUNS_MAX = 100;

type Column = RunTable["columns"][number];

export interface Reader {
  /** Columns whose cells it wants. */
  readonly names: readonly string[];
  /** The state that it has. */
  readonly since: number;
  readonly signal: AbortSignal;
}

export interface Feeds {
  readonly feed: RunFeed;
  readonly replays: ReplayFeed;
}

/** Writes events until the reader or the server is gone. */
export async function sendEvents(
  stream: SSEStreamingApi,
  ports: Ports,
  { feed, replays }: Feeds,
  reader: Reader,
): Promise<void> {
  let isTold = true;
  let wake = (): void => undefined;
  const tell = (): void => {
    isTold = true;
    wake();
  };
  const ends = [feed.listen(tell), replays.listen(tell)];
  const { signal } = reader;
  signal.addEventListener("abort", () => wake());
  try {
    const told = new ReplaySender(stream, replays);
    const sender = new Sender(stream, ports, feed, reader);
    while (!signal.aborted) {
      if (isTold) {
        isTold = false;
        const began = performance.now();
        await told.send();
        await sender.send();
        await sleep(Math.max(SPACING_MS, RESTS * (performance.now() - began)));
      } else if (!(await orSilence((done) => (wake = done))))
        await stream.write(": still here\n\n");
    }
  } finally {
    for (const end of ends) end();
  }
}

/** False: nothing happened for a while. */
function orSilence(listen: (done: () => void) => void): Promise<boolean> {
  return new Promise((done) => {
    const timer = setTimeout(() => done(false), SILENCE_MS);
    listen(() => {
      clearTimeout(timer);
      done(true);
    });
  });
}

/** What changes of replays, each as `ps --json` has it; from when one begins to listen. */
class ReplaySender {
  readonly #stream: SSEStreamingApi;
  readonly #replays: ReplayFeed;
  #since: number;

  constructor(stream: SSEStreamingApi, replays: ReplayFeed) {
    this.#stream = stream;
    this.#replays = replays;
    this.#since = replays.generation;
  }

  async send(): Promise<void> {
    const changed = this.#replays.since(this.#since);
    this.#since = this.#replays.generation;
    for (const { generation, state } of changed) {
      const data = JSON.stringify({ schema: 1, generation, replay: state });
      await this.#stream.writeSSE({ event: "replay", data });
    }
  }
}

class Sender {
  readonly #stream: SSEStreamingApi;
  readonly #ports: Ports;
  readonly #feed: RunFeed;
  readonly #names: readonly string[];
  #since: number;
  #indexing = "";
  /** What the reader knows of columns. */
  #columns: ReadonlyMap<string, string> | undefined;

  constructor(stream: SSEStreamingApi, ports: Ports, feed: RunFeed, { names, since }: Reader) {
    this.#stream = stream;
    this.#ports = ports;
    this.#feed = feed;
    this.#names = names;
    this.#since = since;
  }

  async send(): Promise<void> {
    const indexing = JSON.stringify({ schema: 1, ...this.#feed.indexing });
    if (indexing !== this.#indexing) {
      this.#indexing = indexing;
      await this.#stream.writeSSE({ event: "indexing", data: indexing });
    }
    const changes = this.#feed.since(this.#since);
    if (changes === undefined) {
      const { generation } = this.#feed;
      const data = JSON.stringify({ schema: 1, generation });
      this.#since = generation;
      await this.#stream.writeSSE({ event: "reload", id: String(generation), data });
    } else if (changes.generation > this.#since) {
      const data = JSON.stringify(await this.#report(changes));
      this.#since = changes.generation;
      await this.#stream.writeSSE({ event: "runs", id: String(changes.generation), data });
    }
  }

  async #report({ generation, added, changed, removed }: Changes): Promise<object> {
    const { columns } = await this.#feed.remember("table", () => readRunTable(this.#ports));
    const runs = [...added, ...changed];
    const cells = await this.#cells(columns, runs);
    const row = (run: string): object => ({
      run,
      row: this.#feed.rowOf(run) ?? null,
      cells: cells ? (cells.get(run) ?? {}) : null,
    });
    return {
      schema: 1,
      generation,
      added: added.map(row),
      changed: changed.map(row),
      removed,
      columns: this.#newColumns(columns),
    };
  }

  /** By run and name: the value and where it comes from; undefined: they are too many. */
  async #cells(
    columns: readonly Column[],
    runs: readonly string[],
  ): Promise<ReadonlyMap<string, object> | undefined> {
    if (runs.length > RUNS_MAX) return undefined;
    // The order of runs, and what is wrong with one, stand in no list of columns.
    const known = new Set([...columns.map(({ name }) => name), ...RUN_COLUMNS]);
    const names = this.#names.filter((name) => known.has(name));
    if (names.length === 0) return new Map();
    const { columns: own, rows } = await readRunCells(this.#ports, names, runs);
    return new Map(
      rows.map(({ run, cells, origins }) => [
        run,
        Object.fromEntries(
          own.map(({ name }, at) => [name, [cellToJson(cells[at]), origins[at] ?? null]]),
        ),
      ]),
    );
  }

  /** Those that are new to the reader or say something new; all, the first time. */
  #newColumns(columns: readonly Column[]): readonly Column[] {
    const before = this.#columns;
    const now = new Map(columns.map((column) => [column.name, JSON.stringify(column)]));
    this.#columns = now;
    return columns.filter(({ name }) => before?.get(name) !== now.get(name));
  }
}
