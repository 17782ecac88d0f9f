/** @file The frame by its definition, in memory: what the SQL is checked against. */
import type { LoopPath } from "../../src/format/index.ts";

export interface NaiveValue {
  readonly run: string;
  readonly path: LoopPath;
  readonly name: string;
  readonly value: unknown;
  readonly seq: number;
}

export interface NaiveItem {
  readonly run: string;
  readonly path: LoopPath;
  readonly value: unknown;
}

type NaiveRow = { [key: string]: unknown };

/** What runs left. */
export interface NaiveStore {
  readonly values: NaiveValue[];
  readonly items: NaiveItem[];
  /** Loops around each entry of a loop, and the loop itself: also of one that had no iteration. */
  readonly entered: string[][];
}

/** Rows for `names`; `grain` is undefined, "run" or a loop. Values of `runs` in run order. */
export function naiveFrame(
  { values: all, items, entered }: NaiveStore,
  names: readonly string[],
  grain?: string,
): NaiveRow[] {
  const asked = all.filter((value) => names.includes(value.name));
  const chains = new Set<string>(["[]"]);
  for (const loops of entered) {
    for (let d = 1; d <= loops.indexOf(grain ?? "") + 1; d++) {
      chains.add(JSON.stringify(loops.slice(0, d)));
    }
  }
  const cut = (path: LoopPath): LoopPath => {
    if (grain === undefined) return path;
    if (grain === "run") return [];
    const loops = path.map(([loop]) => loop);
    let d = loops.includes(grain) ? loops.indexOf(grain) + 1 : loops.length;
    while (!chains.has(JSON.stringify(loops.slice(0, d)))) d--;
    return path.slice(0, d);
  };
  const first = firstTimes(
    asked.map((value) => Object.assign({}, value, { path: cut(value.path) })),
  );
  const rows: NaiveRow[] = [];
  for (const run of new Set(all.map((value) => value.run))) {
    const own = asked
      .filter((value) => value.run === run)
      .map((value) => Object.assign({}, value, { path: cut(value.path) }))
      .sort((a, b) => a.seq - b.seq);
    const paths = unique(own.map((value) => value.path));
    const leaves = paths.filter(
      (path) => !paths.some((other) => other.length > path.length && isPrefix(path, other)),
    );
    leaves.sort((a, b) => inOrder(first, a, b));
    for (const path of leaves) rows.push(row(run, path, own, items, names));
  }
  return rows;
}

/** When any run first came to each chain of loops: loops side by side are in this order in all. */
function firstTimes(values: readonly NaiveValue[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const { path, seq } of values) {
    for (let depth = 1; depth <= path.length; depth++) {
      const chain = chainOf(path, depth);
      first.set(chain, Math.min(first.get(chain) ?? Infinity, seq));
    }
  }
  return first;
}

function chainOf(path: LoopPath, depth: number): string {
  return path
    .slice(0, depth)
    .map(([loop, , entry]) => `${encodeURIComponent(loop)}#${entry ?? 0}`)
    .join();
}

function inOrder(first: ReadonlyMap<string, number>, a: LoopPath, b: LoopPath): number {
  for (let depth = 1; depth <= Math.min(a.length, b.length); depth++) {
    const [one, other] = [chainOf(a, depth), chainOf(b, depth)];
    const byChain = (first.get(one) ?? 0) - (first.get(other) ?? 0) || one.localeCompare(other);
    const byIndex = Number(a[depth - 1]?.[1]) - Number(b[depth - 1]?.[1]);
    if (byChain || byIndex) return byChain || byIndex;
  }
  return a.length - b.length;
}

function row(
  run: string,
  path: LoopPath,
  own: readonly NaiveValue[],
  items: readonly NaiveItem[],
  names: readonly string[],
): NaiveRow {
  const cells: NaiveRow = { run };
  path.forEach(([loop, index, entry], at) => {
    cells[loop] = index;
    cells[`${loop}_entry`] = entry ?? 0;
    const prefix = JSON.stringify(path.slice(0, at + 1));
    cells[`${loop}_value`] =
      items.find((item) => item.run === run && JSON.stringify(item.path) === prefix)?.value ?? null;
  });
  for (const name of names) {
    cells[name] = null;
    for (let depth = path.length; depth >= 0 && cells[name] === null; depth--) {
      const at = JSON.stringify(path.slice(0, depth));
      const last = own.findLast(
        (value) => value.name === name && JSON.stringify(value.path) === at,
      );
      cells[name] = last?.value ?? null;
    }
  }
  return cells;
}

function unique(paths: readonly LoopPath[]): LoopPath[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

function isPrefix(path: LoopPath, of: LoopPath): boolean {
  return path.every((element, at) => JSON.stringify(element) === JSON.stringify(of[at]));
}
