/**
 * @file TensorFlow.js optimizers: all their own fields, read and written directly.
 *
 * `getWeights` omits the learning rate and `Adam.setWeights` recomputes its beta powers inexactly
 * (tfjs 4.22), so neither is used. Slots are made at the first step; restoring into a fresh
 * optimizer makes them here. Nothing depends on the class: a slot is a list of
 * `{ originalName, variable }`, the rest are numbers, variables and constant tensors.
 */
import type { Adapter, NodeOf } from "../adapter.ts";
import { adaptedClass } from "../javascript/state-dict.ts";
import { isTfTensor, isTfVariable } from "./tfjs.ts";
import type { TfTensor, TfVariable } from "./tfjs.ts";

type AdaptedNode = NodeOf<"adapted">;
type OptimizerFields = { [field: string]: unknown };

interface OptimizerSlot {
  readonly originalName: string;
  readonly variable: TfVariable;
}

/** How slots are called in the names of tensors, as everyone calls them. */
const SHORT_NAMES: Readonly<{ [field: string]: string }> = {
  accumulatedFirstMoment: "m",
  accumulatedSecondMoment: "v",
};

const METHODS = ["minimize", "computeGradients", "applyGradients"] as const;

export function isTfOptimizer(value: unknown): value is OptimizerFields {
  if (typeof value !== "object" || value === null) return false;
  return METHODS.every((name) => name in value && typeof Reflect.get(value, name) === "function");
}

function isSlot(value: unknown): value is OptimizerSlot {
  if (typeof value !== "object" || value === null) return false;
  return "originalName" in value && "variable" in value && isTfVariable(value.variable);
}

/** A list of slots, of which some may not exist yet; a list with anything else is plain data. */
function isSlotList(value: unknown): value is (OptimizerSlot | null | undefined)[] {
  return (
    Array.isArray(value) &&
    value.every((item) => item === null || item === undefined || isSlot(item))
  );
}

/** Fields, slots split into names and variables so that their tensors are `optimizer.m.0`. */
function stateOf(optimizer: OptimizerFields): {
  readonly fields: OptimizerFields;
  readonly slots: OptimizerFields;
} {
  const fields: OptimizerFields = {};
  const slots: OptimizerFields = {};
  for (const field of Object.keys(optimizer)) {
    const value = optimizer[field];
    if (!isSlotList(value)) {
      fields[field] = value;
      continue;
    }
    // `Array.from` also gives the holes of a list that is not complete yet.
    slots[field] = Array.from(value, (slot) => slot?.originalName ?? null);
    fields[field] = Array.from(value, (slot) => slot?.variable ?? null);
  }
  return { fields, slots };
}

export const tfOptimizerAdapter: Adapter<OptimizerFields, AdaptedNode> = {
  name: "tfjs-optimizer",
  matches: isTfOptimizer,
  write(value, writer) {
    const state = stateOf(value);
    // What is met here first has the short path: `optimizer.m.0`, not `optimizer.fields.…`.
    for (const field of Object.keys(state.slots)) {
      writer.value(state.fields[field], SHORT_NAMES[field] ?? field);
    }
    writer.value(state.fields, "");
    return {
      t: "adapted",
      adapter: "tfjs-optimizer",
      ...adaptedClass(value),
      state: writer.value(state, ""),
    };
  },
  reads: (node): node is AdaptedNode => node.t === "adapted" && node.adapter === "tfjs-optimizer",
  allocate(node, live, reader) {
    if (live !== undefined) {
      if (!isTfOptimizer(live)) throw reader.mismatch("it was an optimizer and is not now");
      const name = live.constructor.name;
      if (node.class && name !== node.class.name) {
        throw reader.mismatch(`it is a ${name} now, and was a ${node.class.name}`);
      }
      return live;
    }
    if (node.class === undefined || node.class === null)
      throw reader.mismatch("its class is unknown");
    // The state holds every own field, so no constructor needs to run.
    return Object.create(reader.prototypeOf(node.class)) as OptimizerFields;
  },
  load(node, optimizer, reader) {
    const state = reader.value(node.state) as { fields: OptimizerFields; slots: OptimizerFields };
    const before = Object.values(optimizer).flatMap(tensorsOf);
    for (const field of Object.keys(optimizer)) {
      if (!Object.hasOwn(state.fields, field)) delete optimizer[field];
    }
    for (const [field, value] of Object.entries(state.fields)) {
      optimizer[field] = Object.hasOwn(state.slots, field)
        ? slotList(state.slots[field] as (string | null)[], value as (TfVariable | null)[])
        : value;
    }
    const now = new Set(Object.values(optimizer).flatMap(tensorsOf));
    for (const tensor of before) if (!now.has(tensor) && !tensor.isDisposed) tensor.dispose();
  },
};

function slotList(
  names: readonly (string | null)[],
  variables: readonly (TfVariable | null)[],
): unknown[] {
  return variables.map((variable, i) => variable && { originalName: names[i] ?? "", variable });
}

/** Tensors that belong to the optimizer alone. */
function tensorsOf(value: unknown): TfTensor[] {
  if (isTfTensor(value)) return [value];
  return isSlotList(value) ? value.flatMap((slot) => slot?.variable ?? []) : [];
}
