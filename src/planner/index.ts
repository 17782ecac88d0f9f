/** From a question to a plan: which iterations of which runs are executed again, and at what cost. */
export type { AskedBoxes } from "./asked-entries.ts";
export type { Costs } from "./cost.ts";
export { allEntries } from "./facts.ts";
export type { LoopEntry, LoopSite, RunFacts, RunTimes } from "./facts.ts";
export { mostAtStake, workBehind } from "./lost-work.ts";
export type { LostWork } from "./lost-work.ts";
export { matchLoops } from "./match-loops.ts";
export type { LoopMatch } from "./match-loops.ts";
export { learnCosts } from "./learn-costs.ts";
export { planNewestPoint, planPoint } from "./plan-point.ts";
export type { NewestPoint, PlannedPoint } from "./plan-point.ts";
export { planQuestion, scaleByCanary } from "./plan-question.ts";
export type { AskedRun } from "./plan-question.ts";
export { planRun, wholeUnit } from "./plan-run.ts";
export { priceScans } from "./scan-prices.ts";
export type { ScanPrices } from "./scan-prices.ts";
export { makespan, scheduleUnits } from "./schedule-units.ts";
