/**
 * What people say of runs, and runs that go and come back: by the built command line, with real runs,
 * git and DuckDB. Nothing that a run wrote itself may change by any of it.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { listRunIds } from "../../src/store/index.ts";
import { needs } from "../support/needs.ts";
import { ROOT, TestProject } from "../support/project.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const TRAIN = `import * as al from "afterlog";
const hidden = al.arg("hidden", 64);
const state = al.checkpointing({ w: 0 });
for (const epoch of al.loop("epoch", al.range(2))) {
  state.w += hidden;
  al.log("loss", state.w);
}
`;

let recorded: TestProject;
let project: TestProject;
/** Ids of three runs, oldest first, called `one`, `two`, and nothing. */
let ids: string[] = [];
beforeAll(async () => {
  recorded = TestProject.apart({ git: true, fast: true });
  project = recorded;
  project.write("train.ts", TRAIN);
  for (const words of [["--name", "one"], ["--name", "two"], []]) {
    await said("run", "--overhead", "inf", ...words, "train.ts", `hidden=${32 << ids.length}`);
    ids = [...ids, ...runsHere().filter((run) => !ids.includes(run))];
  }
});
afterAll(() => recorded[Symbol.dispose]());
beforeEach(() => {
  project = TestProject.apart({ fast: true });
  project.copyFrom(recorded);
});
afterEach(() => project[Symbol.dispose]());

function runsHere(): string[] {
  return listRunIds(project.store);
}

/** Both streams of a command that must succeed. */
async function said(...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.afterlog(...argv);
  assert.equal(code, 0, `${argv.join(" ")}: ${stdout}${stderr}`);
  return stdout + stderr;
}

async function rows(sql: string): Promise<unknown> {
  return JSON.parse((await project.afterlog("query", "--json", sql)).stdout);
}

/** Every byte that runs wrote, by path. */
function written(): Map<string, string> {
  const folder = join(project.store, "runs");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return new Map(
    names.flatMap((name) => {
      const path = join(folder, name);
      if (!statSync(path).isFile()) return [];
      return [[name, createHash("sha256").update(readFileSync(path)).digest("hex")] as const];
    }),
  );
}

function refs(): string[] {
  const words = ["for-each-ref", "--format=%(refname)", "refs/afterlog/runs"];
  const out = execFileSync("git", words, { cwd: project.folder, encoding: "utf8" });
  return out.split("\n").filter((line) => line !== "");
}

/** Types what the screen says leads back. */
async function wayBack(text: string): Promise<string> {
  const [, line = ""] = /^way back: {2}afterlog (.*)$/m.exec(text) ?? [];
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? "",
  );
  assert.ok(words.length > 0, `no way back in: ${text}`);
  return said(...words);
}

const SAID = "select name, tags, note, hidden from main.runs order by ordinal";

test("everything that is said stands in SQL, frames and lists, and leads back to what was before", async () => {
  const before = written();
  const start = await rows(SAID);
  const changes = [
    ["tag", "one", "two", "+good", "+new"],
    ["tag", "-w", "hidden > 32 and name = 'two'", "-new"],
    ["note", "one", "too high, by far"],
    ["note", "one", "another"],
    ["note", "one", "--remove"],
    ["name", "@", "three"],
    ["name", "one", "first"],
    ["name", "two", "--remove"],
    ["hide", "@"],
    ["hide", "-w", "not hidden = 64"],
  ];
  const states: unknown[] = [start];
  const texts: string[] = [];
  for (const words of changes) {
    texts.push(await said(...words));
    states.push(await rows(SAID));
  }
  expect(states.at(-1)).toEqual([
    { name: "first", tags: ["good", "new"], note: null, hidden: true },
    { name: null, tags: ["good"], note: null, hidden: false },
    { name: "three", tags: [], note: null, hidden: true },
  ]);
  for (const [at, text] of [...texts.entries()].toReversed()) {
    await wayBack(text);
    expect([changes[at], await rows(SAID)]).toEqual([changes[at], states[at]]);
  }
  expect(written()).toEqual(before);
});

