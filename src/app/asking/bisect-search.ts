/**
 * @file The search of `afterlog bisect`: between something good and something bad, in order, the
 * first that is bad, if it changed once. Pure: what is asked, and how, is the caller's.
 */

export type Quality = "good" | "bad";

export interface SearchOptions {
  /** The places of one that is good and of one that is bad, good before bad. */
  readonly good: number;
  readonly bad: number;
  /** What is known already: taken for free, before anything is asked. */
  readonly known: (at: number) => Quality | undefined;
  /** Judges the run; undefined if that is impossible: then its neighbours are judged instead. */
  readonly ask: (at: number) => Promise<Quality | undefined>;
}

export interface SearchResult {
  readonly lastGood: number;
  readonly firstBad: number;
  /** Between these two, and nobody can tell: the first bad one may be among them. */
  readonly untold: readonly number[];
}

/** Finds the first bad one, asking as few as a search by halves needs. */
export async function searchFirstBad(options: SearchOptions): Promise<SearchResult> {
  let { good, bad } = options;
  const untold = new Set<number>();
  for (;;) {
    const open = between(good, bad).filter((at) => !untold.has(at));
    const free = open.filter((at) => options.known(at) !== undefined);
    const at = middle(free) ?? middle(open);
    if (at === undefined) break;
    const quality = options.known(at) ?? (await options.ask(at));
    if (quality === undefined) untold.add(at);
    else if (quality === "good") good = at;
    else bad = at;
  }
  const left = between(good, bad).filter((at) => untold.has(at));
  return { lastGood: good, firstBad: bad, untold: left };
}

/** How many must be asked at most, if all can answer. */
export function mostAsked({ good, bad, known }: Omit<SearchOptions, "ask">): number {
  const places = between(good, bad);
  const [first, last] = [
    places.findLast((at) => known(at) === "good") ?? good,
    places.find((at) => known(at) === "bad") ?? bad,
  ];
  const unknown = between(first, last).filter((at) => known(at) === undefined);
  return Math.ceil(Math.log2(unknown.length + 1));
}

function between(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first - 1) }, (_, at) => first + 1 + at);
}

function middle(places: readonly number[]): number | undefined {
  return places[places.length >> 1];
}
