/** @file Fields of objects: reading, setting and copying them, with getters, setters, prototypes. */
import type { Activation, HeapObject } from "./heap.ts";
import { Cell } from "./heap.ts";
import { noteFact } from "./activation-facts.ts";
import type { Op, StoreOp } from "../lowering/ir.ts";
import { CONVERSIONS } from "../lowering/syntax-names.ts";
import { isBuiltinName } from "../../libraries/builtin-methods.ts";
import type { Solver } from "./solver.ts";

/** Where something happens. */
export interface At {
  readonly activation: Activation;
  readonly op: Op;
}

/** Prototype chains are followed this far when a setter is looked for. */
const PROTOTYPES_MAX = 8;

/** Reads a field of all objects that a place holds; null: any field. */
export function loadField(
  solver: Solver,
  at: At,
  from: Cell,
  field: string | null,
  to: Cell,
): void {
  const { heap } = solver;
  const { accessors } = solver.linked;
  const isCalled = "called" in at.op && at.op.called;
  const hasGetter =
    field === null ? accessors.size > 0 : accessors.has(field) || accessors.has("*");
  const read = (object: HeapObject, receiver: HeapObject, depth: number): void => {
    // What a class inherits from outside is called as a method of its instance.
    if (depth > 0 && PROTOTYPE.test(object.path)) return;
    if (object.kind === "native") {
      if (hasMember(object.path, field)) {
        heap.add(to, solver.native(memberPath(object.path, field)));
      }
    } else if (object.kind === "opaque") heap.flow(object.any, to);
    // Parts of an object of the language (`url.searchParams`) are taken for the whole.
    else if (object.kind === "date" && field !== null) heap.add(to, object);
    if (field === "__proto__" && depth === 0) givePrototype(solver, object, to);
    const method = isCalled ? undefined : builtinMember(object.kind, field);
    if (method !== undefined) heap.add(to, solver.native(method));
    if (object.kind !== "typed" || field === "buffer") {
      heap.flow(field === null ? object.any : heap.field(object, field), to);
      heap.flow(object.star, to);
    }
    if (hasGetter && field === null) runGetters(solver, at, object, receiver, to);
    else if (hasGetter) {
      const getters = heap.field(object, `get ${field}`);
      callAccessor(solver, at, getters, receiver, { value: null, to });
    }
    if (depth < PROTOTYPES_MAX) {
      heap.watch(object.prototype, (prototype) => read(prototype, receiver, depth + 1));
    }
  };
  heap.watch(from, (object) => read(object, object, 0));
  // Numbers and texts have these too, and are no objects here.
  const inherited = field === null ? solver.inherited.any : heap.field(solver.inherited, field);
  heap.flow(inherited, to);
}

/** Classes of the language, by the kind of their instances. */
const CLASSES: { readonly [kind in HeapObject["kind"]]?: string } = {
  array: "Array",
  typed: "Float64Array",
  map: "Map",
  set: "Set",
  generator: "Iterator",
  iterator: "Iterator",
  date: "Date",
};

/** What an object inherits from: what the program says, or what every program has. */
export function givePrototype(solver: Solver, object: HeapObject, to: Cell): void {
  const { heap } = solver;
  heap.flow(object.prototype, to);
  const name = { plain: "Object", function: "Function", promise: "Promise", ...CLASSES }[
    object.kind
  ];
  if (name !== undefined) heap.add(to, solver.native(`global|${name}.prototype`));
}

const STEPS = new Set(["next", "return", "throw"]);

/** A method that is taken from an object, and called by whoever gets it (`q.push.bind(q)`). */
function builtinMember(kind: HeapObject["kind"], field: string | null): string | undefined {
  const name = CLASSES[kind];
  const isMethod = field !== null && (isBuiltinName(field) || STEPS.has(field));
  if (name === undefined || !isMethod) return undefined;
  return `global|${name}.prototype.${field}`;
}

const PROTOTYPE = /\|.*\bprototype$/;

