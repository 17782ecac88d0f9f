/**
 * @file Whether two statements that changed places do the same all the same: each only gives values to variables that
 * the other one has nothing to do with, or puts something into a list that nothing else holds.
 */
import type { TreeNode } from "../../tree/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type { Binding, Reference, Statement, Syntax } from "../../languages/index.ts";
import { statementFor } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import { isVariable } from "../pairing/written-values.ts";

export function areIndependent(side: Side, one: TreeNode, other: TreeNode): boolean {
  const [own, old] = [statementFor(side, one), statementFor(side, other)];
  if (!own || !old || own.leaves || old.leaves) return false;
  const isApart = (first: Statement, second: Statement): boolean =>
    gathersApart(side, first, second) || onlyGives(side, first, second);
  return isApart(own, old) || gathersApart(side, old, own);
}

/** Both only compute and give variables values, and neither has to do with what the other one gives. */
function onlyGives(side: Side, one: Statement, other: Statement): boolean {
  const [own, old] = [one, other].map((statement) => variablesOf(side, statement));
  if (!own || !old) return false;
  const isClear = (given: Variables, used: Variables): boolean =>
    [...given.given].every((binding) => {
      if (used.all.has(binding)) return false;
      // `w -= g` may change an object that has another name, too.
      return !given.isInPlace || [...used.all].every((name) => !mayBeOne(side, binding, name));
    });
  return isClear(own, old) && isClear(old, own);
}

interface Variables {
  readonly all: ReadonlySet<Binding>;
  readonly given: ReadonlySet<Binding>;
  readonly isInPlace: boolean;
}

/** The variables of a statement that does nothing but compute and give them values; undefined: it may do more. */
function variablesOf(side: Side, statement: Statement): Variables | undefined {
  const { effect, isSimple, isLog, isLogOnly, needs, node } = statement;
  if (!isSimple || effect !== "none" || isLog || isLogOnly || needs.awaits || needs.yields)
    return undefined;
  const { mutations, uses } = side.source;
  const own = referencesIn(side, node);
  const isPart = uses.writes.some(({ target, path }) => {
    return isInside(target, node) && path?.includes(".") === true;
  });
  // What a function of the file reads is not written here.
  const isCalled = uses.calls.some(({ callee }) => {
    const binding = isInside(callee, node) && side.scopes.referenceOf.get(callee)?.binding;
    return binding && binding.kind !== "import";
  });
  if (isPart || isCalled || own.some((one) => mutations.mutated.has(one.node))) return undefined;
  const declared = [...side.scopes.bindingOf].flatMap(([at, binding]) => {
    return isInside(at, node) ? [binding] : [];
  });
  const given = own.filter(({ isWrite }) => isWrite).map(({ binding }) => binding);
  if (given.includes(null)) return undefined;
  const isInPlace = side.tree.nodes.some((part) => {
    return isInside(part, node) && ASSIGNMENT.test(part.type) && !/^=?$/.test(part.label);
  });
  return {
    all: new Set([...bindingsOf(own), ...declared].filter(isVariable)),
    given: new Set([...given, ...declared].filter((binding) => binding !== null)),
    isInPlace,
  };
}

const ASSIGNMENT = /^(?:Definition|AssignmentExpression)$/;

function referencesIn({ scopes }: Side, part: { start: number; end: number }): Reference[] {
  return scopes.references.filter(({ node }) => isInside(node, part));
}

function bindingsOf(references: readonly Reference[]): Binding[] {
  return references.flatMap(({ binding }) => binding ?? []);
}

/** Whether two variables may hold one object: one is made of the other one, or both of a third. */
function mayBeOne(side: Side, one: Binding, other: Binding): boolean {
  const [own, old] = [one, other].map((binding) => new Set([binding, ...madeOf(side, binding)]));
  return own !== undefined && old !== undefined && [...own].some((binding) => old.has(binding));
}

