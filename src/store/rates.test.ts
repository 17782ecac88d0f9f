import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { noteRestore, restoreFactor } from "./rates.ts";

const store = mkdtempSync(join(tmpdir(), "afterlog-rates-"));
afterAll(() => rmSync(store, { recursive: true, force: true }));

describe("what restoring costs beside materializing", () => {
  test("is kept for each program on each host; what was put back counts before samples", () => {
    const key = { program: "train.ts", host: "here" };
    expect(restoreFactor(store, key)).toBeUndefined();
    noteRestore(store, key, { from: "end", restoreMs: 8, materializeMs: 2 });
    expect(restoreFactor(store, key)).toBe(4);
    noteRestore(store, key, { from: "resume", restoreMs: 30, materializeMs: 2 });
    noteRestore(store, key, { from: "replay", restoreMs: 10, materializeMs: 2 });
    expect(restoreFactor(store, key)).toBe(10);
    for (const other of [
      { ...key, host: "there" },
      { ...key, program: "eval.ts" },
    ])
      expect(restoreFactor(store, other)).toBeUndefined();
  });

  test("follows the newest, stays small, and takes no harm of what cannot be read", () => {
    const key = { program: "long.ts", host: "here" };
    for (let n = 0; n < 600; n++)
      noteRestore(store, key, { from: "replay", restoreMs: n < 580 ? 90 : 6, materializeMs: 3 });
    expect(restoreFactor(store, key)).toBe(2);
    const files = readdirSync(join(store, "rates")).map((name) => join(store, "rates", name));
    for (const file of files) {
      expect(readFileSync(file, "utf8").split("\n").length).toBeLessThan(260);
      appendFileSync(file, '{"from":"replay"}\nnot JSON\n{"from":"replay","restoreMs":1');
    }
    expect(restoreFactor(store, key)).toBe(2);
    noteRestore(store, key, { from: "end", restoreMs: 8, materializeMs: 0 });
    noteRestore("/dev/null", key, { from: "end", restoreMs: 8, materializeMs: 1 });
    expect(restoreFactor("/dev/null", key)).toBeUndefined();
  });
});
