/**
 * @file Which values of a program may be others each time it is executed, and by what: a value that
 * comes from a clock, from entropy or from the process is that of the replay, and no comparison of
 * other values can say that it is the one of the run; nor does it say anything that it differs.
 */
import type { RunMode, Varying } from "../../../format/index.ts";
import { mayMention } from "../libraries/nondeterministic-calls.ts";
import { parseSource } from "../parse.ts";
import { namesWithout } from "../console-calls.ts";
import { linkNames } from "./place-names.ts";
import type { LoggedCall, Program } from "./chance-sources.ts";
import { RANDOM } from "./chance-sources.ts";
import { FileFlows } from "./value-flows.ts";
import type { CallSite } from "./call-sites.ts";
import type { Cause } from "./flow-graph.ts";
import { FlowGraph, valueOf } from "./flow-graph.ts";
import { Functions, renamedImports } from "./function-flows.ts";
import { OutsideNames } from "./outside-sources.ts";
import { mayTellPlace, placesTold, stacksRead, tellsName } from "./places-told.ts";

export interface LoggingFile {
  readonly text: string;
  /** Calls whose results are recorded. */
  readonly calls: readonly CallSite[];
  /** Where its log calls begin. */
  readonly logs: readonly number[];
  /** Its variables, each with a place in the innermost function around its declaration. */
  readonly variables: readonly {
    readonly name: string;
    readonly key: string;
    readonly start: number;
    readonly end: number;
  }[];
}

/** What may be another, besides what is logged. */
export type VaryingState = Omit<Varying, "logs">;

/** Which names a call logs that may be others. */
export interface LogVarying {
  readonly varies: boolean;
  /** Names that it logs and that depend on nothing of this. */
  readonly except: readonly string[];
}

/** `given`: where recorded results are given again; `fresh`: where they are not. */
interface Both<T> {
  readonly given: T;
  readonly fresh: T;
}

export interface Chance extends Both<VaryingState> {
  /** Of the log calls that depend on something: by file and where they begin. */
  readonly logs: ReadonlyMap<string, LogChance>;
}

export interface LogChance extends Both<LogVarying> {
  /** What the value depends on, the nearest first. */
  readonly causes: readonly Cause[];
}

const NONE: VaryingState = { places: [], fields: [] };
const NOTHING: Chance = { logs: new Map(), given: NONE, fresh: NONE };

/** What of a program depends on a clock and the like. */
export function dependsOnChance(
  files: ReadonlyMap<string, LoggingFile>,
  mode: RunMode = { handsFree: false },
): Chance {
  const isPossible = ({ text }: LoggingFile): boolean => mayMention(text) || mayTellPlace(text);
  if (![...files.values()].some(isPossible)) return NOTHING;
  const graph = new FlowGraph();
  const functions = new Functions();
  const { nodes, logged } = flowsOf(files, graph, functions, mode);
  const varying = {
    given: graph.varying({ given: true }),
    fresh: graph.varying({ given: false }),
  };
  const logs = [...nodes].flatMap(([place, node]): [string, LogChance][] => {
    const causes = graph.causesOf(node);
    if (causes.length === 0) return [];
    const call = logged.get(node);
    const given = namesWithoutCause(graph, call, mode, (cause) => !cause.call);
    const fresh = namesWithoutCause(graph, call, mode, () => true);
    return [
      [
        place,
        {
          causes,
          given: { varies: varying.given.all.has(node), except: given },
          fresh: { varies: varying.fresh.all.has(node), except: fresh },
        },
      ],
    ];
  });
  const stateOf = ({ all, apart }: typeof varying.given): VaryingState => {
    const places = [...files].flatMap(([file, { variables }]) =>
      variables.filter(({ name, start, end }) => {
        const place = functions.resolve(functions.around(file, start, end), name);
        return place !== undefined && valueOf(place).some((node) => apart.has(node));
      }),
    );
    const isApart = (name: string): boolean => valueOf(`.${name}`).some((node) => apart.has(node));
    return {
      places: [...new Set(places.map(({ key }) => key))],
      fields: [...graph.fields].filter(isApart),
      ...(all.has(RANDOM) ? { generators: true as const } : {}),
    };
  };
  return { logs: new Map(logs), given: stateOf(varying.given), fresh: stateOf(varying.fresh) };
}

/** Fills the graph; nodes of what is logged, by file and where the call begins. */
function flowsOf(
  files: ReadonlyMap<string, LoggingFile>,
  graph: FlowGraph,
  functions: Functions,
  { handsFree }: RunMode,
): { readonly nodes: ReadonlyMap<string, string>; readonly logged: Map<string, LoggedCall> } {
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
      linkNames(graph, `:${local}`, `:${imported}`);
    }
  }
  // The first file is the program's own.
  const isSeededFirst = handsFree || /^afterlog\b/.test(firstImport(parsed[0]?.text ?? ""));
  const tellsPlace = parsed.some(({ text }) => tellsName(text));
  const program: Program = { graph, functions, outside, isSeededFirst, tellsPlace };
  const nodes = new Map<string, string>();
  const logged = new Map<string, LoggedCall>();
  for (const {
    file,
    text,
    program: { body },
    scope,
  } of parsed) {
    const logs = new Map((files.get(file)?.logs ?? []).map((at) => [at, `${file}:${at} logs`]));
    for (const [at, node] of logs) nodes.set(`${file}:${at}`, node);
    const calls = files.get(file)?.calls ?? [];
    const flows = new FileFlows(program, scope, { text, logs, calls });
    for (const statement of body) flows.statement(statement);
    for (const [node, own] of flows.logged) {
      logged.set(node, own);
      for (const { part, node: shown } of [{ part: own.call, node }, ...own.parts]) {
        for (const cause of placesTold(file, text, part)) graph.add(shown, graph.cause(cause));
      }
    }
  }
  // A program may have a stack of its own.
  if (!graph.fields.has("stack")) {
    const stacks = parsed.flatMap(({ file, text }) => stacksRead(file, text));
    for (const cause of stacks) graph.add(".stack", graph.cause(cause));
  }
  return { nodes, logged };
}

/** What a file imports, or requires, first. */
function firstImport(text: string): string {
  return /\b(?:from|import|require\()\s*["']([^"']+)["']/.exec(text)?.[1] ?? "";
}

/** Of a line with several values, the names that it logs whatever those are that have a cause. */
function namesWithoutCause(
  graph: FlowGraph,
  logged: LoggedCall | undefined,
  mode: RunMode,
  counts: (cause: Cause) => boolean,
): readonly string[] {
  const hasCause = (node: string): boolean => graph.causesOf(node).some(counts);
  if (!logged || hasCause(logged.executed)) return [];
  const doubtful = logged.parts.filter(({ node }) => hasCause(node));
  const parts = new Set(doubtful.map(({ part }) => part));
  return namesWithout(logged.call, parts, mode);
}
