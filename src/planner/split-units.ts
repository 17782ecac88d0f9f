/**
 * @file Cutting what is asked of one run into processes that work side by side (Flor §2.2, §3.3.2: each
 * resumes on its own, there is no coordination). Into how many, and how long each may take, is decided
 * over all runs.
 */
import type { UnitPart } from "../format/index.ts";
import type { AskedChain } from "./asked-chain.ts";
import type { AskedEntries } from "./asked-entries.ts";
import type { PlannedRoute } from "./route-courses.ts";

/** The work of one process, and what it is to keep of all that is asked. */
export interface UnitWork {
  readonly route: PlannedRoute;
  readonly part: UnitPart | undefined;
}

/** How many milliseconds the nth process may take; none fits into less than its first piece takes. */
export type Rooms = (process: number) => number;

export class Cutter {
  readonly #chain: AskedChain;
  readonly #plan: (asked: AskedEntries) => PlannedRoute;
  readonly #planned = new Map<string, PlannedRoute>();

  constructor(chain: AskedChain, plan: (asked: AskedEntries) => PlannedRoute) {
    this.#chain = chain;
    this.#plan = plan;
  }

  get length(): number {
    return this.#chain.length;
  }

  /** The work of processes that end before these pieces. */
  works(ends: readonly number[]): readonly UnitWork[] {
    const parts = this.#chain.parts(ends);
    return ends.map((end, nth) => {
      return { route: this.route(ends[nth - 1] ?? 0, end), part: parts[nth] };
    });
  }

  /** Through the pieces from `start` up to, not including, `end`. */
  route(start: number, end: number): PlannedRoute {
    const key = `${start}-${end}`;
    let known = this.#planned.get(key);
    if (!known) {
      known = this.#plan(this.#chain.limit(start, end));
      this.#planned.set(key, known);
    }
    return known;
  }

  /**
   * Where processes end that take one after the other as much as fits, from piece `start` on. The first one may
   * get nothing; undefined: there is a piece that fits into none.
   */
  fill(start: number, rooms: Rooms): readonly number[] | undefined {
    const ends: number[] = [];
    for (let from = start; from < this.length;) {
      const end = this.#furthest(from, rooms(ends.length));
      if (end === from && ends.length > 0) return undefined;
      ends.push(end);
      from = end;
    }
    return ends;
  }

  /** Before which piece a process ends that begins with `start`; a longer one never takes less time. */
  #furthest(start: number, ms: number): number {
    let fits = start;
    let beyond = this.length + 1;
    while (beyond - fits > 1) {
      const end = beyond > this.length ? this.length : (fits + beyond) >> 1;
      if (this.route(start, end).ms <= ms) fits = end;
      else beyond = end;
    }
    return fits;
  }
}
