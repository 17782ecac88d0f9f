/**
 * @file Calls of the console in the source of a hands-free program, as the names that they may log:
 * the rule is the one of the run, applied to the shape of the call (`format/console-rule.ts`).
 */
import type { Argument, CallExpression, Expression, Node, ObjectProperty } from "oxc-parser";
import type { ConsoleEntry, ConsoleNames, ConsolePiece, RunMode } from "../../format/index.ts";
import { ANY_NAME, consoleNames, HOLE } from "../../format/index.ts";
import { propertyName, unwrap } from "./analysis/lowering/syntax-names.ts";
import { isNode } from "./syntax.ts";

const METHODS = new Set(["log", "info", "debug", "table"]);

/** Ends a phrase, and is no number; a private character. */
const NO_VALUE = "\uE001";

/** What is printed for an expression: a hole, or a text that is no number if it shall not count. */
type Show = (part: Expression) => string;

/**
 * What a call logs if it is one of the console; undefined if it logs nothing that can be told from
 * its text. Whether `console` is the global one is for the caller to know.
 */
export function consoleLogOf(
  call: CallExpression,
  mode: RunMode,
  show: Show = () => HOLE,
): ConsoleNames | undefined {
  const { callee, arguments: args, optional } = call;
  if (optional || callee.type !== "MemberExpression" || callee.computed) return undefined;
  const { object, property } = callee;
  if (object.type !== "Identifier" || object.name !== "console") return undefined;
  if (property.type !== "Identifier" || !METHODS.has(property.name)) return undefined;
  const isTable = isNamed(property, "table");
  const given = isTable ? rowsOf(args[0], show) : args.map((one) => pieceOf(one, show));
  // A text with a part that does not count is no value either, as in `console.log("model", "mlp")`.
  const isPart = given.some((piece) => piece.kind === "text" && piece.text.includes(NO_VALUE));
  const pieces: ConsolePiece[] = isPart ? [...given, { kind: "other" }] : given;
  const logged = consoleNames(pieces, { isTable, rule: ruleOf(mode) });
  return logged.names.length + logged.patterns.length > 0 ? logged : undefined;
}

/** What `log({ loss, acc })` logs; undefined: it is given a name. */
export function recordLogOf(call: CallExpression): ConsoleNames | undefined {
  const [first] = call.arguments;
  const inner = first && first.type !== "SpreadElement" ? unwrap(first) : undefined;
  if (inner?.type !== "ObjectExpression") return undefined;
  const named = inner.properties.flatMap((one): ConsoleEntry[] =>
    one.type === "SpreadElement" ? [] : [[nameOf(one), HOLE]],
  );
  const isOpen = named.length < inner.properties.length;
  if (named.length === 0) return { names: [], patterns: isOpen ? [ANY_NAME] : [] };
  return consoleNames([{ kind: "record", entries: named, isOpen }]);
}

/**
 * How the arguments of a call are written, if it shows no name: its values are called by that. A text
 * that holds one value and nothing else is written as that value.
 */
export function unnamedTexts(
  call: CallExpression,
  mode: RunMode,
  source: string,
): readonly string[] | undefined {
  const { names = [], patterns = [] } = consoleLogOf(call, mode) ?? {};
  if (names.length > 0 || patterns[0] !== ANY_NAME) return undefined;
  const { callee } = call;
  const isTable = callee.type === "MemberExpression" && isNamed(callee.property, "table");
  // Behind the rows of a table stand its columns.
  const args = isTable ? call.arguments.slice(0, 1) : call.arguments;
  const given = args.filter((one): one is Expression => one.type !== "SpreadElement");
  if (given.length < args.length) return undefined;
  const written = ({ start, end }: Node): string => {
    return source.slice(start, end).split(/\s+/).join(" ");
  };
  return given.map((argument) => {
    const parts: Expression[] = [];
    const text = textOf(argument, (part) => {
      parts.push(part);
      return HOLE;
    });
    const [only] = text === HOLE ? parts : [];
    return written(unwrap(only ?? argument));
  });
}

function isNamed(node: Node, name: string): boolean {
  return node.type === "Identifier" && node.name === name;
}

/** Names that a call of the console logs, and that none of these expressions of its line are for. */
export function namesWithout(
  call: CallExpression,
  parts: ReadonlySet<Expression>,
  mode: RunMode,
): readonly string[] {
  const namesOf = (isShown: (part: Expression) => boolean): readonly string[] =>
    consoleLogOf(call, mode, (part) => (isShown(part) ? HOLE : NO_VALUE))?.names ?? [];
  const theirs = new Set(namesOf((part) => parts.has(part)));
  return namesOf((part) => !parts.has(part)).filter((name) => !theirs.has(name));
}

