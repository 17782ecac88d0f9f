/** @file All statements of a version that give a variable, or an attribute of one, a value or a part of it. */
import type { TreeNode } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Binding, Statement, Syntax } from "../../languages/index.ts";
import { statementAround } from "../placing/statement-at.ts";
import { shapeOf } from "./statement-shape.ts";
import type { Side } from "./version-tree.ts";
import { enclosingStatement } from "./version-tree.ts";

/** A variable, or what an attribute path from it holds. */
export interface Variable {
  /** Null: `this`. */
  readonly binding: Binding | null;
  /** `loss`, `args.lr`: a name is its own path. */
  readonly path: string;
  /** Any part of it may be read. */
  readonly isWhole: boolean;
}

export interface Giver {
  /** Where it is executed. */
  readonly at: TreeNode;
  /** What is given the value. */
  readonly place: TreeNode;
  readonly statement: TreeNode;
  /** Nothing of the value before is left. */
  readonly isWhole: boolean;
  /** It surely gives another value: what a method does to an object, nobody knows. */
  readonly isSure: boolean;
}

export function giversOf(side: Side, variable: Variable): Giver[] {
  const own = [...assignments(side, variable), ...changes(side, variable)];
  const found = new Map(own.map((one) => [one.place, one]));
  return [...found.values(), ...byCalls(side, variable, [...found.values()])].toSorted(
    (a, b) => a.at.id - b.at.id,
  );
}

function giver({ tree }: Side, place: Syntax, what: Pick<Giver, "isWhole" | "isSure">): Giver[] {
  const node = tree.nodeOf.get(place);
  return node ? [{ at: node, place: node, statement: enclosingStatement(node), ...what }] : [];
}

function assignments(side: Side, { binding, path }: Variable): Giver[] {
  const { source, scopes } = side;
  const names = (binding?.definitions ?? []).flatMap(({ node }) => {
    const isSum = scopes.referenceOf.get(node)?.isRead === true || readsItself(side, node, binding);
    return giver(side, node, { isWhole: !isSum || path !== binding?.name, isSure: true });
  });
  if (!path.includes(".")) return names;
  const attributes = source.uses.writes.flatMap(({ target, path: written = "" }) => {
    const isOf = written === path || path.startsWith(`${written}.`);
    if (!isOf || !written.includes(".") || !isOfRoot(side, target, binding)) return [];
    const isSum = ADDS.test(source.text.slice(target.end)) || readsPath(side, target, path);
    return giver(side, target, { isWhole: !isSum, isSure: true });
  });
  return [...names, ...attributes];
}

