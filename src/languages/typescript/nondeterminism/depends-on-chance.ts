/**
 * @file Which log statements may log another value each time they are executed, and by what: a value
 * that comes from a clock, from entropy or from the process is that of the replay, and no comparison
 * of other values can say that it is the one of the run.
 */
import { mayMention } from "../libraries/nondeterministic-calls.ts";
import { parseSource } from "../parse.ts";
import { FileFlows } from "./value-flows.ts";
import { FlowGraph, valueOf } from "./flow-graph.ts";
import { Functions, renamedImports } from "./function-flows.ts";
import { OutsideNames } from "./outside-sources.ts";

export interface LoggingFile {
  readonly text: string;
  /** Where its log calls begin. */
  readonly logs: readonly number[];
}

/** Causes by file and offset of the call, of those that have one; the nearest first. */
export function nondeterministicLogs(
  files: ReadonlyMap<string, LoggingFile>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  if (![...files.values()].some(({ text }) => mayMention(text))) return found;
  const graph = new FlowGraph();
  const functions = new Functions();
  const outside = new OutsideNames(functions);
  const parsed = [...files].map(([file, { text }]) => {
    const { program } = parseSource(file, text);
    return { file, text, program, scope: functions.add(file, program) };
  });
  for (const { program, scope } of parsed) {
    outside.learn(program, scope);
    for (const [local, imported] of renamedImports(program)) {
      functions.alias(local, imported);
      graph.assign(`:${local}`, valueOf(`:${imported}`));
    }
  }
  const nodes = new Map<string, string>();
  for (const { file, text, program, scope } of parsed) {
    const logs = new Map((files.get(file)?.logs ?? []).map((at) => [at, `${file}:${at} logs`]));
    for (const [at, node] of logs) nodes.set(`${file}:${at}`, node);
    const flows = new FileFlows({ graph, functions, outside }, scope, text, logs);
    for (const statement of program.body) flows.statement(statement);
  }
  for (const [place, node] of nodes) {
    const causes = graph.causesOf(node);
    if (causes.length > 0) found.set(place, causes);
  }
  return found;
}