/** Variables of which a part may be what a variable holds: not those with which it is only computed. */
function madeOf(side: Side, binding: Binding): Binding[] {
  const places = [
    ...binding.declarations,
    ...side.scopes.references.flatMap((one) => {
      return one.binding === binding && one.isWrite ? [one.node] : [];
    }),
  ];
  return places.flatMap((place) => {
    const node = side.tree.nodeOf.get(place);
    const around =
      node &&
      [...ancestors(node)].find(({ role, type }) => {
        return role !== null || ASSIGNMENT.test(type);
      });
    if (!around || around.role === "function") return [];
    const syntax = around.role === "loop" ? side.tree.syntaxOf.get(around) : undefined;
    const over = syntax && side.source.loops.get(syntax)?.over;
    const value = ASSIGNMENT.test(around.type) ? around.children[1] : over;
    if (value && "type" in value && COMPUTED.test(value.type)) return [];
    return bindingsOf(referencesIn(side, value ?? around)).filter(isVariable);
  });
}

/** Expressions of which the value is a new one. */
const COMPUTED =
  /^(?:binary_operator|unary_operator|integer|float|string|true|false|none|list|BinaryExpression|UnaryExpression|Literal|ArrayExpression)$/i;

/** `losses.append(loss)`, of a list that only such calls, loops and functions that look at it know. */
function gathersApart(side: Side, one: Statement, other: Statement): boolean {
  const { source, scopes, tree } = side;
  const call = source.uses.calls.find(({ node }) => node.start === one.node.start);
  const node = call && tree.nodeOf.get(call.node);
  const [callee, ...given] = node?.children ?? [];
  const [list, method] = callee?.children ?? [];
  if (!one.isSimple || !list || !/^(?:append|push)$/.test(method?.label ?? "")) return false;
  if (given.some(({ type }) => !/^(?:Identifier|integer|float|string|Literal)$/.test(type)))
    return false;
  const held = referencesIn(side, list)[0]?.binding;
  if (!held || list.type !== "Identifier" || !isHeldByName(side, held)) return false;
  const used = bindingsOf(referencesIn(side, one.node));
  // Nothing but what the function itself does gives them values.
  const isOwn = used.every((binding) => {
    const writes = scopes.references.filter((use) => use.binding === binding && use.isWrite);
    const places = [...binding.declarations, ...writes.map((use) => use.node)];
    return places.every((place) => functionAround(side, place) === functionAround(side, one.node));
  });
  const names = new Set(used);
  return (
    isOwn &&
    referencesIn(side, other.node).every(({ binding, isWrite }) => {
      return !binding || (binding !== held && !(isWrite && names.has(binding)));
    })
  );
}

function functionAround({ tree }: Side, part: Syntax): TreeNode | undefined {
  const node = tree.nodeOf.get(part);
  return node && [...ancestors(node)].find(({ role }) => role === "function");
}

/** Whether a list is empty at first, and nobody else can get hold of it. */
function isHeldByName({ scopes, source, tree }: Side, binding: Binding): boolean {
  const [declaration] = binding.declarations;
  const value = declaration && tree.nodeOf.get(declaration)?.parent?.children[1];
  const isList = value !== undefined && /^(?:list|ArrayExpression)$/.test(value.type);
  if (binding.definitions.length !== 1 || !isList || value.children.length > 0) return false;
  return scopes.references.every(({ node, scope, binding: own, isWrite }) => {
    if (own !== binding || isWrite) return own !== binding || binding.declarations.includes(node);
    if (scope.function !== binding.scope.function) return false;
    const isLog = source.statements.some((one) => {
      return (one.isLog || one.isLogOnly) && isInside(node, one.node);
    });
    const around = tree.nodeOf.get(node)?.parent;
    if (isLog || !around) return isLog;
    const call = source.uses.calls.find((one) => {
      return one.node.start === around.start && one.node.end === around.end;
    });
    const isMethod = source.uses.calls.some(({ callee }) => {
      return callee.start === around.start && callee.end === around.end;
    });
    return isMethod || call?.effect === "none" || /^(?:subscript|return)/i.test(around.type);
  });
}
