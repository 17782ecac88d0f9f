/**
 * @file Python to the neutral tree of `tree/`. What people change without meaning anything is left
 * out, so that it does not keep statements apart: comments, docstrings, parentheses, quotes, type
 * annotations, trailing commas.
 */
import type { Role } from "../../../tree/index.ts";
import { isLeft } from "../../../tree/index.ts";
import type { SyntaxDraft } from "../../parsed-file.ts";
import type { PyNode } from "./syntax.ts";
import {
  argumentsOf,
  definitionIn,
  dotted,
  fieldOf,
  hasToken,
  isDocstring,
  namedChildren,
  valuesIn,
  wrapped,
} from "./syntax.ts";

export function syntaxTree(program: PyNode): SyntaxDraft {
  return convert(program);
}

type Draft = SyntaxDraft & { readonly syntax: PyNode[] };

const ROLES: Readonly<{ [type: string]: Role }> = {
  module: "block",
  block: "block",
  for_statement: "loop",
  while_statement: "loop",
  function_definition: "function",
  class_definition: "class",
  return_statement: "jump",
  raise_statement: "jump",
  break_statement: "jump",
  continue_statement: "jump",
};

/** Kinds of loops are exchanged for one another; what adds to a name is an assignment too. */
const TYPES: Readonly<{ [type: string]: string }> = {
  module: "Block",
  block: "Block",
  for_statement: "Loop",
  while_statement: "Loop",
  function_definition: "Function",
  assignment: "Definition",
  augmented_assignment: "Definition",
  typed_default_parameter: "default_parameter",
};

/** Words and signs that say what a node is; all others only separate its parts. */
const SAYING = new Set(["not", "async", "*", "**", "~", "except*"]);

function convert(node: PyNode): Draft {
  const draft = draftFor(node);
  draft.syntax.push(node);
  return draft;
}

function draftFor(node: PyNode): Draft {
  const inner = wrapped(node);
  if (inner) return convert(inner);
  switch (node.type) {
    case "identifier":
      return leaf(node, "Identifier", node.text);
    case "decorated_definition":
      return decorated(node);
    case "string":
      return stringNode(node);
    case "attribute":
      return attributeNode(node);
    case "keyword_argument":
      return keywordNode(node);
    case "call":
      return callNode(node);
    default:
      return plainNode(node);
  }
}

/** The definition, with its decorators behind its name. */
function decorated(node: PyNode): Draft {
  const definition = definitionIn(node);
  if (!definition) return plainNode(node);
  const inner = draftFor(definition);
  const [name, ...rest] = inner.children;
  const decorators = namedChildren(node)
    .filter(({ type }) => type === "decorator")
    .map((one) => convert(one));
  const children = [...(name ? [name] : []), ...decorators, ...rest];
  // The definition comes first: it is what opens a scope.
  return { ...inner, start: node.start, end: node.end, children, syntax: [definition] };
}

