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
  /** Whether all calls on a line of a file, of those that are watched, got recorded results. */
  readonly isGiven: (file: string, line: number) => boolean;
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
  const [ofPackages, others] = [
    fresh.filter(isOfPackage),
    fresh.filter((one) => !isOfPackage(one)),
  ];
  // What is asked and calls a package gets what that package asks a clock for.
  const asked = ofPackages
    .filter(({ probe }) => probe === true)
    .map(({ file }) => `what is asked calls ${file.slice(PACKAGE.length)}, which asks a clock`);
  const isOnLine = (places: Iterable<string>, file: string, line: number): boolean =>
    [...places].some((place) => place.startsWith(`${file}:${line}:`));
  return {
    isGiven: (file, line) => isOnLine(watched, file, line) && !isOnLine(why.keys(), file, line),
    isOfRun: watched.size === 0 || others.some(({ probe }) => probe !== true),
    judged: (statement) => {
      const own = (statement.calls ?? []).flatMap((call) => {
        const reason = whyFresh(call);
        return reason === undefined ? [] : [`it depends on ${call.words}: ${reason}`];
      });
      const reasons = [...own, ...new Set(asked)];
      if (reasons.length === 0) return statement;
      return { ...statement, unsure: [...(statement.unsure ?? []), ...reasons] };
    },
  };
}

/** Begins the name of a module that is not of the project. */
const PACKAGE = "package:";

function isOfPackage({ file }: SourcePlace): boolean {
  return file.startsWith(PACKAGE);
}

function placeText({ file, line, column }: SourcePlace): string {
  return `${file}:${line}:${column}`;
}
