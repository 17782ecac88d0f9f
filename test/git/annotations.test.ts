/**
 * What people say of runs travels by git: machines that say things, send and receive in any order agree
 * in the end, and what a remote says is taken for what it is.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Annotation, AnnotationChange } from "../../src/format/index.ts";
import type { Exchanged } from "../../src/store/index.ts";
import {
  annotate,
  listRunIds,
  pullRuns,
  pushRuns,
  readRunAnnotations,
} from "../../src/store/index.ts";
import { count } from "../support/draws.ts";
import { TestProject } from "../support/project.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const TRAIN = `import * as al from "afterlog";
for (const epoch of al.loop("epoch", al.range(2))) al.log("loss", epoch);
`;

let first: TestProject;
let second: TestProject;
let remote: string;
let runs: readonly string[];
beforeAll(async () => {
  first = TestProject.apart({ git: true, fast: true });
  first.write("train.ts", TRAIN);
  for (const _ of [1, 2]) assert.equal((await first.afterlog("run", "train.ts")).code, 0);
  runs = listRunIds(first.store).toSorted();
  second = TestProject.apart({ git: true, fast: true });
  second.write("train.ts", TRAIN);
  remote = join(second.folder, "remote.git");
});
afterAll(() => {
  first[Symbol.dispose]();
  second[Symbol.dispose]();
});
beforeEach(() => {
  for (const { store } of [first, second])
    rmSync(join(store, "annotations.jsonl"), { force: true });
  rmSync(remote, { recursive: true, force: true });
  mkdirSync(remote);
  git(remote, "init", "-q", "--bare");
  push(first);
  pull(second);
});

function git(cwd: string, ...argv: string[]): string {
  return execFileSync("git", argv, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function push({ folder, store }: TestProject): Exchanged {
  return pushRuns({ project: { root: folder, store }, remote, cwd: folder });
}

function pull({ folder, store }: TestProject): Exchanged {
  return pullRuns({ project: { root: folder, store }, remote, cwd: folder });
}

function say({ store }: TestProject, at: number, run: number, change: AnnotationChange): void {
  annotate(store, [{ run: runs[run] ?? "", change }], at);
}

/** What is said of the runs, as the machine sees it. */
function said({ store }: TestProject): unknown {
  const all = readRunAnnotations(store);
  return runs.map((run) => all.get(run) ?? null);
}

const change: fc.Arbitrary<AnnotationChange> = fc.oneof(
  fc.record({
    k: fc.constant("tag"),
    tag: fc.constantFrom("good", "bad"),
    on: fc.boolean(),
  }),
  fc.record({ k: fc.constantFrom("note", "name"), text: fc.constantFrom("a", "b", null) }),
  fc.record({ k: fc.constant("hidden"), on: fc.boolean() }),
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.boolean(), fc.nat(20), fc.nat(1), change) },
  { weight: 1, arbitrary: fc.tuple(fc.boolean(), fc.constantFrom("push", "pull")) },
);

test("two machines agree, whoever said, sent and received first, and whatever their clocks say", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 4, maxLength: 10 }), (steps) => {
      for (const [isFirst, what, run, how] of steps) {
        const machine = isFirst ? first : second;
        if (what === "push") push(machine);
        else if (what === "pull") pull(machine);
        else if (run !== undefined && how !== undefined) say(machine, what, run, how);
      }
      for (const machine of [first, second]) push(machine);
      for (const machine of [first, second]) pull(machine);
      expect(said(second)).toEqual(said(first));
      expect([push(first).annotations, pull(second).annotations]).toEqual([0, 0]);
    }),
    { numRuns: count(3, { long: 60 }) },
  );
});

