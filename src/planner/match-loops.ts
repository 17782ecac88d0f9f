/**
 * @file Which loop of the source an entry of the record belongs to. The record knows places of the
 * text that ran; the text that is replayed has more log statements, so its lines have moved, but
 * the n-th loop of a file is still the n-th.
 */
import type { SourceLoop, SourceModel } from "../languages/index.ts";
import type { LoopSite } from "./facts.ts";

/** Finds the loop of the replayed text by the place and name that were recorded. */
export type LoopMatch = (site: LoopSite | null, name: string) => SourceLoop | undefined;

/**
 * `recorded` is the model of the text that ran, `replayed` of that with the added statements. A
 * loop that cannot be told apart from another is not found, and then it is always executed.
 */
export function matchLoops(recorded: Pick<SourceModel, "loops">, replayed: SourceModel): LoopMatch {
  const now = new Map(replayed.loops.map((loop) => [`${loop.file}:${loop.ordinal}`, loop]));
  const known = new Map<string, SourceLoop | undefined>();
  return (site, name) => {
    if (!site) return undefined;
    const text = `${site.file}:${site.line}:${site.column}:${name}`;
    if (known.has(text)) return known.get(text);
    const found = findRecorded(recorded.loops, site, name);
    const loop = found && now.get(`${found.file}:${found.ordinal}`);
    // Were it another loop by now, the two texts would differ by more than log statements.
    const same = loop && loop.name === found.name && loop.form === found.form ? loop : undefined;
    known.set(text, same);
    return same;
  };
}

function findRecorded(
  loops: readonly SourceLoop[],
  site: LoopSite,
  name: string,
): SourceLoop | undefined {
  const named = loops.filter((loop) => loop.name === name || loop.name === null);
  // Without parsing, a name under a loop has the place where it was first met (docs/format.md).
  if (site.endLine === undefined && named.length !== 1) return undefined;
  const here = named.filter(({ file }) => file === site.file);
  const exact = here.find(({ line, column }) => line === site.line && column === site.column);
  if (exact) return exact;
  if (site.endLine === undefined) return callOn(here, site);
  return here
    .filter((loop) => isInside(loop, site))
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .at(0);
}

/**
 * V8 gives the place of the property in `al.loop(…)`: at or after the start of the call. Python before
 * 3.11 knows the line only.
 */
function callOn(loops: readonly SourceLoop[], site: LoopSite): SourceLoop | undefined {
  const onLine = loops.filter(({ line }) => line === site.line);
  return onLine.length === 1 ? onLine[0] : onLine.find(({ column }) => column <= site.column);
}

/** The call stands in the head of the statement whose span the rewriting recorded. */
function isInside(loop: SourceLoop, site: LoopSite): boolean {
  const { endLine = site.line, endColumn = site.column } = site;
  const begins = loop.line > site.line || (loop.line === site.line && loop.column >= site.column);
  const ends = loop.line < endLine || (loop.line === endLine && loop.column <= endColumn);
  return begins && ends;
}
