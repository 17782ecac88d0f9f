/**
 * @file Whether the very same statements give a name its value in both versions. Then it means the same, whatever
 * other uses of the name, in other places of its function or file, are paired with.
 */
import type { TreeNode } from "../../tree/index.ts";
import type { Binding } from "../../languages/index.ts";
import type { Giver } from "./givers.ts";
import type { Gap } from "./reaching.ts";
import { reachingAt } from "./reaching.ts";
import type { VersionPair } from "./version-pair.ts";
import type { Side } from "./version-tree.ts";

/** A variable, and the place at which it is read. */
export interface ReadName {
  readonly binding: Binding;
  readonly gap: Gap;
}

export function isGivenBySame(pair: VersionPair, ours: ReadName, theirs: ReadName): boolean {
  const own = giversAt(pair.now, ours);
  const old = giversAt(pair.then, theirs);
  if (!own || !old || own.length !== old.length) return false;
  return own.every(([one, isLeft]) => {
    const partner = pair.mapping.partnerOf(one.statement);
    const other = old.find(([{ statement }]) => statement === partner);
    return other !== undefined && other[1] === isLeft && saysTheSame(one, other[0]);
  });
}

/** What may give a name its value at a place; undefined: something from around the function may. */
function giversAt(side: Side, { binding, gap }: ReadName): [Giver, boolean][] | undefined {
  const found = reachingAt(side, { binding, path: binding.name, isWhole: false }, gap);
  const givers = [...(found?.givers ?? [])];
  const known = givers.flatMap(([one, isLeft]): [Giver, boolean][] => (one ? [[one, isLeft]] : []));
  return known.length > 0 && known.length === givers.length ? known : undefined;
}

/** By their words; of a loop only its first line gives anything. */
function saysTheSame({ statement: own }: Giver, { statement: old }: Giver): boolean {
  if (own.hash === old.hash) return true;
  return own.role === "loop" && old.role === "loop" && headOf(own) === headOf(old);
}

function headOf({ type, children }: TreeNode): string {
  const head = children.filter(({ role }) => role !== "block");
  return [type, ...head.map(({ hash }) => hash)].join();
}
