/** The trash after a kill between any two moves: what is there can be moved on, or back. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { storePaths } from "./store-paths.ts";
import { listTrash, moveFromTrash, moveToTrash, removeFromTrash, trashedRuns } from "./trash.ts";

let store: string;
const here = (): string[] => readdirSync(storePaths.runs(store)).toSorted();
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), "afterlog-trash-"));
  for (const run of ["run", "replay-1", "replay-2", "other"]) {
    mkdirSync(storePaths.run(store, run), { recursive: true });
    writeFileSync(join(storePaths.run(store, run), "log.jsonl"), run);
  }
});
afterEach(() => rmSync(store, { recursive: true }));

/** As a kill leaves it: only some of the replays were moved. */
function moveHalf(): void {
  mkdirSync(storePaths.trashed(store, "run"), { recursive: true });
  renameSync(storePaths.run(store, "replay-1"), join(storePaths.trashed(store, "run"), "replay-1"));
}

test("a run goes with what goes along, and comes back", () => {
  moveToTrash(store, "run", ["replay-1", "replay-2"]);
  expect(here()).toEqual(["other"]);
  expect([...trashedRuns(store)].toSorted()).toEqual(["replay-1", "replay-2", "run"]);
  expect(moveFromTrash(store, "run").toSorted()).toEqual(["replay-1", "replay-2", "run"]);
  expect(here()).toEqual(["other", "replay-1", "replay-2", "run"]);
  expect(listTrash(store).size).toBe(0);
});

test("a move that was interrupted is ended by the next, or taken back", () => {
  moveHalf();
  moveToTrash(store, "run", ["replay-2"]);
  expect(here()).toEqual(["other"]);
  moveFromTrash(store, "run");
  moveHalf();
  expect(moveFromTrash(store, "run")).toEqual(["replay-1"]);
  expect(here()).toEqual(["other", "replay-1", "replay-2", "run"]);
});

test("what is here is never overwritten, and what is gone for good is gone", () => {
  moveToTrash(store, "run", ["replay-1"]);
  mkdirSync(storePaths.run(store, "run"));
  expect(moveFromTrash(store, "run")).toEqual(["replay-1"]);
  expect(listTrash(store)).toEqual(new Map([["run", ["run"]]]));
  removeFromTrash(store, "run");
  expect(listTrash(store).size).toBe(0);
});
