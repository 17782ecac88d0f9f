/** @file The tree of a replay: what is in it, and that nothing of the user's is touched. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Manifest, Overlay } from "../../src/format/index.ts";
import type { Tree } from "../../src/replayer/index.ts";
import { makeTree } from "../../src/replayer/index.ts";
import { excludeStore, recordVersion, runPaths, storePaths } from "../../src/store/index.ts";
import { fingerprint, Sandbox } from "../git/sandbox.ts";

beforeEach(() => {
  vi.stubEnv("HOME", "/nonexistent");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const RUN = "train-20261115-093000-x7q2";

interface Recorded {
  readonly root: string;
  readonly store: string;
  readonly manifest: Manifest;
}

/** Keeps the version of a run that begins now; files made later are younger. */
function record(root: string, written: readonly string[] = [], op = "write"): Recorded {
  const store = join(root, ".afterlog");
  excludeStore(root, store);
  const run = storePaths.run(store, RUN);
  mkdirSync(run, { recursive: true });
  const hash = `sha256:${createHash("sha256").update("1\n").digest("hex")}`;
  const lines = written.map((file, seq) => ({ k: "file", seq, op, file, path: [], hash, t: 0 }));
  writeFileSync(runPaths.log(run), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const version = recordVersion({ root, store, run: RUN, started: new Date() });
  // Times of files come from a clock that ticks every few milliseconds.
  const marker = join(store, "marker");
  writeFileSync(marker, "");
  const started = new Date(Math.ceil(statSync(marker).birthtimeMs)).toISOString();
  while (statSync(marker).birthtimeMs <= Date.parse(started)) {
    rmSync(marker);
    writeFileSync(marker, "");
  }
  const manifest = { run: RUN, version, started, sources: {} } as unknown as Manifest;
  return { root, store, manifest };
}

function treeOf({ root, store, manifest }: Recorded, overlays: readonly Overlay[] = []): Tree {
  const folder = join(storePaths.trees(store), "r1-0");
  return makeTree({ project: { root, store }, manifest, overlays, folder });
}

function read(tree: Tree, file: string): string {
  return readFileSync(join(tree.root, file), "utf8");
}

describe("a tree", () => {
  test("is no part of the package that the working tree has become", async () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    sandbox.write("train.js", "exports.format = typeof require;\n");
    const recorded = record(sandbox.repo);
    sandbox.write("package.json", '{ "type": "module" }\n');
    await using tree = treeOf(recorded);
    const program = join(tree.root, "train.js");
    expect(createRequire(program)(program)).toEqual({ format: "function" });
  });

  test("is the version, not what the working tree has become; nothing of the user's changes", async () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    sandbox.write("untracked.ts", "untracked\n");
    sandbox.write("with space é.ts", "odd name\n");
    const recorded = record(sandbox.repo);
    sandbox.write("train.ts", "export const lr = 0.2;\n");
    sandbox.write("later.ts", "later\n");
    sandbox.git("rm", "-q", "--cached", "lib/model.ts");
    const before = fingerprint(sandbox);
    const tree = treeOf(recorded, [{ file: "lib/model.ts", text: "with a probe\n" }]);
    expect(read(tree, "train.ts")).toBe("export const lr = 0.1;\n");
    expect(read(tree, "untracked.ts")).toBe("untracked\n");
    expect(read(tree, "with space é.ts")).toBe("odd name\n");
    expect(read(tree, "lib/model.ts")).toBe("with a probe\n");
    expect(existsSync(join(tree.root, "later.ts"))).toBe(false);
    expect(existsSync(join(tree.root, ".git"))).toBe(false);
    expect(existsSync(join(tree.root, ".afterlog"))).toBe(false);
    await tree[Symbol.asyncDispose]();
    expect(existsSync(tree.top)).toBe(false);
    expect(fingerprint(sandbox)).toBe(before);
  });

  test("has ignored files from before the run, and none that the run made", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    sandbox.write("data/small.csv", "1,2\n");
    const large = sandbox.write("data/large.bin", Buffer.alloc(3 << 20, 7));
    sandbox.write("data/overwritten.log", "as the run left it");
    mkdirSync(join(sandbox.repo, "data/empty"), { recursive: true });
    const recorded = record(sandbox.repo, ["data/overwritten.log"]);
    sandbox.write("data/checkpoint.bin", "made by the run");
    sandbox.write("data/out/deep.log", "made by the run");
    const tree = treeOf(recorded);
    expect(read(tree, "data/small.csv")).toBe("1,2\n");
    expect(statSync(join(tree.root, "data/empty")).isDirectory()).toBe(true);
    for (const made of ["data/checkpoint.bin", "data/out", "data/overwritten.log"]) {
      expect(existsSync(join(tree.root, made)), made).toBe(false);
    }
    writeFileSync(join(tree.root, "data/small.csv"), "changed by the replay");
    expect(readFileSync(join(sandbox.repo, "data/small.csv"), "utf8")).toBe("1,2\n");
    expect(statSync(join(sandbox.repo, "data/small.csv")).nlink).toBe(1);
    const link = join(tree.root, "data/large.bin");
    expect(readlinkSync(link)).toBe(large);
    expect(tree.links).toEqual([[link, large]]);
  });

  test("tells which files the run read are not to be had any more", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const files = ["kept", "gone", "anew", "copied"].map((name) => `data/${name}.csv`);
    for (const file of files) sandbox.write(file, "1\n");
    const recorded = record(sandbox.repo, [...files, "/elsewhere/x.csv"], "read");
    for (const file of files.slice(1)) rmSync(join(sandbox.repo, file));
    sandbox.write("data/anew.csv", "2\n");
    sandbox.write("data/copied.csv", "1\n");
    const tree = treeOf(recorded);
    expect(tree.missing).toEqual(["data/gone.csv"]);
    // Whoever reads it in the replay is told that it has changed.
    expect(read(tree, "data/anew.csv")).not.toBe("1\n");
    expect(read(tree, "data/copied.csv")).toBe("1\n");
  });

  test("has packages by links, workspaces from the tree, caches not at all", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    sandbox.write(".gitignore", "node_modules/\n");
    sandbox.write("packages/lib/index.js", "recorded\n");
    sandbox.write("node_modules/dep/index.js", "dep\n");
    sandbox.write("node_modules/@scope/dep/index.js", "scoped\n");
    sandbox.write("node_modules/.cache/x", "cache\n");
    symlinkSync("../packages/lib", join(sandbox.repo, "node_modules/lib"));
    const recorded = record(sandbox.repo);
    sandbox.write("packages/lib/index.js", "changed since\n");
    const tree = treeOf(recorded);
    expect(read(tree, "node_modules/lib/index.js")).toBe("recorded\n");
    expect(realpathSync(join(tree.root, "node_modules/dep"))).toBe(
      join(sandbox.repo, "node_modules/dep"),
    );
    expect(read(tree, "node_modules/@scope/dep/index.js")).toBe("scoped\n");
    expect(existsSync(join(tree.root, "node_modules/.cache"))).toBe(false);
    expect(lstatSync(join(tree.root, "node_modules")).isSymbolicLink()).toBe(false);
  });

  test("has links that stay in the project as they are, others as shared", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const outside = sandbox.write("outside.txt", "outside\n", sandbox.top);
    symlinkSync("lib/model.ts", join(sandbox.repo, "inside.ts"));
    symlinkSync(join(sandbox.repo, "lib"), join(sandbox.repo, "absolute"));
    symlinkSync("../outside.txt", join(sandbox.repo, "escaping"));
    sandbox.git("add", "-A");
    sandbox.git("commit", "-qm", "links");
    const tree = treeOf(record(sandbox.repo));
    expect(readlinkSync(join(tree.root, "inside.ts"))).toBe("lib/model.ts");
    expect(realpathSync(join(tree.root, "absolute"))).toBe(join(tree.root, "lib"));
    expect(read(tree, "escaping")).toBe("outside\n");
    expect(tree.links).toEqual([[join(tree.root, "escaping"), outside]]);
  });

  test("writes nothing through a link of a version to a folder elsewhere", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const victim = join(sandbox.top, "victim");
    const kept = sandbox.write("x.csv", "theirs\n", victim);
    const code = sandbox.write("train.ts", "theirs\n", victim);
    symlinkSync(victim, join(sandbox.repo, "data"));
    const recorded = record(sandbox.repo);
    // Here it is a folder, as it was for whoever has another version.
    rmSync(join(sandbox.repo, "data"));
    sandbox.write(".gitignore", "data/\n*.log\n");
    sandbox.write("data/x.csv", "ours\n");
    utimesSync(join(sandbox.repo, "data/x.csv"), 0, 0);
    expect(existsSync(join(treeOf(recorded).root, "data/x.csv"))).toBe(true);
    const overlay = { file: "data/train.ts", text: "what is asked\n" };
    expect(() => treeOf(recorded, [overlay])).toThrow("data/train.ts cannot be written");
    expect([kept, code].map((file) => readFileSync(file, "utf8"))).toEqual([
      "theirs\n",
      "theirs\n",
    ]);
  });

  test("of a project in a sub-folder has the whole repository", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const root = join(sandbox.repo, "lib");
    const recorded = record(root);
    sandbox.write("train.ts", "changed\n");
    const tree = treeOf(recorded, [{ file: "model.ts", text: "probe\n" }]);
    expect(read(tree, "../train.ts")).toBe("export const lr = 0.1;\n");
    expect(read(tree, "model.ts")).toBe("probe\n");
  });

  test("of a project in no repository", () => {
    using sandbox = new Sandbox();
    sandbox.write("train.ts", "recorded\r\n");
    sandbox.write("weights.pt", "not source\n");
    const recorded = record(sandbox.repo);
    sandbox.write("train.ts", "changed\n");
    sandbox.write("new.pt", "made later\n");
    const tree = treeOf(recorded);
    expect(read(tree, "train.ts")).toBe("recorded\r\n");
    expect(read(tree, "weights.pt")).toBe("not source\n");
    expect(existsSync(join(tree.root, "new.pt"))).toBe(false);
  });

  test("has submodules at their commits, or says that they are left out", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const other = join(sandbox.top, "other");
    mkdirSync(other);
    sandbox.gitIn(other, "init", "-q");
    sandbox.write("a.ts", "a\n", other);
    sandbox.gitIn(other, "add", "-A");
    sandbox.gitIn(other, "commit", "-qm", "a");
    sandbox.git("submodule", "--quiet", "add", other, "sub");
    sandbox.git("commit", "-qm", "sub");
    const recorded = record(sandbox.repo);
    sandbox.write("a.ts", "later\n", join(sandbox.repo, "sub"));
    sandbox.gitIn(join(sandbox.repo, "sub"), "commit", "-qam", "later");
    sandbox.write("b.ts", "untracked\n", join(sandbox.repo, "sub"));
    const tree = treeOf(recorded);
    expect(read(tree, "sub/a.ts")).toBe("a\n");
    expect(existsSync(join(tree.root, "sub/b.ts"))).toBe(false);
    expect(tree.warnings).toEqual([]);
    rmSync(join(sandbox.repo, "sub"), { recursive: true });
    const without = treeOf(recorded);
    expect(existsSync(join(without.root, "sub/a.ts"))).toBe(false);
    expect(without.warnings).toEqual([expect.stringContaining("submodule sub is left out")]);
  });

  test("gets the content of Git LFS from the working tree if it is the recorded one", () => {
    using sandbox = new Sandbox();
    const content = { same: "weights\n", other: "weights!\n" };
    const pointer = (text: string): string =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash("sha256")
        .update(text)
        .digest("hex")}\nsize ${text.length}\n`;
    sandbox.git("init", "-q");
    sandbox.write(".gitattributes", "*.w filter=lfs\n");
    sandbox.write("same.w", pointer(content.same));
    sandbox.write("other.w", pointer(content.other));
    sandbox.git("add", "-A");
    sandbox.git("commit", "-qm", "pointers");
    const recorded = record(sandbox.repo);
    sandbox.write("same.w", content.same);
    sandbox.write("other.w", "changed.\n");
    const tree = treeOf(recorded);
    expect(read(tree, "same.w")).toBe(content.same);
    expect(read(tree, "other.w")).toBe(pointer(content.other));
  });

  test("has files known by hash only, or an error that names the changed one", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const file = sandbox.write("set.bin", Buffer.alloc(11_000_000, 1));
    const recorded = record(sandbox.repo);
    const tree = treeOf(recorded);
    expect(readlinkSync(join(tree.root, "set.bin"))).toBe(file);
    writeFileSync(file, Buffer.alloc(11_000_000, 2));
    utimesSync(file, 1, 1);
    expect(() => treeOf(recorded)).toThrow(
      expect.objectContaining({ code: "AL045", message: expect.stringContaining("set.bin") }),
    );
    expect(existsSync(join(storePaths.trees(recorded.store), "r1-0"))).toBe(false);
  });

  test("with a source that is not the one the run loaded is an error, unless it is replaced", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const file = "data/config.json";
    sandbox.write(file, "{}");
    const recorded = record(sandbox.repo);
    const sha256 = createHash("sha256").update("{}").digest("hex");
    const manifest = { ...recorded.manifest, sources: { [file]: sha256, "gone.ts": sha256 } };
    expect(read(treeOf({ ...recorded, manifest }), file)).toBe("{}");
    sandbox.write(file, "[]");
    expect(() => treeOf({ ...recorded, manifest })).toThrow(
      expect.objectContaining({ code: "AL045", message: expect.stringContaining(file) }),
    );
    const tree = treeOf({ ...recorded, manifest }, [{ file, text: "{ }" }]);
    expect(read(tree, file)).toBe("{ }");
  });

  test("of a run whose version was not kept, or is gone, is an error", () => {
    using sandbox = new Sandbox();
    sandbox.commitBasics();
    const recorded = record(sandbox.repo);
    const unkept = { ...recorded, manifest: { ...recorded.manifest, version: null } };
    expect(() => treeOf(unkept)).toThrow(expect.objectContaining({ code: "AL045" }));
    const { version } = recorded.manifest;
    const gone = {
      ...recorded.manifest,
      version: version && { ...version, commit: "1".repeat(40) },
    };
    expect(() => treeOf({ ...recorded, manifest: gone })).toThrow(
      expect.objectContaining({ code: "AL045" }),
    );
  });
});
