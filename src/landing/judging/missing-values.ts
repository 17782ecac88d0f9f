/**
 * @file What a statement reads and that may not be there in the old version. Nothing declares
 * properties: the only witness is whether their names occur there. Names may have no value there,
 * though they surely have one where the statement stands in the newer version.
 */
import type { Syntax } from "../../languages/index.ts";
import type { AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import type { NeutralTree } from "../pairing/version-tree.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import { offsetOf } from "../pairing/version-pair.ts";

export interface MissingProperty {
  readonly name: string;
  /** The newer version uses it elsewhere too, or it is one of `this`: it came with a change. */
  readonly isNewer: boolean;
}

/** Names of properties that the statement reads, and nothing in the older version. */
export function missingProperties(pair: VersionPair, statement: Syntax): MissingProperty[] {
  const [now, then] = [propertyNamesIn(pair.now.tree), propertyNamesIn(pair.then.tree)];
  return [...propertiesOf(pair, statement)]
    .filter(([name]) => !then.has(name))
    .map(([name, isThis]) => ({ name, isNewer: now.has(name) || isThis }));
}

/** Properties read in a node that not all values of their kind have, and whether of `this`. */
function propertiesOf({ now }: VersionPair, { start, end }: Syntax): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const { node, name, isOwn, isKnown } of now.source.uses.members) {
    if (isKnown || node.start < start || node.end > end) continue;
    found.set(name, isOwn || found.get(name) === true);
  }
  return found;
}

/** Names of properties that a tree without the statement has. */
function propertyNamesIn({ nodes }: NeutralTree): ReadonlySet<string> {
  return new Set(nodes.filter(({ type }) => type === "PropertyName").map(({ label }) => label));
}

/** Names that may have no value where a statement goes, and have one in the newer version. */
export function perhapsUnsetNames(pair: VersionPair, adapted: AdaptedStatement): string[] {
  const { statement, target } = adapted;
  const { now, then } = pair;
  const block = then.tree.syntaxOf.get(target.place.block);
  if (!pair.blockOf(statement) || !block) return [];
  const { scope } = pair.scopedOffsetOf(target.place);
  const there = { block, offset: offsetOf(target.place), scope };
  return namesWhereItGoes(pair, adapted).flatMap(({ free, use, written, found }) => {
    if (!free.binding || found.kind !== "visible" || !found.binding) return [];
    const here = { block: statement.owner, offset: statement.node.start, scope: use.scope };
    const wasSure = now.source.isSurelySet(free.binding, here);
    return wasSure && !then.source.isSurelySet(found.binding, there) ? [written] : [];
  });
}
