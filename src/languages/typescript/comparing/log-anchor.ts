/**
 * @file Where a log statement stands, said so that it stays the same when others are added around
 * it: how many statements that are no logs begin before it, and how many blocks are around it.
 */
import type { Node, Statement } from "oxc-parser";
import { modeOf } from "../../../format/index.ts";
import type { SourceModel } from "../../source-model.ts";
import { isCarried } from "./carried-marker.ts";
import { logCallOf, sdkNames } from "../log-calls.ts";
import { Lines } from "../../lines.ts";
import { parseSource } from "../parse.ts";

/** The same text for the same place between the statements of a file; line and column from 1. */
export function anchorOf(
  text: string,
  file: string,
  place: { readonly line: number; readonly column: number },
  model: Pick<SourceModel, "handsFree" | "consoleRule"> = {},
): string {
  const { program } = parseSource(file, text);
  const names = sdkNames(program, modeOf(model));
  const at = new Lines(text).startOf(place.line) + place.column - 1;
  let before = 0;
  let depth = 0;
  const visit = (node: Node): void => {
    if (node.start > at) return;
    // What came with another statement is no part of the program.
    const isOwn = !isCarried(text, node);
    if (!isOwn && node.type !== "BlockStatement" && node.end <= at) return;
    const isStatement = /(?:Statement|Declaration)$/.test(node.type) && isOwn;
    const isBlock = node.type === "BlockStatement" || node.type === "StaticBlock";
    if (isBlock && isOwn && node.end > at) depth += 1;
    if (isStatement && !isBlock && !logCallOf(node as Statement, names)) before += 1;
    for (const value of Object.values(node) as unknown[]) {
      for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (typeof item === "object" && item !== null && "type" in item && "start" in item) {
          visit(item as Node);
        }
      }
    }
  };
  for (const statement of program.body) visit(statement);
  return `${before}.${depth}`;
}
