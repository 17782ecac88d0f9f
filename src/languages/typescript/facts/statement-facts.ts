/** @file What is known of statements of TypeScript. */
import type { ArrowFunctionExpression, Function, Node } from "oxc-parser";
import type {
  Definition,
  Effect,
  Expression,
  Parameter,
  Statement,
  Surroundings,
  Syntax,
} from "../../parsed-file.ts";
import type { SdkNames } from "../log-calls.ts";
import { effectOf, isEmptyValue } from "./statement-effects.ts";
import { isFunction, isLogOnly, wrappable } from "./log-facts.ts";
import { childrenOf } from "../syntax.ts";
import { neededBy, surroundingsAt } from "./surroundings.ts";

/** Where a statement stands. */
interface Around {
  readonly owner: Syntax;
  readonly parent: Statement | null;
  readonly names: SdkNames;
  readonly program: Node;
}

export function describeStatement(node: Node, around: Around): Statement {
  return new TypeScriptStatement(node, around);
}

class TypeScriptStatement implements Statement {
  readonly kind = "statement";
  readonly node: Node;
  readonly owner: Syntax;
  readonly parent: Statement | null;
  readonly #around: Around;

  constructor(node: Node, around: Around) {
    this.node = node;
    this.owner = around.owner;
    this.parent = around.parent;
    this.#around = around;
  }

  get bare(): Statement {
    const { node } = this;
    const inner = node.type === "ExportNamedDeclaration" ? node.declaration : null;
    return inner ? new TypeScriptStatement(inner, this.#around) : this;
  }

  get isSimple(): boolean {
    return /^(?:ExpressionStatement|VariableDeclaration)$/.test(this.node.type);
  }

  get isLogOnly(): boolean {
    return isLogOnly(this.node);
  }

  get isLog(): boolean {
    const { node } = this;
    if (node.type !== "ExpressionStatement" || node.expression.type !== "CallExpression")
      return false;
    const { callee } = node.expression;
    const { wholes, logs } = this.#around.names;
    if (callee.type === "Identifier") return logs.has(callee.name);
    if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return false;
    return wholes.has(callee.object.name) || callee.object.name === "console";
  }

  get isDeclaration(): boolean {
    const { node } = this;
    const inner = node.type.startsWith("Export") && "declaration" in node ? node.declaration : null;
    return /^(?:Import|ClassDecl|TS)/.test((inner ?? node).type);
  }

  get isHoisted(): boolean {
    return this.node.type === "FunctionDeclaration";
  }

  get endsWithSemicolon(): boolean {
    return ENDS_WITH_SEMICOLON.test(this.node.type);
  }

  get branch(): Syntax | undefined {
    const { node } = this;
    if (node.type !== "IfStatement" || node.alternate) return undefined;
    return node.consequent.type === "BlockStatement" ? node.consequent : undefined;
  }

  /** Functions, and constants with one declarator. */
  get defines(): Definition | undefined {
    const { node } = this;
    if (node.type === "FunctionDeclaration") return { kind: "function", name: null };
    if (node.type !== "VariableDeclaration" || node.declarations.length !== 1) return undefined;
    return node.declarations[0]?.init ? { kind: "value", name: null } : undefined;
  }

  get member(): string | undefined {
    const { node } = this;
    if (!("key" in node) || !("static" in node) || node.computed) return undefined;
    const { key } = node;
    if (key.type === "PrivateIdentifier") return `#${key.name}`;
    return key.type === "Identifier" ? key.name : undefined;
  }

  get parameters(): readonly Parameter[] | null | undefined {
    const made = functionIn(this.node);
    return made && parametersOf(made);
  }

  get isEmptyValue(): boolean {
    return isEmptyValue(this.node);
  }

  get value(): Expression | undefined {
    const { node } = this;
    const init = node.type === "VariableDeclaration" ? node.declarations[0]?.init : undefined;
    return init && !isFunction(init) ? wrappable(init) : undefined;
  }

  get effect(): Effect {
    return effectOf(this.node);
  }

  get leaves(): boolean {
    return leaves(this.node, false);
  }

  get changesOthers(): boolean {
    return false;
  }

  get needs(): Surroundings {
    const needed = neededBy(this.node);
    const hasThis = needed.hasThis && surroundingsAt(this.#around.program, this.node.start).hasThis;
    return { ...needed, hasThis };
  }
}

const ENDS_WITH_SEMICOLON = /^(?:Expression|Return|Throw|Debugger)Statement$|^VariableDeclaration$/;

function parametersOf(made: Function | ArrowFunctionExpression): Parameter[] | null {
  if (made.params.some(({ type }) => type === "RestElement")) return null;
  return made.params.map((parameter) => {
    const isNeeded = parameter.type !== "AssignmentPattern";
    const target = parameter.type === "AssignmentPattern" ? parameter.left : parameter;
    const isOptional = "optional" in target && target.optional;
    return {
      name: target.type === "Identifier" ? target.name : "",
      isNeeded: isNeeded && !isOptional,
    };
  });
}

/** The function that a statement defines. */
function functionIn(node: Node): Function | ArrowFunctionExpression | undefined {
  if (node.type === "ExportNamedDeclaration") {
    return node.declaration ? functionIn(node.declaration) : undefined;
  }
  if (node.type === "FunctionDeclaration") return node;
  if (node.type === "MethodDefinition") return node.value;
  if (node.type !== "VariableDeclaration" || node.declarations.length !== 1) return undefined;
  const init = node.declarations[0]?.init;
  const isExpression =
    init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
  return isExpression ? init : undefined;
}

function leaves(node: Node, isInLoop: boolean): boolean {
  if (node.type === "ReturnStatement") return true;
  if (node.type === "BreakStatement" || node.type === "ContinueStatement") {
    return !isInLoop || node.label !== null;
  }
  if (isFunction(node) || /^(?:Function|Class)/.test(node.type)) return false;
  const isLoop = isInLoop || /^(?:For|While|DoWhile|Switch)/.test(node.type);
  return childrenOf(node).some((child) => leaves(child, isLoop));
}
