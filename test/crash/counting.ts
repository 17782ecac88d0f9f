/**
 * @file A program whose every value is known beforehand, and the checks that hold for whatever it
 * left behind, however it ended.
 *
 * Each round enters one outermost loop of three epochs of two steps, and the end of an outermost
 * loop is always checkpointed: so there is at least one checkpoint a round, and with a budget of 1
 * usually more. `state.step` counts the steps; `state.w` is filled with it; `state.frozen` never
 * changes, so that checkpoints name the file of an earlier one.
 */
import { expect } from "vitest";
import type { CheckpointRecord, LoopPath } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { listCheckpoints, runPaths, verifyCheckpoints } from "../../src/store/index.ts";
import { statSync } from "node:fs";
import { ofKind, readLog, restoreRecord, sequence } from "../support/recorded.ts";

const EPOCHS = 3;
const STEPS = 2;
export const STEPS_PER_ROUND: number = EPOCHS * STEPS;

/** The program. It tells the side channel each step whose log has returned. */
export function countingProgram(rounds: number, elements = 2048): string {
  return `
import * as al from "afterlog";
import { writeSync } from "node:fs";
const state = al.checkpointing({
  w: new Float32Array(${elements}),
  frozen: new Float32Array(${elements}).fill(7),
  step: 0,
});
writeSync(3, "begun\\n");
for (let round = 0; round < ${rounds}; round++) {
  for (const epoch of al.loop("epoch", al.range(${EPOCHS}))) {
    for (const s of al.loop("step", al.range(${STEPS}))) {
      state.step++;
      state.w.fill(state.step);
      al.log("step", state.step);
      writeSync(3, state.step + "\\n");
    }
  }
}
console.log("finished", state.step);
`;
}

/** `state.step` at a checkpoint, from its path alone. */
function stepAt(path: LoopPath): number {
  const [, epoch = 0, round = 0] = path[0] ?? [];
  const epochs = epoch === "end" ? EPOCHS : epoch + 1;
  return round * STEPS_PER_ROUND + epochs * STEPS;
}

export interface Survived {
  readonly checkpoints: readonly CheckpointRecord[];
  /** Steps whose line is in the log. */
  readonly logged: number;
}

/** What must hold whenever the program stopped. */
export function checkSurvived(runFolder: string, side: string): Survived {
  const { good, bad } = verifyCheckpoints(runFolder);
  expect(bad).toEqual([]);
  expect(good).toEqual(listCheckpoints(runFolder));
  for (const record of good) checkState(runFolder, record);
  const logged = checkLog(runFolder, side);
  for (const record of good) checkCovered(runFolder, record);
  return { checkpoints: good, logged };
}

function checkState(runFolder: string, record: CheckpointRecord): void {
  const state = restoreRecord(runFolder, record);
  const step = stepAt(record.path);
  expect(state["step"], formatPath(record.path)).toBe(step);
  expect(new Set(state["w"] as Float32Array)).toEqual(new Set([step]));
  expect(new Set(state["frozen"] as Float32Array)).toEqual(new Set([7]));
}

/** The log is a prefix of what was logged: complete lines, none missing, none invented. */
function checkLog(runFolder: string, side: string): number {
  const { records, damage } = readLog(runFolder);
  expect(damage).toEqual([]);
  const numbers = sequence(records);
  expect(numbers).toEqual(numbers.map((_, index) => index));
  const values = ofKind(records, "log").map(({ value }) => value);
  expect(values).toEqual(values.map((_, index) => index + 1));
  const acknowledged = side.split("\n").filter((line) => /^\d+$/.test(line)).length;
  // One line may have been on its way when the program stopped.
  expect(values.length).toBeLessThanOrEqual(acknowledged + 1);
  return values.length;
}

/** A listed checkpoint covers the log up to its boundary: every line of it is there. */
function checkCovered(runFolder: string, record: CheckpointRecord): void {
  const where = formatPath(record.path);
  const log = runPaths.log(runFolder);
  expect(statSync(log).size, where).toBeGreaterThanOrEqual(record.logBytes);
  const { records, tornBytes } = readLog(runFolder, record.logBytes);
  expect(tornBytes, where).toBe(0);
  // That a feature was turned off may be noted while the checkpoint is being taken.
  const ours = records.filter(({ k }) => k !== "off");
  expect(sequence(ours).at(-1), where).toBe(record.seq);
  expect(ofKind(records, "log").length, where).toBe(stepAt(record.path));
}
