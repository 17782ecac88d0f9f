/** @file The best way to what is asked of one run: two routers, and the choice between them. */
import type { AskedEntries } from "./asked-entries.ts";
import type { RunCosts } from "./cost.ts";
import type { PlannedRoute, RouteOptions } from "./route-courses.ts";
import { Innermost, plannedRoute, wholeRoute } from "./route-courses.ts";
import type { RunFacts } from "./facts.ts";
import type { Points } from "./restorable-points.ts";
import { pointsWithout } from "./restorable-points.ts";
import { UnseenCalls } from "./unseen-calls.ts";
import { Router } from "./find-route.ts";

/**
 * Executing may cost less than restoring where iterations take next to nothing. Restoring is still
 * preferred for up to this much more, because restored values are right though the program were
 * not deterministic, and because nothing is trained again that was not asked for.
 */
const RESTORING_MAX_MS = 300;

interface RoutePlannerOptions {
  readonly facts: RunFacts;
  readonly points: Points;
  readonly costs: RunCosts;
}

export class RoutePlanner {
  readonly #router: RoutePlannerOptions;
  readonly #options: RouteOptions;
  /** One restores wherever it can, one does what is cheapest. */
  readonly #restoring: Router;
  readonly #cheapest: Router;

  constructor(router: RoutePlannerOptions) {
    this.#router = router;
    const { facts, costs } = router;
    this.#options = {
      facts,
      costs,
      innermost: new Innermost(facts),
      unseen: new UnseenCalls(facts),
    };
    this.#restoring = new Router({ ...router, loads: "free" });
    this.#cheapest = new Router({ ...router, loads: "timed" });
  }

  get innermost(): Innermost {
    return this.#options.innermost;
  }

  get unseen(): UnseenCalls {
    return this.#options.unseen;
  }

  /** Everything is executed. */
  whole(): PlannedRoute {
    return wholeRoute(this.#options);
  }

  /** The route that restores wherever it can, unless executing is clearly cheaper. */
  best(asked: AskedEntries): PlannedRoute {
    const cheapest = plannedRoute(this.#cheapest.route(asked), this.#options);
    const restoring = plannedRoute(this.#restoring.route(asked), this.#options);
    if (restoring.ms <= cheapest.ms + RESTORING_MAX_MS) return restoring;
    return Number.isFinite(cheapest.ms) ? cheapest : this.whole();
  }

  /** Plans as if some checkpoints, known by their paths, had not been taken. */
  without(isGone: (path: string) => boolean): RoutePlanner {
    return new RoutePlanner({
      ...this.#router,
      points: pointsWithout(this.#router.points, isGone),
    });
  }
}
