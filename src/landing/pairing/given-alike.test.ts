/** Names that are given their values otherwise are no new names of each other. */
import { beforeAll, expect, test } from "vitest";
import type { VersionRow } from "../../../test/support/landed.ts";
import { landed, loop } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

/** What gives the name its value, in both versions, and how it is begun. */
const otherwise: Record<
  string,
  readonly [begun: readonly [string, string], given: readonly [string, string]]
> = {
  "another function": [
    ["# lo\nlo = 9.0", "# hi\nhi = 0.0"],
    ["lo = min(lo, epoch)", "hi = max(hi, epoch)"],
  ],
  "another comparison": [
    ["# misses\nmisses = 0", "# hits\nhits = 0"],
    ["misses += epoch < 2", "hits += epoch >= 2"],
  ],
  "another direction": [
    ["# left\nleft = 4", "# done\ndone = 0"],
    ["left -= 1", "done += 1"],
  ],
  "another direction, in TypeScript": [
    ["let left = 4;", "let done = 0;"],
    ["left--;", "done++;"],
  ],
  "another branch of an expression": [
    ["let misses = 0;", "let hits = 0;"],
    ["misses += epoch < 2 ? 1 : 0;", "hits += epoch >= 2 ? 1 : 0;"],
  ],
  "another condition": [
    ["const bad = [];", "const good = [];"],
    ["if (epoch < 2) { bad.push(epoch); }", "if (epoch >= 2) { good.push(epoch); }"],
  ],
  "another branch": [
    ["# bad\nbad = []", "# good\ngood = []"],
    [
      "if epoch < 2: bad.append(epoch)\n    else: pass",
      "if epoch >= 2: pass\n    else: good.append(epoch)",
    ],
  ],
  "another argument of a method": [
    ["const val = new Meter();", "const train = new Meter();"],
    ["val.add((epoch - 3) ** 2);", "train.add((epoch - x) ** 2);"],
  ],
  "what was a number, and changes": [
    ["# A mean\nt = 0.5\nr = 0.5", "# A mean\nmean = 0.5\nrate = 0.5"],
    ["t = 0.9 * t + epoch", "mean = rate * mean + epoch\n    rate = rate * mean"],
  ],
  "another import": [
    ["# A\nfrom nets import draw_all\nl = 0", "# A\nfrom nets import draw_one\nw = 0"],
    ["l = draw_all(epoch)", "w = draw_one(epoch)"],
  ],
  "another text": [
    ["# Names\nfirst = []", "# Names\nlast = []"],
    ["first = read('first.txt', epoch)", "last = read('last.txt', epoch)"],
  ],
};

test.each(Object.entries(otherwise))("no new name, as it is given its value by %s", (_, row) => {
  const [begun, given] = row;
  const [, asked] = /(\w+) = /.exec(begun[1]) ?? [];
  const [log, show] = begun[1].startsWith("#")
    ? [`print("q", ${asked})  # asked`, "print(epoch)"]
    : [`console.log("q", ${asked}); // asked`, "show(epoch);"];
  const { verdict, warnings } = landed({
    then: loop(begun[0], given[0], show),
    now: loop(begun[1], given[1], show, log),
  });
  expect(verdict).toBe("review");
  expect(warnings.map(({ text }) => text).join()).toMatch(/may mean something else there/);
});

test.each<[string, VersionRow]>([
  [
    "numbers and other names that are new",
    {
      then: loop("# A mean\nt = 0.5\nr = 0.9", "t = r * t + (1 - r) * epoch", "print(epoch)"),
      now: loop(
        "# A mean\nmean = 0.0\nrate = 0.8",
        "mean = rate * mean + (1 - rate) * epoch",
        "print(epoch)",
        'print("q", mean)  # asked',
      ),
    },
  ],
  [
    "a declaration of its own",
    {
      then: loop("let l;", "l = draw(epoch);", "step(l);", "show(epoch);"),
      now: loop(
        "let w = 0;",
        "const loss = draw(epoch);",
        "step(loss);",
        "show(epoch);",
        'console.log("q", loss); // asked',
      ),
    },
  ],
  [
    "an import with another name",
    {
      then: loop("# A\nfrom nets import draw_all", "l = draw_all(epoch)", "step(l)", "show(l)"),
      now: loop(
        "# A\nfrom nets import draw_all as draw",
        "loss = draw(epoch)",
        "step(loss)",
        "show(loss)",
        'print("q", loss)  # asked',
      ),
    },
  ],
  [
    "a number that got a name",
    {
      then: loop("# A mean\nt = 0.5", "t = 0.9 * t + err * epoch", "w -= 0.1 * t", "print(w)"),
      now: loop(
        "# A mean\nRATE = 0.8\nmean = 0.0",
        "mean = RATE * mean + err * epoch",
        "w -= 0.1 * mean",
        "print(w)",
        'print("q", mean)  # asked',
      ),
    },
  ],
  [
    "a number that got a name, in TypeScript",
    {
      then: loop("let t = 0.5;", "t = 0.9 * t + err * epoch;", "w -= 0.1 * t;", "show(w);"),
      now: loop(
        "const RATE = 0.8;\nlet mean = 0;",
        "mean = RATE * mean + err * epoch;",
        "w -= 0.1 * mean;",
        "show(w);",
        'console.log("q", mean); // asked',
      ),
    },
  ],
  [
    "a number more that is given",
    {
      then: loop("# A\nfrom nets import draw", "l = draw(epoch)", "step(l)", "show(l)"),
      now: loop(
        "# A\nfrom nets import draw",
        "loss = draw(epoch, 3)",
        "step(loss)",
        "show(loss)",
        'print("q", loss)  # asked',
      ),
    },
  ],
  [
    "what only one version does to it",
    {
      then: loop("const w = 0;", "const l = draw(epoch);", "l.backward();", "show(epoch);"),
      now: loop(
        "const w = 0;",
        "const loss = draw(epoch);",
        "loss.backward();",
        "show(epoch);",
        "loss.free();",
        'console.log("q", loss.v); // asked',
      ),
    },
  ],
])("a new name in spite of %s", (_, row) => {
  expect(landed(row).verdict).not.toBe("review");
});

const MAKES = "[[random.random(), random.random()] for _ in range(12)]";
const SUMS = ["for x in xs:", "    w += x[0] * x[1]", "print(w, len(xs))"];

test.each([
  ["in its place", "rows, more", ["exact", "moved"]],
  ["in another place", "more, rows", ["review"]],
])("a name that a function gives its value since, %s", (_, given, verdicts) => {
  const more = MAKES.replace("12", "9");
  const { verdict } = landed({
    then: loop(`# Data\nimport random\nw = 0.0\nxs = ${MAKES}\nys = ${more}`, ...SUMS),
    now: loop(
      `# Data\nimport random\ndef make():\n    rows = ${MAKES}\n    more = ${more}\n    return ${given}\nw = 0.0\nxs, ys = make()`,
      ...SUMS,
      'print("q", w / len(xs))  # asked',
    ),
  });
  expect(verdicts).toContain(verdict);
});
