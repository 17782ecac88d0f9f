/**
 * @file The statements that a question is about: where they stand in each recorded program, in
 * which loops, and whether a replay of before was of the same ones.
 */
import type { Manifest, Plan } from "../format/index.ts";
import type { SourceLog, SourceModel } from "../languages/index.ts";
import { anchorOf } from "../languages/index.ts";
import type { ReplayDirective } from "./result.ts";
import type { WorkingTree } from "./working-tree.ts";
import { findStatements, noStatement } from "./working-tree.ts";

export interface Statement {
  readonly name: string;
  readonly program: string;
  readonly log: SourceLog;
  /** Names of the loops around it. */
  readonly loops: readonly string[];
  readonly anchor: string;
}

/** The statements in all programs that were recorded, the newest first. Throws AL021. */
export function findAll(
  tree: WorkingTree,
  names: readonly string[],
  recorded: readonly Manifest[],
): Statement[] {
  const newest = recorded.toSorted((a, b) => b.order - a.order);
  const programs = [...new Set(newest.map(({ program }) => program))];
  return names.flatMap((name) => {
    const found = programs.flatMap((program) => {
      const model = tree.model(program);
      return findStatements(model, name).map((log) => ({
        name,
        program,
        log,
        loops: loopNames(log, model),
        anchor: anchorOf(tree.text(log.file) ?? "", log.file, log),
      }));
    });
    if (found.length > 0) return found;
    throw noStatement(
      name,
      programs,
      programs.map((program) => tree.model(program)),
    );
  });
}

/** A loop whose name is computed ends the chain: what is inside it is asked for as a whole. */
function loopNames({ chain }: SourceLog, { loops }: SourceModel): string[] {
  const names = chain.map((id) => loops[id]?.name ?? null);
  const known = names.indexOf(null);
  return (known < 0 ? names : names.slice(0, known)).map(String);
}

/** The statements as a plan names them, each once though several programs have it. */
export function describeStatements(statements: readonly Statement[]): Plan["statements"] {
  const described = statements.map(({ name, log, loops, anchor }) => {
    const { file, line, column, text } = log;
    return { name, file, line, column, text, anchor, loops };
  });
  return [...new Map(described.map((one) => [JSON.stringify(one), one])).values()];
}

/** Whether a replay filled a name from statements that are not the ones that are asked for now. */
export function isOfOthers({ directive }: Manifest, statements: readonly Statement[]): boolean {
  const before = (directive as ReplayDirective | null)?.statements ?? [];
  const now = describeStatements(statements);
  return [...new Set(now.map(({ name }) => name))].some((name) => {
    const then = identities(before, name);
    return then !== "[]" && then !== identities(now, name);
  });
}

/** Text and place of the statements of a name, as one text. */
function identities(statements: Plan["statements"], name: string): string {
  const own = statements.filter((statement) => statement.name === name);
  const texts = own.map(({ file, anchor = null, text }) => JSON.stringify([file, anchor, text]));
  return JSON.stringify([...new Set(texts)].sort());
}
