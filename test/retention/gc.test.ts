/** `afterlog gc` on real runs: what it says, what it removes, and that answers stay right. */
import { existsSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { listCheckpoints, readCheckpointIndex, runPaths } from "../../src/store/index.ts";
import { MAIN } from "../support/project.ts";
import { EPOCHS, PEAK, Training } from "./training.ts";

interface GcObject {
  readonly freed_bytes: number;
  readonly runs: readonly {
    readonly run: string;
    readonly freed_bytes: number;
    readonly removed: readonly { readonly path: string; readonly bytes: number }[];
    readonly leftovers: readonly { readonly file: string }[];
    readonly kept: number;
    readonly seconds: { readonly [scan: string]: { before: number; after: number } };
  }[];
  readonly left_out: readonly { readonly run: string; readonly why: string }[];
}

async function gc(project: Training, ...argv: readonly string[]): Promise<GcObject> {
  const { stdout, stderr, code } = await project.afterlog("gc", "--json", ...argv);
  if (code !== 0) throw new Error(`${code}: ${stderr}`);
  return JSON.parse(stdout) as GcObject;
}

/** The one run of which something was removed. */
function only({ runs }: GcObject): GcObject["runs"][number] {
  const [run, ...more] = runs;
  if (!run || more.length > 0) throw new Error(`${runs.length} runs`);
  return run;
}

describe("gc", () => {
  test("never guesses, and never goes on unasked", async () => {
    using project = await Training.recorded();
    const bare = await project.afterlog("gc");
    expect(bare).toMatchObject({ code: 2 });
    expect(bare.stderr).toMatch(/error\[AL001\]: nothing to do without a policy/);
    expect((await project.afterlog("gc", "-p", "much")).stderr).toContain("is no policy");
    expect(await project.afterlog("gc", "-p", "every:2")).toMatchObject({ code: 4 });
    const all = project.sound;
    const dry = await project.afterlog("gc", "-p", "peak:accuracy", "--dry-run");
    expect(dry.stdout).toMatch(/kB would be freed in train-.*; (?:nothing|.* goes from)/);
    expect(project.sound).toEqual(all);
    const none = await gc(project, "-p", "peak:acuracy", "-y");
    expect(none.left_out).toMatchObject([{ why: "it has no acuracy" }]);
    expect(none.runs).toEqual([]);
  });

  test.each(["peak:accuracy", "every:3", "100kB", "steps:0B"])(
    "%s: answers are the same after it, or dearer",
    async (policy) => {
      using truth = new Training();
      writeFileSync(join(truth.folder, "train.ts"), Training.with("inner", "outer"));
      await truth.record();
      using project = await Training.recorded();
      const before = project.sound.length;
      const planned = await gc(project, "-p", policy, "-n");
      const done = await gc(project, "-p", policy, "-y");
      expect(done.freed_bytes).toBe(planned.freed_bytes);
      const run = only(done);
      expect(project.sound).toHaveLength(run.kept);
      expect(run.removed).toHaveLength(before - run.kept);
      for (const { before: from, after: to } of Object.values(run.seconds)) {
        // Restoring is preferred even where it takes a little longer than executing.
        expect(to).toBeGreaterThan(from - 0.31);
      }
      const listed = await project.afterlog("query", "select count(*) as n from checkpoints");
      expect(listed.stdout).toContain(String(run.kept));
      expect((await gc(project, "-p", policy, "-y")).runs).toEqual([]);
      writeFileSync(join(project.folder, "train.ts"), Training.with("inner", "outer"));
      const replayed = await project.afterlog("replay", "inner", "outer", "-y", "-j", "1");
      expect(replayed).toMatchObject({ code: 0 });
      for (const name of ["inner", "outer"]) {
        const { stdout } = await project.afterlog("frame", name, "--json");
        const values = (JSON.parse(stdout) as { [name: string]: unknown }[]).map(
          (row) => row[name],
        );
        expect(values).toEqual(truth.logged(name));
      }
    },
  );

  test("a plan that was made before it is still answered, by executing", async () => {
    using truth = new Training();
    writeFileSync(join(truth.folder, "train.ts"), Training.with("inner"));
    await truth.record();
    using project = await Training.recorded();
    writeFileSync(join(project.folder, "train.ts"), Training.with("inner"));
    const asked = ["inner", "--where", "epoch = 3 and step = 1"];
    const { stdout } = await project.afterlog("plan", ...asked, "--json");
    writeFileSync(join(project.folder, "plan.json"), stdout);
    await gc(project, "-p", "peak:accuracy", "-y");
    const replayed = await project.afterlog("replay", "--plan", "plan.json", "-y");
    expect(replayed).toMatchObject({ code: 0 });
    const frame = await project.afterlog("frame", ...asked, "--json");
    expect(JSON.parse(frame.stdout)).toMatchObject([{ inner: truth.logged("inner")[3 * 4 + 1] }]);
  });

  test("removes what killed processes left, and nothing that is new or not ours", async () => {
    using project = await Training.recorded();
    const folder = runPaths.checkpoints(project.run);
    const old = new Date("2026-01-01");
    const make = (name: string, time?: Date): void => {
      writeFileSync(join(folder, name), "x");
      if (time) utimesSync(join(folder, name), time, time);
    };
    make("epoch=9.safetensors.tmp", old);
    make("epoch=9.safetensors", old);
    make("epoch=8.safetensors");
    make("notes.txt", old);
    const { runs } = await gc(project, "-p", "all", "-y");
    expect(runs[0]?.leftovers.map(({ file }) => file).toSorted()).toEqual([
      "epoch=9.safetensors",
      "epoch=9.safetensors.tmp",
    ]);
    expect(project.unlisted.toSorted()).toEqual(["epoch=8.safetensors", "notes.txt"]);
    // A line that cannot be read may have named a file that looks like a leftover.
    const index = runPaths.checkpointIndex(project.run);
    const text = readFileSync(index, "utf8");
    writeFileSync(index, text.replace('"kind":"iteration"', '"kind":"iteratiom"'));
    make("epoch=9.safetensors", old);
    expect((await gc(project, "-p", "all", "-y")).runs).toEqual([]);
    expect(existsSync(join(folder, "epoch=9.safetensors"))).toBe(true);
  });

  test("appends after a torn line as if it had never been", async () => {
    using project = new Training();
    await project.record({ KILL_AT: "3,2" });
    const index = runPaths.checkpointIndex(project.run);
    truncateSync(index, readFileSync(index).byteLength - 7);
    const listed = listCheckpoints(project.run);
    await gc(project, "-p", "every:2", "-y");
    expect(readCheckpointIndex(project.run).damaged).toBe(0);
    expect(project.sound.length).toBeLessThan(listed.length);
    // What the torn line named is a leftover, once it is old enough.
    expect(project.unlisted).toHaveLength(1);
    // It can still go on: the newest two stay.
    const { code } = await project.record({}, "--resume");
    expect(code).toBe(0);
    using truth = await Training.recorded();
    expect(project.logged("f1")).toEqual(truth.logged("f1"));
  });

  test("leaves runs alone that somebody uses", async () => {
    using project = await Training.recorded();
    const done = basename(project.run);
    writeFileSync(join(project.folder, "wait.mjs"), WAIT);
    const { child, finished } = project.start([MAIN, "run", "wait.mjs"], {}, { stdin: "pipe" });
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    const { runs, left_out } = await gc(project, "-p", "every:2", "-n");
    expect(left_out).toMatchObject([{ why: "it is still being recorded" }]);
    expect(runs.map(({ run }) => run)).toEqual([done]);
    child.stdin?.end();
    expect(await finished).toMatchObject({ code: 0 });
    const newest = await gc(project, "@~1", "-p", "peak:accuracy", "-y");
    expect(newest.runs).toMatchObject([{ run: done }]);
    expect(project.run).not.toContain(done);
  });

  test("peak and end leaves the best, the last and what they are made of", async () => {
    using project = await Training.recorded();
    await gc(project, "-p", "peak:accuracy", "-y");
    expect(project.sound).toEqual(
      expect.arrayContaining([`epoch=${PEAK}`, `epoch=${EPOCHS - 1}`, "epoch=end"]),
    );
    expect(project.sound.length).toBeLessThan(8);
    const fork = await project.afterlog("fork", `@@epoch=${PEAK}`);
    expect(fork).toMatchObject({ code: 0 });
    const gone = await project.afterlog("fork", "@~1@epoch=0");
    expect(gone.stderr).toMatch(/error\[AL035\]/);
  });
});

const WAIT = `import * as al from "afterlog";
for (const epoch of al.loop("epoch", al.range(1))) {
  console.log("begun");
  for await (const _ of process.stdin);
}
`;
