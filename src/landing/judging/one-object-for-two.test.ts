/**
 * An object that collects two values in turn in one version, and two objects in the other one: a meter, a list, an array
 * for training and for validation. And a value that is given in a loop, shown in it in one version and behind it in
 * the other one.
 */
import { beforeAll, expect, test } from "vitest";
import type { VersionRow } from "../../../test/support/landed.ts";
import { landed, loop } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

const PY = "# A model\nw = 0.1\ndata = [1, 2]\nval = [3]\nm = make()\nother = make()";
const TS =
  "let w = 0.1;\nlet out = 0;\nconst data = [1, 2];\nconst val = [3];\nconst m = make();\nconst other = make();";

/** What collects, how it begins anew, what is put in, and what is shown. */
type Collector = readonly [begins: string, put: string, shown: string];

const collectors: Record<string, Collector> = {
  "a meter": ["@.reset()", "@.update(e)", "@.mean"],
  "a method's result": ["@.reset()", "@.update(e)", "@.mean()"],
  "a list": ["@.clear()", "@.append(e)", "sum(@)"],
  "the last of a list": ["fit(w)", "@.append(e)", "@[-1]"],
  elements: ["fit(w)", "@[i] = e", "@[0]"],
  "a key": ['@["s"] = 0.0', '@["s"] += e', '@["s"]'],
};

const inPython = ([begins, put, shown]: Collector, other: string, isAsked: boolean): string => {
  const named = (text: string, name: string): string => text.replaceAll("@", name);
  return loop(
    PY,
    named(begins, "m"),
    "for i, x in enumerate(data):",
    "    e = w * x",
    "    w -= e",
    `    ${named(put, "m")}`,
    'print("train", w)',
    named(begins, other),
    "for i, x in enumerate(val):",
    "    e = w * x + 1",
    `    ${named(put, other)}`,
    'print("val", w)',
    ...(isAsked ? [`print("q", ${named(shown, "m")})  # asked`] : []),
  );
};

const inTypeScript = (collector: Collector, other: string, isAsked: boolean): string => {
  const [begins, put, shown] = collector.map((text) => text.replace("append", "push"));
  const named = (text = "", name: string): string => text.replaceAll("@", name);
  return loop(
    TS,
    `${named(begins, "m")};`,
    "for (const [i, x] of data.entries()) {",
    "  const e = w * x;",
    "  w -= e;",
    `  ${named(put, "m")};`,
    "}",
    'console.log("train", w);',
    `${named(begins, other)};`,
    "for (const [i, x] of val.entries()) {",
    "  const e = w * x + 1;",
    `  ${named(put, other)};`,
    "}",
    'console.log("val", w);',
    ...(isAsked ? [`console.log("q", ${named(shown, "m")}); // asked`] : []),
  );
};

const asked = Object.entries(collectors).flatMap(([what, collector]) =>
  [inPython, inTypeScript].flatMap((write, at): [string, VersionRow][] => {
    const language = at === 0 ? "Python" : "TypeScript";
    const two = { then: write(collector, "m", false), now: write(collector, "other", true) };
    const one = { then: write(collector, "other", false), now: write(collector, "m", true) };
    return [
      [`${what}, one for both in the older version, in ${language}`, two],
      [`${what}, one for both in the newer version, in ${language}`, one],
    ];
  }),
);

test.each(asked)("somebody is asked: %s", (_, row) => {
  expect(landed(row).verdict).toBe("review");
});

const alike = Object.entries(collectors).flatMap(([what, collector]) =>
  [inPython, inTypeScript].flatMap((write, at): [string, VersionRow][] => {
    const language = at === 0 ? "Python" : "TypeScript";
    const then = write(collector, "other", false).replaceAll('"val"', '"validation"');
    return [
      [
        `${what}, two in both versions, in ${language}`,
        { then, now: write(collector, "other", true) },
      ],
    ];
  }),
);

test.each(alike)("nobody is asked: %s", (_, row) => {
  const { verdict, warnings } = landed(row);
  expect(verdict, warnings.map(({ text }) => text).join()).toMatch(/^(?:exact|moved)$/);
});

const PY_STEP = ["    loss = w * x", "    w -= loss"];
const TS_STEP = ["  out = w * x;", "  w -= out;"];

const inLoops: Record<string, VersionRow> = {
  "the loop that gives it is over there": {
    then: loop(PY, "for x in data:", ...PY_STEP, "if epoch % 2 == 0:", '    print("loss", loss)'),
    now: loop(
      PY,
      "for i, x in enumerate(data):",
      ...PY_STEP,
      "    if i % 2 == 0:",
      '        print("loss", loss)',
      '        print("q", w)  # asked',
    ),
  },
  "the same, in TypeScript": {
    then: loop(
      TS,
      "for (const x of data) {",
      ...TS_STEP,
      "}",
      "if (epoch % 2) {",
      "  show(out);",
      "}",
    ),
    now: loop(
      TS,
      "for (const [i, x] of data.entries()) {",
      ...TS_STEP,
      "  if (i % 2) {",
      "    show(out);",
      '    console.log("q", w); // asked',
      "  }",
      "}",
    ),
  },
};

test.each(Object.entries(inLoops))("somebody is asked: %s", (_, row) => {
  expect(landed(row).verdict).toBe("review");
});
