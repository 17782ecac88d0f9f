/** @file What a version does when something is in the way, and when several are recorded at once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { VersionReference } from "../../src/format/index.ts";
import { excludeStore, recordVersion } from "../../src/store/index.ts";
import { countObjects, fingerprint, Sandbox, treeOf, workingTree } from "./sandbox.ts";
import { needs } from "../support/needs.ts";
import { ROOT } from "../support/project.ts";

const NOBODY = 65_534;

beforeEach(() => {
  vi.stubEnv("HOME", "/nonexistent");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function record(root: string, run = "one"): VersionReference {
  const started = new Date("2026-11-15T09:30:00Z");
  return recordVersion({ root, store: join(root, ".afterlog"), run, started });
}

/** Permissions mean nothing to root: acts as a user who owns all but what is taken away after. */
function asNobody<Result>(sandbox: Sandbox, act: () => Result): Result {
  for (const path of ["", ...readdirSync(sandbox.top, { recursive: true, encoding: "utf8" })]) {
    chownSync(join(sandbox.top, path), NOBODY, NOBODY);
  }
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

describe("errors", () => {
  test("git is not installed", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    vi.stubEnv("PATH", "/nonexistent");
    expect(() => record(sandbox.repo)).toThrow(
      expect.objectContaining({
        code: "AL044",
        cause: expect.objectContaining({ code: "ENOENT" }),
      }),
    );
    expect(() => excludeStore(sandbox.repo, join(sandbox.repo, ".afterlog"))).not.toThrow();
  });

  test("a ref of ours cannot be written", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    sandbox.write(".git/refs/afterlog", "in the way");
    sandbox.write("train.ts", "changed\n");
    excludeStore(sandbox.repo, join(sandbox.repo, ".afterlog"));
    const before = fingerprint(sandbox);
    expect(() => record(sandbox.repo)).toThrow(expect.objectContaining({ code: "AL044" }));
    expect(fingerprint(sandbox)).toBe(before);
    expect(readdirSync(join(sandbox.repo, ".afterlog"))).toEqual([]);
  });

  test("a version is never replaced", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const { commit } = record(sandbox.repo);
    sandbox.write("train.ts", "changed\n");
    expect(() => record(sandbox.repo)).toThrow(expect.objectContaining({ code: "AL044" }));
    expect(sandbox.git("rev-parse", "refs/afterlog/runs/one").trim()).toBe(commit);
  });

  test("a damaged index", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    sandbox.write(".git/index", "DIRC no index at all");
    expect(() => record(sandbox.repo)).toThrow(expect.objectContaining({ code: "AL044" }));
  });

  test("the store cannot be made", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    sandbox.write(".afterlog", "a file");
    expect(() => record(sandbox.repo)).toThrow(expect.objectContaining({ code: "AL044" }));
  });

  test("a repository that cannot be written", needs("root"), () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    sandbox.write("train.ts", "changed\n");
    const before = asNobody(sandbox, () => {
      for (const folder of ["objects", "refs", "info"]) {
        chmodSync(join(sandbox.repo, ".git", folder), 0o555);
      }
      const before = fingerprint(sandbox);
      const error = expect.objectContaining({ code: "AL044", cause: expect.any(Error) });
      expect(() => record(sandbox.repo)).toThrow(error);
      chmodSync(join(sandbox.repo, ".git/info/exclude"), 0o444);
      expect(() => excludeStore(sandbox.repo, join(sandbox.repo, ".afterlog"))).toThrow(error);
      return before;
    });
    expect(before).toContain("train.ts");
  });
});

test("files that cannot be read cost themselves and a warning", needs("root"), () => {
  using sandbox = new Sandbox();
  sandbox.commitBasics();
  sandbox.write("train.ts", "changed, and closed\n");
  sandbox.write("secret.ts", "untracked, and closed\n");
  sandbox.write("open.ts", "open\n");
  sandbox.write("closed/inside.ts", "1\n");
  const version = asNobody(sandbox, () => {
    for (const path of ["train.ts", "secret.ts", "closed"]) chmodSync(join(sandbox.repo, path), 0);
    return record(sandbox.repo);
  });
  expect(version.warnings.toSorted()).toEqual([
    expect.stringMatching(/could not open directory 'closed\/'/),
    expect.stringMatching(/^secret\.ts cannot be read/),
    expect.stringMatching(/^train\.ts cannot be read/),
  ]);
  const gitDir = join(sandbox.repo, ".git");
  chownSync(gitDir, 0, 0);
  chownSync(sandbox.repo, 0, 0);
  const tree = treeOf(sandbox, version.commit, gitDir);
  expect([...tree.keys()]).toEqual([".gitignore", "lib/model.ts", "open.ts", "train.ts"]);
  expect(sandbox.git("show", `${version.commit}:train.ts`)).toBe("export const lr = 0.1;\n");
});

