import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { lineEndBefore, LogFollower, recordsBackwards } from "./log-tail.ts";

const folder = mkdtempSync(join(tmpdir(), "afterlog-tail-"));
const file = join(folder, "log.jsonl");
afterAll(() => rmSync(folder, { recursive: true }));

const lineOf = (seq: number, size: number): string =>
  `${JSON.stringify({ k: "log", seq, name: "é".repeat(size) })}\n`;

test("backwards the records are those of the file, with any lines and half a line at the end", () => {
  const sizes = fc.array(fc.oneof(fc.nat(40), fc.integer({ min: 30_000, max: 90_000 })), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(sizes, fc.nat(200), (all, half) => {
      const text = all.map((size, seq) => lineOf(seq, size)).join("");
      const bytes = Buffer.from(text + lineOf(99, 200).slice(0, half));
      writeFileSync(file, bytes);
      const seqs = [...recordsBackwards(file, bytes.byteLength)].map((r) => "seq" in r && r.seq);
      expect(seqs).toEqual([...all.keys()].toReversed());
      expect(lineEndBefore(file, bytes.byteLength)).toBe(Buffer.byteLength(text));
    }),
  );
});

test("of a terabyte only the end is read", () => {
  writeFileSync(file, "");
  truncateSync(file, 2 ** 40);
  appendFileSync(file, `\n${lineOf(1, 3)}${lineOf(2, 3)}`);
  const end = 2 ** 40 + 1 + 2 * Buffer.byteLength(lineOf(1, 3));
  const first = recordsBackwards(file, end);
  expect([first.next().value, first.next().value]).toMatchObject([{ seq: 2 }, { seq: 1 }]);
  const follower = new LogFollower(file, lineEndBefore(file, end));
  expect(follower.read()).toEqual([]);
  appendFileSync(file, lineOf(3, 3).slice(0, 10));
  expect(follower.read()).toEqual([]);
  appendFileSync(file, lineOf(3, 3).slice(10) + lineOf(4, 3));
  expect(follower.read()).toMatchObject([{ seq: 3 }, { seq: 4 }]);
});
