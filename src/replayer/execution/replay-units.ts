/** @file The units of a replay as a list, in the order in which they begin, and what is told of them. */
import type { Plan } from "../../format/index.ts";
import { scheduleUnits } from "../../planner/index.ts";
import type { Project } from "../../store/index.ts";
import { readManifest, storePaths } from "../../store/index.ts";
import type { Judged } from "../checking/judge-unit.ts";
import type { ReplayUnit } from "./execute-unit.ts";
import type { EventCell } from "./replay-events.ts";
import type { UnitState } from "./replay-state.ts";

export function eventCells(
  { parent }: ReplayUnit,
  { cells }: Judged,
  run: string | null,
): EventCell[] {
  return cells.map(({ record: { path, name, value }, check }) => {
    return { run: parent.run, path, name, value, check, result: run ?? "" };
  });
}

export function listUnits(project: Project, plan: Plan): ReplayUnit[] {
  const units = plan.runs.flatMap((ofRun) => {
    const parent = readManifest(storePaths.run(project.store, ofRun.run));
    const resources = { gpus: plan.gpus === undefined ? 0 : 1 };
    return ofRun.units.map((planned, ordinal) => {
      return { ofRun, planned, ordinal, parent, resources };
    });
  });
  return units.map((unit, index) => ({ index, ...unit }));
}

/** As the plan has them begin, or the newest runs first; `urgent`: those that others wait for. */
export function inOrder(
  units: readonly ReplayUnit[],
  {
    workers,
    urgent,
    newestFirst = false,
  }: {
    readonly workers: number;
    readonly urgent: ReadonlySet<number>;
    readonly newestFirst?: boolean | undefined;
  },
): ReplayUnit[] {
  const first = new Set(units.flatMap(({ index }, at) => (urgent.has(index) ? [at] : [])));
  const seconds = units.map(({ planned }) => planned.seconds);
  const { order } = scheduleUnits(seconds, workers, first);
  const ordered = order.flatMap((at) => units[at] ?? []);
  return newestFirst ? ordered.toSorted((a, b) => b.parent.order - a.parent.order) : ordered;
}

/** What a unit takes however little of the program it executes. */
export function fixedSeconds({ tree_s, times }: UnitState): number | null {
  if (tree_s === null || times === null) return null;
  return tree_s + (times.start_ms + times.load_ms) / 1000;
}