/** Members of members beyond this are taken for one: no library is that deep. */
const MEMBERS_MAX = 4;

/** Of a method of the language only calls are followed: a field of the same name may have others. */
function hasMember(path: string, field: string | null): boolean {
  return field === null || CALLS.has(field) || !/^global\|\w+\.prototype\.\w+$/.test(path);
}

const CALLS = new Set(["call", "apply", "bind"]);

function memberPath(path: string, field: string | null): string {
  if (path.endsWith("|")) return `${path}${field ?? "*"}`;
  return path.split(".").length > MEMBERS_MAX ? path : `${path}.${field ?? "*"}`;
}

/** Reads all fields of an object that have getters of its own. */
export function runGetters(
  solver: Solver,
  at: At,
  object: HeapObject,
  receiver: HeapObject,
  to: Cell,
): void {
  const each = (name: string, getters: Cell): void => {
    if (name.startsWith("get ")) callAccessor(solver, at, getters, receiver, { value: null, to });
  };
  for (const [name, getters] of Array.from(object.fields)) each(name, getters);
  object.fieldWatchers.push(each);
}

function callAccessor(
  solver: Solver,
  { activation, op }: At,
  functions: Cell,
  receiver: HeapObject,
  { value, to }: { readonly value: Cell | null; readonly to: Cell },
): void {
  const self = new Cell();
  solver.heap.add(self, receiver);
  const values = { positional: [value], spread: null };
  const how = { how: "call", edge: "call" } as const;
  const target = { caller: activation, op, receiver: self, values, to, ...how };
  solver.heap.watch(functions, (callee) => {
    if (callee.closure && !callee.isClass) solver.call(callee, target);
  });
}

export function storeField(solver: Solver, activation: Activation, op: StoreOp): void {
  const { heap } = solver;
  const { field, from, mutates } = op;
  const value = from && solver.cell(activation, from);
  const { accessors } = solver.linked;
  const mayHaveSetter =
    field === null ? accessors.size > 0 : accessors.has(field) || accessors.has("*");
  const changed = solver.cell(activation, op.object);
  if (mutates) noteFact(solver.changedCells, op, changed);
  heap.watch(changed, (object) => {
    if (mutates) solver.mutate(activation, op, object);
    if (object.kind === "native") {
      if (value && object === solver.globalObject) solver.setGlobal(field, value);
      else if (value) heap.flow(value, solver.escaped);
      if (value && PROTOTYPE.test(object.path)) {
        heap.flow(
          value,
          field === null ? solver.inherited.star : heap.field(solver.inherited, field),
        );
      }
      return;
    }
    if (field === "__proto__" && value) heap.flow(value, object.prototype);
    if (value && object.kind !== "typed") {
      heap.flow(value, field === null ? object.star : heap.field(object, field));
    }
    // A number is made of what goes there.
    const converts = object.kind === "typed" || (object.kind === "array" && field === "length");
    if (value && converts) convert(solver, { activation, op }, value);
    if (mutates && mayHaveSetter) storeBySetter(solver, { activation, op }, object, field, value);
  });
}

export function storeBySetter(
  solver: Solver,
  at: At,
  object: HeapObject,
  field: string | null,
  value: Cell | null,
): void {
  const call = (setters: Cell): void =>
    callAccessor(solver, at, setters, object, { value, to: new Cell() });
  const visit = (holder: HeapObject, depth: number): void => {
    if (field !== null) call(solver.heap.field(holder, `set ${field}`));
    else {
      const each = (name: string, setters: Cell): void => {
        if (name.startsWith("set ")) call(setters);
      };
      for (const [name, setters] of Array.from(holder.fields)) each(name, setters);
      holder.fieldWatchers.push(each);
    }
    if (depth < PROTOTYPES_MAX) {
      solver.heap.watch(holder.prototype, (next) => visit(next, depth + 1));
    }
  };
  visit(object, 0);
}

