/**
 * @file Python to the neutral tree of `tree/`. What people change without meaning anything is left
 * out, so that it does not keep statements apart: comments, docstrings, parentheses, quotes, type
 * annotations, trailing commas.
 */
import type { Role, TreeDraft } from "../../../tree/index.ts";
import type { Drafts } from "../../landing/grammar.ts";
import type { PyNode } from "./syntax.ts";
import { argumentsOf, definitionIn, fieldOf, hasToken, isDocstring, named } from "./syntax.ts";

export function draftsOf(
  node: PyNode,
  without: ReadonlySet<PyNode>,
  names: ReadonlyMap<PyNode, string>,
): Drafts {
  const conversion = new Conversion(without, names);
  return { draft: conversion.convert(node), syntax: conversion.syntax };
}

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
  augmented_assignment: "assignment",
  typed_default_parameter: "default_parameter",
};

/** Wrappers that stand for what they hold. */
const TRANSPARENT = new Set(["parenthesized_expression", "typed_parameter", "as_pattern_target"]);

/** Words and signs that say what a node is; all others only separate its parts. */
const SAYING = new Set(["not", "async", "*", "**", "~", "except*"]);

class Conversion {
  readonly syntax = new Map<TreeDraft, PyNode[]>();
  readonly #without: ReadonlySet<PyNode>;
  readonly #names: ReadonlyMap<PyNode, string>;

  constructor(without: ReadonlySet<PyNode>, names: ReadonlyMap<PyNode, string>) {
    this.#without = without;
    this.#names = names;
  }

  convert(node: PyNode): TreeDraft {
    const draft = this.#draft(node);
    const known = this.syntax.get(draft);
    if (known) known.push(node);
    else this.syntax.set(draft, [node]);
    return draft;
  }

  #draft(node: PyNode): TreeDraft {
    const [only, ...more] = values(node);
    if (TRANSPARENT.has(node.type) && only && more.length === 0) return this.convert(only);
    switch (node.type) {
      case "identifier":
        return leaf(node, "Identifier", this.#names.get(node) ?? node.text);
      case "decorated_definition":
        return this.#decorated(node);
      case "string":
        return this.#string(node);
      case "attribute":
        return this.#attribute(node);
      case "keyword_argument":
        return this.#keyword(node);
      case "call":
        return this.#call(node);
      default:
        return this.#plain(node);
    }
  }

  /** The definition, with its decorators behind its name. */
  #decorated(node: PyNode): TreeDraft {
    const definition = definitionIn(node);
    if (!definition) return this.#plain(node);
    const inner = this.#draft(definition);
    const [name, ...rest] = inner.children;
    const decorators = named(node)
      .filter(({ type }) => type === "decorator")
      .map((one) => this.convert(one));
    const children = [...(name ? [name] : []), ...decorators, ...rest];
    const draft = { ...inner, start: node.start, end: node.end, children };
    // The definition comes first: it is what opens a scope.
    this.syntax.set(draft, [definition]);
    return draft;
  }

  /** One without values in it is a leaf, whatever its quotes are. */
  #string(node: PyNode): TreeDraft {
    const parts = named(node);
    const prefix = (parts[0]?.text ?? "").replaceAll(/['"u]/gi, "").toLowerCase();
    const inner = parts.filter(({ type }) => !/^string_(?:start|end)$/.test(type));
    const isWhole = inner.every(({ type }) => type === "string_content");
    if (!isWhole)
      return draftOf(
        node,
        prefix,
        inner.map((one) => this.convert(one)),
      );
    const text = inner.map((one) => one.text.replaceAll(/\\(['"])/g, "$1")).join("");
    return leaf(node, "string", `${prefix.replace("f", "")}:${text}`);
  }

  #attribute(node: PyNode): TreeDraft {
    const [object, name] = [fieldOf(node, "object"), fieldOf(node, "attribute")];
    if (!object || !name) return this.#plain(node);
    return draftOf(node, "", [this.convert(object), this.#propertyName(name)]);
  }

  #keyword(node: PyNode): TreeDraft {
    const [name, value] = [fieldOf(node, "name"), fieldOf(node, "value")];
    if (!name || !value) return this.#plain(node);
    const label = leaf(name, "keyword", name.text);
    this.syntax.set(label, [name]);
    return draftOf(node, "", [label, this.convert(value)]);
  }

  #propertyName(node: PyNode): TreeDraft {
    const draft = leaf(node, "PropertyName", node.text);
    this.syntax.set(draft, [node]);
    return draft;
  }

  #call(node: PyNode): TreeDraft {
    const callee = fieldOf(node, "function");
    const children = [...(callee ? [callee] : []), ...argumentsOf(node)];
    return draftOf(
      node,
      "",
      children.map((one) => this.convert(one)),
    );
  }

  #plain(node: PyNode): TreeDraft {
    const isMatch = node.children.some(({ type }) => type === "case_clause");
    const role = isMatch ? null : (ROLES[node.type] ?? null);
    const inner = role === "block" ? this.#statements(node) : values(node);
    const children = inner.map((one) => this.#clauseOf(node, this.convert(one)));
    const label = children.length === 0 && node.children.length === 0 ? node.text : labelOf(node);
    const { start, end } = node;
    const type = isMatch ? "cases" : (TYPES[node.type] ?? node.type);
    return { type, label, role, start, end, children };
  }

  /** The `else` of a loop, or of `try`, is another thing than that of a condition. */
  #clauseOf({ type }: PyNode, draft: TreeDraft): TreeDraft {
    if (draft.type !== "else_clause" || type === "if_statement") return draft;
    const named = { ...draft, type: `else of ${type}` };
    const syntax = this.syntax.get(draft);
    if (syntax) this.syntax.set(named, syntax);
    return named;
  }

  #statements(node: PyNode): readonly PyNode[] {
    return named(node).filter((one, at) => {
      // These stand before everything, and nothing is ever put before them.
      if (one.type === "future_import_statement") return false;
      return !(at === 0 && isDocstring(one)) && !this.#without.has(one);
    });
  }
}

/** The parts that count, types left out. */
function values(node: PyNode): readonly PyNode[] {
  return named(node).filter(({ type }) => type !== "type");
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

function draftOf(
  { type, start, end }: PyNode,
  label: string,
  children: readonly TreeDraft[],
): TreeDraft {
  return { type: TYPES[type] ?? type, label, role: ROLES[type] ?? null, start, end, children };
}

function leaf({ start, end }: PyNode, type: string, label: string): TreeDraft {
  return { type, label, role: null, start, end, children: [] };
}
