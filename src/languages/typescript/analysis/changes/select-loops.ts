/** @file Which loops of a program that knows nothing of us are loops of the run. */
import type { LoopSite, LoweredFunction } from "../lowering/ir.ts";
import type { Linked } from "../solving/link-files.ts";
import { INSIDE_ITSELF } from "./recursive-loops.ts";

interface NotOwn {
  /** Trivial ones, and trainings of which nobody can tell. */
  readonly forgotten: ReadonlySet<LoopSite>;
  /** Functions that may run beside the program. */
  readonly concurrent: ReadonlySet<LoweredFunction>;
  readonly recursive: ReadonlySet<LoopSite>;
}

/** Which loops are loops of their own. */
export function selectLoops({ units }: Linked, { forgotten, concurrent, recursive }: NotOwn): void {
  for (const { loops, regions, untouched, leftAlone: left } of units.values()) {
    // A loop that goes through what `al.loop` returns is recorded, wherever it is.
    const isConcurrent = (site: LoopSite): boolean => {
      const isApi = !site.written && !site.model;
      return !isApi && !forgotten.has(site) && concurrent.has(site.lowered);
    };
    const isRecursive = (site: LoopSite): boolean =>
      recursive.has(site) && !forgotten.has(site) && !isConcurrent(site);
    const isOwn = (site: LoopSite): boolean =>
      !forgotten.has(site) && !isConcurrent(site) && !isRecursive(site);
    for (const region of regions) if (region.site && !isOwn(region.site)) region.site = null;
    for (const site of loops) {
      const { trivial, lowered, start, end, at } = site;
      // It may be no loop of its own, and then nothing in it is in order.
      if (trivial || isConcurrent(site) || isRecursive(site)) lowered.repeated.push({ start, end });
      if (isRecursive(site)) left.push({ at, why: INSIDE_ITSELF });
      if (!isConcurrent(site) || site.isInner) continue;
      left.push({ at, why: "several calls may be in it at the same time" });
    }
    const isUntouched = (site: LoopSite): boolean => forgotten.has(site) || isRecursive(site);
    untouched.push(...loops.filter((site) => site.written && isUntouched(site)));
    loops.splice(0, loops.length, ...loops.filter(isOwn));
  }
}
