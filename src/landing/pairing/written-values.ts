/** @file Which statements give what another one reads its values: variables, and properties from a name on. */
import type { TreeNode } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Binding, Syntax } from "../../languages/index.ts";
import type { Side } from "./version-tree.ts";

/** What is read of a version: variables, and properties from a name on. */
export interface Values {
  readonly bindings: ReadonlySet<Binding>;
  readonly paths: readonly string[];
  /** Names of objects of which any property may be read. */
  readonly wholes?: readonly string[];
}

export function valuesOf(found: readonly (Binding | null)[], paths: readonly string[]): Values {
  return { bindings: new Set(found.filter((binding) => binding !== null)), paths };
}

/** Paths of properties from a name that a part of a text reads. */
export function pathsIn({ source }: Side, part: Syntax): string[] {
  const own = source.uses.members.filter(({ node }) => isInside(node, part));
  return [...new Set(own.flatMap(({ path }) => path ?? []))];
}

/** Names of objects that a part of a text calls a method of, or hands over. */
export function wholesIn({ source, scopes }: Side, part: Syntax): string[] {
  const callees = source.uses.calls.map(({ callee }) => callee);
  const isCalled = ({ start, end }: Syntax): boolean =>
    callees.some((callee) => callee.start === start && callee.end > end);
  const own = scopes.references.filter(({ node, binding }) => {
    const isWhole = isCalled(node) || source.mutations.passed.has(node);
    return isInside(node, part) && isVariable(binding) && isWhole;
  });
  return [...new Set(own.map(({ name }) => name))];
}

/** What is imported or defined is known by its name, and has no other value later. */
export function isVariable(binding: Binding | null): boolean {
  return binding !== null && !/^(?:import|function|class|type)$/.test(binding.kind);
}

/** Whether a statement gives one of some values another one; what its functions do is not executed. */
export function writes(
  side: Side,
  node: TreeNode,
  { bindings, paths, wholes = [] }: Values,
): boolean {
  const { source, scopes, tree } = side;
  const syntax = tree.syntaxOf.get(node);
  if (!syntax || source.describe(syntax).isLogOnly) return false;
  const isRead = (path: string): boolean => {
    return (
      paths.some((own) => own === path || own.startsWith(`${path}.`)) ||
      wholes.some((own) => path.startsWith(`${own}.`))
    );
  };
  const isExecuted = (inner: Syntax): boolean => {
    if (!isInside(inner, node)) return false;
    for (let at = tree.nodeOf.get(inner) ?? null; at && at !== node; at = at.parent) {
      if (at.role === "function" || at.role === "class") return false;
    }
    return node.role !== "function" && node.role !== "class";
  };
  const isAssigned = source.uses.writes.some(({ target, path }) => {
    return path?.includes(".") === true && isRead(path) && isExecuted(target);
  });
  if (isAssigned) return true;
  const isDefined = [...bindings].some(({ definitions }) => {
    return definitions.some((one) => isExecuted(one.node));
  });
  if (isDefined) return true;
  return scopes.references.some((one) => {
    if (!one.binding || !bindings.has(one.binding) || !isExecuted(one.node)) return false;
    return one.isWrite || (source.mutations.mutated.has(one.node) && !isPart(source, one.node));
  });
}

/** Properties that assignments of a part of a text give; of `self.a, self.b = …` each. */
export function givenProperties(
  { text, uses }: Side["source"],
  isIn: (target: Syntax) => boolean,
): string[] {
  const written = uses.writes.filter(({ target }) => isIn(target));
  const lists = written.filter(({ path }) => path === undefined);
  const items = uses.members.filter(({ node }) => {
    const isWhole = /^\s*(?:[,=\])]|$)/.test(text.slice(node.end));
    return isWhole && lists.some(({ target }) => isInside(node, target));
  });
  const paths = written.flatMap(({ path }) => path?.split(".").at(-1) ?? []);
  return [...paths, ...items.map(({ name }) => name)];
}

/** Whether a statement gives one of some values, or any part of one, another value. */
export function changesPart(side: Side, node: TreeNode, values: Values): boolean {
  if (writes(side, node, values)) return true;
  const { uses, mutations } = side.source;
  const isPartOf = uses.writes.some(({ target, path = "" }) => {
    return isInside(target, node) && values.paths.some((own) => path.startsWith(`${own}.`));
  });
  return (
    isPartOf ||
    side.scopes.references.some((one) => {
      const isRead = one.binding !== null && values.bindings.has(one.binding);
      return isRead && isInside(one.node, node) && mutations.mutated.has(one.node);
    })
  );
}

/** Only a part of an object is changed: by an assignment with a path, or by a method of the part. */
function isPart({ uses }: Side["source"], name: Syntax): boolean {
  const isSet = uses.writes.some(({ target, path }) => {
    return path?.includes(".") === true && isInside(name, target);
  });
  if (isSet) return true;
  const callees = uses.calls.filter(({ callee }) => callee.start === name.start);
  return uses.members.some(({ node, path = "" }) => {
    return path.split(".").length > 2 && callees.some(({ callee }) => callee === node);
  });
}
