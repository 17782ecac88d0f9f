/** @file What expressions and statements of TypeScript and JavaScript consist of. */
import type { Anatomy, Iterating, Wrapper } from "../../anatomy.ts";
import type { Shape } from "../../parsed-file.ts";

/** Of a part of a text; undefined: of something that may evaluate its parts not at all, or often. */
export function anatomyOf(shape: Shape): Anatomy | undefined {
  return statementAnatomy(shape) ?? expressionAnatomy(shape);
}

export function spreadBy(shape: Shape): Shape | undefined {
  return typeOf(shape) === "SpreadElement" ? shape.parts[0] : undefined;
}

function statementAnatomy(shape: Shape): Anatomy | undefined {
  const { label, parts } = shape;
  const [first] = parts;
  switch (typeOf(shape)) {
    case "ForOfStatement":
      return /\nawait=false/.test(label) ? loopOf(shape) : undefined;
    case "IfStatement":
      if (!first) return undefined;
      return { kind: "branch", condition: first, others: parts.slice(1) };
    case "FunctionDeclaration": {
      const { id, body } = partsByField(shape);
      const isPlain = /\ngenerator=false\nasync=false/.test(label);
      if (!id || !body || !isPlain) return undefined;
      const parameters = parts.filter(({ field }) => field === "params");
      return { kind: "function", name: nameOf(id) ?? "", parameters, body };
    }
    case "ReturnStatement":
      return { kind: "return", value: first };
    case "ExpressionStatement":
      return first && evaluated(first);
    case "VariableDeclaration": {
      if (parts.length !== 1) return { kind: "declarations", items: parts };
      const { id, init } = partsByField(first ?? shape);
      if (!id || !init) return undefined;
      return constantFunction(label, id, init) ?? { kind: "assignment", target: id, value: init };
    }
    case "VariableDeclarator": {
      const { id, init } = partsByField(shape);
      return id && init ? { kind: "assignment", target: id, value: init } : undefined;
    }
    case "ExportNamedDeclaration": {
      const { declaration, source } = partsByField(shape);
      if (declaration) return { kind: "exported", statement: declaration };
      return source ? undefined : { kind: "exports", names: parts };
    }
    case "AssignmentExpression": {
      const { left, right } = partsByField(shape);
      if (!left || !right) return undefined;
      if (!label.includes('\noperator="="')) return isLazy(label) ? undefined : { kind: "plain" };
      return { kind: "assignment", target: left, value: right };
    }
    default:
      return undefined;
  }
}

/** `const f = (x) => { … }`: a function that has its name for good. */
function constantFunction(label: string, id: Shape, init: Shape): Anatomy | undefined {
  const isConstant = /\nkind="const"/.test(label);
  const isPlain = /^ArrowFunctionExpression\b/.test(init.label) && !/\nasync=true/.test(init.label);
  const { body } = partsByField(init);
  const name = nameOf(id);
  const isBlock = body && typeOf(body) === "BlockStatement";
  if (!isConstant || !isPlain || name === undefined || !isBlock) return undefined;
  const parameters = init.parts.filter(({ field }) => field === "params");
  return { kind: "function", name, parameters, body };
}

