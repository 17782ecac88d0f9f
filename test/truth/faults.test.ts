/**
 * Replays of damaged recordings: an error, or more iterations executed, but never a wrong number.
 */
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { some } from "../support/draws.ts";
import { ask, byPlace, record, SEED } from "../support/ask.ts";
import type { Cell } from "./reference-sdk.ts";
import { runFromScratch } from "./reference-sdk.ts";

const program = (probes: { end?: string; epoch?: string; step?: string } = {}): string => `
import * as al from "afterlog";
const mix = (a, b) => (a * 12.9898 + b * 78.233 + 0.5) % 1;
const state = al.checkpointing({ w: new Float64Array(600).fill(0.1) });
let total = 0.3;
const hist = [];
for (const epoch of al.loop("epoch", al.range(5))) {
  for (const step of al.loop("step", al.range(3))) {
    state.w[step] = mix(state.w[step], Math.random());
    total = mix(total, state.w[step]);
    al.log("loss", total);
    ${probes.step ?? ""}
  }
  hist.push(total);
  al.log("acc", mix(total, hist.length));
  ${probes.epoch ?? ""}
}
al.log("final", total);
${probes.end ?? ""}
`;
const STATE = "JSON.stringify([total, hist, [...state.w.subarray(0, 4)]])";
const PROBED = program({
  end: `al.log("end", ${STATE});`,
  epoch: `al.log("outer", ${STATE});`,
  step: `al.log("inner", ${STATE});`,
});

let original: TestProject;
let truth: Cell[];
beforeAll(async () => {
  original = await record({ "train.mjs": program() }, "train.mjs", "all");
  truth = await runFromScratch({ "train.mjs": PROBED }, "train.mjs", SEED);
});
afterAll(() => original[Symbol.dispose]());

/** A copy of the recording, for one damage. */
function copy(): TestProject {
  const project = new TestProject({ "train.mjs": PROBED });
  cpSync(join(original.folder, ".afterlog"), join(project.folder, ".afterlog"), {
    recursive: true,
    filter: (file) => !file.includes("index.duckdb"),
  });
  return project;
}

const checkpoint = (project: TestProject, name: string): string =>
  join(project.run, "checkpoints", `${name}.safetensors`);

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
}

function eachCheckpoint(damage: (file: string) => void): (project: TestProject) => void {
  return (project) => {
    const folder = join(project.run, "checkpoints");
    for (const name of readdirSync(folder)) {
      if (name.endsWith(".safetensors")) damage(join(folder, name));
    }
  };
}

function swap(project: TestProject, a: string, b: string): void {
  const kept = readFileSync(checkpoint(project, a));
  copyFileSync(checkpoint(project, b), checkpoint(project, a));
  writeFileSync(checkpoint(project, b), kept);
}

const indexFile = (project: TestProject): string => join(project.run, "checkpoints", "index.jsonl");

/** Changes the text of each line of the index. */
function rewriteIndex(
  change: (line: string, at: number) => string,
): (project: TestProject) => void {
  return (project) => {
    const lines = readFileSync(indexFile(project), "utf8").trimEnd().split("\n");
    writeFileSync(indexFile(project), `${lines.map(change).join("\n")}\n`);
  };
}

const DAMAGES: [string, (project: TestProject) => void][] = [
  ["no checkpoint file", eachCheckpoint((file) => rmSync(file))],
  ["the end of the loop missing", (project) => rmSync(checkpoint(project, "epoch=end"))],
  ["an iteration end missing", (project) => rmSync(checkpoint(project, "epoch=2"))],
  ["all files cut off", eachCheckpoint((file) => truncateSync(file, 5000))],
  ["all files empty", eachCheckpoint((file) => truncateSync(file, 0))],
  ["a bit flipped in the data", eachCheckpoint((file) => flip(file, -4000))],
  ["a bit flipped in every header", eachCheckpoint((file) => flip(file, 40))],
  ["a bit flipped in the structure", eachCheckpoint((file) => flip(file, -4090))],
  ["bytes behind the end", eachCheckpoint((file) => appendFileSync(file, Buffer.alloc(4096)))],
  [
    "two iteration ends swapped",
    (project) => {
      swap(project, "epoch=1", "epoch=2");
      swap(project, "epoch=0", "epoch=3");
    },
  ],
  ["a loop end and an iteration end swapped", (project) => swap(project, "epoch=end", "epoch=1")],
  [
    "two inner loop ends swapped",
    (project) => {
      swap(project, "epoch=1,step=end", "epoch=2,step=end");
    },
  ],
  [
    "an older file in the place of a newer",
    (project) => copyFileSync(checkpoint(project, "epoch=1"), checkpoint(project, "epoch=end")),
  ],
  ["lines of the index damaged", rewriteIndex((line, at) => (at % 2 ? line.slice(3) : line))],
  ["a bit flipped in the index", (project) => flip(indexFile(project), 300)],
  [
    "paths in the index exchanged",
    rewriteIndex((line) =>
      line
        .replace('"path":[["epoch",2]]', '"path":[["epoch",9]]')
        .replace('["epoch",1]', '["epoch",2]'),
    ),
  ],
  ["no index", (project) => rmSync(indexFile(project))],
  ["an index of nothing", (project) => writeFileSync(indexFile(project), "")],
  [
    "the tail of the log gone",
    (project) => {
      const log = join(project.run, "log.jsonl");
      const lines = readFileSync(log, "utf8").split("\n");
      writeFileSync(log, lines.slice(0, Math.floor(lines.length / 2)).join("\n"));
    },
  ],
  ["no profile", (project) => rmSync(join(project.run, "profile.jsonl"))],
];

describe("a replay of a recording with", () => {
  test.each(some(DAMAGES, { every: 2 }))(
    "%s gives no wrong number",
    async (what, damage) => {
      using project = copy();
      damage(project);
      for (const [names, where] of [
        [["end"], undefined],
        [["outer"], undefined],
        [["inner"], "epoch in (1, 3)"],
      ] as const) {
        const answer = await ask(project, names, { where, workers: 2 });
        const right = byPlace(truth);
        const found = Object.entries(byPlace(answer.cells));
        for (const [place, values] of found) expect([place, values]).toEqual([place, right[place]]);
        const asked = truth.filter(({ name, path }) => {
          return names.includes(name as never) && (!where || /^epoch=[13],/.test(path));
        });
        // Whoever gets less than was asked for must be told; without the end of its log a run
        // reads as one that was interrupted, and has not come to what is asked for.
        if (answer.code === 0 && what !== "the tail of the log gone")
          expect(found.length).toBe(Object.keys(byPlace(asked)).length);
      }
    },
    120_000,
  );
});
