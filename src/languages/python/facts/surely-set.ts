/**
 * @file Names that may have no value at a place: they are set in a branch that need not be taken, or in
 * a loop that need not run. Python finds that out only when it gets there.
 */
import { isInside } from "../../../tree/index.ts";
import type { SyntaxGap } from "../../parsed-file.ts";
import type { Binding } from "../../scopes.ts";
import type { PyNode } from "./syntax.ts";
import { definitionIn, fieldOf, namedChildren, statementsOf } from "./syntax.ts";

/** Whether a name has a value at a gap on every way that leads there. */
export function isSurelySet(program: PyNode, binding: Binding, gap: SyntaxGap): boolean {
  const { block, scope } = gap;
  // A function runs when it is called: what is around it has been executed by then.
  if (binding.kind === "parameter" || scope.function !== binding.scope.function) return true;
  let { offset } = gap;
  let inner: PyNode | undefined;
  const path = pathTo(program, block as PyNode);
  for (const [at, node] of [...path.entries()].toReversed()) {
    const list = statementsOf(node);
    if (!list) continue;
    if (inner) {
      const owner = path[at + 1] as PyNode;
      const statement = definitionIn(owner) ?? owner;
      if (statement.type === "function_definition") return false;
      if (setsInHead(statement, inner, binding)) return true;
      offset = owner.start;
    }
    // The nearest first: what was set further up may have been deleted since.
    for (const statement of list.filter(({ start }) => start < offset).toReversed()) {
      if (deletes(statement, binding)) return false;
      if (surelySets(statement, binding)) return true;
    }
    inner = node;
  }
  return false;
}

/** From a node to one that it holds, both included. */
function pathTo(from: PyNode, to: PyNode): PyNode[] {
  if (from === to) return [from];
  for (const child of namedChildren(from)) {
    const inner = isInside(to, child) ? pathTo(child, to) : [];
    if (inner.length > 0) return [from, ...inner];
  }
  return [];
}

function deletes(node: PyNode, { name }: Pick<Binding, "name">): boolean {
  if (/^(?:function|class)_definition$/.test(node.type)) return false;
  if (node.type !== "delete_statement")
    return namedChildren(node).some((one) => deletes(one, { name }));
  const targets = namedChildren(node).flatMap((one) =>
    one.type === "identifier" ? [one] : namedChildren(one),
  );
  return targets.some(({ type, text }) => type === "identifier" && text === name);
}

/** Whether a head on the way into a block sets a name: a loop's variable, `with … as`, `except … as`. */
function setsInHead(statement: PyNode, block: PyNode, binding: Binding): boolean {
  return namedChildren(statement).some((part) => {
    if (part === block) return false;
    if (isInside(block, part)) return setsInHead(part, block, binding);
    // Other bodies of the statement are other ways.
    const isHead =
      part.end <= block.start && part.type !== "block" && !part.type.endsWith("_clause");
    return (isHead || part.type === "with_clause") && contains(part, binding);
  });
}

function contains(part: PyNode, { definitions }: Binding): boolean {
  return definitions.some(({ node }) => isInside(node, part));
}

/** Whether a name is set whenever a statement is passed; a way that ends before is no matter. */
function surelySets(node: PyNode, binding: Binding): boolean {
  if (!contains(node, binding)) return isJump(node);
  switch (node.type) {
    case "if_statement":
      return setsInEveryBranch(node, binding);
    case "for_statement": {
      const over = fieldOf(node, "right");
      return over !== undefined && contains(over, binding);
    }
    case "while_statement":
      return setsInWhile(node, binding);
    case "try_statement":
      return setsInTry(node, binding);
    case "with_statement":
    case "else_clause":
    case "finally_clause":
    case "except_clause":
    case "elif_clause":
      return namedChildren(node).some((part) => surelySets(part, binding));
    case "block":
      return namedChildren(node).some((statement) => surelySets(statement, binding));
    case "match_statement": {
      const subject = fieldOf(node, "subject");
      return subject !== undefined && contains(subject, binding);
    }
    case "delete_statement":
      return false;
    default:
      return true;
  }
}

function isJump({ type }: PyNode): boolean {
  return /^(?:return|raise|break|continue)_statement$/.test(type);
}

/** Whether a body sets a name or never comes to its end. */
function endsOrSets(body: PyNode | undefined, binding: Binding): boolean {
  if (!body) return false;
  const block =
    body.type === "block" ? body : namedChildren(body).find(({ type }) => type === "block");
  if (!block) return false;
  return namedChildren(block).some(
    (statement) => isJump(statement) || surelySets(statement, binding),
  );
}

function setsInEveryBranch(node: PyNode, binding: Binding): boolean {
  const condition = fieldOf(node, "condition");
  if (condition && contains(condition, binding)) return true;
  const others = node.children.filter(({ field }) => field === "alternative");
  const hasElse = others.some(({ type }) => type === "else_clause");
  const bodies = [fieldOf(node, "consequence"), ...others];
  return hasElse && bodies.every((body) => endsOrSets(body, binding));
}

/** `while True` runs at least once. */
function setsInWhile(node: PyNode, binding: Binding): boolean {
  const condition = fieldOf(node, "condition");
  if (condition && contains(condition, binding)) return true;
  const isEndless = condition?.type === "true" || condition?.text === "1";
  return isEndless && endsOrSets(fieldOf(node, "body"), binding);
}

function setsInTry(node: PyNode, binding: Binding): boolean {
  const parts = namedChildren(node);
  const last = parts.find(({ type }) => type === "finally_clause");
  if (last && endsOrSets(last, binding)) return true;
  const handlers = parts.filter(({ type }) => type.startsWith("except"));
  const rest = parts.find(({ type }) => type === "else_clause");
  const isSet = endsOrSets(fieldOf(node, "body"), binding) || endsOrSets(rest, binding);
  return isSet && handlers.every((handler) => endsOrSets(handler, binding));
}
