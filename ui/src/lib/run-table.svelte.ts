/**
 * The table of runs that the page keeps: the columns that were looked at, sorted and filtered here, and
 * changed by what the server says has changed.
 */
import { tick } from "svelte";
import type { FilterAnswer, Indexing, RunColumn, RunsAnswer, ShownError } from "./api.ts";
import { askJson, encodeNames, postJson, shownError } from "./api.ts";
import type { Cell, Column } from "./columns.ts";
import { cellOfJson, compareCells, loadColumns } from "./columns.ts";
import type { ReplayState } from "./replays.svelte.ts";
import { Replays } from "./replays.svelte.ts";

/** The order in which runs were begun; it is the server's, whatever clocks say. */
const ORDER = "ordinal";
/** What every list of runs needs, whichever columns are shown. */
const ALWAYS: readonly string[] = [ORDER, "name", "status", "damaged"];
/** Conditions are asked again so long after the last change. */
const FILTER_MS = 300;

type Live = "connecting" | "live" | "away" | "ended";

interface RunEvent {
  readonly generation: number;
  readonly added: readonly RunChange[];
  readonly changed: readonly RunChange[];
  readonly removed: readonly string[];
  readonly columns: readonly RunColumn[];
}

interface RunChange {
  readonly run: string;
  readonly row: number;
  readonly cells: { readonly [name: string]: readonly [Cell, string | null] } | null;
}

export class RunTable {
  /** Counts changes of what stands in plain arrays, which nothing else watches. */
  version: number = $state(0);
  columns: readonly RunColumn[] = $state.raw([]);
  indexing: Indexing = $state.raw({ indexed: 0, pending: 0, problem: null });
  live: Live = $state("connecting");
  isLoaded: boolean = $state(false);
  error: ShownError | undefined = $state.raw();
  filterError: ShownError | undefined = $state.raw();
  /** Rows for which the condition holds; undefined: there is none. */
  filtered: ReadonlySet<number> | undefined = $state.raw();

  /** What fills cells of it. */
  readonly replays: Replays = new Replays();

  readonly #runs = new Map<string, number>();
  readonly #ids: (string | undefined)[] = [];
  readonly #cells = new Map<string, Column>();
  #names: readonly string[] = [];
  /** Those of which the server tells what changes. */
  #listened: readonly string[] = [];
  #generation = 0;
  #source: EventSource | undefined;
  #where = "";
  #filtering: AbortController | undefined;
  #filterTimer: number | undefined;
  #loading: Promise<void> = Promise.resolve();

  get count(): number {
    void this.version;
    return this.#runs.size;
  }

  runOf(row: number): string {
    return this.#ids[row] ?? "";
  }

  rowOf(run: string): number | undefined {
    void this.version;
    return this.#runs.get(run);
  }

  /** A run as people call it. */
  nameOf(run: string): string {
    const row = this.rowOf(run);
    const name = row === undefined ? null : this.cell("name", row);
    return typeof name === "string" ? name : run;
  }

  /** The later it began, the greater. */
  orderOf(run: string): number {
    const row = this.rowOf(run);
    return row === undefined ? -1 : Number(this.cell(ORDER, row) ?? -1);
  }

  cell(name: string, row: number): Cell {
    return this.#cells.get(name)?.values[row] ?? null;
  }

  origin(name: string, row: number): string | null {
    return this.#cells.get(name)?.origins[row] ?? null;
  }

  column(name: string): Column | undefined {
    void this.version;
    return this.#cells.get(name);
  }

