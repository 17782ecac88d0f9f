/**
 * @file Whether two names get their values in the same way. A name that was only renamed is given its values by
 * statements that say the same, but for other words that were renamed too: `hi = max(hi, x)` is no new name for
 * `lo = min(lo, x)`.
 */
import type { TreeNode } from "../../tree/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type { Binding, Syntax } from "../../languages/index.ts";
import type { Side } from "./version-tree.ts";
import { enclosingStatement } from "./version-tree.ts";
import { pathOf } from "./visible-name.ts";
import { givenProperties } from "./written-values.ts";

/** What is known of the names of two versions. */
export interface Versions {
  readonly now: Side;
  readonly then: Side;
  readonly partnerOf: (node: TreeNode) => TreeNode | undefined;
  /** What a binding of the newer version is in the older one, as far as its own statement shows. */
  readonly bindingThen: (identifier: Syntax) => Binding | undefined;
}

/** Whether all that gives a name its values in the newer version says the same as what gives the other its own. */
export function isGivenAlike(versions: Versions, binding: Binding, old: Binding): boolean {
  // What is imported is told by where it is from.
  if (binding.kind === "import" && old.kind === "import") return true;
  const ours = giversOf(versions.now, binding);
  const theirs = giversOf(versions.then, old);
  const met = new Set<TreeNode>();
  const lone: Giver[] = [];
  for (const { statement, ...given } of ours) {
    const partner = versions.partnerOf(statement);
    const other = theirs.find((one) => one.statement === partner);
    if (!other) lone.push(...(given.isPart ? [] : [{ statement, ...given }]));
    else if (!isSameGiver(versions, { statement, ...given }, other)) return false;
    else met.add(other.statement);
  }
  // One that is paired with what gives another name may have one here that says the same.
  const left = lone.filter((own) => {
    const old = theirs.find((one) => !met.has(one.statement) && isSameGiver(versions, own, one));
    if (old) met.add(old.statement);
    return !old;
  });
  // What only one version does to it is no sign of another name; what each does by itself may be.
  return left.length === 0 || theirs.every((one) => one.isPart || met.has(one.statement));
}

interface Giver {
  readonly statement: TreeNode;
  /** It sets a property of what the name holds, and not the name. */
  readonly isPart: boolean;
  /** Of `a += f(b)`: how it is given, and what. */
  readonly operator: string;
  readonly value: TreeNode | undefined;
}

/** Statements that give a variable a value, or change what it holds. */
function giversOf(side: Side, binding: Binding): Giver[] {
  const { scopes, source, tree } = side;
  const changed = scopes.references.filter((one) => {
    if (one.binding !== binding) return false;
    return one.isWrite || source.mutations.mutated.has(one.node) || isCalledAlone(side, one.node);
  });
  const isPartOf = ({ start, end }: Syntax): boolean =>
    source.uses.writes.some(({ target }) => target.start === start && target.end > end);
  const places = [...binding.declarations, ...changed.map(({ node }) => node)];
  const givers = places.flatMap((place): Giver[] => {
    const node = tree.nodeOf.get(place);
    const statement = node && enclosingStatement(node);
    if (!statement || statement.role !== null) return [];
    return [{ statement, isPart: isPartOf(place), ...givenBy(node, statement) }];
  });
  return [...new Map(givers.map((one) => [one.statement, one])).values()];
}

/** Whether a statement only calls a method of what a name holds: it may change that. */
function isCalledAlone({ source: { uses, statements } }: Side, { start, end }: Syntax): boolean {
  const isOfName = uses.calls.some(({ callee }) => callee.start === start && callee.end > end);
  return (
    isOfName &&
    statements.some(({ node, isSimple, defines, isLogOnly }) => {
      return node.start === start && isSimple && !defines && !isLogOnly;
    })
  );
}

/** How a node of a statement is given its value; all of the statement, where it is no assignment. */
function givenBy(node: TreeNode, statement: TreeNode): Pick<Giver, "operator" | "value"> {
  for (const around of ancestors(node)) {
    const [target, value] = around.children;
    if (ASSIGNMENT.test(around.type) && target && isInside(node, target)) {
      return { operator: around.label.replace(/^=$/, ""), value };
    }
    if (around === statement) break;
  }
  return { operator: statement.type, value: statement };
}

const ASSIGNMENT = /^(?:Definition|AssignmentExpression)$/;