test("variables that a hook of git sets do not mislead", () => {
  using sandbox = new Sandbox();
  sandbox.commitBasics();
  sandbox.write("new.ts", "new\n");
  const other = join(sandbox.top, "other");
  mkdirSync(other);
  sandbox.gitIn(other, "init", "-q");
  const index = readFileSync(join(sandbox.repo, ".git/index"));
  vi.stubEnv("GIT_DIR", join(other, ".git"));
  vi.stubEnv("GIT_WORK_TREE", other);
  vi.stubEnv("GIT_INDEX_FILE", join(sandbox.repo, ".git/index"));
  vi.stubEnv("GIT_OBJECT_DIRECTORY", join(other, ".git/objects"));
  vi.stubEnv("GIT_NAMESPACE", "elsewhere");
  vi.stubEnv("GIT_PREFIX", "lib/");
  vi.stubEnv("GIT_LITERAL_PATHSPECS", "1");
  vi.stubEnv("LC_ALL", "de_DE.UTF-8");
  const version = record(sandbox.repo);
  expect(version).toMatchObject({ private: false, branch: "main", dirty: 1 });
  expect(readFileSync(join(sandbox.repo, ".git/index"))).toEqual(index);
  const tree = treeOf(sandbox, version.ref, join(sandbox.repo, ".git"));
  expect(tree).toEqual(workingTree(sandbox));
});

test("an unchanged tree adds one object: the commit", () => {
  using sandbox = new Sandbox();
  sandbox.commitBasics();
  sandbox.write("train.ts", "changed\n");
  sandbox.write("new/file.ts", "new\n");
  record(sandbox.repo, "one");
  const before = countObjects(sandbox);
  record(sandbox.repo, "two");
  expect(countObjects(sandbox)).toBe(before + 1);
});

test("more untracked data than a version holds: source is kept, data is not", () => {
  using sandbox = new Sandbox();
  sandbox.commitBasics();
  for (let i = 0; i < 20_001; i++) {
    if (i === 0) mkdirSync(join(sandbox.repo, "images"));
    writeFileSync(join(sandbox.repo, `images/${i}.png`), "");
  }
  sandbox.write("new.ts", "new\n");
  const version = record(sandbox.repo);
  expect(version.warnings).toEqual([expect.stringMatching(/^20001 untracked files/)]);
  const names = [...treeOf(sandbox, version.ref, join(sandbox.repo, ".git")).keys()];
  expect(names).toEqual([".gitignore", "lib/model.ts", "new.ts", "train.ts"]);
});

test("a store reached through a link, and one that git does not exclude, are no source", () => {
  using sandbox = new Sandbox();
  sandbox.commitBasics();
  sandbox.write(".afterlog/runs/x/run.json", "{}");
  symlinkSync(sandbox.repo, join(sandbox.top, "link"));
  const version = record(join(sandbox.top, "link"));
  expect(version).toMatchObject({ dirty: 0, private: false });
});

test("what a killed process left is removed, what a living one uses is not", () => {
  using sandbox = new Sandbox();
  sandbox.commitBasics();
  for (const name of ["version-old123", "version-new123"]) {
    sandbox.write(`.afterlog/${name}/index`, "");
  }
  utimesSync(join(sandbox.repo, ".afterlog/version-old123"), 1, 1);
  record(sandbox.repo);
  expect(readdirSync(join(sandbox.repo, ".afterlog"))).toEqual(["version-new123"]);
});

