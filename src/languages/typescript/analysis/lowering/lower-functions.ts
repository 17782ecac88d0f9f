/** @file Functions and classes, lowered. */
import type {
  AccessorProperty,
  ArrowFunctionExpression,
  Class,
  ClassElement,
  Expression,
  Function as FunctionNode,
  FunctionBody,
  MethodDefinition,
  PropertyDefinition,
  Statement,
} from "oxc-parser";
import type { Builder, FunctionOptions } from "./builder.ts";
import { newLoweredFunction } from "./builder.ts";
import { coerce, noteAccessor, noteUnwritten } from "./lower-expressions.ts";
import { hoistBlock, hoistVars } from "./hoist.ts";
import type { BindPoint, LoweredFunction } from "./ir.ts";
import { Binding, Var } from "./ir.ts";
import { namesIn, propertyName } from "./syntax-names.ts";
import { noteAlone } from "./lower-calls.ts";

/** Lowers a function with its body. */
export function lowerFunction(
  b: Builder,
  node: FunctionNode | ArrowFunctionExpression,
  options: FunctionOptions = {},
): LoweredFunction {
  const isArrow = node.type === "ArrowFunctionExpression";
  const { kind = isArrow ? "arrow" : "function" } = options;
  const flags = { isAsync: node.async, isGenerator: node.generator };
  const given = b.named?.expression === node ? b.named.name : options.name;
  const name = node.id?.name ?? given?.replace("#", "") ?? "";
  const lowered = newLoweredFunction(b.unit.file, name, kind, b.lowered, flags);
  lowered.superClass = options.superClass ?? null;
  lowered.isStatic = options.isStatic ?? false;
  b.unit.loweredFunctions.push(lowered);
  const { region, awaited, straight, targets } = b;
  Object.assign(b, { region: null, awaited: false, straight: true, targets: [] });
  b.inScope(
    node,
    () => b.with("lowered", lowered, () => lowerBody(b, node, lowered, options)),
    lowered,
  );
  Object.assign(b, { region, awaited, straight, targets });
  return lowered;
}

function lowerBody(
  b: Builder,
  node: FunctionNode | ArrowFunctionExpression,
  lowered: LoweredFunction,
  options: FunctionOptions,
): void {
  const { body } = node;
  const { kind } = lowered;
  const inside = body && bodyPoint(body);
  if (kind !== "arrow") {
    // Before `super()` a constructor of a derived class has no `this` to register.
    const early = kind === "constructor" && lowered.superClass ? null : inside;
    lowered.thisBinding = new Binding("this", "this", b.scope, early);
    b.unit.bindings.push(lowered.thisBinding);
    lowered.argumentsVar = new Var(lowered);
  }
  const isNamed = node.type === "FunctionExpression" && node.id;
  if (isNamed) {
    const self = b.declare(isNamed.name, "function", null);
    b.emit(node.start, { op: "closure", lowered, to: self });
  }
  for (const param of node.params) {
    for (const name of namesIn(param)) b.declare(name, "param", inside);
  }
  options.before?.(b);
  for (const param of node.params) {
    if (param.type === "Identifier" && param.name === "this") continue;
    const value = new Var(lowered);
    if (param.type === "RestElement") lowered.rest = value;
    else lowered.params.push(value);
    b.walk.pattern(b, param, value, false);
  }
  if (!body) return;
  if (body.type === "BlockStatement") {
    const statements = body.body as Statement[];
    hoistVars(b, statements);
    // What runs once with its class has none.
    const isBlock =
      kind !== "constructor" && statements.length > 0 && !declaresTwice(b, statements);
    if (isBlock && inside) lowered.body = { start: inside.start, end: body.end - 1 };
    hoistBlock(b, statements);
    b.walk.statements(b, statements);
  } else {
    noteAlone(b, body);
    const from = b.with("awaited", true, () => b.walk.expression(b, body));
    if (from) b.emit(node.start, { op: "move", from, to: lowered.returned });
  }
}

/** A function may share its name with a parameter or a `var`, but not inside a block. */
function declaresTwice(b: Builder, statements: readonly Statement[]): boolean {
  const declared = statements.flatMap((statement) =>
    statement.type === "FunctionDeclaration" && statement.id ? [statement.id.name] : [],
  );
  const isKnown = (name: string): boolean => b.scope.bindings.has(name) || name === "arguments";
  return new Set(declared).size < declared.length || declared.some(isKnown);
}

function bodyPoint(body: FunctionBody | Expression): BindPoint {
  const { start, end } = body;
  if (body.type !== "BlockStatement") return { form: "expression", start, end };
  // Directives count only where they come first.
  const directives = body.body.filter(
    (statement) => "directive" in statement && statement.directive,
  );
  return { form: "body", start: directives.at(-1)?.end ?? start + 1, end };
}

type Field = PropertyDefinition | AccessorProperty;

/** A class: its constructor as a function, methods on the prototype, fields in the constructor. */
export function lowerClass(b: Builder, node: Class): Var {
  for (const { expression } of node.decorators) b.walk.expression(b, expression);
  const superClass = node.superClass && b.walk.expression(b, node.superClass);
  return b.inScope(node, () => {
    const own = node.type === "ClassExpression" && node.id ? node.id.name : null;
    const self = own === null ? null : b.declare(own, "class", null);
    const prototype = b.value(node.start, (to) => ({ op: "new", kind: "prototype", to }));
    const fields = node.body.body.filter((element) => isField(element));
    const instanceFields = fields.filter((field) => !field.static);
    const lowered = lowerConstructor(b, node, superClass, instanceFields);
    const to = b.value(node.start, (made) => ({
      op: "class",
      lowered,
      superClass,
      prototype,
      to: made,
    }));
    if (self) b.emit(node.start, { op: "move", from: to, to: self });
    for (const element of node.body.body) lowerElement(b, element, { to, prototype, superClass });
    if (node.decorators.length > 0) b.uncertain(node.start, "decorators of a class");
    noteClass(b, node);
    return to;
  });
}

