/**
 * @file `restore`: the state of a checkpoint file back into the program, by hand; or by itself, from a row of
 * a frame.
 */
import { moduleResolver, restore as restorePlaces } from "../adapters/index.ts";
import { AfterlogError } from "../format/index.ts";
import { CheckpointReader } from "../store/index.ts";
import { placesOf } from "./checkpoints/captured-state.ts";
import { restoreGenerators } from "./current.ts";
import type { FrameRow } from "./read-frame.ts";
import type { RestoredState, RestoreRowOptions } from "./restored-state.ts";
import { restoreState } from "./restored-state.ts";

export interface RestoreOptions {
  /** Which call of `checkpointing` the record belongs to, counted from 0. */
  readonly declaration?: number;
}

/**
 * Gives the declared record the state of a checkpoint file (`.afterlog/runs/RUN/checkpoints/…`):
 * objects are refilled in place, fields rebound where they held something new, `Math.random` set
 * back. Throws AL040 if the file is damaged and AL071 if it does not fit the record.
 */
export function restore(
  record: { [field: string]: unknown },
  file: string,
  options?: RestoreOptions,
): void;
/**
 * The state at a row of a frame, or at a point of a run (`RUN@epoch=3`): tensors of the framework, typed
 * arrays, and plain values of everything else. A row without a checkpoint of its own gives the
 * newest before it (`exact` is then false, and a warning is printed). Throws AL035 if there is none.
 *
 * @example
 * const rows = await al.frame(["accuracy", "checkpoint"]);
 * const { values } = await al.restore(rows.at(-1));
 */
export function restore(
  row: FrameRow | string | undefined,
  options?: RestoreRowOptions,
): Promise<RestoredState>;
export function restore(
  what: { readonly [field: string]: unknown } | string | undefined,
  from?: string | RestoreRowOptions,
  options: RestoreOptions = {},
): void | Promise<RestoredState> {
  if (typeof from !== "string") return restoreState(what, from);
  if (typeof what === "object") return restoreInto(what, from, options);
  throw new AfterlogError("AL061", "restore() of a file takes the record that it belongs to", {
    help: ["name it:  al.restore(state, file)", 'or a point:  await al.restore("RUN@epoch=3")'],
  });
}

function restoreInto(
  record: { [field: string]: unknown },
  file: string,
  { declaration = 0 }: RestoreOptions,
): void {
  using reader = new CheckpointReader(file);
  const structure = reader.structure();
  const prefix = `d${declaration}.`;
  const places = structure.places.filter(({ key }) => key.startsWith(prefix));
  if (places.length === 0) {
    throw new AfterlogError("AL071", `${file} holds no declaration ${declaration}`, {
      notes: [`it holds ${structure.places.map(({ key }) => key).join(", ")}`],
      help: [
        "give the number of the checkpointing call:  al.restore(state, file, { declaration: 1 })",
      ],
    });
  }
  const modules = moduleResolver(...process.argv.slice(1, 2));
  const graph = { ...structure, places };
  const declared = placesOf([{ ordinal: declaration, record }]);
  const readTensor = (name: string, into?: Uint8Array): Uint8Array => reader.tensor(name, into);
  restorePlaces(declared, graph, readTensor, { modules });
  restoreGenerators(structure.generators);
}
