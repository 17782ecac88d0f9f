/** @file Afterlog's own functions, as a program sees them. */
import type { Library } from "./effect.ts";
import { NOTHING } from "./effect.ts";

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
      case "AfterlogError":
        return { makes: "plain" };
      default:
        return NOTHING;
    }
  },
};
