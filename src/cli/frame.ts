/** @file `afterlog frame NAME…`: the wide table of runs or iterations. */
import type { Cell, Connection, Frame, FrameRequest } from "../catalog/index.ts";
import { planFrame, refusingSql, runQuery } from "../catalog/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { mixedNotes } from "../app/index.ts";
import { offerCells, withAbsent } from "./offer.ts";
import type { Rows } from "./output.ts";
import { printRows } from "./output.ts";
import { requireProject, withCatalog } from "./project.ts";

type FrameOptions = OptionsOf<"frame">;

/** Prints the frame of `names`; the exit code is 0 also when no row matches. */
export async function frameCommand(
  outer: CliContext,
  names: readonly string[],
  options: FrameOptions,
): Promise<number> {
  const { where, grain } = options;
  return withAbsent(outer, { names, where }, async (absent) => {
    const gaps = await withCatalog(outer, async (catalog, context) => {
      const limit = options.limit === 0 ? undefined : options.limit;
      const request = { names, where, grain, limit, absent };
      // Before the rows: a second query would end the first one's.
      const notes = await mixedNotes(catalog.connection, requireProject(outer).store, names);
      const frame = await readFrame(catalog.connection, request);
      const count = await printRows(context, frame.rows, {
        toObject: frame.toObject,
        all: options.limit !== undefined,
        release: () => catalog.close(),
        keep: frame.keep,
        repeats: frame.repeats,
        origins: frame.origins,
      });
      if (count === 0 && !context.json) context.err("no rows\n");
      for (const note of notes) context.err(`! ${note}\n`);
      return frame.gaps;
    });
    // What is absent is offered by whoever has found that.
    await offerCells(
      outer,
      [...gaps].filter((name) => !absent.includes(name)),
      where,
    );
    return 0;
  });
}

export interface ReadFrame {
  readonly rows: Rows;
  readonly toObject: (row: readonly Cell[]) => { readonly [key: string]: unknown };
  /** Names with cells that are NULL, as far as the rows have been read. */
  readonly gaps: ReadonlySet<string>;
  /** Columns that say which row it is. */
  readonly keep: number;
  /** Items of loops, each with the loop's index, which they often repeat. */
  readonly repeats: readonly (readonly [number, number])[];
  /** Names, each with the column that says where its values come from. */
  readonly origins: readonly (readonly [number, number])[];
}

/** Plans and starts a frame. */
export async function readFrame(connection: Connection, request: FrameRequest): Promise<ReadFrame> {
  const frame = await planFrame(connection, request);
  const result = await refusingSql(request.where ?? "", frame.known, () =>
    runQuery(connection, frame.sql),
  );
  const keep = frame.columns.filter((column) => column.kind === "run" || column.kind === "loop");
  const gaps = new Set<string>();
  return {
    gaps,
    rows: {
      columns: result.columns,
      batches: async function* () {
        for await (const batch of refusing(result.batches(), request, frame.known)) {
          noteGaps(frame, batch, gaps);
          yield batch;
        }
      },
    },
    toObject: objectMaker(frame),
    keep: keep.length,
    repeats: frame.columns.flatMap((column, at) =>
      column.kind === "item" ? [[at, at - 1] as const] : [],
    ),
    origins: frame.columns.flatMap(({ kind, of }, origin) => {
      if (kind !== "origin") return [];
      const column = frame.columns.findIndex((one) => one.kind === "name" && one.of === of);
      return column < 0 ? [] : [[column, origin] as const];
    }),
  };
}

/** Names of logged values, not of columns that every run has. */
function noteGaps({ columns }: Frame, batch: readonly Cell[][], gaps: Set<string>): void {
  columns.forEach(({ kind, of, type }, at) => {
    if (kind !== "name" || type === "OTHER" || gaps.has(of)) return;
    if (batch.some((row) => (row[at] ?? null) === null)) gaps.add(of);
  });
}

/** A condition may fail on a late row (a cast, say): that is the user's SQL too. */
async function* refusing(
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

/** Rows as JSON: keys of the columns, then `origin` by name. */
function objectMaker(frame: Frame): ReadFrame["toObject"] {
  const origins = new Map(
    frame.columns.flatMap((column, at) => (column.kind === "origin" ? [[column.of, at]] : [])),
  );
  return (row) => {
    const fields: [string, unknown][] = [];
    const origin: [string, unknown][] = [];
    frame.columns.forEach((column, at) => {
      if (column.kind === "origin") return;
      const cell = row[at] ?? null;
      fields.push([column.key, cell]);
      if (column.kind === "name") {
        origin.push([column.of, cell === null ? null : originOf(row, origins.get(column.of))]);
      }
    });
    return Object.fromEntries([...fields, ["origin", Object.fromEntries(origin)]]);
  };
}

/** From `hindsight:verified` to `{from, check}`. */
function originOf(row: readonly Cell[], at: number | undefined): object {
  const text = at === undefined ? null : row[at];
  const [from = "recorded", check] = typeof text === "string" ? text.split(":") : [];
  return { from, check: check ?? null };
}
