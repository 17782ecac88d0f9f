/**
 * @file Names that may have no value where a statement goes, though they surely have one where it
 * stands in the newer version.
 */
import { freeNames } from "../pairing/paired-names.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { offsetOf } from "../pairing/version-pair.ts";
import { reach } from "../pairing/visible-name.ts";
import type { Settled } from "../adapting/adapt-statement.ts";

export function perhapsUnset(pair: VersionPair, settled: Settled): string[] {
  const { unit, target, renaming } = settled;
  const { now, then } = pair;
  const block = then.tree.syntaxOf.get(target.place.block);
  if (!pair.blockOf(unit) || !block) return [];
  const spot = pair.spotOf(target.place);
  return freeNames(now.scopes, unit.node).flatMap(({ name, binding, uses }) => {
    const [use] = uses;
    const written = (use && renaming.get(use)) ?? name;
    const found = reach(then.scopes, written, spot);
    if (!binding || !use || found.kind !== "reached" || !found.binding) return [];
    const here = { block: unit.owner, offset: unit.node.start, scope: use.scope };
    const there = { block, offset: offsetOf(target.place), scope: spot.scope };
    const wasSure = now.source.isSurelySet(binding, here);
    return wasSure && !then.source.isSurelySet(found.binding, there) ? [written] : [];
  });
}
