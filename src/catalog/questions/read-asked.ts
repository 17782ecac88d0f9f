/**
 * @file What a question asks for, before anything is replayed: which iterations of which runs
 * (semantics, "Scans"; FlorDB §5 pushes the same conditions into its replay).
 *
 * A condition is taken apart at its `and`s. Parts that mention an asked name cannot be known yet:
 * they are kept as text, for the cells that the replay fills. All others hold or not for each
 * recorded iteration, by the rules of the frame. Cells that have a value are not asked for again.
 */
import type { Box } from "../../format/index.ts";
import { boxesOf } from "./asked-boxes.ts";
import type { Stretch } from "./asked-boxes.ts";
import type { Connection } from "../database.ts";
import { planFrame } from "../frame/plan-frame.ts";
import { valueColumn } from "../frame/value-names.ts";
import type { LoopChain } from "../frame/iterations.ts";
import { loopsOf, readChainShapes, readEnteredShapes } from "../frame/iterations.ts";
import { identifier, literal } from "../schema.ts";
import { loopKeys } from "../frame/shapes.ts";
import { parseCondition, refusingSql } from "./where-condition.ts";

export interface AskedQuestion {
  readonly where: string | null;
  /** The statements that log the asked names: each with the loops around it. */
  readonly statements: readonly { readonly name: string; readonly loops: LoopChain }[];
  /** Values of a replay that do not count as filled: they were of another statement. */
  readonly except: readonly FilledByReplay[];
}

interface FilledByReplay {
  readonly name: string;
  readonly replay: string;
}

/** The iterations of one run that are asked for and not filled yet, over all statements. */
interface AskedIterationsOfRun {
  readonly run: string;
  /** `all`: every recorded iteration, or the run as a whole. */
  readonly asked: "all" | readonly Box[];
  /** The loops of those statements of which something is still to be filled. */
  readonly open: readonly LoopChain[];
}

export interface AskedIterations {
  /** Oldest first. A run of which nothing is asked is not among them. */
  readonly runs: readonly AskedIterationsOfRun[];
  /** Runs of which all that is asked is there already, recorded or in hindsight. */
  readonly filled: readonly string[];
  /** The part of the condition that only the filled cells can answer. */
  readonly after: string | null;
}

/** Which iterations a question asks for. Throws AL020 as a frame does. */
export async function readAsked(
  connection: Connection,
  question: AskedQuestion,
): Promise<AskedIterations> {
  const { before, after } = await splitCondition(connection, question);
  const chains = distinctChains(question.statements.map(({ loops }) => loops));
  const loops = [...chains.flat(), ...loopsOf(await readEnteredShapes(connection))];
  const found = new Map<string, AskedPart>();
  for (const chain of chains) {
    const elsewhere = loops.filter((loop) => !chain.includes(loop));
    const names = question.statements.filter(({ loops }) => isSameChain(loops, chain));
    const asked = { chain, elsewhere, where: before, except: question.except };
    const own = await askedOfRuns(connection, { ...asked, names: names.map(({ name }) => name) });
    for (const { run, ...more } of own) found.set(run, askedUnion(found.get(run), more));
  }
  const order = await connection.rows(
    "SELECT run FROM runs WHERE kind <> 'replay' ORDER BY ordinal, run",
  );
  const runs = order.flatMap((row): AskedIterationsOfRun[] => {
    const run = String(row["run"]);
    const asked = found.get(run);
    return asked === undefined ? [] : [{ run, ...asked }];
  });
  return {
    runs: runs.filter(({ asked }) => asked.length > 0),
    filled: runs.filter(({ asked }) => asked.length === 0).map(({ run }) => run),
    after,
  };
}

type AskedPart = Omit<AskedIterationsOfRun, "run">;

function askedUnion(known: AskedPart | undefined, more: AskedPart): AskedPart {
  if (!known) return more;
  const isAll = known.asked === "all" || more.asked === "all";
  return {
    asked: isAll ? "all" : [...known.asked, ...more.asked],
    open: [...known.open, ...more.open],
  };
}

/** The parts that can be answered now, and those that wait for the replay. */
async function splitCondition(
  connection: Connection,
  { where, statements }: AskedQuestion,
): Promise<{ readonly before: string | null; readonly after: string | null }> {
  if (where === null) return { before: null, after: null };
  const { columns, parts } = await parseCondition(connection, where);
  const asked = new Set(statements.map(({ name }) => valueColumn("log", name).toLowerCase()));
  const waits = (part: { readonly columns: readonly string[] }): boolean =>
    part.columns.some((column) => asked.has(column.toLowerCase()));
  if (!waits({ columns })) return { before: where, after: null };
  // It could not be taken apart: then all of it waits.
  if (parts.length === 0) return { before: null, after: where };
  return {
    before: joinConditions(parts.filter((part) => !waits(part))),
    after: joinConditions(parts.filter(waits)),
  };
}