/** The expressions that a line on the console is put together from. */
export function printedParts(call: CallExpression): readonly Expression[] {
  const parts: Expression[] = [];
  consoleLogOf(call, { handsFree: true }, (part) => {
    parts.push(part);
    return HOLE;
  });
  return parts;
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

function pieceOf(argument: Argument, show: Show): ConsolePiece {
  // Spread: as many as there are, of which the first comes next.
  if (argument.type === "SpreadElement") return { kind: "text", text: show(argument.argument) };
  const inner = unwrap(argument);
  if (inner.type === "ObjectExpression") return recordOf(inner, show);
  return recordText(inner, show) ?? { kind: "text", text: textOf(inner, show) };
}

/** `JSON.stringify({ loss, acc })`, which prints a line that is read by its keys. */
function recordText(node: Expression, show: Show): ConsolePiece | undefined {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return undefined;
  const { object, property, computed } = node.callee;
  if (object.type !== "Identifier" || object.name !== "JSON") return undefined;
  if (propertyName(property, computed) !== "stringify") return undefined;
  const [first] = node.arguments;
  if (!first || first.type === "SpreadElement") return undefined;
  const inner = unwrap(first);
  return inner.type === "ObjectExpression" ? recordOf(inner, show) : undefined;
}

/** What is spread has names that only a run can tell; where it is all that there is, it stands for the object. */
function recordOf(node: Extract<Node, { type: "ObjectExpression" }>, show: Show): ConsolePiece {
  const entries = entriesOf(node, show);
  const spread = node.properties.filter((one) => one.type === "SpreadElement");
  const [first] = spread;
  if (first && spread.length === node.properties.length) {
    return { kind: "text", text: show(first.argument) };
  }
  return { kind: "record", entries, isOpen: spread.length > 0 };
}

/** A text with holes: what is written out, and a hole for everything else. */
function textOf(node: Expression, show: Show): string {
  const inner = unwrap(node);
  switch (inner.type) {
    case "Literal":
      return typeof inner.value === "string" || typeof inner.value === "number"
        ? String(inner.value)
        : show(inner);
    case "TemplateLiteral":
      return inner.quasis
        .map(({ value }, at) => {
          const held = inner.expressions[at];
          return (value.cooked ?? "") + (held ? textOf(held, show) : "");
        })
        .join("");
    case "BinaryExpression":
      return inner.operator === "+" ? sumOf(inner, show) : show(inner);
    default:
      return show(inner);
  }
}

/** Put together if one side is a text for certain, else a sum of numbers. */
function sumOf(node: Extract<Node, { type: "BinaryExpression" }>, show: Show): string {
  const { left, right } = node;
  if (!isExpression(left) || !(isText(left) || isText(right))) return show(node);
  return textOf(left, show) + textOf(right, show);
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

function entriesOf(
  { properties }: Extract<Node, { type: "ObjectExpression" }>,
  show: Show,
): ConsoleEntry[] {
  return properties.flatMap((property): ConsoleEntry[] => {
    if (property.type === "SpreadElement" || property.kind !== "init") return [];
    if (isNoScalar(property) || show(property.value) !== HOLE) return [];
    return [[nameOf(property), HOLE]];
  });
}

function nameOf({ key, computed }: ObjectProperty): string {
  return propertyName(key, computed) ?? HOLE;
}

/** Written out as something that is not logged as it is. */
function isNoScalar({ value }: ObjectProperty): boolean {
  return /^(?:Object|Array|Function|ArrowFunction|Class)Expression$/.test(unwrap(value).type);
}

/** The rows of a table that are written out, or named. */
function rowsOf(argument: Argument | undefined, show: Show): ConsolePiece[] {
  if (!argument || argument.type === "SpreadElement") return [];
  const inner = unwrap(argument);
  // What gathered all rows of a training is shown at its end: any name that is asked would be taken for its.
  if (inner.type !== "ArrayExpression") return [];
  return inner.elements.flatMap((row): ConsolePiece[] => {
    if (!row || row.type === "SpreadElement" || isLiteral(row)) return [];
    if (row.type !== "ObjectExpression") return [{ kind: "text", text: show(row) }];
    return [recordOf(row, show)];
  });
}

/** Written out as something that has no columns. */
function isLiteral({ type }: Node): boolean {
  return /^(?:Literal|TemplateLiteral|ArrayExpression)$/.test(type);
}
