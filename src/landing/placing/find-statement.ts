/** @file The statement that a person means by a line of a file, or the one that they may have meant. */
import type { ParsedFile, Statement } from "../../languages/index.ts";
import { languageOf } from "../../languages/index.ts";
import { statementAt } from "./statement-at.ts";

export type FoundStatement =
  | { readonly kind: "statement"; readonly line: number; readonly column: number }
  | { readonly kind: "none"; readonly nearest: { line: number; text: string } | null }
  | { readonly kind: "unparsed"; readonly line: number; readonly message: string };

/** The statement that a person means by a line of a file, or the one that they may have meant. */
export function findStatement(file: string, text: string, line: number): FoundStatement {
  const source = languageOf(file).read(file, text);
  if ("problem" in source) return { kind: "unparsed", ...source.problem };
  const statement = statementOnLine(source, line);
  if (statement) return { kind: "statement", ...source.lines.at(statement.node.start) };
  const nearest = nearestStatement(source, line)?.node;
  if (!nearest) return { kind: "none", nearest: null };
  const first = text.slice(nearest.start, nearest.end).split(/\r?\n/)[0] ?? "";
  return { kind: "none", nearest: { line: source.lines.at(nearest.start).line, text: first } };
}

/** The statement of a line: one that logs, if several begin there; else the first. */
function statementOnLine(source: ParsedFile, line: number): Statement | undefined {
  const found = source.statements.filter(({ node }) => source.lines.at(node.start).line === line);
  return found.find(({ isLogOnly }) => isLogOnly) ?? found[0] ?? statementAt(source, { line });
}

/** The statement whose first line is nearest to a line: to name it in a message. */
function nearestStatement({ statements, lines }: ParsedFile, line: number): Statement | undefined {
  const distances = statements.map(({ node }) => Math.abs(lines.at(node.start).line - line));
  const least = distances.reduce((a, b) => Math.min(a, b), Infinity);
  return statements[distances.indexOf(least)];
}
