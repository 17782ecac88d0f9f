/**
 * @file Names that may have no value where a statement goes, though they surely have one where it
 * stands in the newer version.
 */
import { freeNames } from "../pairing/paired-names.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { offsetOf } from "../pairing/version-pair.ts";
import { resolveVisibleName } from "../pairing/visible-name.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";

export function perhapsUnsetNames(pair: VersionPair, adapted: AdaptedStatement): string[] {
  const { statement, target, renaming } = adapted;
  const { now, then } = pair;
  const block = then.tree.syntaxOf.get(target.place.block);
  if (!pair.blockOf(statement) || !block) return [];
  const scopedOffset = pair.scopedOffsetOf(target.place);
  return freeNames(now.scopes, statement.node).flatMap(({ name, binding, uses }) => {
    const [use] = uses;
    const written = (use && renaming.get(use)) ?? name;
    const found = resolveVisibleName(then.scopes, written, scopedOffset);
    if (!binding || !use || found.kind !== "visible" || !found.binding) return [];
    const here = { block: statement.owner, offset: statement.node.start, scope: use.scope };
    const there = { block, offset: offsetOf(target.place), scope: scopedOffset.scope };
    const wasSure = now.source.isSurelySet(binding, here);
    return wasSure && !then.source.isSurelySet(found.binding, there) ? [written] : [];
  });
}
