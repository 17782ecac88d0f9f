/**
 * @file Where a log statement stands, said so that it stays the same when others are added around
 * it: how many statements begin before it, and how many blocks are around it. Logs do not count, nor do
 * imports and functions: these may have come along with another statement.
 */
import type { SourceModel } from "../../source-model.ts";
import { parsePython } from "./parser.ts";
import { linesOf } from "./syntax-facts.ts";
import { isLogOnly, sdkLogsIn } from "./statement-facts.ts";
import type { PyNode } from "./syntax.ts";
import { callIn, definitionIn, namedChildren, statementsOf } from "./syntax.ts";

/** The same text for the same place between the statements of a file; line and column from 1. */
export function anchorOf(
  text: string,
  _file: string,
  place: { readonly line: number; readonly column: number },
  { handsFree = false }: Pick<SourceModel, "handsFree">,
): string {
  const { program, problem } = parsePython(text);
  if (problem) return `${place.line}.${place.column}`;
  const at = linesOf(text).startOf(place.line) + place.column - 1;
  const sdkLog = sdkLogsIn(program);
  const isLog = (node: PyNode): boolean => {
    if (sdkLog(node)) return true;
    return handsFree && callIn(node) !== undefined && isLogOnly(node);
  };
  let before = 0;
  let depth = 0;
  const visit = (node: PyNode): void => {
    if (node.start > at) return;
    const holds = node.end > at;
    if (definitionIn(node) && !holds) return;
    if (node.type === "block" && holds) depth += 1;
    for (const statement of statementsOf(node) ?? []) {
      const isOther = !isLog(statement) && !statement.type.includes("import");
      if (statement.start <= at && isOther && !definitionIn(statement)) before += 1;
    }
    for (const child of namedChildren(node)) visit(child);
  };
  visit(program);
  return `${before}.${depth}`;
}
