/**
 * A training that is killed at random moments and continued each time, until it is done: its log
 * and its final state are those of the uninterrupted run, whatever was lost in between, and no
 * more is executed again than lies between two checkpoints.
 *
 * AFTERLOG_KILLS says how many kills; the seed is printed, and AFTERLOG_KILL_SEED repeats one.
 */
import { expect, test } from "vitest";
import type { Record } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { MAIN, TestProject } from "../run/harness.ts";

const KILLS = Number(process.env["AFTERLOG_KILLS"] ?? 8);
const SEED = Number(process.env["AFTERLOG_KILL_SEED"] ?? Date.now() % 1e9);
const EPOCHS = 6;
const ITEMS = 20;
/** A process lives for up to so long after it has begun. */
const LIFE_MS_MAX = 400;

/** Each epoch sees each item once, in an order that only the generator knows. */
const PROGRAM = `
import * as al from "afterlog";
let total = 0;
// Read anew by each process; a counter would be captured, and go on with the run.
const endsAt = performance.now() + Number(process.env.KILL_AFTER ?? Infinity);
/** Takes a step's time, or dies in it. */
function step(): void {
  const leftMs = Math.max(0, endsAt - performance.now());
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(4, leftMs));
  if (leftMs < 4) process.kill(process.pid, "SIGKILL");
}
const order = Array.from({ length: ${ITEMS} }, (_, i) => i);
const seen: number[][] = [];
const state = al.checkpointing({ w: new Float64Array(64) });
for (const epoch of al.loop("epoch", al.range(${EPOCHS}))) {
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  seen[epoch] = [];
  for (const item of al.loop("step", order)) {
    step();
    seen[epoch]!.push(item);
    state.w[item % 64] = state.w[item % 64]! * 0.9 + Math.random();
    total += state.w[item % 64]!;
    al.log("loss", total);
  }
  al.log("epoch_total", [total, ...order]);
}
al.log("final", [...state.w, total]);
al.log("seen", seen);
`;

/** A small generator, so that a failing sequence of kills can be repeated. */
function randomFrom(seed: number): () => number {
  let x = seed >>> 0;
  return () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return x / 2 ** 32;
  };
}

/** What readers see: what a rewind supersedes is gone. */
function seenBy(records: readonly Record[]): Record[] {
  let kept: Record[] = [];
  for (const record of records) {
    if (record.k === "rewind") {
      kept = kept.filter((before) => !("seq" in before) || before.seq <= record.seq);
    } else kept.push(record);
  }
  return kept;
}

function values(records: readonly Record[]): string[] {
  return seenBy(records).flatMap((record) =>
    record.k === "log"
      ? [`${formatPath(record.path)} ${record.name} ${JSON.stringify(record.value)}`]
      : [],
  );
}

/** Steps that were logged and then executed again, for each time that the run went on. */
function stepsLost(records: readonly Record[]): number[] {
  let kept: Record[] = [];
  const lost: number[] = [];
  for (const record of records) {
    if (record.k !== "rewind") {
      kept.push(record);
      continue;
    }
    const before = kept.filter(({ k }) => k === "log").length;
    kept = kept.filter((one) => !("seq" in one) || one.seq <= record.seq);
    lost.push(before - kept.filter(({ k }) => k === "log").length);
  }
  return lost;
}

const RUN = [MAIN, "run", "--seed", "11", "--overhead", "inf"];

test(`${KILLS} kills, seed ${SEED}`, { timeout: 60_000 + KILLS * 20_000 }, async () => {
  using whole = new TestProject({ "train.ts": PROGRAM });
  const { code: fine, stderr } = await whole.start([...RUN, "train.ts"]).finished;
  expect(fine, stderr).toBe(0);
  const truth = values(whole.records);
  const random = randomFrom(SEED);
  using project = new TestProject({ "train.ts": PROGRAM });
  for (let kills = 0; kills < KILLS;) {
    const moment = { KILL_AFTER: `${random() * LIFE_MS_MAX}` };
    const { code, stderr: said } = await project.start([...RUN, "--resume", "train.ts"], moment)
      .finished;
    // Done before it was killed: the comparison holds, and another training begins.
    if (code === 0) expect(values(project.records), said).toEqual(truth);
    else kills++;
    expect([0, 137], said).toContain(code);
  }
  const last = await project.start([...RUN, "--resume", "train.ts"]).finished;
  expect(last.code, last.stderr).toBe(0);
  expect(values(project.records)).toEqual(truth);
  // CheckFreq §6.2.2: at most two intervals, here of one step each; the end of an epoch logs too.
  expect(Math.max(0, ...stepsLost(project.records))).toBeLessThanOrEqual(2 + 1);
});
