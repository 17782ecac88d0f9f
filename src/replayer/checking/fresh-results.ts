/**
 * @file Calls that got new results in a replay, though what depends on them would need those of the
 * run: what is asked and depends on one is `unchecked`, and what else depends on it is not compared.
 */
import type {
  CallsRecord,
  FreshRecord,
  PlannedStatement,
  SourcePlace,
} from "../../format/index.ts";
import { runPaths } from "../../store/index.ts";
import { readLines } from "../recorded/raw-log.ts";

export interface FreshResults {
  /** The run would have needed one of them. */
  readonly isOfRun: boolean;
  /** A statement with why its values cannot be promised, if they cannot. */
  readonly judged: (statement: PlannedStatement) => PlannedStatement;
}

/** What the process of a replay wrote of it. */
export function readFreshResults(out: string): FreshResults {
  const lines = (kind: string): unknown[] => [...readLines(runPaths.log(out), `{"k":"${kind}"`)];
  const fresh = lines("fresh") as FreshRecord[];
  const watched = new Set(
    (lines("calls") as CallsRecord[]).flatMap(({ file, places = [] }) =>
      places.map(([line, column]) => placeText({ file, line, column })),
    ),
  );
  const why = new Map(fresh.map((one) => [placeText(one), one.why]));
  const whyFresh = (call: SourcePlace): string | undefined =>
    watched.has(placeText(call)) ? why.get(placeText(call)) : "its results are not given again";
  return {
    isOfRun: watched.size === 0 || fresh.some(({ probe }) => probe !== true),
    judged: (statement) => {
      const reasons = (statement.calls ?? []).flatMap((call) => {
        const reason = whyFresh(call);
        return reason === undefined ? [] : [`it depends on ${call.words}: ${reason}`];
      });
      if (reasons.length === 0) return statement;
      return { ...statement, unsure: [...(statement.unsure ?? []), ...reasons] };
    },
  };
}

function placeText({ file, line, column }: SourcePlace): string {
  return `${file}:${line}:${column}`;
}