describe("several runs at once", () => {
  test.each([{ kind: "in a repository" }, { kind: "in none" }])("$kind", async ({ kind }) => {
    using sandbox = new Sandbox();
    if (kind === "in none") sandbox.write("train.ts", "1\n");
    else sandbox.commitBasics();
    sandbox.write("new.ts", "new\n");
    const script = recorder(sandbox);
    const runs = ["a", "b", "c", "d", "e", "f"];
    const codes = await Promise.all(
      runs.map(async (run) => {
        const args = [script, sandbox.repo, run];
        const child = spawn(process.execPath, args, { stdio: "inherit" });
        return (await once(child, "exit"))[0] as unknown;
      }),
    );
    expect(codes).toEqual(runs.map(() => 0));
    const gitDir = join(sandbox.repo, kind === "in none" ? ".afterlog/git" : ".git");
    const listed = sandbox.git("--git-dir", gitDir, "for-each-ref", "--format=%(tree)");
    const trees = listed
      .trim()
      .split("\n")
      .filter((line) => line !== "");
    expect(new Set(runs.map((run) => treeId(sandbox, gitDir, run))).size).toBe(1);
    expect(trees.length).toBeGreaterThanOrEqual(runs.length);
    expect(sandbox.git("--git-dir", gitDir, "fsck", "--strict", "--no-dangling")).toBe("");
  });
});

function treeId(sandbox: Sandbox, gitDir: string, run: string): string {
  return sandbox.git("--git-dir", gitDir, "rev-parse", `refs/afterlog/runs/${run}^{tree}`);
}

/** A program that keeps a version, for processes of its own. */
function recorder(sandbox: Sandbox): string {
  const script = join(sandbox.top, "record.mjs");
  const door = pathToFileURL(join(ROOT, "build/store/index.js")).href;
  writeFileSync(
    script,
    `import { recordVersion } from ${JSON.stringify(door)};
const [, , root, run] = process.argv;
recordVersion({ root, store: root + "/.afterlog", run, started: new Date(0) });\n`,
  );
  return script;
}

describe("excludeStore", () => {
  const rows: readonly {
    readonly name: string;
    readonly store: string;
    readonly before?: string;
    readonly after: string;
  }[] = [
    { name: "no file yet", store: ".afterlog", after: ".afterlog/\n" },
    {
      name: "a last line without end",
      store: ".afterlog",
      before: "*.x",
      after: "*.x\n.afterlog/\n",
    },
    {
      name: "there already",
      store: ".afterlog",
      before: "a\n.afterlog/\nb",
      after: "a\n.afterlog/\nb",
    },
    { name: "in a folder", store: "sub/.afterlog", after: ".afterlog/\n" },
    { name: "another name", store: "sub/my runs[1]", after: "/sub/my\\ runs\\[1\\]/\n" },
    { name: "outside the repository", store: "../store", before: "a\n", after: "a\n" },
  ];
  test.each(rows)("$name", ({ store, before, after }) => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const file = join(sandbox.repo, ".git/info/exclude");
    rmSync(join(sandbox.repo, ".git/info"), { recursive: true });
    if (before !== undefined) sandbox.write(".git/info/exclude", before);
    const path = join(sandbox.repo, store);
    for (let times = 0; times < 2; times++) excludeStore(sandbox.repo, path);
    expect(readFileSync(file, "utf8")).toBe(after);
    if (store.startsWith("..")) return;
    sandbox.write("x/y", "1", path);
    expect(sandbox.git("status", "--porcelain")).toBe("");
  });

  test("a linked working tree shares the file, a submodule has its own", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const linked = join(sandbox.top, "linked");
    sandbox.git("worktree", "add", "-q", linked);
    excludeStore(linked, join(linked, ".afterlog"));
    sandbox.git("submodule", "--quiet", "add", sandbox.repo, "inner");
    const inner = join(sandbox.repo, "inner");
    excludeStore(inner, join(inner, ".afterlog"));
    for (const file of [".git/info/exclude", ".git/modules/inner/info/exclude"]) {
      expect(readFileSync(join(sandbox.repo, file), "utf8").split("\n")).toContain(".afterlog/");
    }
  });

  test("no repository: nothing", () => {
    using sandbox = new Sandbox();
    excludeStore(sandbox.repo, join(sandbox.repo, ".afterlog"));
    expect(readdirSync(sandbox.repo)).toEqual([]);
  });
});
