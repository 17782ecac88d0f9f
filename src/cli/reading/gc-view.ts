/** @file What `gc` says: by run what is freed and what gets slower, and all in one sentence. */
import type { GcPlan, PlannedGc } from "../../app/index.ts";
import type { ScanPrices } from "../../planner/index.ts";
import { formatBytes, formatDuration } from "../terminal/format-units.ts";
import type { TableOptions } from "../terminal/text-table.ts";
import { renderTable } from "../terminal/text-table.ts";

const COLUMNS = [
  { title: "RUN", align: "left" },
  { title: "FREED", align: "right" },
  { title: "GO", align: "right" },
  { title: "STAY", align: "right" },
  { title: "ONE STEP, AT WORST", align: "right" },
  { title: "OUTER, ALL", align: "right" },
  { title: "INNER, ALL", align: "right" },
] as const;

/** A line for each run, then why others are left out. */
export function gcText({ plans, leftOut }: PlannedGc, options: Omit<TableOptions, "keep">): string {
  const rows = plans.map(({ run, freedBytes, removed, leftovers, kept, prices }) => [
    run,
    formatBytes(freedBytes),
    String(removed.length + leftovers.length),
    String(kept),
    changeOf(prices, "step"),
    changeOf(prices, "outer"),
    changeOf(prices, "inner"),
  ]);
  const table = rows.length === 0 ? "" : renderTable(COLUMNS, rows, options);
  const lines = leftOut.map(({ run, why }) => `left out  ${run}: ${why}\n`);
  return `${table}${lines.join("")}`;
}

/** `4.1 s → 41 s`; one number if nothing changes. */
function changeOf(prices: GcPlan["prices"], scan: keyof ScanPrices): string {
  const [before, after] = [prices?.before[scan], prices?.after[scan]];
  if (before == null || after == null) return "";
  const [from, to] = [formatDuration(before * 1000), formatDuration(after * 1000)];
  return from === to ? from : `${from} → ${to}`;
}

/** `12 GB freed in 3 runs; one step goes from 4.1 s to 41 s at worst`. */
export function gcSentence(plans: readonly GcPlan[], done: boolean): string {
  const bytes = plans.reduce((sum, { freedBytes }) => sum + freedBytes, 0);
  const runs = plans.length === 1 ? plans[0]?.run : `${plans.length} runs`;
  const freed = `${formatBytes(bytes)} ${done ? "freed" : "would be freed"} in ${runs}`;
  const prices = plans.flatMap((plan) => plan.prices ?? []);
  if (prices.length === 0) return freed;
  const all = (scan: "outer" | "inner", when: "before" | "after"): number =>
    prices.reduce((sum, price) => sum + (price[when][scan] ?? 0), 0);
  const worst = prices.reduce((a, b) => ((b.after.step ?? 0) > (a.after.step ?? 0) ? b : a));
  const slower = [
    slowerText("one step", worst.before.step ?? 0, worst.after.step ?? 0, " at worst"),
    slowerText("outer over all", all("outer", "before"), all("outer", "after")),
    slowerText("inner over all", all("inner", "before"), all("inner", "after")),
  ].filter((text) => text !== undefined);
  return `${freed}; ${slower.join(", ") || "nothing is predicted to get slower"}`;
}

function slowerText(what: string, before: number, after: number, rest = ""): string | undefined {
  const [from, to] = [formatDuration(before * 1000), formatDuration(after * 1000)];
  return after > before && from !== to ? `${what} goes from ${from} to ${to}${rest}` : undefined;
}
