/**
 * @file What is asked of a run as a chain of pieces, in the order in which they happened. A piece ends where a
 * process can begin without executing anything asked before (Flor §2.2, §3.3.2): where a checkpoint stands,
 * or where the loops of the iteration before are skipped; between loops, too, and inside of an iteration.
 * What stands in the body of an iteration itself belongs to the first piece in it where it is logged before the loops
 * in it, and to the last one where it is logged behind them; where it is both, the iteration is one piece. Whoever
 * has it executes something behind it, and so it is compared. What stands outside of all loops is no other case, but
 * that it goes to the last piece where it is both.
 */
import type { Span, UnitPart } from "../format/index.ts";
import type { SourceLog } from "../languages/index.ts";
import type { AskedEntries, AskedEntry } from "./asked-entries.ts";
import { Indices } from "./asked-entries.ts";
import type { LoopEntry } from "./facts.ts";

/** Where a process can begin. */
export interface Beginnings {
  /** Iterations of an entry, in order, before which nothing of the entry need be executed that is asked. */
  iterations(entry: LoopEntry): readonly number[];
  isSkippable(entry: LoopEntry): boolean;
  /** The loop in the source. */
  loopId(entry: LoopEntry): number | undefined;
}

interface Numbered {
  readonly asked: AskedEntry;
  /** Of each visited iteration, the first and the last piece. */
  readonly firsts: readonly number[];
  readonly lasts: readonly number[];
  /** The piece that has what stands in its body. */
  readonly owns: readonly number[];
}

export class AskedChain {
  readonly #asked: AskedEntries;
  readonly #entries: readonly LoopEntry[];
  readonly #beginnings: Beginnings;
  /** Outer before inner. */
  readonly #numbered = new Map<LoopEntry, Numbered>();
  #last = 0;
  /** The piece that has what stands outside of all loops. */
  readonly #outside: number;

  /** `entries`: the outermost of the run. */
  constructor(asked: AskedEntries, entries: readonly LoopEntry[], beginnings: Beginnings) {
    this.#asked = asked;
    this.#entries = entries;
    this.#beginnings = beginnings;
    const canGoOn = this.#numberBlock(entries, true);
    const isFirst = this.#placeIn(asked.outside, entries) === "before";
    const isLast = asked.outside.length > 0 && !isFirst && this.#numbered.size > 0;
    if (isLast && canGoOn) this.#last++;
    this.#outside = isFirst ? 0 : this.#last;
  }

  /** How many pieces there are. */
  get length(): number {
    return this.#last + 1;
  }

