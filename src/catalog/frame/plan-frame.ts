/**
 * @file The frame: rows are runs or iterations, columns are names (FlorDB §4's dataframe).
 *
 * Rows are the deepest iterations at which an asked name was logged; shallower values repeat.
 * Names logged in sibling loops give rows of each. `docs/sql.md` states the rules.
 */
import { AfterlogError, nearestName } from "../../format/index.ts";
import type { Connection } from "../database.ts";
import type { CheckpointJoin } from "./checkpoint-column.ts";
import { joinCheckpoints } from "./checkpoint-column.ts";
import type { FrameCell, FramePlan } from "./frame-sql.ts";
import { frameRowsSql } from "./frame-sql.ts";
import type { FrameBase, LoopChain } from "./iterations.ts";
import { loopsOf, readChainShapes, readEnteredShapes } from "./iterations.ts";
import type { LoopForms } from "./loop-forms.ts";
import { readLoopForms } from "./loop-forms.ts";
import type { LoopRules, MeantColumns } from "./loop-columns.ts";
import {
  addLoop,
  describeLoop,
  columnsOf,
  loopWords,
  meaningOf,
  ONLY_INDICES,
  ownValue,
  readLoopRules,
  wordsIn,
  wordSource,
} from "./loop-columns.ts";
import { readRanges } from "./loop-values.ts";
import type { NameShape } from "./names.ts";
import { addCounts, readArgTypes, readLoggedNames, readNameShapes, unknownName } from "./names.ts";
import { CHECKPOINT_COLUMNS, nameOfColumn, RUN_COLUMNS } from "./value-names.ts";
import { identifier } from "../schema.ts";
import type { Grain, ShapeTree } from "./shapes.ts";
import { buildTree, loopColumns } from "./shapes.ts";
import { columnType } from "../value-columns.ts";
import type { ColumnType, TypeCounts } from "../value-columns.ts";
import type { Condition } from "../questions/where-condition.ts";
import { indexColumn } from "../questions/index-columns.ts";
import { parseCondition, refusingSql, sqlError } from "../questions/where-condition.ts";

export interface FrameRequest {
  readonly names: readonly string[];
  /** Names that no run has logged yet, asked for or mentioned: columns of NULL. */
  readonly absent?: readonly string[];
  readonly where?: string | undefined;
  /** `run`, or the name of a loop. */
  readonly grain?: string | undefined;
  readonly limit?: number | undefined;
  /** Newest run first. */
  readonly newestFirst?: boolean;
  /**
   * Rows are the recorded iterations of the chain `of`, whatever was logged in them; a condition
   * may also mention loops that are `elsewhere`: rows are in none of their iterations.
   */
  readonly iterations?: { readonly of: LoopChain; readonly elsewhere: readonly string[] };
  /** Columns that may be other words for loops: those that are have a column too. */
  readonly also?: readonly string[];
}

/** What a column of a frame is. */
export interface FrameColumn {
  readonly key: string;
  readonly kind: "run" | "loop" | "item" | "entry" | "name" | "origin";
  /** The name or loop it belongs to. */
  readonly of: string;
  readonly type: ColumnType | "INTEGER" | "OTHER";
}

/** A frame as one SELECT. `origin` columns hold `from` or `from:check` of the name `of`. */
export interface Frame {
  readonly sql: string;
  readonly columns: readonly FrameColumn[];
  /** What a condition may mention, for error messages. */
  readonly known: readonly string[];
}

