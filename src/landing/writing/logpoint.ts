/** @file Logpoints, whatever the language: `grad_norm = l2(grads)` at a line of a file. */
import type { SourcePlace } from "../../format/index.ts";
import type { LogpointProblem } from "../../languages/index.ts";

export type InsertedLog =
  | { readonly text: string; readonly place: SourcePlace }
  /** Why it cannot be put there, and what to do about it. */
  | LogpointProblem;

/** The name and the expression of `name = expression`. */
export function splitAssignment(
  assignment: string,
): { readonly name: string; readonly expression: string } | LogpointProblem {
  const [, name = "", expression = ""] =
    /^\s*([^\s=!<>()]+)\s*=(?!=)\s*([\s\S]+)$/.exec(assignment) ?? [];
  if (name !== "" && expression.trim() !== "") return { name, expression: expression.trim() };
  const help = "write what is to be logged:  'grad_norm = l2(grads)'";
  return { problem: `${JSON.stringify(assignment)} is not  name = expression`, help };
}

/** Why a line of a file is none. */
export function noSuchLine(line: number, count: number): LogpointProblem | undefined {
  if (line >= 1 && line <= count) return undefined;
  return { problem: `the file has ${count} lines`, help: `name one from 1 to ${count}` };
}
