/**
 * @file Names of the loops of a program that gives them none (decision 0014): by a comment, by the
 * loop's variable, or by the function it stands in. Lines are no part of a name, since a probe
 * that is put in above would change it.
 */
import type { FileUnit, LoopSite, LoweredFunction } from "../lowering/ir.ts";

/**
 * Names all loops that have no name yet; no two are alike, nor like the column of runs that stands beside them
 * in every table. `units`: the program's own file first.
 */
export function nameLoops(units: readonly FileUnit[]): void {
  const [entry, ...others] = units;
  if (!entry) return;
  const inOrder = [entry, ...others.toSorted((a, b) => (a.file < b.file ? -1 : 1))];
  const sites = inOrder.flatMap(({ loops }) => loops);
  const taken = new Set(["run", ...sites.flatMap(({ name }) => name ?? [])]);
  const written = sites.filter((site) => site.written !== null);
  // What a person has chosen comes first.
  for (const site of written) {
    if (site.written?.given) site.name = unique(site.written.given, taken);
  }
  for (const site of written) site.name ??= unique(ownName(site), taken);
}

function unique(name: string, taken: Set<string>): string {
  let found = name;
  for (let n = 2; taken.has(found); n++) found = `${name}_${n}`;
  taken.add(found);
  return found;
}

function ownName({ written, lowered }: LoopSite): string {
  if (written?.variable) return written.variable;
  const kind = written?.kind === "of" ? "for" : (written?.kind ?? "for");
  return [functionName(lowered), kind].filter((part) => part !== "").join(".");
}

/** The nearest function around that has a name; empty at top level. */
function functionName(lowered: LoweredFunction): string {
  for (let at: LoweredFunction | null = lowered; at; at = at.parent)
    if (at.name !== "") return at.name;
  return "";
}
