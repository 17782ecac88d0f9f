/** @file The wide table of runs or iterations. */
import type { Catalog, Cell, Connection, Frame, FrameRequest } from "../../catalog/index.ts";
import { cellToJson, nameOfColumn, planFrame, refusingSql, runQuery } from "../../catalog/index.ts";
import type { Table } from "./cells.ts";
import { differingNotes, mixedNotes, ownNotes } from "../asking/frame-notes.ts";
import type { Offer } from "../asking/suggest-replay.ts";
import { withAbsent } from "../asking/suggest-replay.ts";
import type { CatalogUse, Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { requireProject } from "../required-project.ts";

export interface FrameQuestion {
  /** Names of logged values or arguments. */
  readonly names: readonly string[];
  readonly where?: string | undefined;
  /** `run`, or a loop's name: one row for each, with the last values. */
  readonly grain?: string | undefined;
  readonly limit?: number | undefined;
}

/** A frame that is being read. In JSON a row has the keys of its columns, and `origin` by name. */
export interface FrameTable extends Table {
  /** Columns that say which row it is. */
  readonly keep: number;
  /** Columns of loops, outermost first: what the program counts or goes over. */
  readonly loops: readonly number[];
  /** Indices and items of loops, each with the column of the loop, which they often repeat. */
  readonly repeats: readonly (readonly [column: number, other: number])[];
  /** Names, each with the column that says where its values come from. */
  readonly origins: readonly (readonly [column: number, origin: number])[];
}

/** What was made of the rows, and what is to be known of them. */
export interface FrameAnswer<T> {
  readonly value: T;
  /** Names that hold values of several statements. */
  readonly notes: readonly string[];
  /** Names with cells that are missing, and that runs have logged. */
  readonly gaps: readonly string[];
  /** What names would take that no run has logged. */
  readonly offer: Offer | undefined;
}

/** Hands the rows to `take`, which reads them. Throws AL020, AL021. */
export async function askFrame<T>(
  ports: Ports,
  question: FrameQuestion,
  take: (table: FrameTable) => Promise<T>,
  use: CatalogUse = {},
): Promise<FrameAnswer<T>> {
  const { names, where } = question;
  const { store } = requireProject(ports);
  const { value, offer } = await withAbsent(ports, { names, where }, (absent) => {
    const work = async (catalog: Catalog): Promise<Omit<FrameAnswer<T>, "offer">> => {
      // Before the rows: a second query would end the first one's.
      const notes = [
        ...(await ownNotes(catalog.connection, names)),
        ...(await mixedNotes(catalog.connection, store, names.map(nameOfColumn))),
        ...(await differingNotes(catalog.connection, names.map(nameOfColumn))),
      ];
      const { table, gaps } = await readFrame(catalog.connection, { ...question, absent });
      const taken = await take({ ...table, release: () => catalog.close() });
      // What is absent is offered by whoever has found that.
      return { value: taken, notes, gaps: [...gaps].filter((name) => !absent.includes(name)) };
    };
    return withCatalog(ports, work, use);
  });
  return { ...value, offer };
}

export interface ReadFrame {
  readonly table: Omit<FrameTable, "release">;
  /** Names with cells that are NULL, as far as the rows have been read. */
  readonly gaps: ReadonlySet<string>;
}

/** Plans and starts a frame. */
export async function readFrame(connection: Connection, request: FrameRequest): Promise<ReadFrame> {
  const frame = await planFrame(connection, request);
  const result = await refusingSql(request.where ?? "", frame.known, () =>
    runQuery(connection, frame.sql),
  );
  const keep = frame.columns.filter((column) => column.kind === "run" || column.kind === "loop");
  const gaps = new Set<string>();
  const table = {
    columns: result.columns,
    batches: async function* (): AsyncIterable<Cell[][]> {
      for await (const batch of refusingCondition(result.batches(), request, frame.known)) {
        noteGaps(frame, batch, gaps);
        yield batch;
      }
    },
    toJson: rowMaker(frame, result.columns),
    keep: keep.length,
    loops: frame.columns.flatMap(({ kind }, column) => (kind === "loop" ? [column] : [])),
    repeats: frame.columns.flatMap((column, at) =>
      column.kind === "item" ? [[at, columnOfLoop(frame, column.of)] as const] : [],
    ),
    origins: frame.columns.flatMap(({ kind, of }, origin) => {
      if (kind !== "origin") return [];
      const column = frame.columns.findIndex(
        (candidate) => candidate.kind === "name" && candidate.of === of,
      );
      return column < 0 ? [] : [[column, origin] as const];
    }),
  };
  return { table, gaps };
}

function columnOfLoop({ columns }: Frame, loop: string): number {
  return columns.findIndex(({ kind, of }) => kind === "loop" && of === loop);
}

/** Names of logged values, not of columns that every run has. */
function noteGaps({ columns }: Frame, batch: readonly Cell[][], gaps: Set<string>): void {
  columns.forEach(({ kind, of, type }, at) => {
    if (kind !== "name" || type === "OTHER" || gaps.has(of)) return;
    if (batch.some((row) => (row[at] ?? null) === null)) gaps.add(of);
  });
}

/** A condition may fail on a late row (a cast, say): that is the user's SQL too. */
async function* refusingCondition(
  batches: AsyncIterable<Cell[][]>,
  request: FrameRequest,
  known: readonly string[],
): AsyncIterable<Cell[][]> {
  const iterator = batches[Symbol.asyncIterator]();
  while (true) {
    const next = await refusingSql(request.where ?? "", known, () => iterator.next());
    if (next.done) return;
    yield next.value;
  }
}

/** Rows as JSON: the columns, each by its own name as in the table (a loop may be called `run`), then `origin` by name. */
function rowMaker(frame: Frame, columns: Table["columns"]): Table["toJson"] {
  const origins = new Map(
    frame.columns.flatMap((column, at) => (column.kind === "origin" ? [[column.of, at]] : [])),
  );
  return (row) => {
    const fields: [string, unknown][] = [];
    const origin: [string, unknown][] = [];
    frame.columns.forEach((column, at) => {
      if (column.kind === "origin") return;
      const cell = row[at] ?? null;
      fields.push([columns[at]?.name ?? column.key, cellToJson(cell)]);
      if (column.kind === "name") {
        origin.push([column.of, cell === null ? null : originOf(row, origins.get(column.of))]);
      }
    });
    return { ...Object.fromEntries(fields), origin: Object.fromEntries(origin) };
  };
}

/** From `hindsight:verified` to `{from, check}`. */
function originOf(row: readonly Cell[], at: number | undefined): object {
  const text = at === undefined ? null : row[at];
  const [from = "recorded", check] = typeof text === "string" ? text.split(":") : [];
  return { from, check: check ?? null };
}