function expressionAnatomy(shape: Shape): Anatomy | undefined {
  const { label, parts } = shape;
  const [first] = parts;
  switch (typeOf(shape)) {
    case "CallExpression": {
      const { callee } = partsByField(shape);
      if (!callee || !label.includes("\noptional=false")) return undefined;
      return { kind: "call", callee, given: parts.filter(({ field }) => field === "arguments") };
    }
    case "MemberExpression": {
      const { object, property } = partsByField(shape);
      if (!object || !property || !label.includes("\noptional=false")) return undefined;
      if (label.includes("\ncomputed=true")) {
        const key = textIn(property);
        if (key !== undefined) return { kind: "item", object, key };
        const [, place] = /^Literal\n[\s\S]*?value=(\d+)/.exec(property.label) ?? [];
        return place === undefined ? { kind: "plain" } : { kind: "place", object, place };
      }
      return { kind: "member", object, name: nameOf(property) ?? "" };
    }
    case "Identifier":
      return { kind: "name", name: nameOf(shape) ?? "" };
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "TSSatisfiesExpression":
      return first && anatomyOf(first);
    case "ArrayExpression":
    case "ArrayPattern":
      return { kind: "sequence", items: parts };
    case "ObjectExpression":
    case "ObjectPattern":
      return { kind: "mapping", entries: parts };
    case "TemplateLiteral": {
      const inOrder = parts.toSorted((a, b) => a.start - b.start);
      return { kind: "text", pieces: inOrder.map((part) => writtenOut(part) ?? part) };
    }
    case "AssignmentPattern": {
      const { left, right } = partsByField(shape);
      const name = left && nameOf(left);
      return name !== undefined && right ? { kind: "named", name, value: right } : undefined;
    }
    case "Property": {
      const { key, value } = partsByField(shape);
      const name =
        key && !label.includes("\ncomputed=true") ? (nameOf(key) ?? textIn(key)) : undefined;
      if (name === undefined || !value || !label.includes('\nkind="init"'))
        return { kind: "plain" };
      return { kind: "named", name, value };
    }
    case "Literal":
      return { kind: "literal" };
    case "AwaitExpression":
    case "BinaryExpression":
    case "NewExpression":
    case "UnaryExpression":
      return { kind: "plain" };
    default:
      return undefined;
  }
}

/** `x.entries()`; undefined of anything else. */
export function iteratedBy(over: Shape): Iterating | undefined {
  const call = anatomyOf(over);
  const callee = call?.kind === "call" && call.given.length === 0 ? anatomyOf(call.callee) : null;
  if (callee?.kind !== "member" || callee.name !== "entries") return undefined;
  return { inner: callee.object, isNumbered: true, callees: [] };
}

/** `try { … }`; undefined of anything else. */
export function wrapperOf(statement: Shape): Wrapper | undefined {
  const { block, handler, finalizer } = partsByField(statement);
  if (typeOf(statement) !== "TryStatement" || !block) return undefined;
  const clauses = [handler, finalizer].flatMap((clause) => clause ?? []);
  return { block, contexts: [], clauses, passesOn: !handler || endsWithThrow(handler) };
}

/** Whether `catch (error)` ends with `throw error`. */
function endsWithThrow(handler: Shape): boolean {
  const { param, body } = partsByField(handler);
  const last = body?.parts.at(-1);
  const [thrown] = last && typeOf(last) === "ThrowStatement" ? last.parts : [];
  return param !== undefined && thrown !== undefined && nameOf(param) === nameOf(thrown);
}

function loopOf(loop: Shape): Anatomy | undefined {
  const { left, right } = partsByField(loop);
  if (!left || !right) return undefined;
  const declared = typeOf(left) === "VariableDeclaration" ? left.parts[0]?.parts[0] : left;
  return declared && { kind: "loop", target: declared, over: right };
}

function evaluated(value: Shape): Anatomy | undefined {
  const isAssigned = typeOf(value) === "AssignmentExpression";
  return isAssigned ? anatomyOf(value) : { kind: "evaluation", value };
}

/** `&&=` and the like. */
function isLazy(label: string): boolean {
  return /\noperator="(?:&&|\|\||\?\?)="/.test(label);
}

/** The text of a piece of a template, with its marks of escape; undefined of what is put in. */
function writtenOut({ label }: Shape): string | undefined {
  const raw = /^TemplateElement\n[\s\S]*?"raw":("(?:[^"\\]|\\.)*")/.exec(label)?.[1];
  return raw === undefined ? undefined : (JSON.parse(raw) as string);
}

/** The text of a literal; undefined of anything else. */
function textIn({ label }: Shape): string | undefined {
  const text = /^Literal\n[\s\S]*?value=("(?:[^"\\]|\\.)*")/.exec(label)?.[1];
  return text === undefined ? undefined : (JSON.parse(text) as string);
}

function partsByField({ parts }: Shape): { readonly [field: string]: Shape | undefined } {
  return Object.fromEntries(parts.map((part) => [part.field, part]));
}

function typeOf({ label }: Shape): string {
  return /^\S*/.exec(label)?.[0] ?? "";
}

function nameOf({ label }: Shape): string | undefined {
  return /\nname="(.*)"/.exec(label)?.[1];
}
