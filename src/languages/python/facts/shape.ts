/**
 * @file A syntax tree with everything that the program says, and nothing of how it is laid out: what a
 * formatter changes (quotes, commas before a closing bracket, parentheses around a whole expression, `a; b` on one line)
 * and what only readers read (annotations, docstrings) does not count.
 */
import type { Shape } from "../../parsed-file.ts";
import type { PyNode } from "./syntax.ts";
import { dotted, namedChildren, wrapped } from "./syntax.ts";

/** Where a comma before the closing bracket means nothing. */
const BRACKETED = new Set(["argument_list", "list", "dictionary", "set", "parameters"]);

/** To the last token. `isMember`: a field of a dataclass is known by its annotation. */
export function shapeOf(node: PyNode, isMember = false): Shape {
  const inner = wrapped(node);
  if (inner) return shapeOf(inner);
  const { start, end } = node;
  const type = node.type === "typed_default_parameter" ? "default_parameter" : node.type;
  if (isDocstring(node)) return { start, end, field: "", label: `${type} text`, parts: [] };
  const passes = isMember && (type === "block" || type === "expression_statement");
  const parts = withoutLayout(node, isMember).map((child) => {
    return shapeOf(child, passes || (type === "class_definition" && child.type === "block"));
  });
  return { start, end, field: "", label: `${type} ${plainText(node)}`, parts };
}

function withoutLayout(node: PyNode, isMember: boolean): readonly PyNode[] {
  const { type } = node;
  const children = isMember && type === "assignment" ? node.children : withoutAnnotation(node);
  const isTuple = type === "tuple" && namedChildren(node).length > 1;
  if (isTuple || BRACKETED.has(type)) return withoutLastComma(children);
  if (type === "module" || type === "block") return children.filter((child) => child.type !== ";");
  if (type !== "import_from_statement") return children;
  const listed = children.filter((child) => child.isNamed || !/^[()]$/.test(child.type));
  return inOrder(listed.at(-1)?.type === "," ? listed.slice(0, -1) : listed);
}

/** `from a import c, b` says what `from a import b, c` says. */
function inOrder(parts: readonly PyNode[]): readonly PyNode[] {
  const from = parts.findIndex(({ type }) => type === "import") + 1;
  const names = parts.slice(from).filter(({ isNamed }) => isNamed);
  const sorted = names.toSorted((one, other) => (dotted(one) < dotted(other) ? -1 : 1));
  return parts.map((part) => sorted[names.indexOf(part)] ?? part);
}

function withoutLastComma(children: readonly PyNode[]): readonly PyNode[] {
  const before = children.at(-2);
  return before?.type === "," ? [...children.slice(0, -2), ...children.slice(-1)] : children;
}

/** Of a variable that gets a value, a parameter, a function. */
function withoutAnnotation({ type, children }: PyNode): readonly PyNode[] {
  const given = children.some((child) => child.type === "=");
  const isAnnotated = (type === "assignment" && given) || type === "typed_default_parameter";
  if (!isAnnotated && type !== "function_definition") return children;
  return children.filter((child, at) => {
    const isType = child.field === "type" || child.field === "return_type";
    const isMark =
      child.type === "->" || (child.type === ":" && children[at + 1]?.field === "type");
    return !isType && !isMark;
  });
}

function isDocstring(node: PyNode): boolean {
  const [only, ...more] = namedChildren(node);
  return (
    node.type === "expression_statement" &&
    only?.type === "string" &&
    more.length === 0 &&
    !namedChildren(only).some(({ type }) => type === "interpolation")
  );
}

function plainText({ type, text }: PyNode): string {
  if (type === "string_start")
    return `${text
      .replace(/['"]+$/, "")
      .toLowerCase()
      .replace("u", "")}"`;
  if (type === "string_end") return '"';
  return type === "integer" || type === "float" ? text.toLowerCase() : text;
}
