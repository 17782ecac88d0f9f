import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { LoopPath } from "../../format/index.ts";
import { valueKey } from "../checking/check-replay.ts";
import type { Line } from "./raw-log.ts";
import { readRecordedValues } from "./recorded-values.ts";

interface Logged {
  readonly path: LoopPath;
  readonly name: string;
  readonly value: unknown;
}

const loop = fc.tuple(fc.constantFrom("epoch", 'a],"name":"', "\\"), fc.nat(3));
const logged = fc.record({
  path: fc.array(loop, { maxLength: 2 }),
  name: fc.oneof(fc.constantFrom("loss", '","site":', "\\", '"'), fc.string({ unit: "grapheme" })),
  value: fc.jsonValue(),
});

function read(lines: readonly object[], asked: readonly Logged[]) {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-values-"));
  try {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(join(folder, "log.jsonl"), text);
    return readRecordedValues(
      folder,
      asked.map((one): Line => ({ k: "log", ...one })),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("finds the values at the asked paths and names, whatever these are", () => {
  fc.assert(
    fc.property(fc.array(logged), fc.array(logged), (recorded, others) => {
      const lines = recorded.map(({ path, name, value }, seq) => {
        return { k: "log", seq, path, name, site: 1, value, t: 0 };
      });
      const asked = [...recorded.slice(0, recorded.length / 2), ...others];
      const { values, names } = read(lines, asked);
      for (const { path, name } of asked) {
        const same = lines.filter(
          (line) => valueKey(line.path, line.name) === valueKey(path, name),
        );
        const expected = same.map(({ value }) => JSON.parse(JSON.stringify(value)) as unknown);
        expect(values.get(valueKey(path, name)) ?? []).toEqual(expected);
      }
      expect(names).toEqual(new Set(recorded.map(({ name }) => name)));
    }),
    { numRuns: 200 },
  );
});

test("drops what a resumed run did again", () => {
  const line = (seq: number, value: number) => {
    return { k: "log", seq, path: [], name: "x", site: null, value, t: 0 };
  };
  const exit = (seq: number, iterations: number) => {
    return { k: "exit", seq, path: [], loop: "epoch", entry: 0, how: "break", iterations, t: 0 };
  };
  const lines = [line(1, 1), line(2, 2), exit(3, 9), { k: "rewind", path: [], seq: 1 }, line(2, 3)];
  const { values, iterations } = read(lines, [{ path: [], name: "x", value: 0 }]);
  expect([...values.values()]).toEqual([[1, 3]]);
  expect([...iterations]).toEqual([]);
});
