/** @file `afterlog ls`: the table of runs, newest first. */
import type { RunList, RunRow } from "../../app/read.ts";
import { exampleProgram, listedRun, listRuns, plainText, RUN_FACTS } from "../../app/read.ts";
import type { Cell, ResultColumn } from "../../catalog/index.ts";
import { nearestName } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatCount, formatDuration, formatShare } from "../terminal/format-units.ts";
import { originSign, signLegend } from "../terminal/origin-signs.ts";
import { offerCells, offerNames, printOffer } from "./suggest-replay.ts";
import { displayText, printRows, printTable } from "../terminal/output.ts";
import { portsOf } from "../command-ports.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

type LsOptions = OptionsOf<"ls">;

/** Rows that a terminal gets unless it asks for more. */
const TTY_RUNS = 50;
/** Hidden columns whose value is printed below the table. */
const HIDDEN_NAMED = 4;

/** The columns of runs in a table, before arguments and logged names. */
const SHOWN_FACTS = ["started", "status", "seconds", "commit", "parent", "tags"] as const;
/** Facts that are shown if any run has them. */
const WHERE_ANY: readonly string[] = ["parent", "tags"];

/** Prints the runs. */
export async function lsCommand(context: CliContext, options: LsOptions): Promise<number> {
  const { where, sortBy, hidden } = options;
  const list = await listRuns(portsOf(context), { where, sortBy, hidden });
  await printRuns(context, list, options);
  printOffer(context, list.offer);
  return 0;
}

async function printRuns(context: CliContext, list: RunList, options: LsOptions): Promise<void> {
  const limit = options.limit ?? (context.isTTY && !context.json ? TTY_RUNS : 0);
  const runs = limit === 0 ? list.runs : list.runs.slice(0, limit);
  if (context.json) {
    const objects = runs.map((run) => JSON.stringify(listedRun(list, run)));
    context.out(objects.length === 0 ? "[]\n" : `[\n${objects.join(",\n")}\n]\n`);
    return reportMissing(context, { ...list, runs }, options);
  }
  const damaged = runs.filter((run) => run.cells.get("damaged") !== null);
  if (context.isTTY) printForPeople(context, { ...list, runs }, options, list.runs.length);
  else await printForPipe(context, { ...list, runs }, options);
  for (const run of damaged.slice(0, 5)) {
    const what = plainText(run.cells.get("damaged"));
    context.err(`${onOneLine(`! ${run.run} is damaged: ${what}`)}\n`);
  }
  await reportMissing(context, { ...list, runs }, options);
  if (list.hidden > 0) {
    const { dim } = createColors(context.errColor);
    context.err(dim(`${formatCount(list.hidden)} hidden (--hidden shows them)\n`));
  }
}

/** Columns in a pipe do not depend on the values, unless `--only-changed` asks for that. */
async function printForPipe(context: CliContext, list: RunList, options: LsOptions): Promise<void> {
  const all = [...RUN_FACTS, "tags", "note", "hidden", ...list.args, ...list.metrics];
  const asked = options.columns ?? [...new Set(all)];
  const names = options.onlyChanged
    ? asked.filter((name) => isChangingColumn(list.runs, name))
    : asked;
  const columns = ["run", ...names.filter((name) => name !== "run")].map((name): ResultColumn => ({
    name,
    kind: list.kinds.get(name) ?? "text",
  }));
  const rows = list.runs.map((run) => [
    run.run,
    ...columns.slice(1).map((c) => run.cells.get(c.name) ?? null),
  ]);
  await printRows(context, {
    columns,
    batches: async function* () {
      yield rows;
    },
  });
}

function isChangingColumn(runs: readonly RunRow[], name: string): boolean {
  const [first] = runs;
  const text = (run: RunRow | undefined): string => plainText(run?.cells.get(name));
  return runs.some((run) => text(run) !== text(first));
}

