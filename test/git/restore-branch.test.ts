/** @file `afterlog restore RUN --branch NAME`: the source of a run as a branch, and nothing else of the user's touched. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { fingerprint, Sandbox } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000 });

const TRAIN = `import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array(3) });
for (const epoch of al.loop("epoch", al.range(2))) {
  state.w[0] += epoch;
  al.log("loss", 1 / (1 + epoch));
}
`;
/** A version that was recorded before anything was left out. */
const AS_BEFORE = { AFTERLOG_NOT_SECRET: "*" };

interface Seen {
  readonly refs: readonly string[];
  readonly files: readonly (readonly string[])[];
}

class Repository extends TestProject {
  /** For git and its fingerprint, in the project's folder. */
  readonly sandbox = new Sandbox();

  constructor({ commits = true }: { readonly commits?: boolean } = {}) {
    super({ "train.ts": TRAIN, ".gitignore": "node_modules\ndata/\n", "data/x.csv": "1\n" });
    this.git("init", "-q");
    if (!commits) return;
    this.git("add", "-A");
    this.git("commit", "-qm", "first");
  }

  git(...args: string[]): string {
    return this.sandbox.gitIn(this.folder, ...args);
  }

  files(commit: string): string[] {
    return this.git("ls-tree", "-r", "--name-only", commit).split("\n").slice(0, -1);
  }

  /** What the user sees, but for the branch `rollback`. */
  seen(): unknown {
    const all = JSON.parse(fingerprint(this.sandbox, this.folder)) as Seen;
    return {
      ...all,
      refs: all.refs.filter((line) => !line.startsWith("refs/heads/rollback ")),
      files: all.files.filter(([file]) => file !== "refs/heads/rollback"),
    };
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.sandbox[Symbol.dispose]();
  }
}

test("makes one ref, of the files that the run had", needs("git"), async () => {
  using repo = new Repository();
  repo.write("helper.ts", "export {};\n");
  repo.write(".env", "API=1\n");
  await repo.afterlog("run", "train.ts");
  repo.write("train.ts", `${TRAIN}// newer\n`);
  repo.git("add", "train.ts");
  const before = repo.seen();

  const unasked = await repo.afterlog("restore", "@", "--branch", "rollback");
  expect(unasked.code).toBe(4);
  expect(unasked.stdout).toContain("one commit on ");
  expect(unasked.stdout).toContain("not in it: .env (a file of environment variables)");
  expect(unasked.stderr).toContain("help: add --yes");
  expect(repo.seen()).toEqual(before);

  const out = join(repo.folder, "data", "m.safetensors");
  const made = await repo.afterlog("restore", "@@end", "--branch", "rollback", "-o", out, "-y");
  expect(made).toMatchObject({ code: 0 });
  expect(made.stderr).toContain(
    "go there:  git switch rollback\nway back:  git branch -D rollback",
  );
  rmSync(out);
  expect(repo.files("rollback")).toEqual([".gitignore", "helper.ts", "train.ts"]);
  expect(repo.git("show", "rollback:train.ts")).toBe(TRAIN);
  expect(repo.git("rev-parse", "rollback^")).toBe(repo.git("rev-parse", "HEAD"));

  expect(repo.seen()).toEqual(before);

  // It is the user's own from now on.
  await repo.afterlog("rm", "@");
  await repo.afterlog("gc", "--trash", "-y");
  repo.git("stash", "-uq");
  repo.git("switch", "-q", "rollback");
  expect(readFileSync(join(repo.folder, "train.ts"), "utf8")).toBe(TRAIN);
});

const REFUSED: readonly (readonly [why: string, branch: string, says: RegExp])[] = [
  ["it is there", "main", /it exists already/],
  ["git keeps a folder of it", "team", /no room for it beside the branch team\/a/],
  ["git keeps a file there", "main/x", /no room for it beside the branch main/],
  ...["", "-x", "HEAD", "a b", "a..b", "x.lock", "a~1", "@{-1}", "a\nb", "refs/heads/x"].map(
    (name) => ["git takes no such name", name, /git takes no such name/] as const,
  ),
];

test("refuses what git would refuse, and what exists", needs("git"), async () => {
  using repo = new Repository();
  repo.git("branch", "team/a");
  await repo.afterlog("run", "train.ts");
  const before = repo.seen();
  for (const [why, name, says] of REFUSED) {
    const { code, stderr } = await repo.afterlog("restore", "@", `--branch=${name}`, "-y");
    expect([why, code, stderr]).toEqual([why, 1, expect.stringMatching(says)]);
    expect(stderr).toMatch(/error\[AL038\][^]*help: /);
  }
  const file = await repo.afterlog("restore", "@", "--branch", "b", "--out", "train.ts", "-y");
  expect(file.stderr).toContain("AL042");
  const point = await repo.afterlog("restore", "@@epoch=7", "--branch", "b", "-y");
  expect(point.stderr).toContain("AL035");
  expect(repo.seen()).toEqual(before);
});

test("an older version's secret stays out of the branch", needs("git"), async () => {
  using repo = new Repository();
  repo.write(".env", "API=1\n");
  repo.write("notes.txt", "mine\n");
  await repo.afterlogWith(AS_BEFORE, "run", "train.ts");
  const { stdout } = await repo.afterlog("restore", "@", "--branch", "b", "-y", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    schema: 1,
    branch: "b",
    commit: repo.git("rev-parse", "b").trim(),
    left_out: [{ file: ".env" }],
    restored: null,
  });
  expect(repo.files("b")).toEqual([".gitignore", "notes.txt", "train.ts"]);
});

test("before the first commit, and outside of a repository", needs("git"), async () => {
  using repo = new Repository({ commits: false });
  await repo.afterlog("run", "train.ts");
  const before = repo.seen();
  const own = await repo.afterlog("restore", "@", "--branch", "main", "-y");
  expect(own.stderr).toContain("you are on it, before its first commit");
  expect(repo.seen()).toEqual(before);
  const other = await repo.afterlog("restore", "@", "--branch", "other", "-y");
  expect(other).toMatchObject({ code: 0 });
  expect(other.stdout).toContain("one commit without one before it");

  using apart = new TestProject({ "train.ts": TRAIN });
  await apart.afterlog("run", "train.ts");
  const { code, stderr } = await apart.afterlog("restore", "@", "--branch", "b", "-y");
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("AL038") });
  const [, way = ""] = /git init && (git fetch .*)$/m.exec(stderr) ?? [];
  repo.sandbox.gitIn(apart.folder, "init", "-q");
  repo.sandbox.gitIn(apart.folder, ...way.split(" ").slice(1));
  expect(repo.sandbox.gitIn(apart.folder, "show", "b:train.ts")).toBe(TRAIN);
});
