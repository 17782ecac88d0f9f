/** @file Names in the syntax tree: of properties, of what the program has from Afterlog. */
import type { BindingPattern, Expression, ParamPattern, PrivateIdentifier } from "oxc-parser";
import type { Builder } from "./builder.ts";

/** What `console.log` and `util.inspect` call: `[util.inspect.custom]`. */
const INSPECT = "@@inspect.custom";

type Wrapped = Expression | PrivateIdentifier;

/** The expression inside of what only types need. */
export function unwrap(node: Expression): Expression {
  let inner = node;
  for (;;) {
    switch (inner.type) {
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "TSTypeAssertion":
      case "TSNonNullExpression":
      case "TSInstantiationExpression":
      case "ParenthesizedExpression":
      case "ChainExpression":
        inner = inner.expression;
        break;
      default:
        return inner;
    }
  }
}

/** Name of a property if it can be told: `x`, `"x"`, `0`, `#x`, `[Symbol.iterator]`. */
export function propertyName(key: Wrapped, computed: boolean): string | null {
  if (key.type === "PrivateIdentifier") return `#${key.name}`;
  if (!computed && key.type === "Identifier") return key.name;
  const inner = unwrap(key);
  if (inner.type === "Literal") return literalName(inner.value);
  if (inner.type === "TemplateLiteral") return constantText(inner);
  if (inner.type === "MemberExpression" && inner.object.type === "Identifier") {
    const { object, property } = inner;
    if (object.name === "Symbol" && property.type === "Identifier") return `@@${property.name}`;
  }
  return isInspect(inner) ? INSPECT : null;
}

function isInspect(key: Expression): boolean {
  if (key.type === "CallExpression") {
    const [first] = key.arguments;
    const text = first && first.type !== "SpreadElement" ? constantText(first) : null;
    return text === "nodejs.util.inspect.custom";
  }
  if (key.type !== "MemberExpression" || key.computed) return false;
  const { object, property } = key;
  const holder = object.type === "MemberExpression" ? object.property : object;
  const isNamed = holder.type === "Identifier" && holder.name === "inspect";
  return isNamed && property.type === "Identifier" && property.name === "custom";
}

/** Functions of these names run when an object is converted or shown. */
export const CONVERSIONS: ReadonlySet<string> = new Set([
  "toString",
  "toLocaleString",
  "valueOf",
  "toJSON",
  "@@toPrimitive",
  INSPECT,
]);

function literalName(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

/** A text that is written out; null: it is computed. */
export function constantText(node: Expression): string | null {
  const inner = unwrap(node);
  if (inner.type === "Literal") return typeof inner.value === "string" ? inner.value : null;
  if (inner.type !== "TemplateLiteral" || inner.expressions.length > 0) return null;
  return inner.quasis[0]?.value.cooked ?? null;
}

/** What an expression is of the package, if the source shows it: `afterlog.loop`. */
export function afterlogName(b: Builder, node: Expression): string | null {
  const inner = unwrap(node);
  switch (inner.type) {
    case "Identifier":
      return b.resolve(inner.name)?.alias ?? null;
    case "MemberExpression": {
      const base = afterlogName(b, inner.object);
      const name = base === null ? null : propertyName(inner.property, inner.computed);
      return base === null || name === null ? null : memberOf(base, name);
    }
    case "AwaitExpression":
      return afterlogName(b, inner.argument);
    case "ImportExpression":
      return constantText(inner.source) === "afterlog" ? "afterlog" : null;
    case "CallExpression": {
      const [first] = inner.arguments;
      if (inner.callee.type !== "Identifier" || inner.callee.name !== "require") return null;
      if (!first || first.type === "SpreadElement" || b.resolve("require")) return null;
      return constantText(first) === "afterlog" ? "afterlog" : null;
    }
    default:
      return null;
  }
}

/** `default` of the package is the package itself. */
export function memberOf(base: string, name: string): string {
  return base === "afterlog" && name === "default" ? base : `${base}.${name}`;
}

/** Variables that a pattern declares. */
export function namesIn(pattern: BindingPattern | ParamPattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    case "TSParameterProperty":
      return namesIn(pattern.parameter);
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element ? namesIn(element) : []));
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === "RestElement" ? property.argument : property.value),
      );
  }
}

/** What it executes may do anything, with every variable that it sees. */
export function noteEval(b: Builder, at: number): void {
  b.uncertain(at, "eval");
  b.unit.evaluates = true;
}
