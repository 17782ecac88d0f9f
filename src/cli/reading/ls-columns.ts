/**
 * @file Which columns the list of runs has on a terminal: what was asked for by name always; of the rest what
 * people look for, as far as there is room. Arguments and logged names are shown where they differ.
 */
import type { RunList } from "../../app/read.ts";
import { cellsOf, originsOf, plainText, RUN_FACTS } from "../../app/read.ts";
import type { Cell } from "../../catalog/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import { formatAge, formatDuration, formatShare } from "../terminal/format-units.ts";
import { originSign } from "../terminal/origin-signs.ts";
import { displayText } from "../terminal/output.ts";
import type { TableColumn } from "../terminal/text-table.ts";
import { columnWidth, tableWidth } from "../terminal/text-table.ts";

export interface ListColumn extends TableColumn {
  readonly name: string;
  readonly cells: readonly string[];
}

export interface ChosenColumns {
  /** There is no room for rows: each run is a block of lines. */
  readonly isBlocks: boolean;
  /** Beside the runs themselves. */
  readonly shown: readonly ListColumn[];
  /** Arguments and names that differ, or were not logged by all, and found no room. */
  readonly withoutRoom: readonly string[];
  /** Those that are the same in all runs. */
  readonly same: readonly string[];
}

/** Shown beside the run, whatever else is. */
const ALWAYS = ["status", "started", "alerts"] as const;
/** After arguments and logged names, if there is room. */
const LATER = ["parent", "tags", "seconds", "commit"] as const;
/** Facts that are shown if any run has them. */
const WHERE_ANY: readonly string[] = ["parent", "tags", "alerts"];
const TITLES: ReadonlyMap<string, string> = new Map([
  ["seconds", "TIME"],
  ["parent", "FORK OF"],
]);
/** Lines of a block that nobody asked for, beside the facts. */
const BLOCK_LINES = 8;
/** Columns that are too wide, after which narrower ones are not looked for any more. */
const MISFITS_MAX = 20;

interface Screen {
  readonly width: number;
  readonly now: Date;
  /** Runs by their names in the place of their ids. */
  readonly named: (text: string) => string;
}

