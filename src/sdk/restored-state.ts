/**
 * @file From a row of a frame, or `RUN@epoch=3`, to the state of its checkpoint. Neither the program nor
 * a recording is needed.
 */
import { join } from "node:path";
import { moduleResolver, plainValues } from "../adapters/index.ts";
import type { CheckpointRecord } from "../format/index.ts";
import { AfterlogError } from "../format/index.ts";
import { openCheckpoint } from "../store/index.ts";
import { askCommand } from "./ask-command.ts";

export interface RestoreRowOptions {
  /** A folder of the project; absent: the present one. */
  readonly folder?: string;
}

/** What a checkpoint holds. */
export interface RestoredState {
  readonly run: string;
  /** The point, as in `RUN@epoch=3`. */
  readonly at: string;
  /** False: the row has no checkpoint of its own; this is the newest before it. */
  readonly exact: boolean;
  /** Declared fields and variables by name. */
  readonly values: { readonly [name: string]: unknown };
  /** What the checkpoint lacks, and why. */
  readonly absent: { readonly [place: string]: string };
}

/** What `afterlog restore --json` says of a checkpoint. */
interface CheckpointPlace {
  readonly run: string;
  readonly at: string;
  readonly exact: boolean;
  readonly root: string;
  readonly folder: string;
  readonly program: string;
  readonly language: string;
  readonly checkpoints: readonly Pick<CheckpointRecord, "file" | "crc32">[];
}

export async function restoreState(
  row: unknown,
  { folder = "." }: RestoreRowOptions = {},
): Promise<RestoredState> {
  const reference = typeof row === "string" ? row : rowText(row);
  const place = (await askCommand(folder, "restore", reference)) as CheckpointPlace;
  const { run, at, exact } = place;
  if (place.language === "python") {
    throw new AfterlogError("AL061", `${run} is a run of ${place.program}, a Python program`, {
      help: [
        "restore it there:  afterlog.restore(row)",
        `or write its tensors to a file:  afterlog restore ${run}@${at} --out FILE`,
      ],
    });
  }
  if (!exact) {
    const text = `the row has no checkpoint of its own: this is ${run}@${at}, the newest before it`;
    process.emitWarning(text, "AfterlogWarning");
  }
  return { run, at, exact, ...readState(place) };
}

function readState({
  folder,
  root,
  program,
  checkpoints,
}: CheckpointPlace): Pick<RestoredState, "values" | "absent"> {
  const modules = moduleResolver(...process.argv.slice(1, 2), join(root, program));
  const values = new Map<string, unknown>();
  const absent = new Map<string, string>();
  for (const record of checkpoints) {
    using reader = openCheckpoint(folder, record);
    const structure = reader.structure();
    const read = (name: string, into?: Uint8Array): Uint8Array => reader.tensor(name, into);
    for (const [name, value] of plainValues(structure, read, modules)) {
      values.set(name, value);
    }
    for (const place of structure.places) {
      if (place.absent !== undefined) absent.set(place.key, place.absent);
    }
  }
  return { values: Object.fromEntries(values), absent: Object.fromEntries(absent) };
}

/** The cells of a row that say where it is. */
function rowText(row: unknown): string {
  if (typeof row === "object" && row !== null && typeof Reflect.get(row, "run") === "string") {
    const isPlain = (cell: unknown): boolean =>
      typeof cell === "string" || typeof cell === "number" || typeof cell === "boolean";
    return JSON.stringify(Object.fromEntries(Object.entries(row).filter(([, c]) => isPlain(c))));
  }
  throw new AfterlogError("AL061", "restore() takes a row of a frame or a point of a run", {
    help: [
      'a row:    await al.restore((await al.frame(["loss", "checkpoint"])).at(-1))',
      'a point:  await al.restore("RUN@epoch=3")',
    ],
  });
}
