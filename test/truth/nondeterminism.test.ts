/**
 * Programs that do not do the same twice: what a replay finds is marked `diverged`, or nothing is
 * found, and the first path at which the replay differs is named.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TestProject } from "../support/project.ts";
import type { Answer } from "../support/ask.ts";
import { ask, edit, record } from "../support/ask.ts";

const program = (noise: string, probe = ""): string => `
import * as al from "afterlog";
import { readdirSync } from "node:fs";
import { randomBytes } from "node:crypto";
let total = 0.5;
for (const epoch of al.loop("epoch", al.range(4))) {
  for (const step of al.loop("step", al.range(3))) {
    total = (total * 1.7 + ${noise}) % 1;
    al.log("loss", total);
    ${probe}
  }
  al.log("acc", total);
}
al.log("final", total);
`;

const ROWS: [string, string, (project: TestProject) => void][] = [
  ["crypto.getRandomValues", "crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32", () => {}],
  ["randomBytes", "randomBytes(1)[0] / 256", () => {}],
  ["randomUUID", "Number.parseInt(crypto.randomUUID().slice(0, 6), 16) / 2 ** 24", () => {}],
  ["Date.now", "(Date.now() % 977) / 977", () => {}],
  ["performance.now", "(performance.now() % 1)", () => {}],
  ["process.hrtime", "Number(process.hrtime.bigint() % 977n) / 977", () => {}],
  [
    "a folder that has lost a file",
    'readdirSync("data").length / 10',
    (project) => rmSync(join(project.folder, "data/a.txt")),
  ],
];

/** What the user is told of the first difference. */
function told({ events, stderr }: Answer): string {
  return `${events
    .filter(({ kind }) => kind === "failure" || kind === "done" || kind === "canary")
    .map((event) => JSON.stringify(event))
    .join("\n")}\n${stderr}`;
}

describe("a program that depends on", () => {
  test.each(ROWS)(
    "%s is marked diverged",
    async (_, noise, change) => {
      const files = { "data/a.txt": "a", "data/b.txt": "b", ".gitignore": "data\n" };
      using project = await record({ "train.mjs": program(noise), ...files }, "train.mjs", "all");
      change(project);
      edit(project, { "train.mjs": program(noise, 'al.log("probe", total);') });
      const answer = await ask(project, ["probe"]);
      expect(
        answer.cells.filter(({ check }) => check !== "diverged"),
        told(answer),
      ).toEqual([]);
      expect(told(answer)).toMatch(/"first_difference":\{"path":\[\["epoch",0\]/);
    },
    60_000,
  );
});

test("a file that was made after the run is not seen, and changes nothing", async () => {
  const noise = 'readdirSync("data").length / 10';
  const files = { "data/a.txt": "a", ".gitignore": "data\n" };
  using project = await record({ "train.mjs": program(noise), ...files }, "train.mjs", "all");
  writeFileSync(join(project.folder, "data/b.txt"), "b");
  edit(project, { "train.mjs": program(noise, 'al.log("probe", total);') });
  const losses = project.logged("loss");
  const answer = await ask(project, ["probe"]);
  expect(answer.cells.map(({ value }) => Number(value))).toEqual(losses);
  expect(new Set(answer.cells.map(({ check }) => check))).toEqual(new Set(["verified"]));
});

test("a variable of the environment that is another one stops the replay, and is named", async () => {
  const noise = "Number(process.env.TRUTH_NOISE ?? 0.25)";
  using project = await record({ "train.mjs": program(noise) }, "train.mjs", "all");
  edit(project, { "train.mjs": program(noise, 'al.log("probe", total);') });
  process.env["TRUTH_NOISE"] = "0.75";
  try {
    const answer = await ask(project, ["probe"]);
    expect(answer.cells).toEqual([]);
    expect(told(answer)).toContain("TRUTH_NOISE");
  } finally {
    delete process.env["TRUTH_NOISE"];
  }
});