test(
  "both languages' frame has them, and an argument of such a name stays what it was",
  needs("python"),
  async () => {
    await said("tag", "one", "+good");
    await said("note", "one", "x");
    await said("hide", "two");
    const own = [
      { run: ids[0], tags: ["good"], note: "x", hidden: 32 },
      { run: ids[1], tags: [], note: null, hidden: 64 },
      { run: ids[2], tags: [], note: null, hidden: 128 },
    ];
    const asked = ["tags", "note", "hidden"];
    const frame = JSON.parse(await said("frame", ...asked, "--grain", "run", "--json")) as object[];
    expect(frame).toMatchObject(own);
    project.write(
      "read.mjs",
      `import { frame } from "afterlog";
console.log(JSON.stringify(await frame(["tags", "note", "hidden"], { grain: "run" })));`,
    );
    const typescript = await project.node("read.mjs");
    expect([typescript.stderr, JSON.parse(typescript.stdout)]).toMatchObject(["", own]);
    const words = `import afterlog, json; print(json.dumps(afterlog.frame("tags", "note", "hidden", grain="run")))`;
    const python = await project.start(
      ["-c", words],
      { PYTHONPATH: join(ROOT, "python"), AFTERLOG_MODE: "off" },
      { command: "python3" },
    ).finished;
    expect([python.stderr, JSON.parse(python.stdout)]).toMatchObject(["", own]);
    expect(await rows("select run, hidden from runs where hidden > 32 order by 2")).toMatchObject([
      { hidden: 64 },
      { hidden: 128 },
    ]);
    const listed = JSON.parse((await project.afterlog("ls", "--json")).stdout) as object[];
    expect(listed).toMatchObject([
      { run: ids[2], hidden: false, args: { hidden: 128 } },
      { run: ids[0], tags: ["good"], note: "x", args: { hidden: 32 } },
    ]);
    expect(await said("ls")).toMatch(/^1 hidden \(--hidden shows them\)$/m);
    expect(await said("ls", "--hidden", "-c", "loss")).toContain(ids[1] ?? "none");
  },
);

test("a run goes by its name wherever one is named, and is called so", async () => {
  const [one = "", two = ""] = ids;
  expect(await said("show", "one")).toContain(`one (id ${one})`);
  expect(await said("show", "one")).toContain("✔ done");
  for (const words of [
    ["diff", "one", "two"],
    ["restore", "one@epoch=1", "--json"],
    ["why", "one", "loss"],
    ["gc", "one", "--policy", "all", "-n"],
    ["check", "one"],
    ["bisect", "loss > 100", "--good", "one", "--bad", "@"],
  ]) {
    const { code, stderr } = await project.afterlog(...words);
    expect([words, code, stderr.includes("AL004")]).toEqual([words, 0, false]);
  }
  // A message says the name, also where the id was typed.
  const refused = await project.afterlog("rm", `${two}x`);
  expect(refused.stderr).toContain(`two (id ${two})`);
  const near = await project.afterlog("show", "onn");
  expect(near.stderr).toContain("did you mean one?");
  await project.afterlog("run", "--name", "one", "train.ts");
  const shared = await project.afterlog("show", "one");
  expect(shared).toMatchObject({ code: 1 });
  const labels = [...shared.stderr.matchAll(/one~\w{4}/g)].map(([label]) => label);
  expect(labels).toHaveLength(2);
  expect(await said("show", `one~${one.slice(-4)}`)).toContain(`(id ${one})`);
});