/** One without values in it is a leaf, whatever its quotes are. */
function stringNode(node: PyNode): Draft {
  const parts = namedChildren(node);
  const prefix = (parts[0]?.text ?? "").replaceAll(/['"u]/gi, "").toLowerCase();
  const inner = parts.filter(({ type }) => !/^string_(?:start|end)$/.test(type));
  const isWhole = inner.every(({ type }) => type === "string_content");
  if (!isWhole)
    return draftOf(
      node,
      prefix,
      inner.map((one) => convert(one)),
    );
  const text = inner.map((one) => one.text.replaceAll(/\\(['"])/g, "$1")).join("");
  return leaf(node, "string", `${prefix.replace("f", "")}:${text}`);
}

function attributeNode(node: PyNode): Draft {
  const [object, name] = [fieldOf(node, "object"), fieldOf(node, "attribute")];
  if (!object || !name) return plainNode(node);
  return draftOf(node, "", [convert(object), propertyName(name)]);
}

function keywordNode(node: PyNode): Draft {
  const [name, value] = [fieldOf(node, "name"), fieldOf(node, "value")];
  if (!name || !value) return plainNode(node);
  const label = { ...leaf(name, "keyword", name.text), syntax: [name] };
  return draftOf(node, "", [label, convert(value)]);
}

function propertyName(node: PyNode): Draft {
  return { ...leaf(node, "PropertyName", node.text), syntax: [node] };
}

function callNode(node: PyNode): Draft {
  const callee = fieldOf(node, "function");
  const children = [...(callee ? [callee] : []), ...argumentsOf(node)];
  const draft = draftOf(
    node,
    "",
    children.map((one) => convert(one)),
  );
  const isExit = callee !== undefined && /^(?:sys\.exit|os\._exit|exit|quit)$/.test(dotted(callee));
  return isExit ? { ...draft, leaves: true } : draft;
}

function plainNode(node: PyNode): Draft {
  const isMatch = node.children.some(({ type }) => type === "case_clause");
  const role = isMatch ? null : (ROLES[node.type] ?? null);
  const inner = role === "block" ? statementsIn(node) : valuesIn(node);
  const children = inner.map((one) => clauseOf(node, convert(one)));
  const label = children.length === 0 && node.children.length === 0 ? node.text : labelOf(node);
  const { start, end } = node;
  const type = isMatch ? "cases" : (TYPES[node.type] ?? node.type);
  const leaves = alwaysLeaves(node, children);
  return { type, label, role, leaves, start, end, children, syntax: [] };
}

/** Whether the statement behind it is never reached, whichever way is taken in it. */
function alwaysLeaves(node: PyNode, children: readonly SyntaxDraft[]): boolean {
  const blockIn = (clause: SyntaxDraft): SyntaxDraft | undefined =>
    clause.role === "block" ? clause : clause.children.find(({ role }) => role === "block");
  const isEnded = (clause: SyntaxDraft): boolean => isLeft(blockIn(clause) ?? clause);
  const clauses = children.filter((child) => blockIn(child) !== undefined);
  const has = (type: string): boolean => clauses.some((clause) => clause.type === type);
  switch (node.type) {
    case "if_statement":
      return has("else_clause") && clauses.every(isEnded);
    case "try_statement": {
      if (clauses.some((one) => one.type === "finally_clause" && isEnded(one))) return true;
      const others = clauses.filter(({ type }) => type !== "finally_clause");
      const handlers = others.filter(({ type }) => type.startsWith("except"));
      // What is tried ends with its own end, or with that of its `else`.
      const tried = others.filter(({ type }) => !type.startsWith("except"));
      return tried.some(isEnded) && handlers.every(isEnded);
    }
    case "with_statement":
      // Some managers let a program go on behind what was raised in them.
      return clauses.some((one) => {
        return blockIn(one)?.children.some((inner) =>
          /^(?:return|break|continue)/.test(inner.type),
        );
      });
    default:
      return false;
  }
}

/** The `else` of a loop, or of `try`, is another thing than that of a condition. */
function clauseOf({ type }: PyNode, draft: Draft): Draft {
  if (draft.type !== "else_clause" || type === "if_statement") return draft;
  return { ...draft, type: `else of ${type}` };
}

function statementsIn(node: PyNode): readonly PyNode[] {
  return namedChildren(node).filter((one, at) => {
    // These stand before everything, and nothing is ever put before them.
    if (one.type === "future_import_statement") return false;
    return !(at === 0 && isDocstring(one));
  });
}

function labelOf(node: PyNode): string {
  const tokens = node.children.filter(({ isNamed, field, type }) => {
    return !isNamed && (/^operators?$/.test(field ?? "") || SAYING.has(type));
  });
  const words = tokens.map(({ text, type }) => text || type);
  if (node.type === "interpolation" && hasToken(node, "=")) words.push("=");
  if (ROLES[node.type] === "loop") words.push(node.type);
  return words.join(" ");
}

function draftOf({ type, start, end }: PyNode, label: string, children: readonly Draft[]): Draft {
  return {
    type: TYPES[type] ?? type,
    label,
    role: ROLES[type] ?? null,
    start,
    end,
    children,
    syntax: [],
  };
}

function leaf({ start, end }: PyNode, type: string, label: string): Draft {
  return { type, label, role: null, start, end, children: [], syntax: [] };
}