/** `+=`, `++`: something is left of what was there. */
const ADDS = /^\s*(?:[^\s\w=;(]{1,3}=(?!=)|\+\+|--)/;

/** Whether what is assigned is computed from the name itself. */
function readsItself(
  { source, scopes, tree }: Side,
  name: Syntax,
  binding: Binding | null,
): boolean {
  const statement = simpleStatement(tree.nodeOf.get(name));
  return (
    statement !== undefined &&
    source.statements.length > 0 &&
    scopes.references.some((one) => {
      return (
        one.binding === binding && one.isRead && one.node !== name && isInside(one.node, statement)
      );
    })
  );
}

function readsPath({ source, tree }: Side, target: Syntax, path: string): boolean {
  const statement = simpleStatement(tree.nodeOf.get(target));
  return (
    statement !== undefined &&
    source.uses.members.some((one) => {
      return one.path === path && one.node !== target && isInside(one.node, statement);
    })
  );
}

function simpleStatement(place: TreeNode | undefined): TreeNode | undefined {
  const statement = place && enclosingStatement(place);
  return statement?.children.some(({ role }) => role === "block") ? undefined : statement;
}

/** Whether a path begins with a name. */
function isOfRoot({ scopes }: Side, target: Syntax, binding: Binding | null): boolean {
  const root = scopes.references.find(({ node }) => node.start === target.start);
  return binding === null ? root === undefined : root?.binding === binding;
}

/** Parts of it that are set, and what methods and functions change. */
function changes(side: Side, { binding, path, isWhole }: Variable): Giver[] {
  const { source, scopes } = side;
  const parts = source.uses.writes.flatMap(({ target, path: written = "" }) => {
    const isPart = (isWhole || path.includes(".")) && written.startsWith(`${path}.`);
    if (!isPart || !isOfRoot(side, target, binding)) return [];
    return giver(side, target, { isWhole: false, isSure: false });
  });
  const own = scopes.references.filter((one) => binding !== null && one.binding === binding);
  const changed = own.flatMap(({ node }) => {
    const isSure = isChangedByFunction(side, node, path);
    const isChanged = source.mutations.mutated.has(node) && isPathChanged(side, node, path);
    return isSure || isChanged ? giver(side, node, { isWhole: false, isSure }) : [];
  });
  return [...parts, ...changed];
}

/** Whether a method of what a path holds is called, or a part of it is set by a key. */
function isPathChanged({ source: { uses } }: Side, { start, end }: Syntax, path: string): boolean {
  if (uses.writes.some((one) => one.path?.includes(".") && one.target.start === start))
    return false;
  const callee = uses.calls.find(
    (one) => one.callee.start === start && one.callee.end > end,
  )?.callee;
  const called = callee && uses.members.find(({ node }) => node === callee)?.path;
  if (called === undefined) return true;
  const object = called.slice(0, called.lastIndexOf("."));
  return object === path || path.startsWith(`${object}.`);
}

/** Whether a name is given to a function of the file that changes what it is given, or what a path from it holds. */
function isChangedByFunction(side: Side, name: Syntax, path: string): boolean {
  const { source, scopes } = side;
  if (!source.mutations.passed.has(name)) return false;
  const rest = path.split(".").slice(1).join(".");
  return source.uses.calls.some(({ node, callee }) => {
    if (!isInside(name, node)) return false;
    const made = functionCalled(side, callee);
    if (!made) return false;
    const takes = parameterFor(side, node, name, made);
    return scopes.references.some((one) => {
      const isGiven =
        one.binding?.kind === "parameter" &&
        isInside(one.binding.scope.node, made.node) &&
        (takes === undefined || one.binding.name === takes);
      if (!isGiven || !isInside(one.node, made.node) || !isSurelyChanged(side, one.node))
        return false;
      const set = source.uses.writes.find(({ target }) => target.start === one.node.start)?.path;
      const part = set?.split(".").slice(1).join(".");
      return rest === "" || part === undefined || isPrefix(part, rest) || isPrefix(rest, part);
    });
  });
}

/** The function of the file that is called, if all that it takes is listed; a parameter may be any. */
export function functionCalled({ source, scopes }: Side, callee: Syntax): Statement | undefined {
  const binding = scopes.referenceOf.get(callee)?.binding;
  const [declared] = binding?.declarations ?? [];
  const made = declared && statementAround(source, declared);
  if (!binding || made?.parameters == null) return undefined;
  return isInside(binding.scope.node, made.node) ? undefined : made;
}

/** Whether a part of what a name holds is set, or a method is called that is known to change it: any may only look. */
function isSurelyChanged({ source: { mutations, uses } }: Side, node: Syntax): boolean {
  const method = uses.calls.find(
    ({ callee }) => callee.start === node.start && callee.end > node.end,
  );
  return mutations.mutated.has(node) && (method?.effect ?? "changes") === "changes";
}

/** The parameter by which a function takes what a call gives it; undefined: it may be any. */
export function parameterFor(
  { source }: Side,
  call: Syntax,
  argument: Syntax,
  { parameters }: Statement,
): string | undefined {
  const { anatomyOf } = source.language;
  const shape = shapeOf(source, call);
  const whole = shape && anatomyOf(shape);
  // A statement that is nothing but the call has its place.
  const anatomy = whole?.kind === "evaluation" ? anatomyOf(whole.value) : whole;
  if (anatomy?.kind !== "call") return undefined;
  const at = anatomy.given.findIndex((one) => isInside(argument, one));
  const own = anatomy.given[at];
  const given = own && anatomyOf(own);
  if (given?.kind === "named") return given.name;
  const before = anatomy.given.slice(0, at + 1);
  const isSpread = before.some(({ start }) => /^(?:\*|\.\.\.)/.test(source.text.slice(start)));
  const name = own && !isSpread ? parameters?.[at]?.name : undefined;
  return name === "" ? undefined : name;
}

function isPrefix(path: string, whole: string): boolean {
  return whole === path || whole.startsWith(`${path}.`);
}

/** What functions of the file that are called give to a variable from around them. */
function byCalls(side: Side, { binding }: Variable, own: readonly Giver[]): Giver[] {
  const { source, tree } = side;
  return source.uses.calls.flatMap(({ node, callee }) => {
    const made = functionCalled(side, callee);
    const at = tree.nodeOf.get(node);
    if (!made || !at || !binding || isInside(binding.scope.node, made.node)) return [];
    return own
      .filter(({ place }) => isInside(place, made.node))
      .map((one) => ({ ...one, at, isWhole: false }));
  });
}
