/**
 * @file Lines that were made a function, or stand where it was called: the same values have other names there, as what
 * is handed to it and what it gives back, and loops around the call are around its lines.
 */
import type { TreeNode } from "../../tree/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type { Binding, Statement, Syntax } from "../../languages/index.ts";
import { functionCalled, parameterFor } from "./givers.ts";
import type { Side } from "./version-tree.ts";
import { enclosingStatement } from "./version-tree.ts";

/** Of a node whose two children are a name and the value that it is given. */
const DEFINITION = "Definition";

/** Whether each call of the function of a parameter hands it what a variable holds. */
export function isHandedTo(side: Side, value: Binding, parameter: Binding): boolean {
  const [name] = parameter.declarations;
  const made = name && functionAround(side, name);
  if (parameter.kind !== "parameter" || parameter.definitions.length > 1 || !made) return false;
  const calls = callsOf(side, made);
  return (
    calls !== undefined &&
    calls.every((call) => {
      return side.scopes.references.some(({ node, binding }) => {
        const isOwn = binding === value && isInside(node, call);
        return (
          isOwn && parameterFor(side, call, node, made) === parameter.name && isWhole(side, node)
        );
      });
    })
  );
}

/** Whether a name is all that is handed over, and no part of an expression. */
function isWhole({ source }: Side, { start, end }: Syntax): boolean {
  return /[(,=]\s*$/.test(source.text.slice(0, start)) && /^\s*[,)]/.test(source.text.slice(end));
}

/** The innermost function around a node whose parameters are all listed. */
function functionAround({ source }: Side, node: Syntax): Statement | undefined {
  return source.statements.findLast((one) => one.parameters != null && isInside(node, one.node));
}

/** The calls of a function or method of the file; undefined: there are none, or it is handed over, too. */
function callsOf(side: Side, made: Statement): Syntax[] | undefined {
  const { source, scopes } = side;
  const { calls, members } = source.uses;
  const named = members.filter(({ name }) => name === made.member).map(({ node }) => node);
  const own = calls.filter(({ callee }) => functionCalled(side, callee)?.node === made.node);
  const found = own.length > 0 ? own : calls.filter(({ callee }) => named.includes(callee));
  const [called] = own.map(({ callee }) => scopes.referenceOf.get(callee)?.binding);
  const uses = called
    ? scopes.references.filter(({ binding, isRead }) => isRead && binding === called)
    : named;
  return uses.length > 0 && uses.length === found.length
    ? found.map(({ node }) => node)
    : undefined;
}

/** Loops around a node, and around the one call of the function that it stands in. */
export function loopsAround(side: Side, node: TreeNode, isCall = false): number {
  const around = [...ancestors(node)];
  const end = around.findIndex(({ role }) => role === "function") >>> 0;
  const own = around.slice(0, end).filter(({ role }) => role === "loop").length;
  const syntax = side.tree.syntaxOf.get(node);
  const made = around[end] && syntax && functionAround(side, syntax);
  const [call, ...others] = (made && callsOf(side, made)) ?? [];
  const at = call && side.tree.nodeOf.get(call);
  // One that is called by another function is rare, and one that calls itself has no end.
  return own + (at && others.length === 0 && !isCall ? loopsAround(side, at, true) : 0);
}

/** Whether a function gives back what a name of its own holds, and another name gets that, by its place. */
export function isGivenBackFor(side: Side, inner: Binding, binding: Binding): boolean {
  const { scopes, source, tree } = side;
  const [name] = binding.declarations;
  const maker = name && tree.nodeOf.get(name);
  const around = source.statements.find(({ node, parameters }) => {
    return parameters !== undefined && inner.declarations.every((one) => isInside(one, node));
  });
  if (binding.kind === "parameter" || !maker || !around) return false;
  const isCalled = source.uses.calls.some(({ node, callee }) => {
    const called = scopes.referenceOf.get(callee)?.binding;
    const method = source.uses.members.find((one) => one.node === callee)?.name;
    const isOwn = called?.declarations.some((one) => isInside(one, around.node)) === true;
    const isMethod = around.member !== undefined && method === around.member;
    return (isOwn || isMethod) && isInside(node, enclosingStatement(maker));
  });
  if (!isCalled) return false;
  return scopes.references.some((use) => {
    const node = use.binding === inner ? tree.nodeOf.get(use.node) : undefined;
    if (!node) return false;
    const list = node.parent;
    const whole = /list|tuple|^array/i.test(list?.type ?? "") ? list?.parent : list;
    return /^return/i.test(whole?.type ?? "") && list?.children.indexOf(node) === placeOf(maker);
  });
}

/** The place of a name among those that are given values at once; 0: it is alone. */
function placeOf(name: TreeNode): number {
  return name.parent?.type === DEFINITION ? 0 : (name.parent?.children.indexOf(name) ?? -1);
}
