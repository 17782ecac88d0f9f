/** What is asked together with other names is answered as it is alone. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { analyzeProgram } from "../../../src/languages/index.ts";
import { Questions } from "../../../src/replayer/propagation/asked-question.ts";
import { landInVersion } from "../../../src/replayer/propagation/landed-source.ts";
import { Decisions, textHash } from "../../../src/replayer/propagation/landing-decisions.ts";
import type { Piece } from "../../../src/replayer/propagation/pieces.ts";
import { pieceIn } from "../../../src/replayer/propagation/pieces.ts";
import type { AskedName, RecordedVersion } from "../../../src/replayer/propagation/place.ts";
import { isCertain } from "../../../src/replayer/propagation/place.ts";
import { WorkingTree } from "../../../src/replayer/propagation/working-tree.ts";
import type { Project } from "../../../src/store/index.ts";
import { after, before } from "../../questions/programs.ts";

const MODE = { handsFree: true };
const file = "train.ts";

/** A newer version of a program. */
const NEWER = `const data = [3, 1, 2];
const half = (v: number): number => v / 2; //+
function step(net: { k: number; training: boolean }): number {
  const loss = net.k * 2;
  net.k -= 0.1 * loss;
  console.log("spread", net.k - loss); //+
  return loss;
}
function main(): void {
  const net = { k: 0.5, training: true };
  const rate = data.length;
  for (let epoch = 0; epoch < 3; epoch++) {
    const loss = step(net);
    console.log("loss", loss);
    net.training = false; //+
    console.log("whole", net.k); //+
    net.training = true; //+
    console.log("rate", rate);
    console.log("helped", half(loss)); //+
    console.log("lost", rate * 2); //+
  }
  net.k = 0; //+
  console.log("changed", net.k); //+
  console.log("end", net.k);
}
main();
`;

/** The older one: all in one block, other words. */
const OLDER = `const data = [3, 1, 2];
const model = { k: 0.5, training: true };
for (let epoch = 0; epoch < 3; epoch++) {
  const cost = model.k * 2;
  model.k -= 0.1 * cost;
  console.log("loss", cost);
  console.log("gone", cost + 1);
}
console.log("end", model.k);
`;

/** The version in between: by way of it a log call lands that does not by itself. */
const BETWEEN = OLDER.replaceAll("cost", "loss").replaceAll("model", "net");
const BETWEEN_ASKED = BETWEEN.replace(
  "  console.log",
  '  console.log("spread", net.k - loss);\n  console.log',
);

function sourceOf(text: string, version: string | null): Omit<Piece, "name" | "parts"> {
  const read = (name: string): string | undefined => (name === file ? text : undefined);
  return { program: file, version, model: analyzeProgram(file, read, MODE), text: read };
}

/** Log calls that are bare, whole, with a function, lost, interventions, by way of another version. */
const NAMES = ["spread", "whole", "helped", "lost", "changed", "gone"];

function askedName(name: string): AskedName {
  const version = name === "gone" ? "c0ffee0" : null;
  const piece = pieceIn(
    sourceOf(name === "gone" ? OLDER : after({ file, text: NEWER }), version),
    name,
  );
  const nearer = name === "spread" ? pieceIn(sourceOf(BETWEEN_ASKED, "c0ffee1"), name) : undefined;
  return { name, pieces: piece ? [piece] : [], nearer: nearer && { ...nearer, leftOut: [] } };
}

const versionOf = (text: string): RecordedVersion => ({
  program: file,
  mode: MODE,
  files: [file],
  sources: [file],
  before: (name) => (name === file ? text : undefined),
});