export function chooseColumns(
  list: RunList,
  options: OptionsOf<"ls">,
  { width, now, named }: Screen,
): ChosenColumns {
  const asked = askedNames(list, options);
  const column = (name: string): ListColumn => {
    // Who asks for it by name gets the time, anyone else how long ago that was.
    const isAge = name === "started" && !asked.includes(name) && !options.allColumns;
    return isAge ? ageColumn(list, now) : makeColumn(list, name);
  };
  const { required, optional, same } = candidates(list, options, asked);
  const shown = required.map(column);
  const widths = [
    columnWidth({ title: "RUN", align: "left" }, list.runs.map(named)),
    ...shown.map((one) => columnWidth(one, one.cells)),
  ];
  const { length } = optional;
  const fitting =
    tableWidth(widths) > width ? [] : fittingColumns(optional, column, { widths, width });
  // A row with no room for any value says little: then each run is a block of lines.
  const isBlocks = tableWidth(widths) > width || (length > 0 && fitting.length === 0);
  const added = isBlocks ? optional.slice(0, BLOCK_LINES).map(column) : fitting;
  const names = new Set(added.map(({ name }) => name));
  const order = displayOrder(list);
  added.sort((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
  return {
    shown: [...shown, ...added],
    isBlocks,
    withoutRoom: optional.filter((name) => !names.has(name)),
    same,
  };
}

/** Of the first columns those that still have room, and narrower ones behind them. */
function fittingColumns(
  names: readonly string[],
  column: (name: string) => ListColumn,
  row: { readonly widths: readonly number[]; readonly width: number },
): ListColumn[] {
  const fitting: ListColumn[] = [];
  let used = tableWidth(row.widths);
  let misfits = 0;
  for (const name of names) {
    if (misfits > MISFITS_MAX || used >= row.width) break;
    const one = column(name);
    const wider = tableWidth([used, columnWidth(one, one.cells)]);
    if (wider > row.width) misfits += 1;
    else {
      fitting.push(one);
      used = wider;
    }
  }
  return fitting;
}

interface Candidates {
  readonly required: readonly string[];
  /** The first to be shown first. */
  readonly optional: readonly string[];
  readonly same: readonly string[];
}

function askedNames({ sortedBy }: RunList, { columns = [] }: OptionsOf<"ls">): readonly string[] {
  return sortedBy === undefined ? columns : [...columns, sortedBy];
}

function candidates(list: RunList, options: OptionsOf<"ls">, asked: readonly string[]): Candidates {
  const isThere = (name: string): boolean =>
    !WHERE_ANY.includes(name) ||
    cellsOf(list, name).some((cell) => factText(name, cell, null) !== "");
  const [always, later] = [ALWAYS.filter(isThere), LATER.filter(isThere)];
  const values = [...list.args, ...list.metrics];
  const differing = differingNames(list);
  const isShown = (name: string): boolean => list.runs.length < 2 || differing.has(name);
  const same = values.filter((name) => !isShown(name) && !asked.includes(name));
  const onlyChanged = (names: readonly string[]): readonly string[] =>
    options.onlyChanged ? names.filter((name) => asked.includes(name) || isShown(name)) : names;
  const without = (names: readonly string[], others: readonly string[]): string[] => {
    const left = new Set(others);
    return [...new Set(names)].filter((name) => name !== "run" && !left.has(name));
  };
  if (options.columns) {
    const required = without(asked, []);
    return { required, optional: without(onlyChanged([...always, ...later]), required), same: [] };
  }
  if (options.allColumns) {
    const facts = [...always, ...later, ...asked, ...values, ...RUN_FACTS];
    return { required: without(onlyChanged(facts), []), optional: [], same: [] };
  }
  const required = without(onlyChanged([...always, ...asked]), []);
  const wanted = inTurn(list.args.filter(isShown), singlesFirst(list.metrics).filter(isShown));
  return { required, optional: without([...wanted, ...onlyChanged(later)], required), same };
}

/** Names that differ in their numbers only, `norm/layer7`, are a family: of so many nobody looks for one. */
const FAMILY_MIN = 8;

function singlesFirst(names: readonly string[]): string[] {
  const familyOf = (name: string): string => name.replaceAll(/\d+/g, "0");
  const sizes = new Map<string, number>();
  for (const name of names) sizes.set(familyOf(name), (sizes.get(familyOf(name)) ?? 0) + 1);
  const isSingle = (name: string): boolean => (sizes.get(familyOf(name)) ?? 0) < FAMILY_MIN;
  return [...names.filter(isSingle), ...names.filter((name) => !isSingle(name))];
}

/** One of each, for as long as there are both: neither takes all the room. */
function inTurn(args: readonly string[], metrics: readonly string[]): string[] {
  const most = Math.max(args.length, metrics.length);
  return Array.from({ length: most }, (_, at) => [args[at], metrics[at]])
    .flat()
    .filter((name) => name !== undefined);
}

function displayOrder(list: RunList): ReadonlyMap<string, number> {
  return new Map(
    [...ALWAYS, ...list.args, ...singlesFirst(list.metrics), ...LATER].map((name, at) => [
      name,
      at,
    ]),
  );
}

/** Names of facts, arguments and logged values that are not the same in all of the runs. */
export function differingNames({ runs, columns }: RunList): ReadonlySet<string> {
  const isSame = ({ cells }: { readonly cells: readonly Cell[] }): boolean => {
    const first = plainText(cells[0]);
    const none = cells.length === 0;
    return none || (cells.length === runs.length && cells.every((one) => plainText(one) === first));
  };
  return new Set([...columns].flatMap(([name, column]) => (isSame(column) ? [] : [name])));
}

function ageColumn(list: RunList, now: Date): ListColumn {
  const cells = cellsOf(list, "started").map((started) => {
    return started instanceof Date ? formatAge(started, now) : "";
  });
  return { name: "started", title: "WHEN", align: "left", cells };
}

function makeColumn(list: RunList, name: string): ListColumn {
  const cells = cellsOf(list, name);
  const signs = originsOf(list, name).map(originSign);
  const isSigned = signs.some((sign) => sign !== "");
  const isNumber = cells.every((cell) => {
    return cell === null || typeof cell === "number" || typeof cell === "bigint";
  });
  const beside = SHOWN_WITH.get(name);
  const others = beside === undefined ? [] : cellsOf(list, beside);
  return {
    name,
    title: TITLES.get(name) ?? name.toUpperCase(),
    align: isNumber ? "right" : "left",
    cells: cells.map((cell, row) => {
      const text = displayText(factText(name, cell, others[row] ?? null));
      // In a column with signs all values end where the others do.
      return isSigned ? `${text} ${signs[row] || " "}` : text;
    }),
  };
}

/** Facts that are shown in the cell of another. */
const SHOWN_WITH: ReadonlyMap<string, string> = new Map([
  ["parent", "point"],
  ["status", "damaged"],
]);

function factText(name: string, cell: Cell, beside: Cell): Cell {
  if (cell === null) return WHERE_ANY.includes(name) ? "" : null;
  if (name === "parent") return `${plainText(cell)}@${plainText(beside)}`.replace(/@$/, "");
  if ((name === "tags" || name === "alerts") && Array.isArray(cell)) return cell.join(" ");
  if (name === "commit") return plainText(cell).slice(0, 7);
  if (name === "seconds") return formatDuration(Number(cell) * 1000);
  if (name === "overhead" || name === "budget") return formatShare(Number(cell));
  return name === "status" && beside !== null ? `${plainText(cell)} !` : cell;
}