/** Makes the SELECT of a frame. Throws AL020, AL021 or AL022. */
export async function planFrame(connection: Connection, request: FrameRequest): Promise<Frame> {
  const logged = await readLoggedNames(connection);
  const args = await readArgTypes(connection);
  const condition =
    request.where === undefined ? undefined : await parseCondition(connection, request.where);
  const mentioned = condition?.columns ?? [];
  const isValue = (name: string): boolean => args.has(name) || logged.includes(name);
  const forms = await readLoopForms(connection);
  const absent = request.absent ?? [];
  const asked = [...new Set(request.names)].filter((name) => !absent.includes(name));
  const extra = mentioned
    .map((name) => columnSpelling(name, [...args.keys(), ...logged]) ?? name)
    .filter((name) => !asked.includes(name) && isValue(name));
  const values = [...asked.filter(isValue), ...new Set(extra)];
  const shapes = await readNameShapes(connection, values);
  const grain = await resolveGrain(connection, request.grain, forms);
  const { iterations } = request;
  const chain = iterations ? await readChainShapes(connection, iterations.of) : [];
  const logs = shapes
    .filter((shape) => !shape.item)
    .map(({ name, shape, firstSeq }) => ({ shape, firstSeq, makesRows: asked.includes(name) }));
  // Who asks for iterations knows the loops by their recorded names.
  const named: LoopForms["columnsOf"] = (own) =>
    iterations ? (loop) => loop : forms.columnsOf(own);
  const tree = buildTree([...chain, ...logs], { ...grain, columnsOf: named });
  const keys = loopColumns(tree);
  const isColumn = (name: string): boolean => isValue(name) || keys.includes(name);
  const meant = loopWords(tree, forms);
  const words = [...asked, ...(request.also ?? [])].filter((name) => {
    const isLoop = wordsIn(name).some((word) => meant(word).some((key) => key !== word));
    return isLoop && !isValue(name) && !RUN_COLUMNS.includes(name);
  });
  checkNames(asked, { isValue, keys, words, known: [...args.keys(), ...logged] });
  const hasRows = asked.some(isValue);
  // Where a value is asked for beside it, `checkpoint` is about the rows that there are.
  const runColumns = asked.filter(
    (name) =>
      !isColumn(name) && !words.includes(name) && !(hasRows && CHECKPOINT_COLUMNS.includes(name)),
  );
  const ranges = await readRanges(connection, tree);
  const items = shapes.filter((shape) => shape.item);
  const rules = await readLoopRules(connection);
  const plan: FramePlan = {
    tree,
    cells: values.map((name, at) => describeCell(name, at, { shapes, args, asked })),
    loops: keys.map((key, at) => describeLoop(key, at, { tree, ranges, items })),
    base: baseOf(tree, {
      shapes: chain,
      depth: iterations?.of.length,
      everyRun: runColumns.some((name) => name !== "run") || (absent.length > 0 && !hasRows),
    }),
    hindsight: shapes.some((shape) => !shape.item && shape.hindsight),
    only: undefined,
  };
  const isOfRuns = (name: string): boolean =>
    !keys.includes(name) &&
    !logged.includes(name) &&
    (args.has(name) || RUN_COLUMNS.includes(name));
  const only = await runsMatching(connection, plan, condition, isOfRuns);
  const elsewhere = iterations?.elsewhere ?? [];
  const others = [...elsewhere, ...args.keys(), ...logged, ...absent];
  const known = [...new Set([...keys, ...others, ...RUN_COLUMNS, ...CHECKPOINT_COLUMNS])];
  const isOwn = (name: string): boolean => columnSpelling(name, [...keys, ...others]) !== undefined;
  const wanted = [...asked, ...mentioned].filter((name) => !isOwn(name));
  const checkpoints = await readCheckpoints(connection, { ...plan, only }, wanted);
  const meaning = { words, meant, forms };
  const loops = { keys, rules, checkpoints, ...meaning };
  const about = { request, where: condition?.sql, asked, mentioned, ...loops };
  return { ...wrapFrame({ ...plan, only }, about), known };
}

/** The rows with their checkpoints, if a column of these is among the wanted names. */
async function readCheckpoints(
  connection: Connection,
  plan: FramePlan,
  wanted: readonly string[],
): Promise<CheckpointJoin | undefined> {
  const isAsked = wanted.some((name) => CHECKPOINT_COLUMNS.includes(name.toLowerCase()));
  return isAsked ? joinCheckpoints(connection, frameRowsSql(plan), plan.tree) : undefined;
}

function baseOf(
  tree: ShapeTree,
  rows: {
    readonly shapes: readonly { readonly shape: string }[];
    readonly depth: number | undefined;
    readonly everyRun: boolean;
  },
): FrameBase | undefined {
  const { shapes, depth = 0, everyRun } = rows;
  if (rows.depth === undefined && !everyRun) return undefined;
  const own = new Set(shapes.map(({ shape }) => shape));
  return { depth, nodes: (tree.levels[depth] ?? []).filter((node) => own.has(node.shape)) };
}

/**
 * Numbers of the runs for which those parts of a condition hold that are about runs alone, so that
 * the logs of other runs are not even read. `undefined`: all.
 */
async function runsMatching(
  connection: Connection,
  plan: FramePlan,
  condition: Condition | undefined,
  isOfRuns: (name: string) => boolean,
): Promise<number[] | undefined> {
  // Without loops there is nothing to save, and hindsight values are kept under other runs.
  if (condition === undefined || plan.tree.levels.length < 2 || plan.hindsight) return undefined;
  const parts = condition.parts.filter(
    (part) => !part.hasSubquery && part.columns.length > 0 && part.columns.every(isOfRuns),
  );
  if (parts.length === 0) return undefined;
  const where = parts.map((part) => part.sql).join(" AND ");
  const { sql } = await planFrame(connection, { names: ["ordinal"], where, grain: "run" });
  const rows = await refusingSql(where, [], () =>
    connection.rows(`SELECT no FROM store.runs WHERE run IN (SELECT run FROM (${sql}))`),
  );
  return rows.map((row) => Number(row["no"]));
}

