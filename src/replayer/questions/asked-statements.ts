/**
 * @file The statements that a question is about, as they stand in one source text: in which loops,
 * and whether a replay of before was of the same ones.
 */
import type { Manifest, PlannedStatement } from "../../format/index.ts";
import type { SourceLog, SourceModel } from "../../languages/index.ts";
import { languageOf } from "../../languages/index.ts";
import type { Origin } from "../propagation/origins.ts";
import type { ReplayDirective } from "../execution/replay-result.ts";

export interface Statement {
  readonly name: string;
  readonly log: SourceLog;
  /** Names of the loops around it. */
  readonly loops: readonly string[];
  readonly anchor: string;
  /** Texts that came with it into an older version. */
  readonly carried: readonly string[];
  /** Added beside it, and not brought along. */
  readonly leftOut: readonly string[];
  /** Commit of the version that it stands in; null: the working tree, or one that it landed in. */
  readonly version: string | null;
}

/** Statements of a name with what a plan must know of them. */
export function asStatements(
  name: string,
  { logs, model, text, version }: Pick<Origin, "logs" | "model" | "text" | "version">,
  { carried, leftOut }: Pick<Statement, "carried" | "leftOut"> = { carried: [], leftOut: [] },
): Statement[] {
  return logs.map((log) => {
    const anchor = languageOf(log.file).anchorOf(text(log.file) ?? "", log.file, log, model);
    return { name, log, loops: loopNames(log, model), anchor, carried, leftOut, version };
  });
}

/** A loop whose name is computed ends the chain: what is inside it is asked for as a whole. */
function loopNames({ chain }: SourceLog, { loops }: SourceModel): string[] {
  const names = chain.map((id) => loops[id]?.name ?? null);
  const known = names.indexOf(null);
  return (known < 0 ? names : names.slice(0, known)).map(String);
}

/** The statements as a plan names them, each once though several programs have it. */
export function describeStatements(statements: readonly Statement[]): PlannedStatement[] {
  const described = statements.map((statement) => {
    const { name, log, loops, anchor, carried, version } = statement;
    const { file, line, column, text } = log;
    const unsure = whyUnsure(statement);
    return {
      name,
      file,
      line,
      column,
      text,
      anchor,
      loops,
      ...(carried.length > 0 ? { carried } : {}),
      ...(version === null ? {} : { version }),
      ...(unsure.length > 0 ? { unsure } : {}),
    };
  });
  return [...new Map(described.map((one) => [JSON.stringify(one), one])).values()];
}

/** Why nobody can promise what it logs, though all that was compared is equal. */
function whyUnsure({ log, leftOut }: Statement): string[] {
  return [
    ...(log.causes ?? []).map((cause) => `it depends on ${cause}`),
    ...leftOut.map((text) => `${text} was added beside it and is left out`),
  ];
}

/**
 * The names that a replay filled from statements that are not the ones that are asked for now. Both
 * are given as they stand in the source of the run: what is edited there is another statement, and so
 * is one that cannot be put there any more. Where that source cannot be read, their texts must do.
 */
export function namesOfOthers(
  { directive }: Manifest,
  names: readonly string[],
  { now, by }: { readonly now: readonly PlannedStatement[]; readonly by: "place" | "text" },
): string[] {
  const before = (directive as ReplayDirective | null)?.statements ?? [];
  const identify = by === "place" ? byPlace : byText;
  const identities = (statements: readonly PlannedStatement[], name: string): string => {
    const own = statements.filter((statement) => statement.name === name);
    return JSON.stringify([...new Set(own.map(identify))].sort());
  };
  return names.filter((name) => {
    const then = identities(before, name);
    return then !== "[]" && then !== identities(now, name);
  });
}

function byPlace({ file, anchor, text, carried = [] }: PlannedStatement): string {
  return JSON.stringify([file, anchor ?? null, text, carried]);
}

function byText({ text }: PlannedStatement): string {
  return text;
}
