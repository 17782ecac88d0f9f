/**
 * @file Calls of the console in the source of a hands-free program, as the names that they may log:
 * the rule is the one of the run, applied to the shape of the call (`format/console-rule.ts`).
 */
import type { Argument, CallExpression, Expression, Node, ObjectProperty } from "oxc-parser";
import type { ConsoleEntry, ConsoleNames, ConsolePiece, RunMode } from "../../format/index.ts";
import { consoleNames, HOLE } from "../../format/index.ts";
import { propertyName, unwrap } from "./analysis/lowering/syntax-names.ts";
import { isNode } from "./syntax.ts";

const METHODS = new Set(["log", "info", "debug", "table"]);
const UNKNOWN: ConsolePiece = { kind: "text", text: HOLE };

/**
 * What a call logs if it is one of the console; undefined if it logs nothing that can be told from
 * its text. Whether `console` is the global one is for the caller to know.
 */
export function consoleLogOf(call: CallExpression, mode: RunMode): ConsoleNames | undefined {
  const { callee, arguments: args, optional } = call;
  if (optional || callee.type !== "MemberExpression" || callee.computed) return undefined;
  const { object, property } = callee;
  if (object.type !== "Identifier" || object.name !== "console") return undefined;
  if (property.type !== "Identifier" || !METHODS.has(property.name)) return undefined;
  const isTable = property.name === "table";
  const pieces = isTable ? rowsOf(args[0]) : args.map(pieceOf);
  const logged = consoleNames(pieces, { isTable, rule: ruleOf(mode) });
  return logged.names.length + logged.patterns.length > 0 ? logged : undefined;
}

function ruleOf({ consoleRule }: RunMode): RegExp | undefined {
  return consoleRule === undefined ? undefined : new RegExp(consoleRule);
}

/** Whether a program gives the name `console` to something of its own, anywhere. */
export function declaresConsole(node: Node): boolean {
  const isPattern = node.type === "ObjectPattern";
  for (const [key, value] of Object.entries(node)) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value as unknown]) {
      if (!isNode(item)) continue;
      if (isConsole(item) && (BINDS.has(key) || LISTS.has(node.type))) return true;
      if (isPattern && item.type === "Property" && isConsole(item.value)) return true;
      if (declaresConsole(item)) return true;
    }
  }
  return false;
}

/** Fields and nodes in which an identifier is declared or assigned. */
const BINDS = new Set(["id", "params", "local", "param", "left"]);
const LISTS = new Set(["ArrayPattern", "RestElement"]);

function isConsole(node: Node): boolean {
  return node.type === "Identifier" && node.name === "console";
}

function pieceOf(argument: Argument): ConsolePiece {
  // Spread: as many as there are, of which the first comes next.
  if (argument.type === "SpreadElement") return UNKNOWN;
  const inner = unwrap(argument);
  if (inner.type === "ObjectExpression") return { kind: "record", entries: entriesOf(inner) };
  return recordText(inner) ?? { kind: "text", text: textOf(inner) };
}

/** `JSON.stringify({ loss, acc })`, which prints a line that is read by its keys. */
function recordText(node: Expression): ConsolePiece | undefined {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return undefined;
  const { object, property, computed } = node.callee;
  if (object.type !== "Identifier" || object.name !== "JSON") return undefined;
  if (propertyName(property, computed) !== "stringify") return undefined;
  const [first] = node.arguments;
  if (!first || first.type === "SpreadElement") return undefined;
  const inner = unwrap(first);
  if (inner.type !== "ObjectExpression") return undefined;
  return { kind: "record", entries: entriesOf(inner) };
}

/** A text with holes: what is written out, and a hole for everything else. */
function textOf(node: Expression): string {
  const inner = unwrap(node);
  switch (inner.type) {
    case "Literal":
      return typeof inner.value === "string" || typeof inner.value === "number"
        ? String(inner.value)
        : HOLE;
    case "TemplateLiteral":
      return inner.quasis
        .map(({ value }, at) => {
          const held = inner.expressions[at];
          return (value.cooked ?? "") + (held ? textOf(held) : "");
        })
        .join("");
    case "BinaryExpression":
      return inner.operator === "+" ? sumOf(inner.left, inner.right) : HOLE;
    default:
      return HOLE;
  }
}

/** Put together if one side is a text for certain, else a sum of numbers. */
function sumOf(left: Expression | Node, right: Expression): string {
  if (!isExpression(left)) return HOLE;
  return isText(left) || isText(right) ? textOf(left) + textOf(right) : HOLE;
}

function isText(node: Expression): boolean {
  const inner = unwrap(node);
  if (inner.type === "Literal") return typeof inner.value === "string";
  if (inner.type === "TemplateLiteral") return true;
  if (inner.type !== "BinaryExpression" || inner.operator !== "+") return false;
  return isText(inner.right) || (isExpression(inner.left) && isText(inner.left));
}

/** The left side of `#name in object` is none. */
function isExpression(node: Expression | Node): node is Expression {
  return node.type !== "PrivateIdentifier";
}

function entriesOf({ properties }: Extract<Node, { type: "ObjectExpression" }>): ConsoleEntry[] {
  return properties.flatMap((property): ConsoleEntry[] => {
    if (property.type === "SpreadElement" || property.kind !== "init") return [];
    return isNoScalar(property) ? [] : [[nameOf(property), HOLE]];
  });
}

function nameOf({ key, computed }: ObjectProperty): string {
  return propertyName(key, computed) ?? HOLE;
}

/** Written out as something that is not logged as it is. */
function isNoScalar({ value }: ObjectProperty): boolean {
  return /^(?:Object|Array|Function|ArrowFunction|Class)Expression$/.test(unwrap(value).type);
}

/** The rows of a table that are written out. */
function rowsOf(argument: Argument | undefined): ConsolePiece[] {
  if (!argument || argument.type === "SpreadElement") return [];
  const inner = unwrap(argument);
  if (inner.type !== "ArrayExpression") return [];
  return inner.elements.flatMap((element): ConsolePiece[] => {
    if (element?.type !== "ObjectExpression") return [];
    return [{ kind: "record", entries: entriesOf(element) }];
  });
}
