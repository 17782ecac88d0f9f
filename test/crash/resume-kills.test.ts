/**
 * A training that is killed at random moments and continued each time, until it is done: its log
 * and its final state are those of the uninterrupted run, whatever was lost in between, and no
 * more is executed again than lies between two checkpoints.
 */
import { expect, test } from "vitest";
import type { Record } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { count, DRAW_SEED } from "../support/draws.ts";

const KILLS = count(4, { long: 100 });
const SEED = DRAW_SEED;
const EPOCHS = 6;
const ITEMS = 20;
/** A process lives for up to so long after it has begun. */
const LIFE_MS_MAX = 400;

/** Takes a step's time, or dies in it. */
const STEP = `
// Read anew by each process; a counter would be captured, and go on with the run.
const endsAt = performance.now() + Number(process.env.KILL_AFTER ?? Infinity);
function step(): void {
  const leftMs = Math.max(0, endsAt - performance.now());
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(4, leftMs));
  if (leftMs < 4) process.kill(process.pid, "SIGKILL");
}
`;

/** An array that the program shuffles itself. */
const PLAIN = `import * as al from "afterlog";
${STEP}
let total = 0;
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
    al.log("items", [item]);
    al.log("loss", total);
  }
  al.log("epoch_total", [total, ...order]);
}
al.log("final", [...state.w, total]);
al.log("seen", seen);
`;

/** Our own iterator: batches, random transforms, and a state of its own. */
const dataset = (map: string, awaits = ""): string => `import * as al from "afterlog";
${STEP}
const data = al.dataset(${ITEMS}).shuffle(7).map(${map}).batch(3);
const state = al.checkpointing({ w: new Float64Array(${ITEMS}) });
for (const epoch of al.loop("epoch", al.range(${EPOCHS}))) {
  for ${awaits}(const batch of al.loop("step", data)) {
    step();
    for (const [item, noise] of batch) state.w[item] = state.w[item]! * 0.9 + noise * Math.random();
    al.log("items", batch.map(([item]) => item));
    al.log("loss", state.w.reduce((sum, w) => sum + w, 0));
  }
  al.log("data", data.state());
}
al.log("final", [...state.w]);
`;
const AUGMENT = `export const augment = (item: number, { random }: { random: { next(): number } }) => [item, random.next()];
`;
const NAMED =
  '{ module: new URL("./augment.ts", import.meta.url), name: "augment" }, { workers: 2 }';

/** Values that a step logs: the ends of epochs log besides. */
const PER_STEP = 2;

const PROGRAMS: { readonly [what: string]: { readonly [file: string]: string } } = {
  "an array": { "train.ts": PLAIN },
  "a dataset": { "train.ts": dataset("(item, { random }) => [item, random.next()]") },
  "a dataset with threads": { "train.ts": dataset(NAMED, "await "), "augment.ts": AUGMENT },
};

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

/** Values that were logged, and logged again after the run went on; for each time. */
function valuesLost(records: readonly Record[]): number[] {
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

/** Each epoch has had each item once. */
function checkItems(records: readonly Record[]): void {
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const items = seenBy(records).flatMap((record) =>
      record.k === "log" && record.name === "items" && record.path[0]?.[1] === epoch
        ? (record.value as number[])
        : [],
    );
    expect(items.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: ITEMS }).keys()]);
  }
}

const RUN = ["run", "--seed", "11", "--overhead", "inf", "--resume", "train.ts"];

/** The array at full length; what differs with datasets shows in fewer kills. */
const rows = Object.keys(PROGRAMS).map((what, at) => ({
  what,
  kills: at === 0 ? KILLS : Math.max(2, Math.ceil(KILLS / 8)),
}));

test.each(rows)(
  `$what, $kills kills, seed ${SEED}`,
  { timeout: 60_000 + KILLS * 20_000 },
  async ({ what, kills }) => {
    const files = PROGRAMS[what] ?? {};
    using whole = new TestProject(files);
    const { code: fine, stderr } = await whole.afterlog(...RUN);
    expect(fine, stderr).toBe(0);
    const truth = values(whole.records);
    checkItems(whole.records);
    const random = randomFrom(SEED);
    using project = new TestProject(files);
    const check = (said: string): void => {
      expect(values(project.records), said).toEqual(truth);
      checkItems(project.records);
      // CheckFreq §6.2.2: at most two intervals, here of a step each; the end of an epoch logs too.
      const lost = Math.max(0, ...valuesLost(project.records));
      expect(lost, said).toBeLessThanOrEqual(2 * PER_STEP + 1);
    };
    for (let killed = 0; killed < kills;) {
      const moment = { KILL_AFTER: `${random() * LIFE_MS_MAX}` };
      const { code, stderr: said } = await project.afterlogWith(moment, ...RUN);
      expect([0, 137], said).toContain(code);
      // Done before it was killed: another training begins.
      if (code === 0) check(said);
      else killed++;
    }
    const last = await project.afterlog(...RUN);
    expect(last.code, last.stderr).toBe(0);
    check(last.stderr);
  },
);
