/**
 * @file The statements that a question is about, as they stand in one source text: in which loops,
 * and whether a replay of before was of the same ones.
 */
import type { Landing, Manifest, PlannedStatement } from "../../format/index.ts";
import type { SourceLog, SourceModel, Statement } from "../../languages/index.ts";
import { languageOf } from "../../languages/index.ts";
import type { ReplayDirective } from "../execution/replay-result.ts";
import type { ProgramSource } from "./pieces.ts";
import { findStatements, isUnnamed } from "./pieces.ts";
import { valueText } from "./value-text.ts";

/** One way to a statement that logs an asked name. */
export interface AskedStatement {
  readonly log: SourceLog;
  readonly planned: PlannedStatement;
}

/** Statements of a name in a source, with what came along and what did not when they were put there. */
export function askedStatements(
  name: string,
  { model, text: textOf, version }: ProgramSource,
  {
    carried = [],
    leftOut = [],
    landings = [],
    isWritten = false,
    anchorOf = (log) => languageOf(log.file).anchorOf(textOf(log.file) ?? "", log.file, log, model),
  }: {
    readonly carried?: readonly string[];
    readonly leftOut?: readonly string[];
    readonly landings?: readonly Pick<Landing, "file" | "line" | "column">[];
    /** The name is how the value of a call is written that shows none. */
    readonly isWritten?: boolean;
    readonly anchorOf?: (log: SourceLog) => string;
  } = {},
): AskedStatement[] {
  return findStatements(model, name, landings).map((log) => {
    const { file, line, column, text } = log;
    const mayChange = log.mayChange ?? (log.changes ? text.split(/\r?\n/)[0] : undefined);
    // Why nobody can promise what it logs, though all that was compared is equal.
    const unsure = [
      ...(log.causes ?? []).map((cause) => `it depends on ${cause}`),
      ...leftOut.map((one) => `${one} was added beside it and is left out`),
    ];
    const planned = {
      name,
      file,
      line,
      column,
      ...unnamed(name, log, isWritten),
      ...(log.shown ? { shown: log.shown } : {}),
      text,
      anchor: anchorOf(log),
      loops: loopNames(log, model),
      ...conditionOf(name, log, textOf(file)),
      ...(carried.length > 0 ? { carried } : {}),
      ...(version === null ? {} : { version }),
      ...(unsure.length > 0 ? { unsure } : {}),
      ...(log.calls ? { calls: log.calls } : {}),
      ...(mayChange === undefined ? {} : { mayChange }),
      ...(log.computes && unsure.length === 0 && !log.calls ? { computes: log.computes } : {}),
    };
    return { log, planned };
  });
}

/** All that a call logs is asked for if it shows no name, and was not asked for by one. */
function unnamed(
  name: string,
  log: SourceLog,
  isAsked: boolean,
): Pick<PlannedStatement, "unnamed" | "logged"> {
  if (!isAsked || !isUnnamed(log) || log.name === null) return {};
  return { unnamed: true, ...(log.name === name ? {} : { logged: log.name }) };
}

/** The innermost `if` around a log call: where it was never true, nothing is logged. */
function conditionOf(
  name: string,
  { file, line, column, text: statement }: SourceLog,
  text: string | undefined,
): Pick<PlannedStatement, "under"> {
  const source = languageOf(file).read(file, text ?? "");
  if ("problem" in source) return {};
  const offset = source.lines.startOf(line) + column - 1;
  const isAround = ({ node }: Statement): boolean => node.start <= offset && offset < node.end;
  for (const one of source.statements.filter(isAround).toReversed()) {
    if (one.parameters !== undefined) return {};
    const [head = ""] = source.text.slice(one.node.start, one.node.end).split(/\r?\n/);
    const [, condition] = /^(if\b.*?)\s*[:{]\s*$/.exec(head) ?? [];
    if (condition === undefined) continue;
    const at = source.lines.at(one.node.start).line;
    return { under: { text: condition, line: at, value: valueText(name, statement) } };
  }
  return {};
}

/** A loop whose name is computed ends the chain: what is inside it is asked for as a whole. */
function loopNames({ chain }: SourceLog, { loops }: SourceModel): string[] {
  const names = chain.map((id) => loops[id]?.name ?? null);
  const known = names.indexOf(null);
  return (known < 0 ? names : names.slice(0, known)).map(String);
}

/** The statements as a plan names them, each once though several programs have it. */
export function plannedStatements(statements: readonly AskedStatement[]): PlannedStatement[] {
  return [...new Map(statements.map(({ planned }) => [JSON.stringify(planned), planned])).values()];
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