  /** What is asked in the pieces from `start` up to, not including, `end`. */
  limit(start: number, end: number): AskedEntries {
    if (start <= 0 && end >= this.length) return this.#asked;
    const isIn = (piece: number): boolean => piece >= start && piece < end;
    const entries = new Map<LoopEntry, AskedEntry>();
    for (const [entry, { asked, firsts, lasts, owns }] of this.#numbered) {
      const [first = 0, last = 0] = [firsts[0], lasts.at(-1)];
      if (first >= end || last < start) continue;
      if (isIn(first) && isIn(last)) {
        entries.set(entry, asked);
        continue;
      }
      const from = firstWhere(lasts, (piece) => piece >= start);
      const to = firstWhere(firsts, (piece) => piece >= end);
      const visits = asked.visits.slice(from, to);
      const own = visits.filter(
        (visit, at) => isIn(owns[from + at] ?? 0) && asked.targets.has(visit),
      );
      entries.set(entry, { ...asked, visits, targets: new Indices(own) });
    }
    const outside = isIn(this.#outside) ? this.#asked.outside : [];
    return { ...this.#asked, outside, entries };
  }

  /** The places of processes that end before these pieces; the last one has all that the others do not. */
  parts(ends: readonly number[]): readonly (UnitPart | undefined)[] {
    if (ends.length < 2) return [undefined];
    const others = ends.slice(0, -1).map((end, nth) => this.#spans(ends[nth - 1] ?? 0, end));
    return [...others.map((spans) => ({ spans })), { spans: others.flat(), rest: true }];
  }

  #numberBlock(entries: readonly LoopEntry[], canBegin: boolean): boolean {
    let canGoOn = canBegin;
    let before: LoopEntry | undefined;
    for (const entry of entries) {
      const asked = this.#asked.entries.get(entry);
      if (!asked) continue;
      canGoOn &&= !asked.whole;
      if (before && canGoOn) this.#last++;
      this.#numberEntry(entry, asked, canGoOn);
      canGoOn &&= this.#canPass(entry, asked);
      before = entry;
    }
    return canGoOn;
  }

  #numberEntry(entry: LoopEntry, asked: AskedEntry, canBegin: boolean): void {
    const [firsts, lasts, owns]: [number[], number[], number[]] = [[], [], []];
    const numbered = { asked, firsts, lasts, owns };
    this.#numbered.set(entry, numbered);
    const beginnings = canBegin ? this.#beginnings.iterations(entry) : [];
    let at = 0;
    for (const [position, visit] of asked.visits.entries()) {
      const before = asked.visits[position - 1];
      let canStart = canBegin && before === undefined;
      for (; at < beginnings.length && (beginnings[at] ?? Infinity) <= visit; at++) {
        canStart ||= canBegin && (beginnings[at] ?? 0) > (before ?? -1);
      }
      if (canStart && before !== undefined) this.#last++;
      numbered.firsts.push(this.#last);
      const inner = entry.children.get(visit) ?? [];
      const place = asked.targets.has(visit) ? this.#placeIn(asked.statements, inner) : "behind";
      this.#numberBlock(inner, canStart && place !== "both");
      numbered.lasts.push(this.#last);
      numbered.owns.push((place === "before" ? numbered.firsts.at(-1) : undefined) ?? this.#last);
    }
  }

  /** Where statements stand in a block, by the loops in it of which something is asked. */
  #placeIn(
    statements: readonly SourceLog[],
    block: readonly LoopEntry[],
  ): "before" | "behind" | "both" {
    const loops = block.filter((entry) => this.#asked.entries.has(entry));
    const isBefore = loops.flatMap((entry) => {
      const id = this.#beginnings.loopId(entry);
      return statements.map(({ before }) => id !== undefined && before.includes(id));
    });
    if (!isBefore.includes(true)) return "behind";
    return isBefore.includes(false) ? "both" : "before";
  }

  /** Whether what follows an entry can be reached without executing what is asked in it. */
  #canPass(entry: LoopEntry, { visits }: AskedEntry): boolean {
    if (this.#beginnings.isSkippable(entry)) return true;
    return (this.#beginnings.iterations(entry).at(-1) ?? 0) > (visits.at(-1) ?? 0);
  }

  #spans(start: number, end: number): Span[] {
    const spans: Span[] = [];
    const isIn = (piece: number): boolean => piece >= start && piece < end;
    const visit = (entry: LoopEntry): void => {
      const numbered = this.#numbered.get(entry);
      if (!numbered) return;
      const { asked, firsts, lasts, owns } = numbered;
      if ((firsts[0] ?? 0) >= end || (lasts.at(-1) ?? 0) < start) return;
      for (let at = 0; at < asked.visits.length; at++) {
        const [first = 0, last = 0] = [firsts[at], lasts[at]];
        if (first >= end || last < start) continue;
        // Iterations of which nothing is asked belong to the asked one before.
        const from = at === 0 ? 0 : (asked.visits[at] ?? 0);
        const to = at + 1 < asked.visits.length ? (asked.visits[at + 1] ?? 0) - 1 : null;
        if (isIn(first) && isIn(last)) {
          addSpan(spans, { entry: entry.key, from, to });
          continue;
        }
        for (const child of entry.children.get(asked.visits[at] ?? 0) ?? []) visit(child);
        if (isIn(owns[at] ?? 0)) addSpan(spans, { entry: entry.key, from, to, own: true });
      }
    };
    for (const entry of this.#entries) visit(entry);
    if (isIn(this.#outside)) spans.push({ entry: null, from: 0, to: null, own: true });
    return spans;
  }
}

/** Joins it with the one before, where it goes on from there. */
function addSpan(spans: Span[], span: Span): void {
  const before = spans.at(-1);
  const isNext =
    before?.entry === span.entry && before.own === span.own && before.to === span.from - 1;
  if (before && isNext) spans[spans.length - 1] = { ...before, to: span.to };
  else spans.push(span);
}

/** In ascending numbers, the first position for which it holds; their number if there is none. */
function firstWhere(numbers: readonly number[], holds: (number: number) => boolean): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(numbers[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}
