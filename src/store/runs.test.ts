/** Whether a run is still being recorded, by what its host tells of its process. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Manifest } from "../format/index.ts";
import { manifestToJson } from "../format/index.ts";
import { bootId, processStart, readManifest } from "./runs.ts";

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
