/**
 * @file Objects of packages that save and load themselves by methods which the project names
 * (docs/libraries.md): the same as `stateDict` and `loadStateDict`, under other names. Only an object
 * that has both methods is taken for one, whatever its class is called.
 */
import { types } from "node:util";
import type { SavingClass } from "../../format/index.ts";
import type { Adapter, NodeOf } from "../adapter.ts";
import type { ClassRegistry } from "./class-registry.ts";
import { ownConstructor } from "./class-name.ts";
import { hasTraps } from "./has-traps.ts";
import { adaptedClass } from "./state-dict.ts";

type AdaptedNode = NodeOf<"adapted">;

/** The adapter for what `classes` knows. */
export function savingAdapter(classes: ClassRegistry): Adapter<object, AdaptedNode> {
  return {
    name: "library",
    matches: (value): value is object => savingOf(classes, value) !== undefined,
    write(value, writer) {
      const node = { t: "adapted", adapter: "library", ...adaptedClass(value) } as const;
      if (writer.identifying) return { ...node, state: null };
      const save = savingOf(classes, value)?.save ?? "";
      const state = callSavingMethod(value, save);
      if (types.isPromise(state)) {
        writer.refuse(`an object whose ${save}() is asynchronous`, `make ${save}() synchronous`);
      }
      return { ...node, state: writer.value(state, "") };
    },
    reads: (node): node is AdaptedNode => node.t === "adapted" && node.adapter === "library",
    allocate(_node, live, reader) {
      if (live === undefined) {
        throw reader.mismatch("it was made in the loop", "make the object before the loop");
      }
      if (savingOf(classes, live)) return live;
      throw reader.mismatch("it saves itself no more, as package.json describes it");
    },
    load(node, object, reader) {
      const load = savingOf(classes, object)?.load ?? "";
      if (!types.isPromise(callSavingMethod(object, load, reader.value(node.state)))) return;
      throw reader.mismatch(`its ${load}() is asynchronous`, `make ${load}() synchronous`);
    },
  };
}

/** By the name of its class, or of one that it extends. */
function savingOf(classes: ClassRegistry, value: object): SavingClass | undefined {
  if (hasTraps(value)) return undefined;
  let at = Object.getPrototypeOf(value) as object | null;
  for (; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null) {
    const saving = classes.saving.get(ownConstructor(at)?.name ?? "");
    if (saving && canSave(value, saving.save) && canSave(value, saving.load)) return saving;
  }
  return undefined;
}

function canSave(value: object, method: string): boolean {
  return method in value && typeof Reflect.get(value, method) === "function";
}

function callSavingMethod(value: object, method: string, ...args: unknown[]): unknown {
  return Reflect.apply(Reflect.get(value, method) as (...given: unknown[]) => unknown, value, args);
}