function printForPeople(
  context: CliContext,
  list: RunList,
  options: LsOptions,
  total: number,
): void {
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
  const { dim } = createColors(context.color);
  const { shown, constant } = chooseColumns(list, options);
  const columns = shown.map((name) => ({
    name: TITLES.get(name) ?? name.toUpperCase(),
    kind: TITLES.has(name) && name !== "seconds" ? "text" : (list.kinds.get(name) ?? "text"),
  }));
  const signs = new Set(
    shown.flatMap((name) => list.runs.map((run) => originSign(run.cells.get(`${name}_origin`)))),
  );
  const rows = list.runs.map((run) => shown.map((name) => signedText(list, run, name)));
  printTable(
    context,
    [{ name: "RUN", kind: "text" }, ...columns],
    rows.map((row, at) => [list.runs[at]?.run ?? "", ...row]),
    3,
  );
  const more = total - list.runs.length;
  const [first] = list.runs;
  const hidden = constant
    .slice(0, HIDDEN_NAMED)
    .map((name) => `${name} is ${displayText(first && factText(first, name))}`);
  if (constant.length > HIDDEN_NAMED) hidden.push(`${constant.length - HIDDEN_NAMED} more`);
  const parts = [
    `${formatCount(total)} run${total === 1 ? "" : "s"}`,
    ...(more > 0 ? [`${formatCount(more)} older not shown (-L 0)`] : []),
    ...(hidden.length > 0 ? [`${hidden.join(", ")} in all (hidden; --all-columns)`] : []),
    ...(signs.size > 1 ? [signLegend(signs)] : []),
  ];
  context.err(dim(`${onOneLine(parts.join(" · "))}\n`));
}

const TITLES: ReadonlyMap<string, string> = new Map([
  ["name", "NAME"],
  ["started", "STARTED"],
  ["status", "STATUS"],
  ["seconds", "TIME"],
  ["commit", "COMMIT"],
  ["parent", "FORK OF"],
  ["tags", "TAGS"],
]);

/** By default only what differs; what was asked for by name is always shown. */
function chooseColumns(
  list: RunList,
  options: LsOptions,
): { readonly shown: readonly string[]; readonly constant: readonly string[] } {
  const isThere = (name: string): boolean =>
    list.runs.some((run) => ![null, ""].includes(factText(run, name) as string | null));
  const facts = SHOWN_FACTS.filter((name) => !WHERE_ANY.includes(name) || isThere(name));
  const asked = options.columns?.filter((name) => name !== "run");
  const candidates = asked
    ? [...facts.filter((name) => name === "started" || name === "commit"), ...asked]
    : [...facts, ...list.args, ...list.metrics, ...(options.allColumns ? RUN_FACTS : [])];
  const unique = [...new Set(candidates)];
  if (options.allColumns || list.runs.length < 2) return { shown: unique, constant: [] };
  const isFixed = (name: string): boolean =>
    options.onlyChanged ? true : !asked && !(facts as readonly string[]).includes(name);
  const constant = unique.filter((name) => isFixed(name) && !isChangingColumn(list.runs, name));
  return { shown: unique.filter((name) => !constant.includes(name)), constant };
}

/** With the sign of its origin; in such a column all values end where the others do. */
function signedText(list: RunList, run: RunRow, name: string): Cell {
  const cell = factText(run, name);
  const origin = (run: RunRow): string => originSign(run.cells.get(`${name}_origin`));
  if (!list.metrics.includes(name) || !list.runs.some((run) => origin(run) !== "")) return cell;
  return `${displayText(cell)} ${origin(run) || " "}`;
}

function factText(run: RunRow, name: string): Cell {
  const cell = run.cells.get(name) ?? null;
  if (cell === null) return WHERE_ANY.includes(name) ? "" : null;
  if (name === "parent")
    return `${plainText(cell)}@${plainText(run.cells.get("point"))}`.replace(/@$/, "");
  if (name === "tags" && Array.isArray(cell)) return cell.join(" ");
  if (name === "commit") return plainText(cell).slice(0, 7);
  if (name === "seconds") return formatDuration(Number(cell) * 1000);
  if (name === "overhead" || name === "budget") return formatShare(Number(cell));
  if (name === "status" && (run.cells.get("damaged") ?? null) !== null)
    return `${plainText(cell)} !`;
  return cell;
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
  const never = columns.filter((name) => !known.includes(name) && !list.absent.includes(name));
  for (const name of await offerNames(context, never, where)) {
    const close = nearestName(name, known);
    const hint = close === undefined ? "" : ` (did you mean ${close}?)`;
    context.err(`${onOneLine(`⋯ ${name} was never logged${hint}`)}\n`);
  }
  const partly = columns.filter((name) => {
    const isEmpty = ({ cells }: RunRow): boolean => (cells.get(name) ?? null) === null;
    return list.metrics.includes(name) && list.runs.some(isEmpty);
  });
  await offerCells(context, partly, where);
}
