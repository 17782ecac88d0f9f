/**
 * @file Names that may have no value where a statement goes, though they surely have one where it
 * stands in the newer version: they are set in a branch that need not be taken, or in a loop that need
 * not run. Python finds that out only when it gets there.
 */
import type { TreeNode } from "../../../tree/index.ts";
import { freeNames } from "../../landing/names.ts";
import type { Side, VersionPair } from "../../landing/pair.ts";
import { reach } from "../../landing/reach.ts";
import type { Binding, Scope } from "../../landing/scope.ts";
import type { Settled } from "../../landing/settle.ts";
import type { PyNode } from "./syntax.ts";
import { fieldOf, named } from "./syntax.ts";

export function perhapsUnset(pair: VersionPair, settled: Settled): string[] {
  const { unit, target, renaming } = settled;
  const block = pair.blockOf(unit);
  if (!block) return [];
  const index = block.children.filter(({ start }) => start < unit.node.start).length;
  const spot = pair.spotOf(target.place);
  return freeNames(pair.now.scopes, unit.node).flatMap(({ name, binding, uses }) => {
    const [use] = uses;
    const written = (use && renaming.get(use)) ?? name;
    const found = reach(pair.then.scopes, written, spot);
    if (!binding || !use || found.kind !== "reached" || !found.binding) return [];
    const wasSure = isSure(pair.now, binding, { block, index, scope: use.scope });
    const isSureThere = isSure(pair.then, found.binding, { ...target.place, scope: spot.scope });
    return wasSure && !isSureThere ? [written] : [];
  });
}

interface At {
  readonly block: TreeNode;
  readonly index: number;
  readonly scope: Scope;
}

/** Whether a name has a value at a gap on every way that leads there. */
function isSure({ tree }: Side, binding: Binding, { block, index, scope }: At): boolean {
  // A function runs when it is called: what is around it has been executed by then.
  if (binding.kind === "parameter" || scope.function !== binding.scope.function) return true;
  let [at, before]: [TreeNode, number] = [block, index];
  for (;;) {
    // The nearest first: what was set further up may have been deleted since.
    for (const child of at.children.slice(0, before).toReversed()) {
      const syntax = tree.syntaxOf.get(child) as PyNode | undefined;
      if (!syntax) continue;
      if (deletes(syntax, binding)) return false;
      if (sets(syntax, binding)) return true;
    }
    const owner = statementAround(at);
    if (!owner?.parent || owner.role === "function") return false;
    const syntax = tree.syntaxOf.get(owner) as PyNode | undefined;
    const inner = tree.syntaxOf.get(at) as PyNode | undefined;
    if (syntax && inner && setsInHead(syntax, inner, binding)) return true;
    [at, before] = [owner.parent, owner.index];
  }
}

function statementAround(block: TreeNode): TreeNode | undefined {
  let at: TreeNode | null = block;
  while (at.parent && at.parent.role !== "block") at = at.parent;
  return at.parent ? at : undefined;
}

function deletes(node: PyNode, { name }: Pick<Binding, "name">): boolean {
  if (/^(?:function|class)_definition$/.test(node.type)) return false;
  if (node.type !== "delete_statement") return named(node).some((one) => deletes(one, { name }));
  const targets = named(node).flatMap((one) => (one.type === "identifier" ? [one] : named(one)));
  return targets.some(({ type, text }) => type === "identifier" && text === name);
}

/** Whether a head on the way into a block sets a name: a loop's variable, `with … as`, `except … as`. */
function setsInHead(statement: PyNode, block: PyNode, binding: Binding): boolean {
  return named(statement).some((part) => {
    if (part === block) return false;
    if (part.start <= block.start && block.end <= part.end) return setsInHead(part, block, binding);
    // Other bodies of the statement are other ways.
    const isHead =
      part.end <= block.start && part.type !== "block" && !part.type.endsWith("_clause");
    return (isHead || part.type === "with_clause") && contains(part, binding);
  });
}

function contains({ start, end }: PyNode, { definitions }: Binding): boolean {
  return definitions.some(({ node }) => start <= node.start && node.end <= end);
}

/** Whether a name is set whenever a statement is passed; a way that ends before is no matter. */
function sets(node: PyNode, binding: Binding): boolean {
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
      return named(node).some((part) => sets(part, binding));
    case "block":
      return named(node).some((statement) => sets(statement, binding));
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
  const block = body.type === "block" ? body : named(body).find(({ type }) => type === "block");
  if (!block) return false;
  return named(block).some((statement) => isJump(statement) || sets(statement, binding));
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
  const parts = named(node);
  const last = parts.find(({ type }) => type === "finally_clause");
  if (last && endsOrSets(last, binding)) return true;
  const handlers = parts.filter(({ type }) => type.startsWith("except"));
  const rest = parts.find(({ type }) => type === "else_clause");
  const isSet = endsOrSets(fieldOf(node, "body"), binding) || endsOrSets(rest, binding);
  return isSet && handlers.every((handler) => endsOrSets(handler, binding));
}
