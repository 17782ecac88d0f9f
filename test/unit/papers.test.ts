import { expect, test } from "vitest";
import { problemsOf } from "../../scripts/papers.js";

const FILES: { readonly [file: string]: string } = {
  "src/a/loop.ts": "/** The loop of Flor §1.1 and FlorDB §2. */\nexport function loop() {}",
  "src/a/loop.test.ts": "",
  "docs/cli.md": "\n## afterlog run\n",
  "docs/results/speed.md": "# Speed\n\n## How fast, in ms\n",
};
const DOCUMENTS = { Flor: { sections: ["1", "1.1", "1.2", "2"] }, FlorDB: { sections: ["2"] } };
const DONE =
  "it loops | done | `src/a/loop.ts` `loop` | `src/a/loop.test.ts` | | `docs/results/speed.md#how-fast-in-ms`";

/** What is wrong with a page that has these rows below Flor. */
function check(rows: readonly string[], files = FILES): string[] {
  const table = (own: readonly string[]): string =>
    [
      "| section | what | status | where | test | benchmark | result |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      ...own.map((row) => `| ${row} |`),
    ].join("\n");
  const page = `# Papers\n\n## Flor: of loops\n\n${table(rows)}\n\n## FlorDB: more\n\n${table(["§2 | nothing | none | | | |"])}\n`;
  const textOf = (file: string): string => files[file] ?? "";
  return problemsOf(page, { documents: DOCUMENTS, files: Object.keys(files), textOf });
}

test.each<[what: string, rows: readonly string[], problems: readonly (string | RegExp)[]]>([
  ["all is there", [`§1-§1.2, §2 | ${DONE}`], []],
  ["a section without a row", [`§1, §1.2, §2 | ${DONE}`], ["Flor: no row for §1.1"]],
  ["a row of no section", [`§1-§2, §3 | ${DONE}`], ["Flor: there is no section 3"]],
  ["a status that is none", ["§1-§2 | x | good | | | |"], [/status "good" is none of/]],
  ["no reason", ["§1-§2 | x | planned | | | |"], ["Flor §1-§2: planned without a reason"]],
  [
    "done without a test, and without a figure",
    ["§1-§2 | it loops | done | `src/a/loop.ts` | | |"],
    ["Flor §1-§2: done without a test", "Flor §1-§2: done without a figure"],
  ],
  [
    "what is not there",
    [
      "§1-§2 | half of it, the rest is not built | part | `src/a/gone.ts`, `src/a/loop.ts` `jump`, `afterlog walk` | | |",
    ],
    [
      "Flor §1-§2: where: there is no src/a/gone.ts",
      "Flor §1-§2: where: jump is not in it",
      "Flor §1-§2: where: there is no command walk",
    ],
  ],
  [
    "a heading that is not there",
    ["§1-§2 | half of it, the rest is not built | part | | | | `docs/results/speed.md#slow`"],
    ["Flor §1-§2: result: docs/results/speed.md#slow: there is no such heading"],
  ],
])("%s", (_, rows, problems) => {
  const found = check(rows);
  expect(found).toHaveLength(problems.length);
  problems.forEach((problem, at) => expect(found[at]).toMatch(problem));
});

test("a comment cites a section that does not exist", () => {
  // Put together here: the script reads this file too.
  const cites = ["/** Flor", "§1.1,", "§4.2 and\n *", "§6; FlorDB", "§2. */ loop"].join(" ");
  const files = { ...FILES, "src/a/loop.ts": cites };
  expect(check([`§1-§2 | ${DONE}`], files)).toEqual([
    "src/a/loop.ts cites Flor §4.2, which does not exist",
    "src/a/loop.ts cites Flor §6, which does not exist",
  ]);
});