test("names asked together are answered as they are alone", () => {
  const root = mkdtempSync(join(tmpdir(), "afterlog-together-"));
  try {
    writeFileSync(join(root, file), after({ file, text: NEWER }));
    const tree = new WorkingTree({ root } as Project, [], MODE);
    const versions = [before({ file, text: NEWER }), OLDER].map(versionOf);
    const asked = new Map(NAMES.map((name) => [name, askedName(name)]));
    /** By version, those of the names that are put in. */
    const answered = (names: readonly string[]): string[][] => {
      const tools = { tree, decisions: new Decisions([]), questions: new Questions() };
      return versions.map((version) => {
        const landed = landInVersion(
          version,
          names.flatMap((name) => asked.get(name) ?? []),
          { ...tools, isRenamed: false, onlyStatement: false },
        );
        const certain = landed.kind === "refused" ? [] : landed.names.filter(isCertain);
        return certain.map(({ name }) => name).toSorted();
      });
    };
    const alone = new Map(NAMES.map((name) => [name, answered([name])]));
    const isSure = (name: string, at: number): boolean => alone.get(name)?.[at]?.length === 1;
    expect(versions.map((_, at) => NAMES.filter((name) => !isSure(name, at)))).toEqual([
      ["gone"],
      ["helped"],
    ]);
    const pairs = NAMES.flatMap((one, at) => NAMES.slice(at + 1).map((other) => [one, other]));
    for (const names of [...pairs, NAMES]) {
      const should = versions.map((_, at) => names.filter((name) => isSure(name, at)).toSorted());
      expect(answered(names), names.join()).toEqual(should);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

/** Two names of one part, and an older version that clips what they read. */
const CLIPPED = (clip: string, part = ""): string => `let w = 1;
for (let epoch = 0; epoch < 3; epoch++) {
  w = w * 3;
${clip}${part}  console.log("loss", w);
}
`;
const SHARED = `  const seen = [w];
  seen.push(w + 1);
  console.log("one", seen.length);
  console.log("two", seen[1]);
`;

test("a part that one name was put elsewhere with is not taken from another name", () => {
  const root = mkdtempSync(join(tmpdir(), "afterlog-together-"));
  try {
    const now = CLIPPED("", SHARED);
    const then = CLIPPED("  w = Math.min(w, 2);\n");
    writeFileSync(join(root, file), now);
    const tree = new WorkingTree({ root } as Project, [], MODE);
    const asked = ["one", "two"].flatMap((name): AskedName[] => {
      const piece = pieceIn(sourceOf(now, null), name);
      return piece ? [{ name, pieces: [piece] }] : [];
    });
    const statement = asked[0]?.pieces[0]?.parts[0]?.statement ?? "";
    const choice = { kind: "place", line: 4 } as const;
    const decision = { name: "one", statement, file, sha256: textHash(then), choice } as const;
    const decisions = new Decisions([{ v: 1, ...decision, when: "" }]);
    const land = (names: readonly AskedName[]): { [name: string]: string } => {
      const tools = { tree, decisions, questions: new Questions() };
      const how = { ...tools, isRenamed: false, onlyStatement: false };
      const { names: found } = landInVersion(versionOf(then), names, how);
      return Object.fromEntries(found.map(({ name, verdict }) => [name, verdict]));
    };
    expect(land(asked.slice(0, 1))).toEqual({ one: "moved" });
    expect(land(asked)).toEqual({ two: "review", one: "cannot" });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("what came under other names is not called left out", () => {
  const root = mkdtempSync(join(tmpdir(), "afterlog-together-"));
  const program = ($w: string, part = ""): string => `const net = { k: 1, on: true };
for (let epoch = 0; epoch < 3; epoch++) {
  const ${$w} = net.k * 3;
${part}  console.log("loss", ${$w}, net.k);
  net.k -= ${$w} / 9;
}
`;
  try {
    const part = '  net.on = false;\n  const half = $loss / 2;\n  console.log("q", half);\n';
    const now = program("$loss", part);
    writeFileSync(join(root, file), now);
    const tree = new WorkingTree({ root } as Project, [], MODE);
    const piece = pieceIn(sourceOf(now, null), "q");
    const how = { decisions: new Decisions([]), questions: new Questions(), isRenamed: false };
    const { names } = landInVersion(
      versionOf(program("cost")),
      [{ name: "q", pieces: piece ? [piece] : [] }],
      { tree, ...how, onlyStatement: true },
    );
    expect(names.map(({ carried }) => carried)).toEqual([["const half = cost / 2;"]]);
    expect(names.map(({ leftOut }) => leftOut)).toEqual([["`net.on = false;` at line 4"]]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
