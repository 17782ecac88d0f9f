/**
 * @file Whether a value is more than its definition: a list that other statements push to, a table
 * whose entries they set. Brought along alone, it would be empty, and what is logged of it wrong.
 */
import type { EffectRules, Syntax } from "./grammar.ts";
import type { TreeNode } from "../../tree/index.ts";
import type { Side } from "./pair.ts";
import type { Binding } from "./scope.ts";

/** Whether statements other than its definition, and the one that needs it, change what a name holds. */
export function isFilledElsewhere(
  { source, tree, scopes }: Side,
  binding: Binding,
  definition: Syntax,
  user: Syntax,
): boolean {
  const { effects } = source.grammar;
  const isFresh = effects.isEmptyValue(definition);
  return scopes.references.some(({ node, binding: own }) => {
    if (own !== binding || isInside(node, definition) || isInside(node, user)) return false;
    const use = tree.nodeOf.get(node);
    if (!use) return false;
    return isChanged(effects, use, tree.syntaxOf) || (isFresh && isPassed(effects, use));
  });
}

function isInside({ start, end }: Syntax, outer: Syntax): boolean {
  return outer.start <= start && end <= outer.end;
}

/** Whether the use is the root of what is assigned, counted up, deleted, or changed by a method. */
function isChanged(
  { members, changesPart }: EffectRules,
  use: TreeNode,
  syntaxOf: ReadonlyMap<TreeNode, Syntax>,
): boolean {
  let at = use;
  while (at.parent && members.has(at.parent.type) && at.index === 0) at = at.parent;
  if (at === use || !at.parent) return false;
  const syntax = syntaxOf.get(at.parent);
  return syntax !== undefined && changesPart(syntax, at.index);
}

/** Whether the use is an argument: who gets it may fill it. */
function isPassed({ passesPart }: EffectRules, { parent, index }: TreeNode): boolean {
  return parent !== null && passesPart(parent, index);
}
