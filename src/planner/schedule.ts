/** @file How long processes take side by side: the longest first, each to who is free first. */

/** Seconds until the last of them ends (list scheduling, longest processing time first). */
export function makespan(seconds: readonly number[], workers: number): number {
  const busy = Array.from({ length: Math.max(1, workers) }, () => 0);
  for (const unit of seconds.toSorted((a, b) => b - a)) {
    const free = busy.indexOf(Math.min(...busy));
    busy[free] = (busy[free] ?? 0) + unit;
  }
  return Math.max(...busy);
}
