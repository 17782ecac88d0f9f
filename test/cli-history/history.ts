/** A history of runs in which one value turns bad, which nobody logged. */
import { execFileSync } from "node:child_process";
import { Training } from "../cli-replay/training.ts";

const TRAIN = `import * as al from "afterlog";
const scale = al.arg("scale", 1);
const state = al.checkpointing({ w: new Float64Array(2) });
for (const epoch of al.loop("epoch", al.range(2))) {
  for (let i = 0; i < 2; i++) state.w[i]! += scale * Math.random();
  al.log("loss", state.w[0]!);
}
al.log("f1", state.w[1]!);
//suffix
`;

/** Logs what the runs did not: `fails` makes those with that scale throw instead. */
export function withProbe(fails = -1): string {
  const throws = `if (scale === ${fails}) throw new Error("no such class");`;
  const value = fails < 0 ? "scale * 10" : `((): number => { ${throws} return scale * 10; })()`;
  return TRAIN.replace("//suffix", `al.log("f1_seven", ${value});`);
}

export class History extends Training {
  constructor() {
    super({ "train.ts": TRAIN });
    this.git("init", "-q", "-b", "main");
    this.commit("first");
  }

  git(...args: string[]): string {
    const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    return execFileSync("git", [...identity, ...args], { cwd: this.folder, encoding: "utf8" });
  }

  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", message);
  }

  /** One run for each scale, oldest first; each after a commit of its own. */
  async recordAll(scales: readonly number[]): Promise<string[]> {
    const runs: string[] = [];
    for (const [at, scale] of scales.entries()) {
      this.commit(`batch ${at}`);
      runs.push(await this.record(`scale=${scale}`));
    }
    return runs;
  }
}