function joinConditions(parts: readonly { readonly sql: string }[]): string | null {
  return parts.length === 0 ? null : parts.map((part) => part.sql).join(" AND ");
}

function distinctChains(chains: readonly LoopChain[]): LoopChain[] {
  return [...new Map(chains.map((chain) => [JSON.stringify(chain), chain])).values()];
}

function isSameChain(a: LoopChain, b: LoopChain): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

interface ChainQuestion {
  readonly chain: LoopChain;
  readonly names: readonly string[];
  /** Loops of other chains, and those that other runs have: the condition may mention them. */
  readonly elsewhere: readonly string[];
  readonly where: string | null;
  readonly except: readonly FilledByReplay[];
}

/** Of each run that the condition holds for, what is still to be filled: maybe nothing. */
async function askedOfRuns(
  connection: Connection,
  question: ChainQuestion,
): Promise<AskedIterationsOfRun[]> {
  const { chain, where } = question;
  // Loops that no run entered have no iterations to ask for.
  if (chain.length > 0 && (await readChainShapes(connection, chain)).length === 0) return [];
  const iterations = { of: chain, elsewhere: question.elsewhere };
  const whole = await planFrame(connection, { names: [], iterations });
  const frame =
    where === null ? whole : await planFrame(connection, { names: [], where, iterations });
  const rows = await refusingSql(where ?? "", frame.known, () =>
    connection.rows(stretchesSql({ asked: frame.sql, whole: whole.sql }, question)),
  );
  // Indices do not tell apart loops of one name inside one another.
  const isPlain = new Set(chain).size === chain.length;
  return rows.map((row): AskedIterationsOfRun => {
    const run = String(row["run"]);
    const left = Number(row["unfilled"]);
    if (left === 0) return { run, asked: [], open: [] };
    const open = [chain];
    if (left === Number(row["recorded"]) || !isPlain) return { run, asked: "all", open };
    return { run, asked: boxesOf(chain, row["stretches"] as readonly Stretch[]), open };
  });
}

/**
 * SQL of one row for each run: how many iterations it has, how many of those asked for are still
 * to be filled, and these as stretches of consecutive ones.
 */
function stretchesSql(
  frames: { readonly asked: string; readonly whole: string },
  { chain, names, except }: ChainQuestion,
): string {
  const keys = loopKeys(chain.map((loop) => ({ loop, entry: 0 }))).map(identifier);
  const path = ["run", ...keys].join(", ");
  const outer = ["run", ...keys.slice(0, -1)].join(", ");
  const last = keys.at(-1) ?? "0";
  // Entries of a loop under one parent have the same indices: one is filled when all of them are.
  const filled = names.map((name, at) => {
    const indices = keys.map((key, level) => `, indices[${level + 1}] AS ${key}`).join("");
    const others = except.flatMap((exception) =>
      exception.name === name ? [exception.replay] : [],
    );
    // What the frame shows counts: behind the value of another statement one of this may stand.
    const shown = others.length === 0 ? "main.logs" : "main.frame";
    return `LEFT JOIN (SELECT ${path}, count(DISTINCT entries) AS __n${at} FROM (
      SELECT run${indices}, entries FROM ${shown}
      WHERE name = ${literal(name)} AND loops = ${sqlTextList(chain)}
        AND NOT list_contains(${sqlTextList(others)}, source)) GROUP BY ALL) USING (${path})`;
  });
  const isFilled = names.map((_, at) => `coalesce(__n${at}, 0) >= __n`).join(" AND ");
  return `WITH whole AS (SELECT ${path}, count(*) AS __n FROM (${frames.whole}) GROUP BY ALL),
  asked AS (SELECT DISTINCT ${path} FROM (${frames.asked})),
  unfilled AS (SELECT ${path} FROM asked JOIN whole USING (${path}) ${filled.join("\n  ")}
    WHERE NOT (${isFilled || "false"})),
  islands AS (SELECT ${outer}, ${last} AS __at,
    ${last} - row_number() OVER (PARTITION BY ${outer} ORDER BY ${last}) AS __island FROM unfilled),
  stretches AS (SELECT ${outer}, min(__at)::INTEGER AS __first, max(__at)::INTEGER AS __last,
    count(*) AS __n FROM islands GROUP BY ${outer}, __island)
  SELECT run, any_value(w.__n)::DOUBLE AS recorded, coalesce(sum(s.__n), 0)::DOUBLE AS unfilled,
    list({'outer': [${keys.slice(0, -1).join(", ")}]::INTEGER[], 'first': s.__first, 'last': s.__last}
      ORDER BY s.__first) FILTER (s.__n IS NOT NULL) AS stretches
  FROM (SELECT DISTINCT run FROM asked)
    JOIN (SELECT run, count(*) AS __n FROM whole GROUP BY run) w USING (run)
    LEFT JOIN stretches s USING (run) GROUP BY run`;
}

function sqlTextList(texts: readonly string[]): string {
  return `[${texts.map(literal).join(", ")}]::VARCHAR[]`;
}
