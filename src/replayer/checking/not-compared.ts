/**
 * @file What a question may change and no comparison of the state would show, as the checkpoints of a
 * run tell: variables that could not be captured, or that vary by themselves.
 */
import type { PlannedStatement, Varying } from "../../format/index.ts";
import { variableOf } from "../../format/index.ts";
import { listCheckpoints } from "../../store/index.ts";

/** The statement, with the reason if it may change such a thing. */
export function withNotCompared(
  statement: PlannedStatement,
  run: string,
  varying: Varying | undefined,
): PlannedStatement {
  const changes = new Set(statement.changes);
  if (statement.mayChange === undefined || changes.size === 0) return statement;
  const absent = listCheckpoints(run).flatMap((checkpoint) => checkpoint.absent);
  const lost = absent.find(({ key }) => changes.has(variableOf(key)));
  const varies = varying?.places.find((key) => changes.has(key));
  const key = lost ? variableOf(lost.key) : varies;
  if (key === undefined) return statement;
  const why = lost ? "could not be captured" : "may be another each time";
  const name = key.slice(key.lastIndexOf(":") + 1);
  const reason = `\`${statement.mayChange}\` may change ${name}, which ${why}: it is not compared`;
  return { ...statement, unsure: [...(statement.unsure ?? []), reason] };
}
