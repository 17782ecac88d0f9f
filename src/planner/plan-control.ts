/**
 * @file The control of a question: its last place, reached in another way than the units reach it. A
 * skipped loop may have changed something that no checkpoint holds, and that neither the analysis nor
 * the audit saw. A process that executes more, or less, of the loops has then another part of those
 * changes, and what is asked there has another value: nothing but a second way shows it.
 */
import type { AskedEntries } from "./asked-entries.ts";
import { lastAsked } from "./asked-entries.ts";
import type { LoopEntry } from "./facts.ts";
import type { PlannedRoute } from "./route-courses.ts";
import type { RoutePlanner } from "./route-planner.ts";

/** What a control may execute whatever the question takes, and of what the question executes. */
const CODE_MS = 2000;
const CODE_SHARE = 0.1;

export interface ControlOptions {
  readonly asked: AskedEntries;
  /** Outermost loop entries of the run. */
  readonly entries: readonly LoopEntry[];
  readonly routes: RoutePlanner;
  /** Those of the units, in order. */
  readonly planned: readonly PlannedRoute[];
}

/**
 * The way to the last asked place that executes as much as a control may; undefined: the units restore
 * nothing, or no other way is cheap enough.
 */
export function controlRoute(options: ControlOptions): PlannedRoute | undefined {
  const { asked, entries, routes, planned } = options;
  const last = planned.at(-1);
  if (!last || last.checkpoints.length === 0) return undefined;
  const codeMs = planned.reduce((sum, route) => sum + route.codeMs, 0);
  const limitMs = Math.max(CODE_MS, CODE_SHARE * codeMs);
  const place = lastAsked(asked, entries);
  // A process has what it executed since it restored something last.
  const isControl = (route: PlannedRoute): boolean =>
    route.codeMs <= limitMs && route.checkpoints.at(-1) !== last.checkpoints.at(-1);
  const wayWithout = (isGone: IsGone): PlannedRoute => routes.without(isGone).best(place);
  const whole = wayWithout(() => true);
  if (isControl(whole)) return whole;
  return (
    longestWay(place, entries, (isGone) => [wayWithout(isGone)].find(isControl)) ??
    shortWays(place, options, wayWithout).find(isControl)
  );
}

type IsGone = Parameters<RoutePlanner["without"]>[0];

/** By the earliest iteration of the last loop from which on all can be executed. */
function longestWay(
  { entries: visited }: AskedEntries,
  entries: readonly LoopEntry[],
  wayWithout: (isGone: IsGone) => PlannedRoute | undefined,
): PlannedRoute | undefined {
  const entry = entries.findLast((one) => visited.has(one)) ?? entries.at(-1);
  if (!entry) return undefined;
  const since = (first: number): IsGone => {
    const prefix = entry.key.slice(0, -"end".length);
    // Where the loop ends, there is no number.
    const isBefore = (path: string): boolean => Number.parseInt(path.slice(prefix.length)) < first;
    return (path) => path.startsWith(prefix) && !isBefore(path);
  };
  let high = visited.get(entry)?.visits.at(-1) ?? entry.iterations - 1;
  let best = wayWithout(since(high));
  for (let low = 0; best && high - low > 1;) {
    const middle = (low + high) >> 1;
    const way = wayWithout(since(middle));
    if (way) [best, high] = [way, middle];
    else low = middle;
  }
  return best;
}

/** The last iteration alone would take too long: some steps of its loops are executed, or fewer than the units do. */
function shortWays(
  place: AskedEntries,
  { entries, routes }: ControlOptions,
  wayWithout: (isGone: IsGone) => PlannedRoute,
): PlannedRoute[] {
  const nearest = routes.best(place);
  const used = new Set(nearest.checkpoints);
  const inner = new Set(endsOfInnerLoops(place, entries));
  return [
    wayWithout((path) => used.has(path) || inner.has(path)),
    wayWithout((path) => used.has(path)),
    wayWithout((path) => path === nearest.checkpoints.at(-1)),
    nearest,
  ];
}

/** Of all loops in the last iterations: where each is skipped, none of its changes is made. */
function endsOfInnerLoops({ entries }: AskedEntries, outermost: readonly LoopEntry[]): string[] {
  const endsIn = (entry: LoopEntry, index: number): string[] =>
    (entry.children.get(index) ?? []).flatMap((child) => {
      const inner = [...child.children.keys()].flatMap((at) => endsIn(child, at));
      return [child.key, ...inner];
    });
  return outermost.flatMap((entry) => {
    return endsIn(entry, entries.get(entry)?.visits.at(-1) ?? entry.iterations - 1);
  });
}
