/** Whether a run is still being recorded, by what its host tells of its process. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Manifest } from "../format/index.ts";
import { manifestToJson } from "../format/index.ts";
import { readReceived } from "./received.ts";
import {
  bootId,
  nextOrder,
  placeBeforeNow,
  processStart,
  readManifest,
  runsAhead,
} from "./runs.ts";

const gone = spawnSync(process.execPath, ["-e", ""]).pid;
const here = { name: hostname(), bootId: bootId(), pid: process.pid };
const HERE = { ...here, pidStart: processStart(process.pid) };
/** As on a system without /proc. */
const UNTOLD = { bootId: null, pidStart: null };

test.each([
  ["a living process", HERE, "recording"],
  ["a dead one", { ...HERE, pid: gone }, "interrupted"],
  ["another one of that number", { ...HERE, pidStart: "1" }, "interrupted"],
  ["before the last boot", { ...HERE, bootId: "other" }, "interrupted"],
  ["another host", { ...HERE, name: "elsewhere", pid: gone }, "recording"],
  ["a living process, without /proc", { ...HERE, ...UNTOLD }, "recording"],
  ["a dead one, without /proc", { ...HERE, ...UNTOLD, pid: gone }, "interrupted"],
])("%s", (_, host, status) => {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-runs-"));
  const manifest = { format: 1, run: "r", status: "recording", host } as unknown as Manifest;
  writeFileSync(join(folder, "run.json"), manifestToJson(manifest));
  expect(readManifest(folder).status).toBe(status);
  rmSync(folder, { recursive: true });
});

test("runs of a clock that was ahead are put before now, and nothing else is", () => {
  const store = mkdtempSync(join(tmpdir(), "afterlog-order-"));
  const now = Date.parse("2026-11-20T00:00:00Z");
  const year = 365 * 24 * 3_600_000;
  const write = (run: string, order: number, mark?: object): void => {
    const folder = join(store, "runs", run);
    mkdirSync(folder, { recursive: true });
    const manifest = { format: 1, run, status: "done", host: HERE, order };
    writeFileSync(join(folder, "run.json"), manifestToJson(manifest as unknown as Manifest));
    if (mark) writeFileSync(join(folder, "received.json"), JSON.stringify(mark));
  };
  const from = { v: 1, remote: "origin", address: "there" };
  write("c-honest", now - 5);
  write("d-later", now + year + 1);
  write("e-ahead", now + year);
  write("a-pulled", now + 2 * year, { ...from, received: new Date(now - 3).toISOString() });
  write("b-pulled", now + 2 * year, { ...from, received: new Date(now + 2 * year).toISOString() });
  const order = (run: string): number => readManifest(join(store, "runs", run)).order;
  expect(runsAhead(store, now).map(({ run }) => run)).toEqual(["e-ahead", "d-later", "b-pulled"]);
  // As long as nobody says otherwise, later runs come behind.
  expect(nextOrder(store, now)).toBe(now + 2 * year + 1);
  placeBeforeNow(store, ["e-ahead", "d-later", "b-pulled"], now);
  expect(["e-ahead", "d-later", "b-pulled"].map(order)).toEqual([now - 3, now - 2, now - 1]);
  expect([order("c-honest"), order("a-pulled")]).toEqual([now - 5, now - 3]);
  expect(runsAhead(store, now)).toEqual([]);
  expect(nextOrder(store, now)).toBe(now);
  expect(readReceived(join(store, "runs", "e-ahead"))).toBeUndefined();
  expect(readReceived(join(store, "runs", "b-pulled"))).toMatchObject({ remote: "origin" });
  rmSync(store, { recursive: true });
});