function isSameGiver(versions: Versions, own: Giver, old: Giver): boolean {
  if (own.operator !== old.operator || !isAlike(versions, own.value, old.value)) return false;
  const [ours, theirs] = [conditionsAround(own.statement), conditionsAround(old.statement)];
  return (
    ours.length === theirs.length && ours.every((one, at) => isAlike(versions, one, theirs[at]))
  );
}

/** The conditions under which a statement is executed, those directly around it. */
function conditionsAround(statement: TreeNode): TreeNode[] {
  const found: TreeNode[] = [];
  for (let at = statement.parent?.parent ?? null; at?.role === null; at = at.parent) {
    if (/if|else|case|switch/i.test(at.type)) found.push(at);
  }
  return found;
}

/** Whether two parts say the same, but for numbers and words that were renamed; what their blocks say is left out. */
function isAlike(versions: Versions, own?: TreeNode, old?: TreeNode): boolean {
  if (!own || !old || own.hash === old.hash) return own === old || own?.hash === old?.hash;
  if (standsForNumber(versions.now, own) && standsForNumber(versions.then, old)) return true;
  if (own.type !== old.type || own.role !== old.role) return false;
  if (own.role === "function") return true;
  if (own.label !== old.label && !isRenamed(versions, own, old)) return false;
  const parts = [own, old].map(({ children }) => {
    return children.filter(({ role, type }) => role !== "block" && !/_clause$|^else /.test(type));
  });
  const isMore = parts[0]?.length !== parts[1]?.length && CALL.test(own.type);
  const [ours, theirs] = parts.map((all) => (isMore ? all.filter((one) => !isNumber(one)) : all));
  return (
    ours?.length === theirs?.length &&
    (ours ?? []).every((one, at) => isAlike(versions, one, theirs?.[at]))
  );
}

/** A number, or the name that one got. */
function standsForNumber(side: Side, node: TreeNode): boolean {
  if (isNumber(node)) return true;
  const binding = node.type === "Identifier" ? bindingAt(side, node) : undefined;
  const [declaration] = binding?.declarations ?? [];
  const given = declaration && side.tree.nodeOf.get(declaration)?.parent;
  if (binding?.definitions.length !== 1 || given?.type !== "Definition") return false;
  const value = given.children[1];
  const isSetAgain = side.scopes.references.some((one) => {
    return one.binding === binding && one.isWrite && one.node !== declaration;
  });
  return value !== undefined && isNumber(value) && !isSetAgain;
}

const CALL = /^call/i;

function isNumber({ type, label, children }: TreeNode): boolean {
  const [only] = children;
  if (only) return children.length === 1 && /^unary/i.test(type) && isNumber(only);
  return /^(?:integer|float|Literal)$/.test(type) && /^[\d.]/.test(label);
}

/** Whether a word stands for another one of the older version. */
function isRenamed({ now, then, bindingThen }: Versions, own: TreeNode, old: TreeNode): boolean {
  const isIn = ({ tree }: Side, { type, label }: TreeNode): boolean =>
    tree.nodes.some((one) => one.type === type && one.label === label);
  const isNew = !isIn(then, own) && !isIn(now, old);
  if (own.type === "PropertyName") {
    const [ours, theirs] = [now, then].map(({ source }) => givenProperties(source, () => true));
    return isNew && ours?.includes(own.label) === true && theirs?.includes(old.label) === true;
  }
  if (own.type !== "Identifier") return false;
  const [here, there] = [bindingAt(now, own), bindingAt(then, old)];
  if (!here || !there) return false;
  if (here.kind === "import" || there.kind === "import") {
    const [from, before] = [importOf(now, here), importOf(then, there)];
    return from !== undefined && from === before;
  }
  const identifier = now.tree.syntaxOf.get(own);
  return isNew || (identifier !== undefined && bindingThen(identifier) === there);
}

/** What a name is imported from; undefined: it is not, or not at the top. */
function importOf(
  { source: { imports } }: Side,
  { name, kind, scope }: Binding,
): string | undefined {
  const found = imports.find(({ local }) => local === name);
  return found && kind === "import" && !scope.parent ? pathOf(found) : undefined;
}

function bindingAt({ tree, scopes }: Side, node: TreeNode): Binding | undefined {
  const syntax = tree.syntaxOf.get(node);
  if (!syntax) return undefined;
  return scopes.bindingOf.get(syntax) ?? scopes.referenceOf.get(syntax)?.binding ?? undefined;
}
