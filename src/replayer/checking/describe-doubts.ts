/** @file Why values are `unchecked`, in words for the user. */
import type { PlannedStatement } from "../../format/index.ts";
import type { CheckedCell, Doubt } from "./check-replay.ts";

/** Reasons by the names that were logged. */
export interface Doubts {
  readonly [name: string]: readonly string[];
}

/** `statements`: those that log the asked names, with what is known of them. */
export function describeDoubts(
  cells: readonly CheckedCell[],
  statements: readonly PlannedStatement[],
): Doubts {
  const found = new Map<string, Set<string>>();
  for (const { record, doubt } of cells) {
    if (!doubt) continue;
    const reasons = found.get(record.name) ?? new Set();
    for (const reason of reasonsOf(doubt, statements)) reasons.add(reason);
    found.set(record.name, reasons);
  }
  return Object.fromEntries([...found].map(([name, reasons]) => [name, [...reasons]]));
}

function reasonsOf(doubt: Doubt, statements: readonly PlannedStatement[]): readonly string[] {
  switch (doubt.kind) {
    case "unsure":
      return statements.flatMap(({ name, unsure = [] }) => (name === doubt.by ? unsure : []));
    case "unconfirmed":
      return statements.flatMap(({ name, mayChange }) => {
        if (name !== doubt.by || mayChange === undefined) return [];
        return [`${mayChange} may have changed the run, and no state was compared behind it`];
      });
    case "differed":
      return ["the state differed near it and was equal again later: it may depend on that"];
    case "alone":
      return ["where it was computed, the run has nothing that could be compared"];
  }
}
