/**
 * Programs that do not do the same twice: what they get from a clock or from entropy is recorded, and
 * given again in replays; of anything else the first path at which the replay differs is named, and
 * what it finds is marked `diverged`, or nothing is found.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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

const ROWS: [string, string][] = [
  ["crypto.getRandomValues", "crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32"],
  ["randomBytes", "randomBytes(1)[0] / 256"],
  ["randomUUID", "Number.parseInt(crypto.randomUUID().slice(0, 6), 16) / 2 ** 24"],
  ["Date.now", "(Date.now() % 977) / 977"],
  ["performance.now", "(performance.now() % 1)"],
  ["process.hrtime", "Number(process.hrtime.bigint() % 977n) / 977"],
];

/** What the user is told of the first difference. */
function told({ events, stderr }: Answer): string {
  return `${events
    .filter(({ kind }) => kind === "failure" || kind === "done" || kind === "canary")
    .map((event) => JSON.stringify(event))
    .join("\n")}\n${stderr}`;
}

test.each(ROWS)("what depends on %s is what it was", { timeout: 60_000 }, async (_, noise) => {
  using project = await record({ "train.mjs": program(noise) }, "train.mjs", "all");
  const losses = project.logged("loss");
  edit(project, { "train.mjs": program(noise, 'al.log("probe", total);') });
  const answer = await ask(project, ["probe"]);
  expect(answer.cells.map(({ value }) => Number(value))).toEqual(losses);
  expect(answer.cells.map(({ check }) => check)).toEqual(Array(12).fill("verified"));
});

test("a program that depends on a folder that has lost a file is marked diverged", async () => {
  const noise = 'readdirSync("data").length / 10';
  const files = { "data/a.txt": "a", "data/b.txt": "b", ".gitignore": "data\n" };
  using project = await record({ "train.mjs": program(noise), ...files }, "train.mjs", "all");
  rmSync(join(project.folder, "data/a.txt"));
  edit(project, { "train.mjs": program(noise, 'al.log("probe", total);') });
  const answer = await ask(project, ["probe"]);
  const others = answer.cells.filter(({ check }) => check !== "diverged");
  expect(others, told(answer)).toEqual([]);
  expect(told(answer)).toMatch(/"first_difference":\{"path":\[\["epoch",0\]/);
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
