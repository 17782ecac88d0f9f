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
const CODE_SHARE = 0.5;

export interface ControlOptions {
  readonly asked: AskedEntries;
  /** Outermost loop entries of the run. */
  readonly entries: readonly LoopEntry[];
  readonly routes: RoutePlanner;
  /** Those of the units, in order. */
  readonly planned: readonly PlannedRoute[];
}

/** Another way to the last asked place; undefined: everything is executed, or no other is cheap enough. */
export function controlRoute(options: ControlOptions): PlannedRoute | undefined {
  const { asked, entries, routes, planned } = options;
  const last = planned.at(-1);
  if (!last || last.checkpoints.length === 0) return undefined;
  const codeMs = planned.reduce((sum, route) => sum + route.codeMs, 0);
  const limitMs = Math.max(CODE_MS, CODE_SHARE * codeMs);
  const place = lastAsked(asked, entries);
  const nearest = routes.best(place);
  const { checkpoints } = nearest;
  const others = [
    [],
    [...checkpoints, ...endsOfInnerLoops(place, entries)],
    checkpoints,
    checkpoints.slice(-1),
  ].map((left) => (left.length > 0 ? routes.without(left).best(place) : nearest));
  return others.find((route) => isOther(route, last) && route.codeMs <= limitMs);
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

/** A process has what it executed since it restored something last. */
function isOther(route: PlannedRoute, { checkpoints }: PlannedRoute): boolean {
  return route.checkpoints.at(-1) !== checkpoints.at(-1);
}