  /** Rows in order: newest first, or as `sort` says, `column` or `column:desc`. */
  rows(sort: string | undefined): number[] {
    void this.version;
    const { filtered } = this;
    const rows = [...this.#runs.values()].filter((row) => filtered?.has(row) ?? true);
    const [name, descending] = sort === undefined ? [ORDER, true] : parseSort(sort);
    const byOrder = this.#cells.get(ORDER)?.values ?? [];
    const values = name === "run" ? this.#ids : (this.#cells.get(name)?.values ?? []);
    return rows.sort(
      (a, b) =>
        compareCells(values[a], values[b], descending) ||
        compareCells(byOrder[a], byOrder[b], true) ||
        b - a,
    );
  }

  /** Shows these columns: what is not here yet is fetched, and all of them are kept up to date. */
  show(names: readonly string[]): void {
    const wanted = [...new Set([...ALWAYS, ...names])];
    if (this.isLoaded && wanted.every((name) => this.#names.includes(name))) return;
    this.#names = [...new Set([...this.#names, ...wanted])];
    // Before that, whoever begins takes them along.
    if (this.isLoaded) this.#loading = this.#loading.then(() => this.#load());
  }

  /** Fetches what is not here, or all of it; then what changes is listened to. */
  async #load(isAgain = false): Promise<void> {
    if (this.#source && this.#missing().length === 0) return;
    try {
      let state = Number.POSITIVE_INFINITY;
      const asked = new Set<string>();
      const rest = (): string[] => this.#missing().filter((name) => !asked.has(name));
      let names = isAgain ? this.#known() : this.#missing();
      for (; names.length > 0; names = rest()) {
        for (const name of names) asked.add(name);
        const { generation, columns } = await loadColumns(names);
        for (const column of columns) this.#cells.set(column.name, column);
        state = Math.min(state, generation);
      }
      // What changed while they were fetched is told again.
      this.#generation = Math.min(this.#generation, state);
      this.version += 1;
      this.isLoaded = true;
      this.error = undefined;
      this.#listen();
    } catch (error) {
      this.error = shownError(error);
    }
  }

  #known(): string[] {
    const known = new Set([...this.columns.map(({ name }) => name), ...ALWAYS]);
    return this.#names.filter((name) => known.has(name));
  }

  #missing(): string[] {
    return this.#known().filter((name) => !this.#cells.has(name));
  }

  /** Begins, or begins anew. */
  async start(): Promise<void> {
    this.#source?.close();
    this.#source = undefined;
    try {
      const { generation, rows, runs, columns } = await askJson<RunsAnswer>("/runs");
      this.#runs.clear();
      this.#ids.length = 0;
      this.#cells.clear();
      runs.forEach((run, at) => this.#add(run, rows[at] ?? 0));
      this.#generation = generation;
      this.columns = columns;
      this.#names = [...new Set([...ALWAYS, ...this.#names])];
      // Where nothing was recorded yet there is nothing to fetch.
      if (runs.length === 0) {
        this.isLoaded = true;
        this.error = undefined;
        this.#listen();
      } else {
        // Whoever shows the columns says first which: then all are fetched at once.
        await tick();
        await this.#load();
      }
      this.#filterAgain();
    } catch (error) {
      this.error = shownError(error);
      this.live = "ended";
    }
  }

  #add(run: string, row: number): void {
    this.#runs.set(run, row);
    this.#ids[row] = run;
  }

  #listen(): void {
    this.#source?.close();
    this.#listened = this.#names;
    const query = `since=${this.#generation}&names=${encodeNames(this.#names)}`;
    const source = new EventSource(`/api/v1/events?${query}`);
    this.#source = source;
    source.addEventListener("open", () => {
      this.live = "live";
      // What happened while nobody listened.
      void this.replays.load();
    });
    source.addEventListener("replay", ({ data }) =>
      this.replays.take(JSON.parse(data as string) as { generation: number; replay: ReplayState }),
    );
    source.addEventListener("error", () => {
      // The browser tries again by itself, unless it was refused.
      this.live = source.readyState === EventSource.CLOSED ? "ended" : "away";
    });
    source.addEventListener("runs", ({ data }) =>
      this.#take(JSON.parse(data as string) as RunEvent),
    );
    source.addEventListener("indexing", ({ data }) => {
      this.indexing = JSON.parse(data as string) as Indexing;
    });
    source.addEventListener("reload", () => void this.start());
  }

  #take({ generation, added, changed, removed, columns }: RunEvent): void {
    this.#generation = generation;
    const hadNone = this.#runs.size === 0;
    for (const run of removed) {
      const row = this.#runs.get(run);
      if (row === undefined) continue;
      this.#runs.delete(run);
      this.#ids[row] = undefined;
    }
    for (const { run, row } of added) this.#add(run, row);
    this.#renew(columns);
    const isTooMuch = [...added, ...changed].some(({ cells }) => cells === null);
    if (isTooMuch || (hadNone && added.length > 0)) void this.#fetchAgain();
    else for (const { row, cells } of [...added, ...changed]) this.#set(row, cells ?? {});
    // A column that is asked for may be logged only now.
    if (this.#missing().length > 0) this.#loading = this.#loading.then(() => this.#load());
    this.version += 1;
    this.#filterAgain();
  }

  #renew(columns: readonly RunColumn[]): void {
    if (columns.length === 0) return;
    const fresh = new Map(columns.map((column) => [column.name, column]));
    const kept = this.columns.map((column) => fresh.get(column.name) ?? column);
    const known = new Set(kept.map(({ name }) => name));
    this.columns = [...kept, ...columns.filter(({ name }) => !known.has(name))];
  }

  #set(row: number, cells: NonNullable<RunChange["cells"]>): void {
    for (const name of this.#listened) {
      const column = this.#cells.get(name);
      if (!column) continue;
      const [value, origin] = cells[name] ?? [null, null];
      column.values[row] = cellOfJson(value, column.type);
      column.origins[row] = origin;
    }
  }

  /** So much has changed that the columns are fetched whole; until then one sees what was there. */
  async #fetchAgain(): Promise<void> {
    this.#source?.close();
    this.#source = undefined;
    await (this.#loading = this.#loading.then(() => this.#load(true)));
  }

  /** Shows only runs for which the condition holds. */
  filter(where: string): void {
    if (where === this.#where) return;
    this.#where = where;
    clearTimeout(this.#filterTimer);
    void this.#filter();
  }

  #filterAgain(): void {
    if (this.#where === "") return;
    clearTimeout(this.#filterTimer);
    this.#filterTimer = window.setTimeout(() => void this.#filter(), FILTER_MS);
  }

  async #filter(): Promise<void> {
    this.#filtering?.abort();
    const where = this.#where;
    if (where.trim() === "") {
      this.filtered = undefined;
      this.filterError = undefined;
      return;
    }
    const { signal } = (this.#filtering = new AbortController());
    try {
      const { rows } = await postJson<FilterAnswer>("/filter", { where }, signal);
      if (signal.aborted) return;
      this.filtered = new Set(rows);
      this.filterError = undefined;
    } catch (error) {
      if (!signal.aborted) this.filterError = shownError(error);
    }
  }
}

export function parseSort(sort: string): [name: string, descending: boolean] {
  return [sort.replace(/:(?:asc|desc)$/, ""), sort.endsWith(":desc")];
}
