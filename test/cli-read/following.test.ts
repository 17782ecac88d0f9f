/** @file A run that is under way, followed from another shell. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Started } from "../support/process.ts";
import { TestProject } from "../support/project.ts";

/** It goes on until somebody says so. */
const PROGRAM = `import * as al from "afterlog";
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
for (const epoch of al.loop("epoch", al.range(1e6))) {
  al.log("loss", 1 / (1 + epoch));
  if (epoch === 3) writeFileSync("begun", "");
  await sleep(20);
  if (existsSync("enough")) break;
}
al.log("final", 7);
`;

let project: TestProject;
let training: Started;
beforeEach(async () => {
  project = new TestProject({ "train.js": PROGRAM, "package.json": '{ "type": "module" }' });
  training = project.start([MAIN, "run", "train.js"]);
  await until(() => existsSync(join(project.folder, "begun")));
});
afterEach(async () => {
  training.child.kill("SIGKILL");
  await training.finished;
  project[Symbol.dispose]();
});

const MAIN = new URL("../../dist/cli/main.js", import.meta.url).pathname;

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}

/** What a process says, as it says it. */
function listen({ child }: Started): { text: string } {
  const heard = { text: "" };
  child.stdout?.on("data", (text: string) => (heard.text += text));
  return heard;
}

test("watch and tail -f tell what is logged, and end with the run", async () => {
  const watching = project.start([MAIN, "watch", "--json"]);
  const tailing = project.start([MAIN, "tail", "-f", "-n", "1", "-c", "loss,final"]);
  const [watched, tailed] = [listen(watching), listen(tailing)];
  await until(() => watched.text.split('"index"').length > 4);
  await until(() => tailed.text.split("\n").length > 4);
  writeFileSync(join(project.folder, "enough"), "");
  const [watch, tail] = [await watching.finished, await tailing.finished];
  expect({ code: watch.code, tail: tail.code, stderr: watch.stderr }).toEqual({
    code: 0,
    tail: 0,
    stderr: "",
  });
  const states = watch.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as State);
  const last = states.at(-1);
  expect(last).toMatchObject({ kind: "run", status: "done" });
  expect(last?.metrics.at(-1)).toMatchObject({ name: "final", last: 7 });
  const loops = states.flatMap((state) => state.loops.slice(0, 1));
  expect(loops[0]).toMatchObject({ loop: "epoch", length: 1e6 });
  expect(loops.every(({ index }, at) => index >= (loops[at - 1]?.index ?? 0))).toBe(true);
  const lines = tail.stdout.trimEnd().split("\n");
  expect(lines.at(-1)).toBe("final  7");
  const seen = lines
    .slice(0, -1)
    .map((line) => Number(/^epoch#=(\d+) {2}loss {2}/.exec(line)?.[1]));
  // None is left out, and none told twice.
  expect(seen).toEqual(seen.map((_, at) => (seen[0] ?? NaN) + at));
});

interface State {
  readonly loops: readonly { readonly index: number }[];
  readonly metrics: readonly object[];
}

test("Ctrl-C ends the watching, and nothing else; of a run that is killed watch says so", async () => {
  const watching = project.start([MAIN, "watch"]);
  const heard = listen(watching);
  await until(() => heard.text !== "");
  watching.child.kill("SIGINT");
  expect((await watching.finished).code).toBe(130);
  const again = project.start([MAIN, "watch", "@"]);
  const first = listen(again);
  await until(() => first.text !== "");
  training.child.kill("SIGKILL");
  process.kill(project.manifest.host.pid, "SIGKILL");
  const { code, stdout } = await again.finished;
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ train-\S+ interrupted/);
});
