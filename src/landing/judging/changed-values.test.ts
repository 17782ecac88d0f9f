/** What only the older version does to a value, before the place where it is logged: somebody is asked. */
import { beforeAll, expect, test } from "vitest";
import type { VersionRow } from "../../../test/support/landed.ts";
import { landed, loop } from "../../../test/support/landed.ts";
import { prepareLanguages } from "../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

const TS_STATE = "const g = { v: 1 };\nfunction clip(o) { o.v = Math.min(o.v, 0.1); }\nlet w = 0;";
const PY_STATE = "# State\ndef relax(o):\n    o.v *= 0.5\nw = 0.0";

/** The line that only the older version has is the second one of the loop. */
const changedThere: Record<
  string,
  readonly [head: string, lines: readonly string[], asked: string]
> = {
  "an assignment, in Python": [
    "# A loss\nw = 0.0",
    ["loss = draw(w)", "loss = loss / 4", "w -= loss"],
    "loss + 1",
  ],
  "an assignment, in TypeScript": [
    "let w = 0;",
    ["let loss = draw(w);", "loss = loss / 4;", "w -= loss;"],
    "loss + 1",
  ],
  "before a method that both call": [
    "# A loss\nw = 0.0",
    ["loss = draw(w)", "loss = loss / 4", "loss.backward()"],
    "loss.item()",
  ],
  "a function that changes what it is given, in TypeScript": [
    TS_STATE,
    ["g.v = draw(w);", "clip(g);", "w -= g.v;"],
    "g.v * 2",
  ],
  "a function that changes what it is given, in Python": [
    PY_STATE,
    ["st = draw(w)", "relax(st)", "w = w * 2"],
    "st.v + 1",
  ],
};

test.each(Object.entries(changedThere))("only the older version changes it: %s", (_, row) => {
  const [head, lines, value] = row;
  const [log, show] = head.startsWith("#")
    ? [`print("q", ${value})  # asked`, "print(w)"]
    : [`console.log("q", ${value}); // asked`, "console.log(w);"];
  const here = lines.filter((_line, at) => at !== 1);
  const { verdict, warnings } = landed({
    then: loop(head, ...lines, show),
    now: loop(head, ...here, log, show),
  });
  expect(verdict).toBe("review");
  expect(warnings.map(({ text }) => text).join()).toMatch(/line \d+, which only that version has/);
});

test.each<[string, VersionRow]>([
  [
    "what only looks",
    {
      then: loop(PY_STATE, "st = draw(w)", "save(st)", "w = w * 2", "print(w)"),
      now: loop(PY_STATE, "st = draw(w)", "w = w * 2", 'print("q", st.v)  # asked', "print(w)"),
    },
  ],
  [
    "a part of what gives it since",
    {
      then: loop(PY_STATE, "x = draw(w)", "x = x * 2", "w += x", "print(w)"),
      now: loop(PY_STATE, "x = draw(w) * 2", "w += x", 'print("q", x)  # asked', "print(w)"),
    },
  ],
  [
    "what is written otherwise since",
    {
      then: loop(TS_STATE, "if (!g.v) {\n        g.v = draw(w);\n    }", "w += 1;", "show(w);"),
      now: loop(
        TS_STATE,
        "g.v = g.v || draw(w);",
        "w += 1;",
        'console.log("q", g.v); // asked',
        "show(w);",
      ),
    },
  ],
])("nobody is asked for %s", (_, row) => {
  expect(landed(row).verdict).not.toBe("review");
});

test("somebody is asked where what changes it stands behind the place, written otherwise", () => {
  const head = "# Weights\nw = zeros(3)\nb = zeros(1)";
  const { verdict, warnings } = landed({
    then: loop(
      head,
      "loss = f(w, b)",
      "loss.backward()",
      "w.data -= 0.1 * w.grad.data",
      "b.data -= 0.1 * b.grad.data",
    ),
    now: loop(
      head,
      "loss = f(w, b)",
      "loss.backward()",
      "with no_grad():",
      "    w -= 0.1 * w.grad",
      "    b -= 0.1 * b.grad",
      '    print("q", w.norm() + b.norm())  # asked',
      "    w.grad.zero_()",
      "    b.grad.zero_()",
    ),
  });
  expect(verdict).toBe("review");
  expect(warnings.map(({ text }) => text).join()).toMatch(/\bline \d+ /);
});
