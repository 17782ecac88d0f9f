/** @file The statement that a person means by a line of a file, or the one that they may have meant. */
import { languageOf } from "../language.ts";
import type { Source, Syntax } from "./grammar.ts";
import type { Unit } from "./unit.ts";
import { unitAt } from "./unit.ts";

/** The statement whose first line is nearest to a line: to name it in a message. */
function nearestUnit(source: Source, line: number): Syntax | undefined {
  const { statementsOf, childrenOf } = source.grammar.reading;
  let best: { readonly node: Syntax; readonly distance: number } | undefined;
  const visit = (node: Syntax): void => {
    for (const statement of statementsOf(node) ?? []) {
      const distance = Math.abs(source.lines.at(statement.start).line - line);
      if (!best || distance < best.distance) best = { node: statement, distance };
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(source.program);
  return best?.node;
}

/** The statement of a line: one that logs, if several begin there; else the first. */
function unitOn(source: Source, line: number): Unit | undefined {
  const { reading, statements } = source.grammar;
  const { statementsOf, childrenOf } = reading;
  const found: Unit[] = [];
  const visit = (node: Syntax): void => {
    for (const statement of statementsOf(node) ?? []) {
      if (source.lines.at(statement.start).line === line) {
        found.push({ node: statement, owner: node });
      }
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(source.program);
  return (
    found.find(({ node }) => statements.isLogOnly(node)) ?? found[0] ?? unitAt(source, { line })
  );
}

export type FoundStatement =
  | { readonly kind: "statement"; readonly line: number; readonly column: number }
  | { readonly kind: "none"; readonly nearest: { line: number; text: string } | null }
  | { readonly kind: "unparsed"; readonly line: number; readonly message: string };

/** The statement that a person means by a line of a file, or the one that they may have meant. */
export function findStatement(file: string, text: string, line: number): FoundStatement {
  const { reading } = languageOf(file).grammar;
  const source = reading.read(file, text);
  if (!source) return { kind: "unparsed", ...reading.problemOf(file, text) };
  const unit = unitOn(source, line);
  if (unit) return { kind: "statement", ...source.lines.at(unit.node.start) };
  const nearest = nearestUnit(source, line);
  if (!nearest) return { kind: "none", nearest: null };
  const first = text.slice(nearest.start, nearest.end).split(/\r?\n/)[0] ?? "";
  return { kind: "none", nearest: { line: source.lines.at(nearest.start).line, text: first } };
}
