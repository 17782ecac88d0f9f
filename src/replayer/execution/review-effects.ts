/**
 * @file What a question did to the run that somebody must look at: it changed what nothing sets back, or
 * made a line of the run fail. The run is not trained on with that.
 */
import type { Judged } from "../checking/judge-unit.ts";
import { thrownError } from "./unit-process.ts";
import type { ExecutedUnit, ReplayContext, ReplayUnit } from "./execute-unit.ts";
import { changingStatement, statementsOfRun } from "./execute-unit.ts";

/** What is to be looked at behind an execution; null: nothing. */
export function reviewOf(
  context: ReplayContext,
  { ofRun }: ReplayUnit,
  { result }: ExecutedUnit,
  { first, left }: Judged,
): string | null {
  const changing = changingStatement(context, ofRun);
  if (changing === undefined) return null;
  const changed = (keys: readonly unknown[]): string => {
    const names = [...new Set(keys.map((key) => stateName(String(key))))];
    const meant = changingStatement(context, ofRun, names) ?? changing;
    return changesForGood(meant, names.map((name) => `\`${name}\``).join(", "));
  };
  // The run went on with what it left, and computed another thing.
  if (left.length > 0) return changed(left);
  if (result.outcome?.kind === "failed") {
    const why = thrownError(result.stderr) ?? result.outcome.why;
    return `${changing} is not of the run, and behind it the run fails, as it did not: ${why}`;
  }
  if (first?.name !== "state" || !Array.isArray(first.replayed)) return null;
  return changed(first.replayed);
}

/** The same before it: what the question changes whenever it is evaluated, and no checkpoint shows. */
export function lastingEffect(context: ReplayContext, { ofRun }: ReplayUnit): string | undefined {
  const [what] = statementsOfRun(context, ofRun).flatMap(({ lasting }) => lasting ?? []);
  const [, name = ""] = /`([^`]+)`/.exec(what ?? "") ?? [];
  const changing = changingStatement(context, ofRun, [name]) ?? "what is asked";
  return what === undefined ? undefined : changesForGood(changing, what);
}

/** What is said of a question that would train on with what it did. */
function changesForGood(changing: string, what: string): string {
  return (
    `${changing} changes ${what}, and nothing sets it back. A question cannot: set it back in your ` +
    "edit, or train on with it: afterlog fork"
  );
}

/** `train.ts:0:total#0` and `train.py:main:total#0` are `total`, `d0.params` the declared `params`. */
function stateName(key: string): string {
  const [, name] = /^[^:]+:.*?([^:#@]+)(?:[#@][^:]*)?$/.exec(key) ?? [];
  return name ?? key.replace(/^d\d+\./, "");
}