/** The spelling that a name in SQL, where case does not matter, stands for. */
export function columnSpelling(name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return name;
  return known.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
}

function describeCell(
  name: string,
  at: number,
  from: {
    readonly shapes: readonly NameShape[];
    readonly args: ReadonlyMap<string, TypeCounts>;
    readonly asked: readonly string[];
  },
): FrameCell {
  const own = from.shapes.filter((shape) => !shape.item && shape.name === name);
  const arg = from.args.get(name);
  return {
    name,
    stored: nameOfColumn(name),
    alias: `__c${at + 1}`,
    type: columnType(addCounts(arg === undefined ? own : [...own, arg])),
    shapes: own.map((shape) => shape.shape),
    isArg: arg !== undefined,
    hidden: !from.asked.includes(name),
  };
}

async function resolveGrain(
  connection: Connection,
  grain: string | undefined,
  forms: LoopForms,
): Promise<{ readonly grain: Grain; readonly shapes: readonly string[] }> {
  if (grain === undefined) return { grain: { kind: "deepest" }, shapes: [] };
  if (grain === "run") return { grain: { kind: "run" }, shapes: [] };
  const shapes = await readEnteredShapes(connection);
  const loops = loopsOf(shapes);
  const meant = forms.meantBy(grain).filter((loop) => loops.includes(loop));
  if (meant.length > 0) return { grain: { kind: "loop", loops: meant }, shapes };
  const close = nearestName(grain, loops);
  throw new AfterlogError("AL022", `there is no loop ${JSON.stringify(grain)}`, {
    help: [
      ...(close === undefined ? [] : [`did you mean ${JSON.stringify(close)}?`]),
      loops.length === 0 ? "no run has a loop" : `loops: run, ${loops.sort().join(", ")}`,
    ] as unknown as [string, ...string[]],
  });
}

/** Refuses names that nobody knows, and names whose key in a row is taken. */
function checkNames(
  asked: readonly string[],
  about: {
    readonly isValue: (name: string) => boolean;
    readonly keys: readonly string[];
    readonly words: readonly string[];
    readonly known: readonly string[];
  },
): void {
  const taken = new Set(about.keys.flatMap((key) => columnsOf(key)));
  for (const name of asked) {
    if (about.isValue(name) && taken.has(name)) {
      throw new AfterlogError("AL021", `${JSON.stringify(name)} is a column of this frame`, {
        notes: ["a value was logged, or an argument given, by the same name as that column"],
        help: [`read it from the table:  afterlog query "from logs where name = '${name}'"`],
      });
    }
    const isRunColumn = RUN_COLUMNS.includes(name) || CHECKPOINT_COLUMNS.includes(name);
    const isLoop = about.keys.includes(name) || about.words.includes(name);
    if (!about.isValue(name) && !isRunColumn && !isLoop) {
      throw unknownName(name, about.known);
    }
  }
}

interface Wrapping {
  readonly request: FrameRequest;
  readonly where: string | undefined;
  readonly asked: readonly string[];
  readonly mentioned: readonly string[];
  readonly keys: readonly string[];
  readonly rules: LoopRules;
  /** Other words for loops, that are to be columns too. */
  readonly words: readonly string[];
  readonly meant: MeantColumns;
  readonly forms: LoopForms;
  /** The rows with their checkpoints, if these are asked for. */
  readonly checkpoints: CheckpointJoin | undefined;
}