function noteClass(b: Builder, node: Class): void {
  const declared = node.type === "ClassDeclaration" && b.scope.parent ? b.scope.parent : b.scope;
  const privateFields = node.body.body.flatMap((element) =>
    element.type === "PropertyDefinition" &&
    element.key.type === "PrivateIdentifier" &&
    !element.static
      ? [`#${element.key.name}`]
      : [],
  );
  const key = `${b.unit.file}:${declared.path}:${node.id?.name ?? "class"}`;
  b.unit.classes.push({ key, at: node.body.end - 1, privateFields });
}

function isField(element: ClassElement): element is Field {
  return (
    element.type === "PropertyDefinition" ||
    element.type === "AccessorProperty" ||
    element.type === "TSAbstractPropertyDefinition" ||
    element.type === "TSAbstractAccessorProperty"
  );
}

function lowerConstructor(
  b: Builder,
  node: Class,
  superClass: Var | null,
  fields: readonly Field[],
): LoweredFunction {
  const before = (inner: Builder): void => {
    for (const field of fields) lowerField(inner, field, inner.thisBinding());
  };
  const explicit = node.body.body.find(
    (element): element is MethodDefinition =>
      element.type === "MethodDefinition" && element.kind === "constructor",
  );
  const options = { kind: "constructor", superClass, before } as const;
  if (explicit?.value.body) return b.walk.function(b, explicit.value, options);
  const empty = { type: "BlockStatement", body: [], start: node.end, end: node.end } as const;
  const implicit = {
    type: "FunctionExpression",
    id: null,
    generator: false,
    async: false,
    params: [],
    body: empty,
    expression: false,
    start: node.start,
    end: node.end,
  };
  return b.walk.function(b, implicit as unknown as FunctionNode, {
    ...options,
    before: (inner) => {
      if (superClass) callSuper(inner, superClass, node.start);
      before(inner);
    },
  });
}

/** What a constructor that is not written does. */
function callSuper(b: Builder, callee: Var, at: number): void {
  const { lowered } = b;
  lowered.rest = new Var(lowered);
  b.superClass();
  const args = [{ value: lowered.rest, spread: true }];
  const receiver = b.thisBinding();
  const rest = { method: null, how: "super", awaited: false, alone: false, known: false } as const;
  b.value(at, (to) => ({ op: "call", callee, receiver, args, to, ...rest }));
}

function lowerField(b: Builder, field: Field, object: Var | null): void {
  if (!object || ("declare" in field && field.declare)) return;
  const name = propertyName(field.key, field.computed);
  if (field.value && name !== null) b.named = { expression: field.value, name };
  const from = field.value && b.walk.expression(b, field.value);
  b.emit(field.start, { op: "store", object, field: name, from, mutates: true });
}

interface ClassParts {
  readonly to: Var;
  readonly prototype: Var;
  readonly superClass: Var | null;
}

function lowerElement(b: Builder, element: ClassElement, parts: ClassParts): void {
  if (element.type === "StaticBlock") {
    return runOnce(b, element, parts, (inner) => {
      hoistVars(inner, element.body);
      hoistBlock(inner, element.body);
      inner.walk.statements(inner, element.body);
    });
  }
  if (element.type === "TSIndexSignature") return;
  if (element.decorators.length > 0) b.uncertain(element.start, "decorators of a class");
  if (element.computed && element.key.type !== "PrivateIdentifier") {
    coerce(b, element.key, element.start);
  }
  if (isField(element)) {
    if (!element.static) return;
    return runOnce(b, element, parts, (inner) => lowerField(inner, element, inner.thisBinding()));
  }
  if (element.kind === "constructor" || !element.value.body) return;
  const { superClass } = parts;
  const name = propertyName(element.key, element.computed);
  noteUnwritten(b, name, element.start);
  const options = { name, superClass, isStatic: element.static };
  const lowered = b.walk.function(b, element.value, options);
  const from = b.value(element.start, (to) => ({ op: "closure", lowered, to }));
  if (element.kind !== "method") noteAccessor(b, name, element.start);
  const field = element.kind === "method" || name === null ? name : `${element.kind} ${name}`;
  const object = element.static ? parts.to : parts.prototype;
  b.emit(element.start, { op: "store", object, field, from, mutates: false });
}

/** Runs with the class as `this`, when the class is made: static fields and blocks. */
function runOnce(
  b: Builder,
  node: { readonly start: number; readonly end: number },
  { to: receiver, superClass }: ClassParts,
  walk: (inner: Builder) => void,
): void {
  const empty = { type: "BlockStatement", body: [], start: node.end, end: node.end };
  const block = { type: "FunctionExpression", id: null, generator: false, async: false };
  const made = { ...block, params: [], body: empty, start: node.start, end: node.end };
  const options = { superClass, isStatic: true, before: walk };
  const lowered = b.walk.function(b, made as unknown as FunctionNode, options);
  const callee = b.value(node.start, (to) => ({ op: "closure", lowered, to }));
  const rest = { method: null, how: "call", awaited: true, alone: true, known: false } as const;
  b.value(node.start, (to) => ({ op: "call", callee, receiver, args: [], to, ...rest }));
}
