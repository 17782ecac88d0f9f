/** @file Declarations and patterns to operations: what is given to which variable. */
import type { AssignmentTarget, AssignmentTargetMaybeDefault } from "oxc-parser";
import type { BindingPattern, ObjectPattern, ParamPattern } from "oxc-parser";
import type { VariableDeclaration } from "oxc-parser";
import type { Builder } from "./builder.ts";
import { assignName, assignTo, coerce } from "./lower-expressions.ts";
import type { Var } from "./ir.ts";
import { propertyName, unwrap } from "./syntax-names.ts";

type Pattern = BindingPattern | ParamPattern | AssignmentTarget | AssignmentTargetMaybeDefault;

/** Gives the parts of a value to the variables of a pattern. `assign`: they had one before. */
export function lowerPattern(
  b: Builder,
  pattern: Pattern,
  value: Var | null,
  assign: boolean,
): void {
  switch (pattern.type) {
    case "Identifier": {
      if (assign) return assignName(b, pattern.name, value, pattern.start);
      const binding = b.resolve(pattern.name);
      if (binding && value) b.emit(pattern.start, { op: "move", from: value, to: binding });
      return;
    }
    case "AssignmentPattern": {
      const fallback = b.branch(() => b.walk.expression(b, pattern.right));
      return lowerPattern(b, pattern.left, b.join(pattern.start, [value, fallback]), assign);
    }
    case "ArrayPattern":
      for (const [index, element] of pattern.elements.entries()) {
        if (element?.type === "RestElement") {
          lowerPattern(b, element.argument, restArray(b, value, element.start), assign);
        } else if (element) {
          lowerPattern(b, element, elementOf(b, value, index, element.start), assign);
        }
      }
      // Taking nothing asks the iterator all the same.
      if (pattern.elements.every((element) => element === null))
        elementOf(b, value, 0, pattern.start);
      return;
    case "ObjectPattern":
      return lowerObjectPattern(b, pattern as ObjectPattern, value, assign);
    case "TSParameterProperty": {
      const { parameter } = pattern;
      lowerPattern(b, parameter, value, assign);
      const object = b.thisBinding();
      const name = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
      if (object && name.type === "Identifier") {
        const from = b.resolve(name.name) ?? null;
        b.emit(pattern.start, { op: "store", object, field: name.name, from, mutates: true });
      }
      return;
    }
    case "RestElement":
      return lowerPattern(b, pattern.argument, value, assign);
    default:
      assignTo(b, pattern, value);
  }
}

function elementOf(b: Builder, source: Var | null, index: number, at: number): Var | null {
  return source && b.value(at, (to) => ({ op: "iterate", source, to, index }));
}

function restArray(b: Builder, source: Var | null, at: number): Var {
  const object = b.value(at, (to) => ({ op: "new", kind: "array", to }));
  if (source) {
    const from = b.value(at, (to) => ({ op: "iterate", source, to, index: null }));
    b.emit(at, { op: "store", object, field: null, from, mutates: false });
  }
  return object;
}

function lowerObjectPattern(
  b: Builder,
  pattern: ObjectPattern,
  object: Var | null,
  assign: boolean,
): void {
  for (const property of pattern.properties) {
    if (property.type === "RestElement") {
      const to = b.value(property.start, (made) => ({ op: "new", kind: "plain", to: made }));
      if (object) b.emit(property.start, { op: "copy", from: object, to, mutates: false });
      lowerPattern(b, property.argument, to, assign);
      continue;
    }
    const { key, computed, value: inner, start } = property;
    if (computed && key.type !== "PrivateIdentifier") coerce(b, key, start);
    const field = propertyName(key, computed);
    const value = object && b.value(start, (to) => ({ op: "load", object, field, to }));
    lowerPattern(b, inner, value, assign);
  }
}

export function lowerVariables(b: Builder, node: VariableDeclaration): void {
  if (node.declare) return;
  for (const { id, init } of node.declarations) {
    if (!init) continue;
    if (id.type === "Identifier") b.named = { expression: unwrap(init), name: id.name };
    const value = b.walk.expression(b, init);
    // `var` has had a value before where the declaration runs again.
    b.walk.pattern(b, id, value, node.kind === "var");
    if (node.kind === "await using") b.lowered.waits = true;
    if (node.kind === "using" || node.kind === "await using") {
      if (value) disposeOf(b, value, node.start);
    }
  }
}

function disposeOf(b: Builder, receiver: Var, at: number): void {
  for (const method of ["@@dispose", "@@asyncDispose"]) {
    const callee = b.value(at, (to) => ({ op: "load", object: receiver, field: method, to }));
    const rest = { how: "call", awaited: true, alone: true, known: false } as const;
    b.value(at, (to) => ({ op: "call", callee, receiver, method, args: [], to, ...rest }));
  }
}