/** Adds the runs' columns, the condition, the order and the columns' proper names. */
function wrapFrame(plan: FramePlan, about: Wrapping): Omit<Frame, "known"> {
  const { request, asked } = about;
  const columns: FrameColumn[] = [];
  const select: string[] = [];
  const add = (column: FrameColumn, sql: string): void => {
    columns.push(column);
    select.push(`${sql} AS ${identifier(column.key)}`);
  };
  add({ key: "run", kind: "run", of: "run", type: "VARCHAR" }, `f.${RUN_PREFIX}run`);
  // Iterations that a question is asked of are counted: they are told by their indices.
  const rules = request.iterations ? ONLY_INDICES : about.rules;
  for (const loop of plan.loops) addLoop(loop, rules, add);
  for (const word of new Set(about.words)) {
    const source = `f.${identifier(word.toLowerCase())}`;
    const at = columns.findIndex(({ key }) => key.toLowerCase() === word.toLowerCase());
    if (at < 0) add({ key: word, kind: "loop", of: word, type: "OTHER" }, source);
    else select[at] = `${source} AS ${identifier(columns[at]?.key ?? word)}`;
  }
  for (const name of new Set(request.names)) {
    const cell = plan.cells.find((candidate) => candidate.name === name);
    if (request.absent?.includes(name)) {
      add({ key: name, kind: "name", of: name, type: "DOUBLE" }, "NULL");
    } else if (cell) add({ key: name, kind: "name", of: name, type: cell.type }, `f.${cell.alias}`);
    else if (name !== "run" && !about.keys.includes(name) && !about.words.includes(name)) {
      const source = `f.${identifier(RUN_PREFIX + name)}`;
      add({ key: name, kind: "name", of: name, type: "OTHER" }, source);
    }
  }
  if (plan.hindsight) {
    for (const cell of plan.cells.filter((candidate) => !candidate.hidden)) {
      add(
        { key: `${cell.name}_origin`, kind: "origin", of: cell.name, type: "VARCHAR" },
        `f.${cell.alias}_origin`,
      );
    }
  }
  const where = about.where === undefined ? "" : `\nWHERE (${about.where}\n)`;
  const order = [
    `f.${RUN_PREFIX}ordinal${request.newestFirst ? " DESC" : ""}`,
    "f.__no",
    ...plan.tree.levels.slice(1).flatMap((nodes, at) => {
      // Where there is only one loop to be in, its number need not be compared.
      return [...(nodes.length > 1 ? [`f.__s${at + 1}`] : []), `f.__x${at + 1}`];
    }),
  ];
  const limit = request.limit === undefined ? "" : `\nLIMIT ${request.limit}`;
  const exposed = exposedColumns(plan, about);
  const runs = RUN_COLUMNS.filter(
    (name) => ["run", "ordinal"].includes(name) || asked.includes(name),
  ).map((name) => `r.${identifier(name)} AS ${identifier(RUN_PREFIX + name)}`);
  for (const [name, source] of about.checkpoints?.sources ?? []) {
    runs.push(`${source} AS ${identifier(RUN_PREFIX + name)}`);
  }
  const sql = `SELECT ${select.join(", ")} FROM (
SELECT ${["u.*", ...runs, ...plan.loops.flatMap(ownValue), ...exposed].join(", ")}
FROM ${about.checkpoints?.from ?? `(${frameRowsSql(plan)}) u`}
JOIN (SELECT s.no, s.loop_rules AS __rules, v.* FROM store.runs s JOIN main.runs v USING (run) WHERE s.kind <> 'replay') r
  ON r.no = u.__no) f${where}
ORDER BY ${order.join(", ")}${limit}`;
  return { sql, columns };
}

const RUN_PREFIX = "__run_";

/** The columns that a condition mentions, under the names it uses for them. */
function exposedColumns(plan: FramePlan, about: Wrapping): string[] {
  const mentioned = [...about.mentioned, ...about.words];
  const sources = new Map<string, string>();
  for (const name of RUN_COLUMNS) sources.set(name, `r.${identifier(name)}`);
  for (const [name, source] of about.checkpoints?.sources ?? []) sources.set(name, source);
  for (const name of about.request.absent ?? []) sources.set(name, "NULL");
  for (const loop of plan.loops) {
    sources.set(loop.key, meaningOf(loop));
    sources.set(indexColumn(loop.key), `u.${loop.alias}`);
    if (loop.value) sources.set(`${loop.key}_value`, `u.${loop.alias}_value`);
    if (loop.reentered) sources.set(`${loop.key}_entry`, `u.${loop.alias}_entry`);
  }
  const loopNames = new Set(sources.keys());
  const isLoop = new Set(plan.loops.map((loop) => loop.key));
  for (const cell of plan.cells) {
    if (!isLoop.has(cell.name)) {
      sources.set(cell.name, `u.${cell.alias}`);
      loopNames.delete(cell.name);
    }
  }
  for (const name of [...RUN_COLUMNS, ...CHECKPOINT_COLUMNS]) {
    if (!isLoop.has(name)) loopNames.delete(name);
  }
  const elsewhere = about.request.iterations?.elsewhere ?? [];
  const isElsewhere = (word: string): boolean =>
    about.forms.meantBy(word).some((loop) => elsewhere.includes(loop));
  for (const name of mentioned) {
    const known = columnSpelling(name, [...sources.keys()]);
    if (known !== undefined && !loopNames.has(known)) continue;
    const word = wordSource(known ?? name, plan.loops, about.meant);
    if (word !== undefined) sources.set(known ?? name, word);
    else if (known === undefined && wordsIn(name).some(isElsewhere)) sources.set(name, "NULL");
  }
  const exposed = new Map<string, string>();
  for (const name of mentioned) {
    const source = sources.get(columnSpelling(name, [...sources.keys()]) ?? "");
    if (source === undefined) continue;
    const before = exposed.get(name.toLowerCase());
    if (before !== undefined && before !== source) {
      throw sqlError(name, "SQL cannot tell apart two names that differ only in case", [
        "ask for each in a frame of its own",
      ]);
    }
    exposed.set(name.toLowerCase(), source);
  }
  return [...exposed].map(([name, source]) => `${source} AS ${identifier(name)}`);
}
