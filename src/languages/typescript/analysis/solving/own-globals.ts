/**
 * @file Variables that a program makes by giving a name a value without declaring it. They are
 * properties of the global object: of no file, and all files mean the same by their names.
 */
import type { Op, Var } from "../lowering/ir.ts";
import type { Linked } from "./link-files.ts";

/** The path of the global object, and another name that Node has for it. */
export const GLOBAL_OBJECT = "global|globalThis";
export const NODE_GLOBAL = "global|global";

/** Packages look for these, whoever has set them, and use what they find. */
const LOOKED_FOR = new Set(
  "window document self navigator location screen HTMLElement Image Worker XMLHttpRequest".split(
    " ",
  ),
);

/** Whether a global of this name is the program's alone: others neither have nor look for it. */
export function isOwnGlobal(name: string): boolean {
  return !(name in globalThis) && !LOOKED_FOR.has(name);
}

/** Such names that the program gives values, and declares nowhere. */
export function ownGlobals({ units }: Linked): ReadonlySet<string> {
  const functions = [...units.values()].flatMap(({ loweredFunctions }) => loweredFunctions);
  return new Set(functions.flatMap(({ ops }) => globalsSetBy(ops)).filter(isOwnGlobal));
}

/** By their names (`count = 1`), or as properties of the global object (`globalThis.count = 1`). */
function globalsSetBy(ops: readonly Op[]): string[] {
  const names: string[] = [];
  const holders = new Set<Var>();
  for (const op of ops) {
    if (op.op === "native" && (op.path === GLOBAL_OBJECT || op.path === NODE_GLOBAL)) {
      holders.add(op.to);
    } else if (op.op === "global") names.push(op.name);
    else if (op.op === "store" && op.field !== null && holders.has(op.object)) names.push(op.field);
  }
  return names;
}
