/** Flor §3.2.2: what was measured decides in the next recording. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { CheckpointRecord } from "../../format/index.ts";
import { Ledger } from "../../materialize/index.ts";
import { RestoreRates } from "./restore-rates.ts";

const store = mkdtempSync(join(tmpdir(), "afterlog-rates-"));
afterAll(() => rmSync(store, { recursive: true, force: true }));

test("a checkpoint that the budget pays is not taken where restoring takes longer than computing", () => {
  const key = { program: "train.ts", host: "here" };
  const options = { store, key, runFolder: store, replaying: false };
  const takes = (): boolean => {
    const restoreFactor = new RestoreRates(options).factor;
    const ledger = new Ledger({ overheadMax: 0.0667, restoreFactor });
    const state = { stateBytes: 4, copyBytesPerMs: 1, walkMs: 0 };
    const block = { computeMs: 100, executions: 1, checkpoints: 0, leftMs: () => 1e9 };
    return ledger.allows({ ...block, ...state });
  };
  expect(new RestoreRates(options).factor).toBe(1);
  expect(takes()).toBe(true);
  const times = { capture: 1, snapshot: 4, wait: 0, persist: 90 };
  // What a replay restores is kept by the replayer.
  new RestoreRates({ ...options, replaying: true }).restored({ times } as CheckpointRecord, 150);
  expect(takes()).toBe(true);
  new RestoreRates(options).restored({ times } as CheckpointRecord, 150);
  expect(new RestoreRates(options).factor).toBe(30);
  expect(takes()).toBe(false);
  // A checkpoint that is not there is no sample, and no failure.
  new RestoreRates(options).sample({ file: "gone", times } as CheckpointRecord, 60_000);
  expect(new RestoreRates(options).factor).toBe(30);
});
