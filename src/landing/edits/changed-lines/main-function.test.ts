/** Lines of a program that stand in a function which is called once now, or under `if __name__ == "__main__":`. */
import { beforeAll, expect, test } from "vitest";
import { parsed } from "../../../../test/support/parsed.ts";
import { prepareLanguages } from "../../../languages/index.ts";
import { editBetween } from "../align.ts";
import { keepPiece } from "../undo.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

const PYTHON = `import random
w = 0.1
for epoch in range(3):
    g = random.random() - w
    w += g
    print("w", w)
`;
const TYPESCRIPT = `let w = 0.1;
for (let epoch = 0; epoch < 3; epoch++) {
  const g = Math.random() - w;
  w += g;
  console.log("w", w);
}
`;
const ASKED = "    all.append(g)\n    print('q', all)\n";

/** A text with all but its imports further in. */
const inside = (text: string): string => text.replaceAll(/^(?!import|$)/gm, "    ");
const asked = PYTHON.replace("w = 0.1\n", "w = 0.1\nall = []\n").replace(
  "    w +=",
  `${ASKED}    w +=`,
);
const IF_MAIN = 'if __name__ == "__main__":\n';

const SAME: readonly (readonly [string, then: string, now: string])[] = [
  ["under a condition", PYTHON, inside(asked).replace("random\n", `random\n${IF_MAIN}`)],
  [
    "in main",
    PYTHON,
    `${inside(asked).replace("random\n", "random\ndef main():\n")}${IF_MAIN}    main()\n`,
  ],
  [
    "in a function",
    PYTHON,
    `${inside(asked).replace("random\n", "random\ndef main():\n")}main()\n`,
  ],
  [
    "in a function in TypeScript",
    TYPESCRIPT,
    `function main() {\n  const all = [];\n${inside(TYPESCRIPT.replace("  w +=", "  all.push(g);\n  w +="))}}\nmain();\n`,
  ],
];

test.each(SAME)("%s", (_, then, now) => {
  const edit = between(then, now);
  expect(edit.gaps.flatMap(({ lost }) => lost)).toEqual([]);
  const words = (text = ""): string => text.replaceAll(/\s+/g, " ").trim();
  expect(words(keepPiece(edit, [])?.text)).toBe(words(then));
});

const main = inside(PYTHON).replace("random\n", "random\ndef main():\n");

const OTHER: readonly (readonly [string, then: string, now: string])[] = [
  ["called twice", PYTHON, `${main}main()\nmain()\n`],
  ["given away", PYTHON, `${main}run(main)\n`],
  ["called in a function", PYTHON, `${main}def run():\n    main()\n`],
  ["with parameters", PYTHON, `${main.replace("main()", "main(k)")}main(3)\n`],
  [
    "a name that a function of the run reads",
    `def f():\n    return w\n${PYTHON}`,
    `def f():\n    return w\n${main}main()\n`,
  ],
  [
    "a name of the question that the run has, too",
    `all = 1\ndef f():\n    return all\n${PYTHON}`,
    `all = 1\ndef f():\n    return all\n${main.replace("    w = 0.1", "    all = []\n    w = 0.1")}main()\n`,
  ],
  ["another condition", PYTHON, inside(PYTHON).replace("random\n", "random\nif debug:\n")],
  [
    "with another case",
    PYTHON,
    `${inside(PYTHON).replace("random\n", `random\n${IF_MAIN}`)}else:\n    f()\n`,
  ],
];

test.each(OTHER)("not the same: %s", (_, then, now) => {
  expect(between(then, now).gaps.flatMap(({ lost }) => lost)).not.toEqual([]);
});

function between(before: string, after: string): ReturnType<typeof editBetween> {
  const file = /^(?:let|const) /m.test(before) ? "a.ts" : "a.py";
  const [then, now] = [parsed(file, before), parsed(file, after)];
  if (!then || !now) throw new Error("it does not parse");
  return editBetween(then, now);
}
