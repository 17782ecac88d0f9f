/** A small training with all that matters for replaying: state in place, names, random draws. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { copiesOf, TestProject } from "../support/project.ts";

const TRAIN = `import * as al from "afterlog";

const epochs = al.arg("epochs", 3);
const lr = al.arg("lr", 0.1);
const state = al.checkpointing({ w: new Float64Array(4) });
let total = 0;
//prefix
for (const epoch of al.loop("epoch", al.range(epochs))) {
  for (const step of al.loop("step", al.range(6))) {
    for (let i = 0; i < 4; i++) state.w[i]! += lr * (Math.random() - 0.5);
    total += state.w[0]!;
    al.log("loss", total);
    //inner
  }
  al.log("accuracy", state.w[1]!);
  //outer
}
al.log("f1", total);
//suffix
`;

/** A statement for each scan, by the comment that it takes the place of. */
export const STATEMENTS = {
  prefix: 'al.log("begin", lr * 3);',
  inner: 'al.log("norm", Math.hypot(...state.w));',
  outer: 'al.log("best", state.w[1]! + total);',
  suffix: 'al.log("final", total * 2 + state.w[3]!);',
} as const;

export type Place = keyof typeof STATEMENTS;

/** The name that the statement at a place logs. */
export const NAMES: { readonly [place in Place]: string } = {
  prefix: "begin",
  inner: "norm",
  outer: "best",
  suffix: "final",
};

export function trainWith(...places: readonly Place[]): string {
  return places.reduce((text, place) => text.replace(`//${place}`, STATEMENTS[place]), TRAIN);
}

/** A value of a frame, by run and loops. */
export type FrameRow = { readonly [column: string]: unknown };

export class Training extends TestProject {
  constructor(files: { readonly [name: string]: string } = {}) {
    super({ "train.ts": TRAIN, ".gitignore": "node_modules\n", ...files });
  }

  /** A project with a run of the unchanged program, as `record` makes it. */
  static recorded(): Promise<Training> {
    return recorded();
  }

  /** Records a run in which every checkpoint is taken. */
  async record(...argv: readonly string[]): Promise<string> {
    const options = ["--overhead", "inf", "--seed", "7"];
    const { code, stderr } = await this.afterlog("run", ...options, "train.ts", ...argv);
    if (code !== 0) throw new Error(stderr);
    return this.manifest.run;
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** Asks for values that the runs did not log. */
  add(...places: readonly Place[]): void {
    this.write("train.ts", trainWith(...places));
  }

  async frame(...argv: readonly string[]): Promise<FrameRow[]> {
    const { stdout, stderr, code } = await this.afterlog("frame", "--json", ...argv);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as FrameRow[];
  }

  async json(...argv: readonly string[]): Promise<unknown> {
    const { stdout, stderr, code } = await this.afterlog(...argv, "--json");
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }
}

const recorded = copiesOf(
  async () => {
    const made = new Training();
    await made.record();
    return made;
  },
  () => new Training(),
);

/** The lines of `--json` events. */
export function eventsOf(
  stdout: string,
): { readonly kind: string; readonly [key: string]: unknown }[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { kind: string });
}
