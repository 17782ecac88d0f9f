/** @file Expressions to operations. The value of an expression is a variable; null: no object. */
import type {
  AssignmentExpression,
  AssignmentTarget,
  Expression,
  MemberExpression,
  ObjectExpression,
  TaggedTemplateExpression,
  UnaryExpression,
  YieldExpression,
} from "oxc-parser";
import type { Builder } from "./builder.ts";
import { lowerCall, lowerImport, lowerNew, noteAlone } from "./lower-calls.ts";
import type { Var } from "./ir.ts";
import { noteEval, propertyName, unwrap } from "./syntax-names.ts";

type Node<T extends Expression["type"]> = Extract<Expression, { type: T }>;

export function lowerExpression(b: Builder, wrapped: Expression): Var | null {
  const node = unwrap(wrapped);
  switch (node.type) {
    case "Identifier":
      return lowerName(b, node.name, node.start);
    case "ThisExpression":
      return b.thisBinding();
    case "MetaProperty":
      // What a file puts there stays, as in an object that every program has.
      if (node.meta.name === "import") return native(b, node.start, "global|import.meta");
      return lowerNewTarget(b, node.start);
    case "ArrayExpression":
      return lowerArray(b, node);
    case "ObjectExpression":
      return lowerObject(b, node);
    case "FunctionExpression":
    case "FunctionDeclaration":
    case "TSDeclareFunction":
    case "TSEmptyBodyFunctionExpression":
    case "ArrowFunctionExpression": {
      const lowered = b.walk.function(b, node);
      return b.value(node.start, (to) => ({ op: "closure", lowered, to }));
    }
    case "ClassExpression":
    case "ClassDeclaration":
      return b.walk.class(b, node);
    case "MemberExpression":
      return lowerMember(b, node).value;
    case "CallExpression":
      return lowerCall(b, node);
    case "NewExpression":
      return lowerNew(b, node);
    case "ImportExpression":
      return lowerImport(b, node);
    case "TaggedTemplateExpression":
      return lowerTagged(b, node);
    case "AssignmentExpression":
      return lowerAssignment(b, node);
    case "UpdateExpression":
      coerce(b, node.argument, node.start);
      assignTo(b, node.argument, null);
      return null;
    case "ConditionalExpression":
      lowerExpression(b, node.test);
      return b.branch(() =>
        b.join(node.start, [
          lowerExpression(b, node.consequent),
          lowerExpression(b, node.alternate),
        ]),
      );
    case "LogicalExpression": {
      const left = lowerExpression(b, node.left);
      return b.join(node.start, [left, b.branch(() => lowerExpression(b, node.right))]);
    }
    case "SequenceExpression":
      return node.expressions.map((inner) => lowerExpression(b, inner)).at(-1) ?? null;
    case "AwaitExpression":
      return lowerAwait(b, node.argument, node.start);
    case "YieldExpression":
      return lowerYield(b, node);
    default:
      return lowerRest(b, node);
  }
}

/** `new.target`: the class of what is being made. */
function lowerNewTarget(b: Builder, at: number): Var | null {
  const object = b.thisBinding();
  return object && b.value(at, (to) => ({ op: "load", object, field: "constructor", to }));
}

/** Expressions whose value is never an object, or that the program cannot contain. */
function lowerRest(b: Builder, node: Expression): Var | null {
  switch (node.type) {
    case "BinaryExpression": {
      const { left, right, operator, start } = node;
      const first = left.type === "PrivateIdentifier" ? null : coerce(b, left, start);
      const second = coerce(b, right, start);
      if (/^[!=]==?$/.test(operator) && first && second) {
        b.emit(start, { op: "compare", left: first, right: second });
      }
      return null;
    }
    case "TemplateLiteral":
      for (const inner of node.expressions) coerce(b, inner, node.start);
      return null;
    case "UnaryExpression":
      lowerUnary(b, node);
      return null;
    case "Literal":
      return "regex" in node
        ? b.value(node.start, (to) => ({ op: "new", kind: "date", to }))
        : null;
    case "JSXElement":
    case "JSXFragment":
    case "V8IntrinsicExpression":
      b.uncertain(node.start, "syntax that is not followed");
      return null;
    default:
      return null;
  }
}

