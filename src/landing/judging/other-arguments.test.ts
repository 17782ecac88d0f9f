/** Functions and classes that a question calls, and that take their arguments otherwise in the older version. */
import { beforeAll, expect, test } from "vitest";
import { landed, loop } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

/** What both versions begin with, the line that calls it there and here, and the question. */
type Row = readonly [then: string, now: string, calls: readonly [string, string], asked: string];

const OPTIONS = (key: string): string =>
  `# Noise\ndef noise(w, **o):\n    return w * o.get("${key}", 1.0)`;
const PATTERN = (key: string): string =>
  `function at(w, { ${key} = 0, scale = 1 }) { return (w - ${key}) * scale; }`;
const FIELDS = (...names: readonly string[]): string =>
  `# A line\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n${names.map((name) => `    ${name}: float\n`).join("")}    def at(self, x):\n        return self.w * x + self.b\n`;

const otherwise: Record<string, Row> = {
  "an option of another key": [
    OPTIONS("gain"),
    OPTIONS("scale"),
    ["show(noise(1, gain=2))", "show(noise(1, scale=2))"],
    "noise(epoch, scale=3)",
  ],
  "a key of a pattern": [
    PATTERN("from"),
    PATTERN("base"),
    ["show(at(1, { from: 1 }));", "show(at(1, { base: 1 }));"],
    "at(epoch, { base: 2, scale: 3 })",
  ],
  "fields of a dataclass in another order": [
    FIELDS("b", "w"),
    FIELDS("w", "b"),
    ["show(P(0.0, 1.0))", "show(P(1.0, 0.0))"],
    "P(epoch, 1).at(2)",
  ],
  "parameters that changed places and names": [
    "# Error\ndef err(target, out):\n    return (out - target) * target",
    "# Error\ndef err(pred, y):\n    d = pred - y\n    return d * y",
    ["show(err(2, epoch * 3))", "show(err(epoch * 3, 2))"],
    "err(epoch, 3)",
  ],
};

const verdictOf = ([then, now, calls, asked]: Row): string => {
  const log = now.startsWith("#")
    ? `print("q", ${asked})  # asked`
    : `console.log("q", ${asked}); // asked`;
  return landed({ then: loop(then, calls[0]), now: loop(now, calls[1], log) }).verdict;
};

test.each(Object.entries(otherwise))("somebody is asked: %s", (_, row) => {
  expect(verdictOf(row)).toBe("review");
});

const alike: Record<string, Row> = {
  "an option that both have": [
    OPTIONS("scale"),
    `${OPTIONS("scale")} + 1`,
    ["show(noise(1, scale=2))", "show(noise(1, scale=3))"],
    "noise(epoch, scale=3)",
  ],
  "a field behind the others, with a value": [
    FIELDS("w", "b"),
    FIELDS("w", "b", "c"),
    ["show(P(0.0, 1.0))", "show(P(1.0, 0.0))"],
    "P(epoch, 1).at(2)",
  ],
  "parameters of other names": [
    "# Error\ndef err(target, out):\n    return (out - target) * target",
    "# Error\ndef err(y, pred):\n    return (pred - y) * y",
    ["show(err(2, epoch * 3))", "show(err(2, epoch * 3))"],
    "err(epoch, 3)",
  ],
};

test.each(Object.entries(alike))("nobody is asked: %s", (_, row) => {
  expect(verdictOf(row)).not.toBe("review");
});
