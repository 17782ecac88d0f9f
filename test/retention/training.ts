/** A training with steps, epochs and a metric that peaks in the middle; every checkpoint is taken. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { formatPath } from "../../src/format/index.ts";
import { listCheckpoints, verifyCheckpoints } from "../../src/store/index.ts";
import { copiesOf, TestProject } from "../support/project.ts";
import type { Finished } from "../support/process.ts";

export const EPOCHS = 5;
/** The epoch in which `accuracy` is greatest. */
export const PEAK = 2;

const TRAIN = `import * as al from "afterlog";

const state = al.checkpointing({ w: new Float64Array(3000), frozen: new Float64Array(2000) });
let total = 0;
for (const epoch of al.loop("epoch", al.range(${EPOCHS}))) {
  for (const step of al.loop("step", al.range(4))) {
    for (let i = 0; i < 3000; i++) state.w[i]! += Math.random() - 0.5;
    total += state.w[0]!;
    al.log("loss", total);
    if (process.env.KILL_AT === epoch + "," + step) {
      // What was taken is durable by then.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      process.kill(process.pid, "SIGKILL");
    }
    //inner
  }
  al.log("accuracy", -((epoch - ${PEAK}) ** 2));
  //outer
}
al.log("f1", total + state.w[2999]!);
`;

export class Training extends TestProject {
  constructor() {
    super({ "train.ts": TRAIN, ".gitignore": "node_modules\n" });
  }

  /** A project with a run of the unchanged program, as `record` makes it. */
  static recorded(): Promise<Training> {
    return recorded();
  }

  static with(...statements: readonly ("inner" | "outer")[]): string {
    return statements.reduce((text, place) => {
      return text.replace(`//${place}`, `al.log("${place}", total * 3 + state.w[7]!);`);
    }, TRAIN);
  }

  /** `afterlog run` with each checkpoint taken. */
  record(env: NodeJS.ProcessEnv = {}, ...options: readonly string[]): Promise<Finished> {
    const argv = ["run", "--overhead", "inf", "--seed", "7", ...options, "train.ts"];
    return this.afterlogWith(env, ...argv);
  }

  /** Paths of the checkpoints that there are, each of them read and verified. */
  get sound(): string[] {
    const { good, bad } = verifyCheckpoints(this.run);
    if (bad.length > 0) throw new Error(`damaged: ${bad.map(({ record }) => record.file).join()}`);
    return good.map(({ path }) => formatPath(path));
  }

  /** Checkpoint files that are in no line. */
  get unlisted(): string[] {
    const listed = new Set(listCheckpoints(this.run).map(({ file }) => file));
    return readdirSync(join(this.run, "checkpoints")).filter((file) => {
      return file !== "index.jsonl" && !listed.has(file);
    });
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
