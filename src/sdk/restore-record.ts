/** @file `restore`: the state of a checkpoint file back into the program, by hand. */
import { moduleResolver, restore as restorePlaces } from "../adapters/index.ts";
import { AfterlogError } from "../format/index.ts";
import { CheckpointReader } from "../store/index.ts";
import { placesOf } from "./checkpoints/captured-state.ts";
import { restoreGenerators } from "./current.ts";

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
  { declaration = 0 }: RestoreOptions = {},
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