test("somebody who sends at the same time loses nothing", () => {
  say(first, 1, 0, { k: "tag", tag: "ours", on: true });
  say(second, 1, 0, { k: "tag", tag: "theirs", on: true });
  // The other one is quicker by a hook of the remote: between what was listed and what is sent.
  const hook = join(remote, "hooks/pre-receive");
  push(second);
  const theirs = git(remote, "rev-parse", "refs/afterlog/annotations").trim();
  git(remote, "update-ref", "-d", "refs/afterlog/annotations");
  const once = `#!/bin/sh
[ -e once ] && exit 0
touch once
unset GIT_QUARANTINE_PATH
git update-ref refs/afterlog/annotations ${theirs}
`;
  mkdirSync(join(remote, "hooks"), { recursive: true });
  writeFileSync(hook, once, { mode: 0o755 });
  expect(push(first).annotations).toBe(1);
  expect(existsSync(join(remote, "once"))).toBe(true);
  pull(first);
  pull(second);
  expect(said(first)).toMatchObject([{ tags: ["ours", "theirs"] }, null]);
  expect(said(second)).toEqual(said(first));
});

function remoteLines(lines: readonly (Partial<Annotation> | string)[]): void {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  const words = ["hash-object", "-w", "--stdin"];
  const object = execFileSync("git", words, {
    cwd: remote,
    input: text.join(""),
    encoding: "utf8",
  });
  git(remote, "update-ref", "refs/afterlog/annotations", object.trim());
}

test("of a remote only what is sound, about runs that are here, and not of the far future, is taken", () => {
  const [run = ""] = runs;
  const good = { v: 1, run, at: 5, k: "note", text: "theirs" } as const;
  const later = '{"v":2,"run":"x","colour":"red"}';
  remoteLines([
    good,
    good,
    later,
    "{",
    { v: 1, run, at: Date.now() + 48 * 3_600_000, k: "hidden", on: true },
    { v: 1, run: "../../etc", at: 5, k: "hidden", on: true },
    { v: 1, run: "gone-20260101-000000-aaaa", at: 5, k: "hidden", on: true },
    { v: 1, run, at: 5, k: "tag", tag: "\u001b[2J", on: true },
  ]);
  expect(pull(first).annotations).toBe(1);
  const file = join(first.store, "annotations.jsonl");
  expect(readFileSync(file, "utf8")).toBe(`${JSON.stringify(good)}\n`);
  // What nobody here understands stays for who does.
  say(first, 9, 0, { k: "tag", tag: "ours", on: true });
  expect(push(first).annotations).toBe(1);
  const sent = git(remote, "cat-file", "blob", "refs/afterlog/annotations");
  expect(sent.split("\n")).toContain(later);
  expect(sent.split("\n").toSorted().join("\n").trim()).toBe(sent.trim());
});

test("what is none, and what is too large, is refused and said", () => {
  const head = git(remote, "for-each-ref", "--format=%(objectname)", "refs/afterlog/logs").split(
    "\n",
  )[0];
  git(remote, "update-ref", "refs/afterlog/annotations", head ?? "");
  expect(pull(first).annotations).toMatch(/too large, or is no text/);
  remoteLines([`"${"x".repeat(20_000_001)}"`]);
  expect(pull(first).annotations).toMatch(/too large/);
  say(first, 9, 0, { k: "tag", tag: "ours", on: true });
  expect(push(first).annotations).toMatch(/too large/);
  expect(said(first)).toMatchObject([{ tags: ["ours"] }, null]);
});

test("a run in the trash is not received again; what is said of it is", async () => {
  const [run = ""] = runs;
  expect(await second.afterlog("rm", run)).toMatchObject({ code: 0 });
  say(first, 9, 0, { k: "tag", tag: "good", on: true });
  push(first);
  expect(pull(second)).toMatchObject({ runs: [], annotations: 1 });
  expect(listRunIds(second.store)).not.toContain(run);
  expect(await second.afterlog("rm", "--undo", run)).toMatchObject({ code: 0 });
  expect((await second.afterlog("tag", run)).stdout).toMatch(/ {2}good\n$/);
});