function lowerName(b: Builder, name: string, at: number): Var | null {
  const binding = b.resolve(name);
  if (binding?.alias) return native(b, at, nativePath(binding.alias));
  if (binding) return b.use(binding);
  if (name === "undefined" || name === "NaN" || name === "Infinity") return null;
  if (name === "arguments") return argumentsOf(b);
  if (name === "eval") noteEval(b, at);
  return native(b, at, `global|${name}`);
}

/** `afterlog.loop` as the path of something from outside. */
function nativePath(alias: string): string {
  return alias.includes(".") ? alias.replace(".", "|") : `${alias}|`;
}

function native(b: Builder, at: number, path: string): Var {
  return b.value(at, (to) => ({ op: "native", path, to }));
}

function argumentsOf(b: Builder): Var | null {
  for (let at: typeof b.lowered | null = b.lowered; at; at = at.parent) {
    if (at.kind === "arrow") continue;
    if (!at.argumentsVar) return null;
    at.usesArguments = true;
    for (let inner = b.lowered; inner !== at; inner = inner.parent ?? at) {
      inner.free.add(at.argumentsVar);
    }
    return at.argumentsVar;
  }
  return null;
}

/** A value that becomes a number, a text or a key. */
export function coerce(b: Builder, node: Expression, at: number): Var | null {
  const from = lowerExpression(b, node);
  if (from) b.emit(at, { op: "coerce", from });
  return from;
}

function lowerArray(b: Builder, node: Node<"ArrayExpression">): Var {
  const object = b.value(node.start, (to) => ({ op: "new", kind: "array", to }));
  let known = true;
  for (const [index, element] of node.elements.entries()) {
    if (!element) continue;
    const isSpread = element.type === "SpreadElement";
    const source = lowerExpression(b, isSpread ? element.argument : element);
    known &&= !isSpread;
    if (!source) continue;
    const from = isSpread
      ? b.value(node.start, (to) => ({ op: "iterate", source, to, index: null }))
      : source;
    const field = known ? String(index) : null;
    b.emit(node.start, { op: "store", object, field, from, mutates: false });
  }
  return object;
}

function lowerObject(b: Builder, node: ObjectExpression): Var {
  const object = b.value(node.start, (to) => ({ op: "new", kind: "plain", to }));
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      const from = lowerExpression(b, property.argument);
      if (from) b.emit(property.start, { op: "copy", from, to: object, mutates: false });
      continue;
    }
    const { key, computed, kind, value, start } = property;
    if (computed && key.type !== "PrivateIdentifier") coerce(b, key, start);
    const name = propertyName(key, computed);
    if (name === "__proto__") b.uncertain(start, "a prototype that is set by hand");
    const field = kind === "init" || name === null ? name : `${kind} ${name}`;
    if (kind !== "init") noteAccessor(b, name, start);
    if (FUNCTIONS.has(value.type)) noteUnwritten(b, name, start);
    if (name !== null) b.named = { expression: value, name };
    const from = lowerExpression(b, value);
    b.emit(start, { op: "store", object, field, from, mutates: false });
  }
  return object;
}

/** What may be a function. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  "FunctionExpression",
  "ArrowFunctionExpression",
  "Identifier",
]);

/** Functions of these names run in `await`, `instanceof`, or methods of texts and arrays. */
const UNWRITTEN: ReadonlySet<string> = new Set([
  "then",
  "@@hasInstance",
  "@@species",
  "@@match",
  "@@matchAll",
  "@@replace",
  "@@search",
  "@@split",
]);

/** A function that runs by no call that is written cannot be followed. */
export function noteUnwritten(b: Builder, name: string | null, at: number): void {
  if (name === null || !UNWRITTEN.has(name)) return;
  b.uncertain(at, `a function for ${name.replace("@@", "Symbol.")}`);
}

/** Where an accessor is defined whose name is computed, reading any field may run it. */
export function noteAccessor(b: Builder, name: string | null, at: number): void {
  if (name === null) b.uncertain(at, "an accessor whose name is computed");
  b.unit.accessors.add(name ?? "*");
}

interface Member {
  readonly object: Var | null;
  readonly field: string | null;
  readonly value: Var | null;
}