test("a run goes to the trash with its replays, comes back whole, or goes for good with its version", async () => {
  project.write("train.ts", `${TRAIN}al.log("twice", state.w * 2);\n`);
  await said("replay", "twice", "-y");
  const before = written();
  const all = await rows("from runs order by run");
  const [one = "", , last = ""] = ids;
  const gone = await said("rm", "one", "@");
  expect(gone).toMatch(
    new RegExp(`^${one} and its replay ${one.slice(0, 5)}\\S+, .* is in the trash$`, "m"),
  );
  expect(await rows("select name from runs where kind <> 'replay'")).toEqual([{ name: "two" }]);
  expect(await said("ls")).not.toContain(last);
  expect(refs()).toHaveLength(3);
  expect(await said("rm", "--list")).toContain(one);
  await wayBack(gone);
  expect([written(), await rows("from runs order by run")]).toEqual([before, all]);
  await said("rm", "one");
  expect(await said("rm", "--undo", "one")).toContain("is back");
  expect(written()).toEqual(before);

  await said("rm", "one");
  expect(await project.afterlog("gc", "--trash")).toMatchObject({ code: 4 });
  expect(await said("gc", "--trash", "-n")).toContain("would go for good");
  expect(refs()).toHaveLength(3);
  expect(await said("gc", "--trash", "-y")).toContain("1 run and 1 version removed for good");
  // Of runs that begin in one second chance says which comes first.
  const left = refs().map((ref) => ref.slice("refs/afterlog/runs/".length));
  expect(left.toSorted()).toEqual(ids.slice(1).toSorted());
  expect(readdirSync(join(project.store, "trash"))).toEqual([]);
  expect(await project.afterlog("rm", "--undo", "one")).toMatchObject({ code: 1 });
  expect(await said("check", "two")).toContain("equal the record");
});

test("a replay that is to be continued says that a run of it was removed", async () => {
  project.write("train.ts", `${TRAIN}al.log("twice", state.w * 2);\n`);
  // Somebody stops it after the first of its three parts.
  const stopped = await project.afterlog("replay", "twice", "-y", "-j", "1", "--max-time", "1s");
  expect(stopped.code).toBe(130);
  const removed = await said("rm", "one");
  const { code, stderr } = await project.afterlog("resume");
  expect({ code, stderr }).toMatchObject({ code: 1 });
  expect(stderr).toMatch(/AL034[^]*a run of it was removed[^]*help: bring it back[^]*rm --undo/);
  await wayBack(removed);
  expect(await said("resume")).toContain("cells filled");
});

test("what others need is not removed, and then nothing is", async () => {
  await said("fork", "one@epoch=0");
  const [fork = ""] = runsHere().filter((run) => !ids.includes(run));
  const before = written();
  const refused = await project.afterlog("rm", "two", "one");
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toMatch(new RegExp(`AL037[^]*one: it has a fork: ${fork}`));
  expect(written()).toEqual(before);
  // One that is being recorded: it waits until it is told to end.
  project.write(
    "wait.ts",
    `import * as al from "afterlog"; import { existsSync } from "node:fs";
for (const epoch of al.loop("epoch", al.range(1e9))) {
  al.log("loss", epoch);
  await new Promise((resolve) => setTimeout(resolve, 20));
  if (existsSync("enough")) break;
}`,
  );
  const recording = project.start([join(ROOT, "dist/cli/main.js"), "run", "wait.ts"]);
  await vi.waitFor(() => expect(runsHere()).toHaveLength(5), { timeout: 60_000 });
  await vi.waitFor(async () => expect(await said("ls")).toContain("recording"), {
    timeout: 60_000,
  });
  const busy = await project.afterlog("rm", "@");
  expect(busy.stderr).toMatch(/AL037[^]*it is still being recorded/);
  project.write("enough", "");
  expect((await recording.finished).code).toBe(0);
  await said("rm", "@");
  // Together they can go, in whatever order they are named.
  await said("rm", "one", fork);
  expect(runsHere().toSorted()).toEqual(ids.slice(1).toSorted());
});

test("a torn line, a clock that was set back and a damaged file lose nothing that was said", async () => {
  await said("tag", "one", "+first");
  const file = join(project.store, "annotations.jsonl");
  appendFileSync(file, '{"v":1,"run":"torn');
  await said("tag", "one", "+second");
  expect(await rows("select tags from runs where name = 'one'")).toEqual([
    { tags: ["first", "second"] },
  ]);
  const ahead = Date.parse("2099-01-01");
  appendFileSync(
    file,
    `${JSON.stringify({ v: 1, run: ids[0], at: ahead, k: "note", text: "far" })}\n`,
  );
  await said("note", "one", "now");
  expect(await rows("select note from runs where name = 'one'")).toEqual([{ note: "now" }]);
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([0xff, 0xfe, 0, 10])]));
  await said("tag", "one", "-first");
  expect(await rows("select tags, note from runs where name = 'one'")).toEqual([
    { tags: ["second"], note: "now" },
  ]);
});
