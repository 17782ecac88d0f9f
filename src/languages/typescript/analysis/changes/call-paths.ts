/** @file How the program gets to a statement: through which calls, inside which loops. */
import type { Activation } from "../solving/heap.ts";
import type { LoopSite, Op, Region, LoweredFunction } from "../lowering/ir.ts";
import type { Solver } from "../solving/solver.ts";
import type { Edge } from "../solving/activation-facts.ts";

/** One function on the way: where in it the next is called, or the statement stands. */
export interface CallHop {
  readonly lowered: LoweredFunction;
  readonly at: number;
  readonly region: Region | null;
  /** How the next function on the way is entered. */
  readonly how: Edge["how"];
}

export interface CallPath {
  /** From the program's first file on. */
  readonly hops: readonly CallHop[];
  /** Loops around, outermost first. */
  readonly chain: readonly LoopSite[];
  readonly isCertain: boolean;
}

/** A trivial loop with as many loops around it, or more, is a part of the innermost of them. */
export const TRIVIAL_DEPTH = 2;
/** Ways to a place beyond this are not told apart. */
const PATHS_MAX = 64;

interface Caller {
  readonly lowered: LoweredFunction;
  readonly op: Op;
  readonly how: Edge["how"];
}

/** Finds the ways to places of a program. */
export class CallPaths {
  readonly #entry: LoweredFunction;
  readonly #callers = new Map<LoweredFunction, Map<Op, Caller>>();

  constructor(solver: Solver, entry: LoweredFunction) {
    this.#entry = entry;
    const reached = reachedFrom(solver, entry);
    for (const activation of reached) {
      for (const [op, edges] of solver.factsOf(activation).edges) {
        for (const [to, how] of edges) this.#add(to.lowered, activation.lowered, op, how);
      }
    }
  }

  #add(callee: LoweredFunction, lowered: LoweredFunction, op: Op, how: Edge["how"]): void {
    const known = this.#callers.get(callee) ?? new Map<Op, Caller>();
    this.#callers.set(callee, known);
    // A file runs when it is imported first.
    if (callee.kind === "module" && known.size > 0) return;
    const before = known.get(op);
    if (!before || before.how === "call") known.set(op, { lowered, op, how });
  }

  /** All ways to a place; `complete` is false where there are too many, or they repeat. */
  to(place: Omit<CallHop, "how">): {
    readonly paths: readonly CallPath[];
    readonly complete: boolean;
  } {
    const paths: CallPath[] = [];
    let complete = true;
    const visit = (hops: readonly CallHop[], visited: ReadonlySet<LoweredFunction>): void => {
      const [first] = hops;
      if (!first) return;
      if (paths.length >= PATHS_MAX) {
        complete = false;
        return;
      }
      if (first.lowered === this.#entry) {
        paths.push(asPath(hops));
        return;
      }
      const callers = [...(this.#callers.get(first.lowered)?.values() ?? [])];
      if (callers.length === 0) complete = false;
      for (const { lowered, op, how } of callers) {
        if (visited.has(lowered)) complete = false;
        else {
          const isImport = op.op === "import" && op.how === "static";
          const at = isImport ? op.at - IMPORTED_FIRST : op.at;
          const hop: CallHop = { lowered, at, region: op.region, how };
          visit([hop, ...hops], new Set([...visited, lowered]));
        }
      }
    };
    visit([{ ...place, how: "call" }], new Set([place.lowered]));
    return { paths, complete };
  }
}

/** Imported files run before anything of the file that imports them. */
const IMPORTED_FIRST = 2 ** 40;

function reachedFrom(solver: Solver, entry: LoweredFunction): Set<Activation> {
  const start = solver.modules.get(entry);
  const found = new Set(start ? [start] : []);
  for (const activation of found) {
    for (const edges of solver.factsOf(activation).edges.values()) {
      for (const to of edges.keys()) found.add(to);
    }
  }
  return found;
}

function asPath(hops: readonly CallHop[]): CallPath {
  const chain: LoopSite[] = [];
  let isCertain = true;
  for (const { region, how } of hops) {
    const own: LoopSite[] = [];
    for (let at = region; at; at = at.parent) {
      if (!at.site) continue;
      own.unshift(at.site);
      const { form, model } = at.site;
      const isSeen = form === "for" || form === "plain" || model !== undefined;
      if (at.part === "next" || !isSeen) isCertain = false;
    }
    // As at run time: what is trivial is no loop of its own inside two others.
    for (const site of own) if (!site.trivial || chain.length < TRIVIAL_DEPTH) chain.push(site);
    // What nobody waits for may still run when the iteration is over.
    if (how === "floating" && chain.length > 0) isCertain = false;
    if (how === "resume" || how === "unknown" || how === "later") isCertain = false;
  }
  return { hops, chain, isCertain };
}

/**
 * Whether, within an iteration of the innermost loop of `path` (or in the run), the other place is
 * reached only after this one has been left for the last time.
 */
export function isBefore(path: CallPath, other: CallPath): boolean {
  const innermost = path.chain.at(-1);
  const frame = innermost
    ? path.hops.findLastIndex(({ region }) => isWithin(region, innermost))
    : 0;
  const otherFrame = innermost
    ? other.hops.findIndex(({ region }) => isWithin(region, innermost))
    : 0;
  if (otherFrame < 0) return false;
  for (let i = 0; ; i++) {
    const own = path.hops[frame + i];
    const its = other.hops[otherFrame + i];
    if (!own || !its || own.lowered !== its.lowered) return false;
    const within = i === 0 && innermost ? innermost.bodyStart : -Infinity;
    if (own.at !== its.at) return isOrdered(own, its, within);
    if (own.how !== "call" || its.how !== "call") return false;
  }
}

function isWithin(region: Region | null, site: LoopSite): boolean {
  for (let at = region; at; at = at.parent) if (at.site === site) return true;
  return false;
}

/** One statement is left before the other begins, and no plain loop comes back to it. */
function isOrdered(own: CallHop, its: CallHop, within: number): boolean {
  if (own.how !== "call") return false;
  const { statements, repeated } = own.lowered;
  const encloses = (range: { start: number; end: number }, at: number): boolean =>
    range.start <= at && at < range.end;
  if (repeated.some((r) => r.start >= within && encloses(r, own.at) && encloses(r, its.at))) {
    return false;
  }
  if (own.at < 0 || its.at < 0) return own.at < its.at;
  return statements.some((s) => encloses(s, own.at) && s.end <= its.at);
}