/** `a.b`: what `a` is, and what its field is. */
export function lowerMember(b: Builder, node: MemberExpression): Member {
  const field = propertyName(node.property, node.computed);
  if (node.object.type === "Super") return lowerSuperMember(b, field, node.start);
  const object = lowerExpression(b, node.object);
  if (node.computed && field === null) coerce(b, node.property, node.start);
  if (!object) return { object, field, value: null };
  const value = b.value(node.start, (to) => ({ op: "load", object, field, to }));
  return { object, field, value };
}

function lowerSuperMember(b: Builder, field: string | null, at: number): Member {
  const { value: superClass, isStatic } = b.superClass();
  const object = b.thisBinding();
  if (!superClass) return { object, field, value: null };
  const home = isStatic
    ? superClass
    : b.value(at, (to) => ({ op: "load", object: superClass, field: "prototype", to }));
  return { object, field, value: b.value(at, (to) => ({ op: "load", object: home, field, to })) };
}

function lowerTagged(b: Builder, node: TaggedTemplateExpression): Var {
  b.unit.tagged.push(node.start);
  const callee = lowerExpression(b, node.tag);
  const values = node.quasi.expressions.map((inner) => lowerExpression(b, inner));
  const strings = b.value(node.start, (to) => ({ op: "new", kind: "array", to }));
  const args = [strings, ...values].map((value) => ({ value, spread: false }));
  return b.value(node.start, (to) => ({
    op: "call",
    callee,
    receiver: null,
    method: null,
    args,
    to,
    how: "call",
    awaited: b.awaited,
    alone: b.alone.has(node),
    known: false,
  }));
}

function lowerUnary(b: Builder, node: UnaryExpression): void {
  const argument = unwrap(node.argument);
  if (node.operator === "delete" && argument.type === "MemberExpression") {
    const { object, field } = lowerMember(b, argument);
    if (object) b.emit(node.start, { op: "store", object, field, from: null, mutates: true });
  } else if (node.operator === "+" || node.operator === "-" || node.operator === "~") {
    coerce(b, argument, node.start);
  } else lowerExpression(b, argument);
}

function lowerAssignment(b: Builder, node: AssignmentExpression): Var | null {
  const { operator, left, right } = node;
  if (operator === "=") {
    const value = lowerExpression(b, right);
    assignTo(b, left, value);
    return value;
  }
  if (operator === "||=" || operator === "&&=" || operator === "??=") {
    const before = lowerExpression(b, left as Expression);
    const value = b.branch(() => lowerExpression(b, right));
    assignTo(b, left, value);
    return b.join(node.start, [before, value]);
  }
  coerce(b, left as Expression, node.start);
  coerce(b, right, node.start);
  assignTo(b, left, null);
  return null;
}

/** Gives a value to what stands on the left of an assignment. */
export function assignTo(b: Builder, wrapped: AssignmentTarget, value: Var | null): void {
  if (wrapped.type === "ArrayPattern" || wrapped.type === "ObjectPattern") {
    b.walk.pattern(b, wrapped as never, value, true);
    return;
  }
  const target = unwrap(wrapped);
  if (target.type === "MemberExpression") {
    const { object, field } = lowerMember(b, target);
    if (object) b.emit(target.start, { op: "store", object, field, from: value, mutates: true });
  } else if (target.type === "Identifier") assignName(b, target.name, value, target.start);
}

export function assignName(b: Builder, name: string, value: Var | null, at: number): void {
  const binding = b.resolve(name);
  if (!binding) {
    b.emit(at, { op: "global", name, from: value });
    return;
  }
  b.use(binding);
  if (value) b.emit(at, { op: "move", from: value, to: binding });
  b.emit(at, { op: "assign", binding });
}

function lowerAwait(b: Builder, argument: Expression, at: number): Var | null {
  b.lowered.waits = true;
  noteAlone(b, argument);
  const value = b.with("awaited", true, () => lowerExpression(b, argument));
  // Waiting for what is no object is waiting all the same.
  const from = value ?? b.temp();
  const to = b.value(at, (settled) => ({ op: "await", from, to: settled }));
  return value && to;
}

function lowerYield(b: Builder, node: YieldExpression): Var {
  const value = node.argument && lowerExpression(b, node.argument);
  const from =
    node.delegate && value
      ? b.value(node.start, (to) => ({ op: "iterate", source: value, to, index: null }))
      : value;
  return b.value(node.start, (to) => ({ op: "yield", from, to }));
}
