/**
 * @file The generated programs once more, without a word of Afterlog in them: plain loops, and
 * `console.log`. What is asked afterwards must be what the program prints when the statement is in
 * it from the start.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/project.ts";
import { count, DRAW_SEED } from "../support/draws.ts";
import { describeProgram } from "./check-program.ts";
import type { Program } from "./generate.ts";
import { HELPERS } from "./gadgets.ts";
import { programs, render } from "./generate.ts";
import { ask, edit, record, SEED } from "../support/ask.ts";

type Values = { [name: string]: number[] };

/** A number of all that a statement shows: what a program prints as a text is no record. */
const SHOW = `const show = (...all) =>
  [...JSON.stringify(all)].reduce((h, c) => (h * 31 + c.charCodeAt(0)) % 4294967291, 7);
function range(first, stop, step = 1) {
  const [from, to] = stop === undefined ? [0, first] : [first, stop];
  const length = Math.max(0, Math.ceil((to - from) / step));
  return Array.from({ length }, (_, i) => from + i * step);
}`;

const SHOWN = HELPERS.split("\n").at(-1) ?? "";

/** The program as somebody writes it who never heard of Afterlog. */
function unaware(program: Program): Program {
  const rewrite = (text: string): string =>
    text
      .replace(/^import \* as al from "afterlog";\n/m, "")
      .replace(SHOWN, SHOW)
      .replaceAll(
        /for \(const (\w+) of al\.loop\("\w+", al\.range\((\d+)\)\)\) \{$/gm,
        "for (let $1 = 0; $1 < $2; $1++) {",
      )
      .replaceAll(/ of al\.loop\("\w+", (.*)\)\) \{$/gm, " of $1) {")
      .replaceAll("al.range(", "range(")
      .replaceAll("al.checkpointing(", "(")
      .replaceAll("al.log(", "console.log(");
  const files = Object.entries(program.files).map(([name, text]) => [name, rewrite(text)] as const);
  const probes = program.probes.map((one) => ({ ...one, statement: rewrite(one.statement) }));
  return { ...program, files: Object.fromEntries(files), probes };
}

const RANDOM = pathToFileURL(join(ROOT, "build/sdk/random.js")).href;

/** What the program prints when it is run from scratch, by name. */
function printed(program: Program): Values {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-unaware-"));
  try {
    const names = program.probes.map(({ name }) => name);
    for (const [name, text] of Object.entries(render(program, names))) {
      writeFileSync(join(folder, name.replace(/\.ts$/, ".mjs")), text.replaceAll('.ts"', '.mjs"'));
    }
    const seeded = `import { SeededRandom } from ${JSON.stringify(RANDOM)};
      Math.random = new SeededRandom("${SEED}").random;
      await import("./${program.entry.replace(/\.ts$/, ".mjs")}");`;
    writeFileSync(join(folder, "seeded.mjs"), seeded);
    const run = spawnSync(process.execPath, ["seeded.mjs"], { cwd: folder, encoding: "utf8" });
    expect(run.status, run.stderr).toBe(0);
    const values: Values = {};
    for (const line of run.stdout.trimEnd().split("\n")) {
      const [name = "", value = ""] = line.split(" ");
      (values[name] ??= []).push(Number(value));
    }
    return values;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Records it unchanged, puts statements in, asks, and fails if one number is not the truth. */
async function check(made: Program, at: number): Promise<void> {
  const program = unaware(made);
  const truth = printed(program);
  using project = await record(render(program, []), program.entry, "all");
  expect(project.manifest.handsFree).toBe(true);
  const asked = program.probes.filter((_, n) => (n + at) % 3 === 0).slice(0, 4);
  const names = asked.map(({ name }) => name).filter((name) => truth[name]);
  if (names.length === 0) return;
  edit(project, render(program, at % 2 === 0 ? names : program.probes.map(({ name }) => name)));
  const answer = await ask(project, names, { workers: 1 + (at % 2) });
  const context = (): string => [answer.stderr, describeProgram(program, names)].join("\n");
  expect(answer.code, context()).toBe(0);
  for (const name of names) {
    const found = answer.cells
      .filter((cell) => cell.name === name)
      .map(({ value }) => Number(value));
    expect(
      found.toSorted((a, b) => a - b),
      `${name}\n${context()}`,
    ).toEqual(truth[name]?.toSorted((a, b) => a - b));
  }
}

const seed = DRAW_SEED;
const made = [
  ...fc.sample(programs({ rare: false }), { seed, numRuns: count(3, { long: 50 }) }),
  ...fc.sample(programs({ rare: true }), { seed, numRuns: count(3, { long: 50 }) }),
];

describe(`unaware programs, seed ${seed}`, () => {
  test.each(made.map((program, at) => ({ at, program })))(
    "program $at",
    async ({ at, program }) => {
      await check(program, at);
    },
  );
});