/** `{...from}` and `Object.assign`. */
export function copyObject(solver: Solver, at: At, from: Cell, to: Cell): void {
  solver.heap.watch(from, (source) => {
    solver.heap.watch(to, (target) => copyFields(solver, source, target));
    if (solver.linked.accessors.size === 0) return;
    solver.heap.watch(to, (target) => storeBySetter(solver, at, target, null, source.any));
    // Getters run when their values are copied.
    const values = new Cell();
    runGetters(solver, at, source, source, values);
    solver.heap.watch(to, (target) => solver.heap.flow(values, target.star));
  });
}

function copyFields(solver: Solver, source: HeapObject, target: HeapObject): void {
  if (source === target) return;
  const { heap } = solver;
  const copy = (name: string, cell: Cell): void => {
    if (!/^[gs]et /.test(name)) heap.flow(cell, heap.field(target, name));
  };
  for (const [name, cell] of Array.from(source.fields)) copy(name, cell);
  source.fieldWatchers.push(copy);
  heap.flow(source.star, target.star);
  if (source.kind === "opaque") heap.flow(source.any, target.star);
}

/** Getters that it reads by itself: of what looks like an array, and of a name for a text. */
const READ = /^(?:length|\d+|@@toStringTag|\*)$/;

/** An object becomes a text or a number: its class may say how. */
export function convert(solver: Solver, at: At, from: Cell): void {
  // An array becomes a text by its elements.
  const { accessors } = solver.linked;
  const names = [...accessors].filter((name) => READ.test(name));
  const read = (object: HeapObject): void => {
    const one = new Cell();
    solver.heap.add(one, object);
    for (const name of names) loadField(solver, at, one, name, new Cell());
  };
  const goesInto = ({ kind }: HeapObject): boolean => kind === "array";
  visitConverted(solver, at, from, { goesInto, read: names.length > 0 ? read : undefined });
}

/** What is built in may convert whatever it is given, and what that holds, and read all of it. */
export function convertAll(solver: Solver, at: At, given: readonly Cell[]): void {
  const goesInto = ({ kind }: HeapObject): boolean => HOLDERS.has(kind);
  const read = (object: HeapObject): void => readAll(solver, at, object);
  const how = { goesInto, read: solver.linked.accessors.size > 0 ? read : undefined };
  for (const cell of given) visitConverted(solver, at, cell, how);
}

/** Getters of an object, its own and those that it inherits. */
function readAll(solver: Solver, at: At, object: HeapObject): void {
  const visit = (holder: HeapObject, depth: number): void => {
    runGetters(solver, at, holder, object, new Cell());
    if (depth >= PROTOTYPES_MAX) return;
    solver.heap.watch(holder.prototype, (next) => visit(next, depth + 1));
  };
  visit(object, 0);
}

const HOLDERS: ReadonlySet<HeapObject["kind"]> = new Set([
  "array",
  "plain",
  "instance",
  "map",
  "set",
]);

function visitConverted(
  solver: Solver,
  at: At,
  from: Cell,
  {
    goesInto,
    read,
  }: {
    readonly goesInto: (object: HeapObject) => boolean;
    readonly read: ((object: HeapObject) => void) | undefined;
  },
): void {
  const { heap, linked } = solver;
  const names = [...linked.accessors].filter((name) => CONVERSIONS.has(name));
  if (names.length === 0 && !read) return;
  const seen = new Set<HeapObject>();
  const visit = (object: HeapObject): void => {
    if (seen.has(object)) return;
    seen.add(object);
    if (object.kind === "plain" || object.kind === "instance" || object.kind === "function") {
      const one = new Cell();
      heap.add(one, object);
      read?.(object);
      for (const name of names) {
        const functions = new Cell();
        loadField(solver, at, one, name, functions);
        callAccessor(solver, at, functions, object, { value: null, to: new Cell() });
      }
    }
    if (goesInto(object)) heap.watch(object.any, visit);
  };
  heap.watch(from, visit);
}
