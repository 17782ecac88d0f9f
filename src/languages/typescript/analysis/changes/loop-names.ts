/**
 * @file Names of the loops of a program that gives them none (decisions 0014, 0051): by a comment, by
 * the loop's variable, or by the function it stands in. Lines are no part of a name, since a probe
 * that is put in above would change it.
 */
import { LOOPS_BY_FUNCTION } from "../../../../format/index.ts";
import type { FileUnit, LoopSite, LoweredFunction } from "../lowering/ir.ts";

/**
 * Names all loops that have no name yet; no two are alike, nor like the column of runs that stands beside them
 * in every table. `units`: the program's own file first. `rules`: those of the run ({@link LOOP_RULES}).
 */
export function nameLoops(units: readonly FileUnit[], rules = 0): void {
  const [entry, ...others] = units;
  if (!entry) return;
  const inOrder = [entry, ...others.toSorted((a, b) => (a.file < b.file ? -1 : 1))];
  const sites = inOrder.flatMap(({ loops }) => loops);
  const taken = new Set(["run", ...sites.flatMap(({ name }) => name ?? [])]);
  const written = sites.filter((site) => site.written !== null);
  const isByFunction = rules >= LOOPS_BY_FUNCTION;
  const before = isByFunction ? "." : "_";
  // What a person has chosen comes first.
  for (const site of written) {
    if (site.written?.given) site.name = unique(site.written.given, taken, before);
  }
  const unnamed = written.filter(({ name }) => name === null);
  const isShared = sharedNames([...taken, ...unnamed.map(calledName)]);
  for (const site of unnamed) {
    const called = calledName(site);
    const name = isByFunction && isShared(called) ? fullName(site) : called;
    site.name = unique(name, taken, before);
  }
}

function sharedNames(names: readonly string[]): (name: string) => boolean {
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return (name) => twice.has(name);
}

function unique(name: string, taken: Set<string>, before: string): string {
  let found = name;
  for (let n = 2; taken.has(found); n++) found = `${name}${before}${n}`;
  taken.add(found);
  return found;
}

/** What a person calls it: by its variable; a loop that has none by its function too. */
function calledName(site: LoopSite): string {
  return site.written?.variable ?? fullName(site);
}

function fullName({ written, lowered }: LoopSite): string {
  const kind = written?.kind === "of" ? "for" : (written?.kind ?? "for");
  const called = written?.variable ?? kind;
  return [functionName(lowered), called].filter((part) => part !== "").join(".");
}

/** The function that a loop stands in which is named by its source; null: somebody has named it. */
export function functionOfLoop({ written, lowered }: LoopSite): string | null {
  return written === null || written.given !== null ? null : functionName(lowered);
}

/** The nearest function around that has a name; empty at top level. */
function functionName(lowered: LoweredFunction): string {
  for (let at: LoweredFunction | null = lowered; at; at = at.parent)
    if (at.name !== "") return at.name;
  return "";
}
