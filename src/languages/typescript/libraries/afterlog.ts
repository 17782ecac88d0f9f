/** @file Afterlog's own functions, as a program sees them. */
import type { Effect, Library } from "./effect.ts";
import { NOTHING } from "./effect.ts";

/** What it was made of and the functions of its maps; going over it runs them (`iterate.ts`). */
const DATASET: Effect = { makes: "opaque", path: "dataset", holds: ["arguments"] };

export const AFTERLOG: Library = {
  call(path) {
    switch (path) {
      case "loop":
        return { returns: ["arguments"] };
      case "log":
      case "arg":
        return { returns: ["arguments"] };
      case "checkpointing":
        return { returns: ["first"] };
      case "range":
        return { makes: "opaque", path: "range" };
      case "aside":
        return { calls: [], returns: ["results"] };
      case "restore":
        return { deep: ["arguments"] };
      case "fit":
        return {
          deep: ["arguments"],
          calls: [["self"], ["self"], ["self"]],
          makes: "promise",
          holds: ["self"],
          trains: true,
        };
      case "fitCallback":
        return { makes: "opaque", path: "data", holds: ["self", "arguments"] };
      case "dataset":
      case "dataset.folder":
      case "dataset.collect":
      case "dataset.fromTfData":
        return DATASET;
      case "AfterlogError":
        return { makes: "plain" };
      default:
        return NOTHING;
    }
  },
  method(kind, name) {
    switch (name) {
      case "shuffle":
      case "batch":
      case "shard":
      case "map":
        return { ...DATASET, holds: ["content", "arguments"] };
      // Positions are kept by the SDK, not as state of the program.
      case "state":
      case "stats":
        return { makes: "plain" };
      case "restore":
      case "setEpoch":
      case "allocate":
        return NOTHING;
      case "close":
        return { makes: "promise" };
      default:
        return undefined;
    }
  },
};
