/** @file `afterlog ls`: the table of runs, newest first. */
import type { RunList } from "../../app/read.ts";
import {
  cellsOf,
  exampleProgram,
  listedRuns,
  listRuns,
  originsOf,
  plainText,
  RUN_FACTS,
} from "../../app/read.ts";
import { nearestName } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatCount } from "../terminal/format-units.ts";
import { originSign, signLegend } from "../terminal/origin-signs.ts";
import { offerCells, offerNames, printOffer } from "./suggest-replay.ts";
import { displayText, printLong, printRows } from "../terminal/output.ts";
import { renderTable } from "../terminal/text-table.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { portsOf } from "../command-ports.ts";
import { onOneLine } from "../terminal/terminal-edge.ts";
import type { ListColumn } from "./ls-columns.ts";
import { chooseColumns, differingNames } from "./ls-columns.ts";

type LsOptions = OptionsOf<"ls">;

/** Rows that a terminal gets unless it asks for more. */
const TTY_RUNS = 50;
/** Hidden columns that are named below the table. */
const HIDDEN_NAMED = 4;

/** Prints the runs. */
export async function lsCommand(context: CliContext, options: LsOptions): Promise<number> {
  const { where, sortBy, columns, hidden } = options;
  const limit = options.limit ?? (context.isTTY && !context.json ? TTY_RUNS : 0);
  // JSON has its stable keys, whatever is asked for.
  const names = context.json ? {} : { columns };
  const list = await listRuns(portsOf(context), { where, sortBy, limit, hidden, ...names });
  await printRuns(context, list, options);
  printOffer(context, list.offer);
  return 0;
}

async function printRuns(context: CliContext, list: RunList, options: LsOptions): Promise<void> {
  if (context.json) {
    const objects = listedRuns(list).map((run) => JSON.stringify(run));
    context.out(objects.length === 0 ? "[]\n" : `[\n${objects.join(",\n")}\n]\n`);
    // All columns are read there.
    const known = new Set([...list.known, ...list.columns.keys(), ...list.args, ...list.metrics]);
    await reportMissing(context, { ...list, known }, options);
    return;
  }
  if (context.isTTY) await printForPeople(context, list, options);
  else await printForPipe(context, list, options);
  const damaged = cellsOf(list, "damaged").flatMap((cell, at) => {
    return cell === null
      ? []
      : [`${onOneLine(`! ${list.runs[at]} is damaged: ${plainText(cell)}`)}\n`];
  });
  for (const line of damaged.slice(0, 5)) context.err(line);
  await reportMissing(context, list, options);
  if (list.hidden > 0) context.err(`${formatCount(list.hidden)} hidden (--hidden shows them)\n`);
}

/** Columns in a pipe do not depend on the values, unless `--only-changed` asks for that. */
async function printForPipe(context: CliContext, list: RunList, options: LsOptions): Promise<void> {
  const all = [...RUN_FACTS, ...list.said.keys(), ...list.args, ...list.metrics];
  const asked = [...new Set(options.columns ?? all)].filter((name) => name !== "run");
  const differing = options.onlyChanged ? differingNames(list) : undefined;
  const names = differing ? asked.filter((name) => differing.has(name)) : asked;
  const columns = names.map((name) => cellsOf(list, name));
  await printRows(context, {
    columns: ["run", ...names].map((name) => ({ name, kind: "text" })),
    batches: async function* () {
      yield list.runs.map((run, row) => [run, ...columns.map((cells) => cells[row] ?? null)]);
    },
  });
}

async function printForPeople(
  context: CliContext,
  list: RunList,
  options: LsOptions,
): Promise<void> {
  if (list.runs.length === 0) {
    // That some are hidden is said anyway.
    if (list.hidden > 0) return;
    context.err(
      options.where === undefined
        ? `no runs yet: record one with  afterlog run ${exampleProgram(context.cwd)}  or try  afterlog demo\n`
        : "no run matches\n",
    );
    return;
  }
  const { columns: width, color, named } = context;
  const screen = { width, now: portsOf(context).now(), named };
  const chosen = chooseColumns(list, options, screen);
  const rows = list.runs.map((run, row) => [
    run,
    ...chosen.shown.map(({ cells }) => cells[row] ?? ""),
  ]);
  const run: Omit<ListColumn, "name" | "cells"> = { title: "RUN", align: "left" };
  const { isBlocks } = chosen;
  const text = renderTable([run, ...chosen.shown], rows, { width, color, isBlocks, named });
  const more = list.total - list.runs.length;
  const signs = new Set(chosen.shown.flatMap(({ name }) => originsOf(list, name).map(originSign)));
  const same = chosen.same.map((name) => {
    return `${name} is ${displayText(list.columns.get(name)?.cells[0])}`;
  });
  const notes = [
    `${formatCount(list.total)} run${list.total === 1 ? "" : "s"}`,
    ...(more > 0
      ? [`${formatCount(more)} ${options.sortBy === undefined ? "older" : "more"} not shown (-L 0)`]
      : []),
    ...someOf(chosen.withoutRoom, "without room"),
    ...someOf(same, list.runs.length === 1 ? "in it" : "in all of these"),
    ...(chosen.withoutRoom.length + same.length > 0 ? ["--all-columns shows them"] : []),
    ...(signs.size > 1 ? [signLegend(signs)] : []),
  ];
  await printLong(context, text, {
    notes: wrapText(onOneLine(notes.join(" · ")), { columns: width, indent: "" }),
  });
}

/** `lr, epochs and 3 more without room`; each of them is named or counted. */
function someOf(names: readonly string[], what: string): string[] {
  if (names.length === 0) return [];
  const more = names.length - HIDDEN_NAMED;
  const named = names.slice(0, HIDDEN_NAMED).join(", ");
  return [`${named}${more > 0 ? ` and ${formatCount(more)} more` : ""} ${what}`];
}

/** Columns that were asked for and that no run has, or not every run: they may be filled. */
async function reportMissing(
  context: CliContext,
  list: RunList,
  { columns = [], where }: LsOptions,
): Promise<void> {
  if (list.runs.length === 0) return;
  const { known } = list;
  // What the condition mentions is offered with it.
  const never = columns.filter((name) => !known.has(name) && !list.absent.includes(name));
  for (const name of await offerNames(context, never, where)) {
    const close = nearestName(name, [...known]);
    const hint = close === undefined ? "" : ` (did you mean ${close}?)`;
    context.err(`${onOneLine(`⋯ ${name} was never logged${hint}`)}\n`);
  }
  const partly = columns.filter((name) => {
    return list.metrics.includes(name) && cellsOf(list, name).includes(null);
  });
  await offerCells(context, partly, where);
}
