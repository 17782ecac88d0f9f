/**
 * @file Objects that know how to save and load themselves: `stateDict()` and `loadStateDict(state)`.
 * What `stateDict` returns is captured like any value; the object is restored in place.
 */
import type { Adapter, NodeOf } from "../adapter.ts";
import { ownConstructor } from "./class-name.ts";

interface StateDictObject {
  stateDict(): unknown;
  loadStateDict(state: unknown): unknown;
}

function isStateDictObject(value: object): value is StateDictObject {
  return (
    "stateDict" in value &&
    typeof value.stateDict === "function" &&
    "loadStateDict" in value &&
    typeof value.loadStateDict === "function"
  );
}

/** Its class by name alone: private fields are no obstacle to an object that saves itself. */
export function adaptedClass(value: object): Pick<NodeOf<"adapted">, "class"> {
  const prototype = Object.getPrototypeOf(value) as object | null;
  const constructor = prototype === null ? undefined : ownConstructor(prototype);
  if (constructor === undefined || prototype === Object.prototype) return {};
  return { class: { name: constructor.name, module: null, export: null } };
}

const isPromise = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "then" in value &&
  typeof value.then === "function";

export const stateDictAdapter: Adapter<StateDictObject, NodeOf<"adapted">> = {
  name: "state-dict",
  matches: isStateDictObject,
  write(value, writer) {
    const node = { t: "adapted", adapter: "state-dict", ...adaptedClass(value) } as const;
    // Only its identity is asked for; saving may be costly.
    if (writer.identifying) return { ...node, state: null };
    const state = value.stateDict();
    if (isPromise(state)) {
      writer.refuse("an object whose stateDict() is asynchronous", "make stateDict() synchronous");
    }
    return { ...node, state: writer.value(state, "") };
  },
  reads: (node): node is NodeOf<"adapted"> => node.t === "adapted" && node.adapter === "state-dict",
  allocate(node, live, reader) {
    if (live !== undefined) {
      if (!isStateDictObject(live)) throw reader.mismatch("it has no stateDict/loadStateDict now");
      return live;
    }
    const name = node.class;
    if (name === undefined || name === null) {
      throw reader.mismatch("it was made in the loop", "make the object before the loop");
    }
    const constructor = ownConstructor(reader.prototypeOf(name));
    if (constructor === undefined || constructor.length > 0) {
      throw reader.mismatch(
        `it was made in the loop, and the constructor of ${name.name} needs arguments`,
        "make the object before the loop, or let its constructor do without arguments",
      );
    }
    const made: unknown = Reflect.construct(constructor, []);
    if (typeof made === "object" && made !== null && isStateDictObject(made)) return made;
    throw reader.mismatch(`a new ${name.name} has no stateDict/loadStateDict`);
  },
  load(node, object, reader) {
    const result = object.loadStateDict(reader.value(node.state));
    if (isPromise(result)) {
      throw reader.mismatch(
        "its loadStateDict() is asynchronous",
        "make loadStateDict() synchronous",
      );
    }
  },
};
