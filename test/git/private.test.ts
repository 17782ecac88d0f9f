/** @file Versions of a project that is in no repository, or in one that cannot hold them. */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { VersionReference } from "../../src/format/index.ts";
import { recordVersion } from "../../src/store/index.ts";
import { blobId, Sandbox, testEnvironment, treeOf } from "./sandbox.ts";
import { some } from "../support/draws.ts";
import { expectSameByPython } from "./by-python.ts";
import { needs } from "../support/needs.ts";

beforeEach(() => {
  vi.stubEnv("HOME", "/nonexistent");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function record(root: string, run: string): VersionReference {
  const started = new Date("2026-11-15T09:30:00Z");
  return recordVersion({ root, store: join(root, ".afterlog"), run, started });
}

function keptFiles(sandbox: Sandbox, run: string, root: string = sandbox.repo): string[] {
  const gitDir = join(root, ".afterlog/git");
  return [...treeOf(sandbox, `refs/afterlog/runs/${run}`, gitDir).keys()].sort();
}

interface Row {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly arrange?: (sandbox: Sandbox) => void;
  readonly kept: readonly string[];
  readonly warnings?: readonly RegExp[];
}

const rows: readonly Row[] = [
  { name: "an empty folder", files: {}, kept: [] },
  {
    name: "source, also built, and small data",
    files: {
      "train.ts": "1",
      "dist/train.js": "1",
      "lib/a b.py": "1",
      "data.csv": "1",
      ".hid": "",
    },
    kept: [".hid", "data.csv", "dist/train.js", "lib/a b.py", "train.ts"],
  },
  {
    name: "what managers, caches, trackers and training made",
    files: {
      "train.py": "1",
      "node_modules/x/index.js": "1",
      "sub/__pycache__/a.pyc": "1",
      ".venv/lib/a.py": "1",
      "wandb/run/log.txt": "1",
      "model.safetensors": "1",
      ".env": "SECRET=1",
      "myenv/pyvenv.cfg": "",
      "myenv/lib/a.py": "1",
      "odd [x]! env/conda-meta/history": "",
      "odd [x]! env/a.py": "1",
    },
    kept: ["train.py"],
    warnings: [
      /^\.env \(a file of environment variables\) looks like a secret: it is neither kept/,
    ],
  },
  {
    name: ".gitignore files, which may also take back our own rules",
    files: {
      ".gitignore": "*.tmp\n!model.pt\n",
      "a.tmp": "1",
      "model.pt": "1",
      "sub/.gitignore": "out/\n",
      "sub/out/x": "1",
      "sub/a.py": "1",
    },
    kept: [".gitignore", "model.pt", "sub/.gitignore", "sub/a.py"],
  },
  {
    name: "a repository inside",
    files: { "train.py": "1", "clone/a.py": "1" },
    arrange: (s) => {
      s.gitIn(join(s.repo, "clone"), "init", "-q");
      s.gitIn(join(s.repo, "clone"), "add", "-A");
      s.gitIn(join(s.repo, "clone"), "commit", "-qm", "clone");
    },
    kept: ["train.py"],
    warnings: [/clone\/ is a repository of its own/],
  },
  {
    name: "a large file",
    files: { "train.py": "1", "big.bin": "" },
    arrange: (s) => truncateSync(join(s.repo, "big.bin"), 12_000_000),
    kept: ["train.py"],
    warnings: [/big\.bin \(12 MB\)/],
  },
  {
    name: "more data than a version holds",
    files: { "train.py": "1", "deep/er/util.py": "1" },
    arrange: (s) => {
      for (let i = 0; i < 21; i++) truncateSync(s.write(`data/${i}.bin`, ""), 9_900_000);
    },
    kept: ["deep/er/util.py", "train.py"],
    warnings: [/21 untracked files \(208 MB\) that are not source are not kept/],
  },
  {
    name: "a huge folder: source near the top only",
    files: {
      "train.py": "1",
      "lib/model.py": "1",
      "notes.bin": "1",
      ".config/app/x.json": "{}",
      "a/b/c/d/e/deep.py": "1",
    },
    arrange: (s) => makeMany(s, "images", 31_000),
    kept: ["lib/model.py", "train.py"],
    warnings: [/too large to be kept whole/],
  },
  {
    name: "a huge folder that .gitignore names",
    files: { "train.py": "1", "notes.bin": "1", ".gitignore": "/images\n" },
    arrange: (s) => makeMany(s, "images/all", 31_000),
    kept: [".gitignore", "notes.bin", "train.py"],
  },
];

const byPython = new Set(some(rows, { every: 3 }));

function makeMany(sandbox: Sandbox, folder: string, count: number): void {
  mkdirSync(join(sandbox.repo, folder), { recursive: true });
  for (let i = 0; i < count; i++) writeFileSync(join(sandbox.repo, folder, `${i}.png`), "");
}

test.each(rows)("no repository: $name", (row) => {
  using sandbox = new Sandbox();
  for (const [file, content] of Object.entries(row.files)) sandbox.write(file, content);
  row.arrange?.(sandbox);
  const version = record(sandbox.repo, "one");
  expect(version).toMatchObject({ private: true, head: null, branch: null });
  expect(keptFiles(sandbox, "one")).toEqual(row.kept);
  expect(version.warnings).toEqual((row.warnings ?? []).map((text) => expect.stringMatching(text)));
  const gitDir = join(sandbox.repo, ".afterlog/git");
  if (byPython.has(row)) expectSameByPython(sandbox, sandbox.repo, { version, gitDir });
  // The project has not become a repository.
  expect(existsSync(join(sandbox.repo, ".git"))).toBe(false);
  expect(() => sandbox.git("rev-parse", "--git-dir")).toThrow(/not a git repository/);
});

test("bytes are kept as they are, whatever attributes and configuration say", () => {
  using sandbox = new Sandbox();
  const config = sandbox.write(
    "../config",
    "[core]\nautocrlf = true\nexcludesFile = /nonexistent\n",
  );
  vi.stubEnv("GIT_CONFIG_GLOBAL", config);
  const content = "$Id$\r\nmixed\n";
  sandbox.write(".gitattributes", "* text eol=lf ident filter=lfs\n");
  sandbox.write("train.py", content);
  const version = record(sandbox.repo, "one");
  const tree = treeOf(sandbox, version.commit, join(sandbox.repo, ".afterlog/git"));
  expect(tree.get("train.py")).toBe(`100644 ${blobId(Buffer.from(content))}`);
});

test("a second version holds what changed, and costs one object if nothing did", () => {
  using sandbox = new Sandbox();
  for (const file of ["a.py", "b.py", "c.py", "d.py"]) sandbox.write(file, "1\n");
  record(sandbox.repo, "one");
  const objects = (): number =>
    readdirSync(join(sandbox.repo, ".afterlog/git/objects"), { recursive: true }).filter((name) =>
      /[\\/].{38}$/.test(String(name)),
    ).length;
  const before = objects();
  record(sandbox.repo, "two");
  expect(objects()).toBe(before + 1);

  rmSync(join(sandbox.repo, "a.py"));
  sandbox.write("b.py", "2\n");
  sandbox.write(".gitignore", "c.py\n");
  truncateSync(join(sandbox.repo, "d.py"), 10_000_001);
  const version = record(sandbox.repo, "three");
  expect(keptFiles(sandbox, "three")).toEqual([".gitignore", "b.py"]);
  expect(version.large.map((file) => file.file)).toEqual(["d.py"]);
});

test("a large file is read again only if it changed", () => {
  using sandbox = new Sandbox();
  truncateSync(sandbox.write("big.bin", ""), 10_000_001);
  const first = record(sandbox.repo, "one").large;
  const cache = join(sandbox.repo, ".afterlog/version-hashes.json");
  const sha256 = first[0]?.sha256 ?? "";
  writeFileSync(cache, readFileSync(cache, "utf8").replace(sha256, "from the cache"));
  expect(record(sandbox.repo, "two").large[0]?.sha256).toBe("from the cache");
  truncateSync(join(sandbox.repo, "big.bin"), 10_000_002);
  expect(record(sandbox.repo, "three").large[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
  writeFileSync(cache, "torn {");
  expect(record(sandbox.repo, "four").large).toHaveLength(1);
});

test("a repository that ignores the project's folder does not keep its versions", () => {
  using sandbox = new Sandbox();
  sandbox.commitBasics();
  const root = join(sandbox.repo, "data/experiment");
  sandbox.write("train.py", "1\n", root);
  const version = record(root, "one");
  expect(version.private).toBe(true);
  expect(version.warnings).toEqual([expect.stringMatching(/ignores the project's folder/)]);
  expect(keptFiles(sandbox, "one", root)).toEqual(["train.py"]);
});

test("another user's repository is left alone", needs("root"), () => {
  using sandbox = new Sandbox();
  sandbox.commitBasics();
  const objects = (): string =>
    execFileSync("find", [join(sandbox.repo, ".git")], {
      encoding: "utf8",
      env: testEnvironment(),
    });
  const before = objects();
  for (const path of [sandbox.repo, join(sandbox.repo, ".git")]) chownSync(path, 12_345, 12_345);
  chmodSync(sandbox.repo, 0o777);
  const version = record(sandbox.repo, "one");
  expect(version.private).toBe(true);
  expect(version.warnings).toEqual([expect.stringMatching(/git refuses the repository/)]);
  expect(objects()).toBe(before);
});
