/** Edits after which a log call, or what it calls, would say something else in the older version: somebody is asked. */
import { beforeAll, expect, test } from "vitest";
import { prepareLanguages } from "../../languages/index.ts";
import { landStatements } from "../index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

interface Row {
  readonly then: string;
  /** The line that ends with `asked` in a comment is landed. */
  readonly now: string;
}

/** A loop in Python around some lines, or in TypeScript. */
const loop = (head: string, ...lines: readonly string[]): string => {
  const isPython = head.startsWith("#");
  const all = lines.map((line) => `    ${line}\n`).join("");
  return isPython
    ? `${head}\nfor epoch in range(3):\n${all}`
    : `${head}\nfor (let epoch = 0; epoch < 3; epoch++) {\n${all}}\n`;
};

const PY_METER = "# A meter\nimport meters\nm = meters.Meter()\ncfg = {'lr': 0.1}\nw = 0.1";
const TS_METER = "const m = new Meter();\nconst cfg = { lr: 0.1 };\nlet w = 0.1;";

const moved: Record<string, Row> = {
  "a method that begins anew, in Python": {
    then: loop(PY_METER, "for e in data:", "    m.update(e)", "m.reset()", 'print("w", w)'),
    now: loop(
      PY_METER,
      "m.reset()",
      "for e in data:",
      "    m.update(e)",
      'print("q", m.sum)  # asked',
      'print("w", w)',
    ),
  },
  "a method that begins anew, in TypeScript": {
    then: loop(TS_METER, "for (const e of data) m.update(e);", "m.reset();", "show(w);"),
    now: loop(
      TS_METER,
      "m.reset();",
      "for (const e of data) m.update(e);",
      'console.log("q", m.sum); // asked',
      "show(w);",
    ),
  },
  "a field, under a condition since, in Python": {
    then: loop(PY_METER, "for e in data:", "    w -= cfg['lr'] * e", "cfg['lr'] *= 0.9", "show(w)"),
    now: loop(
      PY_METER,
      "if epoch > 0:",
      "    cfg['lr'] *= 0.9",
      "for e in data:",
      "    w -= cfg['lr'] * e",
      "print('q', cfg['lr'] * w)  # asked",
      "show(w)",
    ),
  },
  "a field that is set otherwise since, in TypeScript": {
    then: loop(TS_METER, "for (const e of data) w -= cfg.lr * e;", "cfg.lr *= 0.9;", "show(w);"),
    now: loop(
      TS_METER,
      "cfg.lr = 0.1 * 0.9 ** epoch;",
      "for (const e of data) w -= cfg.lr * e;",
      'console.log("q", cfg.lr * w); // asked',
      "show(w);",
    ),
  },
  "two values of one name": {
    then: loop(PY_METER, "loss = d * z - 1", "g -= loss", "loss = d * (z - 2)", "d -= loss"),
    now: loop(
      PY_METER,
      "loss = d * (z - 2)",
      "d -= loss",
      "loss = d * z - 1",
      "g -= loss",
      'print("q", loss)  # asked',
    ),
  },
  "two functions that change a list": {
    then: loop(PY_METER, "select()", "mutate()", 'print("best", m.pop[0])'),
    now: loop(
      PY_METER,
      "mutate()",
      "select()",
      'print("q", sum(m.pop))  # asked',
      'print("best", m.pop[0])',
    ),
  },
};

test.each(Object.entries(moved))("what changes the value moved: %s", (_, row) => {
  const { verdict, warnings } = landed(row);
  expect(verdict).toBe("review");
  expect(warnings.map(({ text }) => text).join()).toMatch(/line \d+ may change what it reads/);
});

test.each<[string, Row]>([
  [
    "statements that have nothing to do with it",
    {
      then: loop(PY_METER, "b = 2", "a = 1", "m.reset()", "loss = a * b", "show(w)"),
      now: loop(
        PY_METER,
        "a = 1",
        "b = 2",
        "m.reset()",
        "loss = a * b",
        'print("q", loss)  # asked',
        "show(w)",
      ),
    },
  ],
])("nobody is asked where others moved: %s", (_, row) => {
  expect(landed(row).verdict).not.toBe("review");
});

function landed({ then, now }: Row): ReturnType<typeof landStatements>["landings"][number] {
  const file = then.startsWith("#") ? "a.py" : "a.ts";
  const line = now.split("\n").findIndex((one) => /(?:#|\/\/) asked$/.test(one));
  const column = /\S/.exec(now.split("\n")[line] ?? "")?.index ?? 0;
  const { landings } = landStatements({
    now: { file, text: () => now },
    statements: [{ line: line + 1, column: column + 1 }],
    then: { files: [file], text: () => then },
  });
  const [landing] = landings;
  if (!landing) throw new Error("nothing landed");
  return landing;
}
