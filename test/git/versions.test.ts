/** @file A version per run leaves git as it was, in every state that a repository can be in. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { VersionReference } from "../../src/format/index.ts";
import { excludeStore, recordVersion } from "../../src/store/index.ts";
import { fingerprint, Sandbox, treeOf, workingTree } from "./sandbox.ts";

const STARTED = new Date("2026-11-15T09:30:00Z");

beforeEach(() => {
  vi.stubEnv("HOME", "/nonexistent");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function record(root: string, run = "train-20261115-093000-x7q2"): VersionReference {
  return recordVersion({ root, store: join(root, ".afterlog"), run, started: STARTED });
}

interface Row {
  readonly name: string;
  readonly arrange: (sandbox: Sandbox) => void;
  /** The working tree and, inside it, the project; the repository itself if absent. */
  readonly workTree?: (sandbox: Sandbox) => string;
  readonly folder?: string;
  readonly warnings?: readonly RegExp[];
  /** Paths that the version does not hold as they are on disk. */
  readonly except?: readonly string[];
  readonly check?: (version: VersionReference, sandbox: Sandbox, tree: Map<string, string>) => void;
}

const CONFLICT = (sandbox: Sandbox): void => {
  sandbox.commitBasics();
  sandbox.git("checkout", "-qb", "other");
  sandbox.write("train.ts", "other\n");
  sandbox.git("commit", "-qam", "other");
  sandbox.git("checkout", "-q", "main");
  sandbox.write("train.ts", "mine\n");
  sandbox.git("commit", "-qam", "mine");
};

const ADD_SUBMODULE = (sandbox: Sandbox): void => {
  const inner = join(sandbox.top, "inner");
  mkdirSync(inner);
  sandbox.gitIn(inner, "init", "-q");
  sandbox.write("inner.ts", "1\n", inner);
  sandbox.gitIn(inner, "add", "-A");
  sandbox.gitIn(inner, "commit", "-qm", "inner");
  sandbox.commitBasics();
  sandbox.git("submodule", "--quiet", "add", inner, "inner");
  sandbox.git("commit", "-qm", "submodule");
};

const rows: readonly Row[] = [
  {
    name: "clean",
    arrange: (s) => s.commitBasics(),
    check: (version, s) => {
      expect(version).toMatchObject({ dirty: 0, branch: "main", private: false });
      expect(version.head).toBe(s.git("rev-parse", "HEAD").trim());
      expect(s.git("rev-parse", `${version.ref}^{tree}`)).toBe(s.git("rev-parse", "HEAD^{tree}"));
    },
  },
  {
    name: "dirty, with untracked and ignored files",
    arrange: (s) => {
      s.commitBasics();
      s.write("train.ts", "export const lr = 0.2;\n");
      s.write("new/file.ts", "new\n");
      s.write("out.log", "ignored\n");
      s.write("data/x.bin", "ignored\n");
    },
    check: (version, _, tree) => {
      expect(version.dirty).toBe(2);
      expect([...tree.keys()]).not.toContain("out.log");
    },
  },
  {
    name: "changed within the same second and to the same size",
    arrange: (s) => {
      s.commitBasics();
      const time = new Date("2026-01-01T00:00:00Z");
      utimesSync(s.write("train.ts", "export const lr = 0.3;\n"), time, time);
      s.git("add", "-A");
      utimesSync(s.write("train.ts", "export const lr = 0.4;\n"), time, time);
      utimesSync(join(s.repo, ".git/index"), time, time);
    },
  },
  {
    name: "staged",
    arrange: (s) => {
      s.commitBasics();
      s.write("train.ts", "staged\n");
      s.git("add", "train.ts");
    },
    check: (version) => expect(version.dirty).toBe(1),
  },
  {
    name: "staged, then modified",
    arrange: (s) => {
      s.commitBasics();
      s.write("train.ts", "staged\n");
      s.git("add", "train.ts");
      s.write("train.ts", "modified\n");
    },
    check: (version) => expect(version.dirty).toBe(1),
  },
  {
    name: "staged, then modified back to what HEAD has",
    arrange: (s) => {
      s.commitBasics();
      s.write("train.ts", "staged\n");
      s.git("add", "train.ts");
      s.write("train.ts", "export const lr = 0.1;\n");
    },
    check: (version) => expect(version.dirty).toBe(0),
  },
  {
    name: "deleted, and deleted from the index only",
    arrange: (s) => {
      s.commitBasics();
      s.git("rm", "-q", "--cached", "lib/model.ts");
      rmSync(join(s.repo, "train.ts"));
    },
  },
  {
    name: "renamed, staged and not",
    arrange: (s) => {
      s.commitBasics();
      s.git("mv", "train.ts", "fit.ts");
      renameSync(join(s.repo, "lib/model.ts"), join(s.repo, "lib/net.ts"));
    },
  },
  {
    name: "a file became a folder, and a folder a file and a link",
    arrange: (s) => {
      s.commitBasics();
      s.write("pack/a.ts", "a\n");
      s.git("add", "-A");
      s.git("commit", "-qm", "pack");
      rmSync(join(s.repo, "train.ts"));
      s.write("train.ts/inside.ts", "inside\n");
      rmSync(join(s.repo, "pack"), { recursive: true });
      s.write("pack", "file now\n");
      renameSync(join(s.repo, "lib"), join(s.repo, "elsewhere"));
      symlinkSync("elsewhere", join(s.repo, "lib"));
    },
    // Git sees it through the link; it is no longer in the tree.
    except: ["lib/model.ts"],
    check: (_version, _, tree) => expect(tree.has("lib/model.ts")).toBe(false),
  },
  {
    name: "mode change and symbolic links",
    arrange: (s) => {
      s.commitBasics();
      chmodSync(join(s.repo, "train.ts"), 0o755);
      symlinkSync("train.ts", join(s.repo, "link.ts"));
      symlinkSync("/nowhere/at all", join(s.repo, "broken"));
    },
  },
  {
    name: "odd file names",
    arrange: (s) => {
      s.commitBasics();
      s.write("with space.ts", "1\n");
      s.write("tab\tand\nnewline.ts", "2\n");
      s.write("naïve-日本.ts", "3\n");
      s.write("-dash.ts", "4\n");
      s.write(":(top)magic*.ts", "5\n");
      writeFileSync(Buffer.from(`${s.repo}/latin\xe9.ts`, "latin1"), "6\n");
      s.write('quo"te.ts', "7\n");
      s.git("add", "with space.ts", "naïve-日本.ts");
      s.write("with space.ts", "changed\n");
    },
    check: (version) => expect(version.dirty).toBe(7),
  },
  {
    name: "merge conflict",
    arrange: (s) => {
      CONFLICT(s);
      s.gitFails("merge", "other");
      s.write("untracked.ts", "1\n");
    },
    check: (version) => expect(version).toMatchObject({ dirty: 2, branch: "main" }),
  },
  {
    name: "merge conflict, the file deleted",
    arrange: (s) => {
      CONFLICT(s);
      s.gitFails("merge", "other");
      rmSync(join(s.repo, "train.ts"));
    },
  },
  {
    name: "rebase in progress",
    arrange: (s) => {
      CONFLICT(s);
      s.gitFails("rebase", "other");
    },
    check: (version) => expect(version.branch).toBeNull(),
  },
  {
    name: "detached HEAD, with a stash",
    arrange: (s) => {
      s.commitBasics();
      s.write("train.ts", "stashed\n");
      s.git("stash");
      s.git("checkout", "-q", "--detach");
      s.write("train.ts", "dirty\n");
    },
    check: (version) => expect(version.branch).toBeNull(),
  },
  { name: "submodule, clean", arrange: ADD_SUBMODULE },
  {
    name: "submodule, dirty inside",
    arrange: (s) => {
      ADD_SUBMODULE(s);
      s.write("inner/inner.ts", "changed\n");
      s.write("inner/new.ts", "new\n");
    },
    warnings: [/submodule inner has changes of its own/],
    check: (version) => expect(version.dirty).toBe(0),
  },
  {
    name: "submodule at another commit, and dirty",
    arrange: (s) => {
      ADD_SUBMODULE(s);
      s.write("inner/inner.ts", "changed\n");
      s.gitIn(join(s.repo, "inner"), "commit", "-qam", "more");
      s.write("inner/inner.ts", "changed again\n");
    },
    warnings: [/submodule inner/],
    check: (version, s, tree) => {
      const commit = s.gitIn(join(s.repo, "inner"), "rev-parse", "HEAD").trim();
      expect(tree.get("inner")).toBe(`160000 ${commit}`);
      expect(version.dirty).toBe(1);
    },
  },
  {
    name: "submodule removed from the tree",
    arrange: (s) => {
      ADD_SUBMODULE(s);
      rmSync(join(s.repo, "inner"), { recursive: true });
    },
    check: (_version, _, tree) => expect(tree.has("inner")).toBe(false),
  },
  {
    name: "nested untracked repository",
    arrange: (s) => {
      s.commitBasics();
      s.write("nested/a.ts", "a\n");
      s.gitIn(join(s.repo, "nested"), "init", "-q");
      s.gitIn(join(s.repo, "nested"), "add", "-A");
      s.gitIn(join(s.repo, "nested"), "commit", "-qm", "nested");
    },
    warnings: [/nested\/ is a repository of its own/],
    except: ["nested/"],
  },
  {
    name: "linked working tree",
    arrange: (s) => {
      s.commitBasics();
      s.git("worktree", "add", "-q", "-b", "linked", join(s.top, "linked"));
      s.write("train.ts", "in the linked tree\n", join(s.top, "linked"));
      s.write("new.ts", "new\n", join(s.top, "linked"));
    },
    workTree: (s) => join(s.top, "linked"),
    check: (version) => expect(version).toMatchObject({ branch: "linked", dirty: 2 }),
  },
  {
    name: "repository without commits",
    arrange: (s) => {
      s.git("init", "-q");
      s.write("train.ts", "1\n");
    },
    check: (version) => expect(version).toMatchObject({ head: null, branch: "main", dirty: 1 }),
  },
  {
    name: "repository without commits, with a staged file and one deleted",
    arrange: (s) => {
      s.git("init", "-q");
      s.write("train.ts", "1\n");
      s.write("gone.ts", "1\n");
      s.git("add", "-A");
      rmSync(join(s.repo, "gone.ts"));
    },
  },
  { name: "repository with nothing at all", arrange: (s) => void s.git("init", "-q") },
  {
    name: "index.lock held by somebody",
    arrange: (s) => {
      s.commitBasics();
      s.write("train.ts", "changed\n");
      s.write(".git/index.lock", "");
    },
  },
  {
    name: "shallow clone",
    arrange: (s) => {
      CONFLICT(s);
      s.gitIn(s.top, "clone", "-q", "--depth=1", `file://${s.repo}`, "shallow");
      s.write("train.ts", "in the clone\n", join(s.top, "shallow"));
    },
    workTree: (s) => join(s.top, "shallow"),
  },
  {
    name: "project in a folder of the repository",
    arrange: (s) => {
      s.commitBasics();
      s.write("projects/one/train.ts", "1\n");
      s.write("train.ts", "changed outside the project\n");
    },
    folder: "projects/one",
    check: (version, s) => {
      const message = s.git("log", "-1", "--format=%B", version.commit);
      expect(message).toContain("Afterlog-Project: projects/one\n");
    },
  },
  {
    name: "split index",
    arrange: (s) => {
      s.commitBasics();
      s.git("config", "core.splitIndex", "true");
      s.git("update-index", "--split-index");
      s.write("more.ts", "1\n");
      s.git("add", "more.ts");
      s.write("train.ts", "changed\n");
    },
  },
  {
    name: "index version 4, with extended flags",
    arrange: (s) => {
      s.commitBasics();
      s.write("lib/model2.ts", "2\n");
      s.git("add", "--intent-to-add", "lib/model2.ts");
      s.git("update-index", "--index-version", "4");
      s.write("train.ts", "changed\n");
    },
    check: (version) => expect(version.dirty).toBe(2),
  },
  {
    name: "intent to add, and the file gone",
    arrange: (s) => {
      s.commitBasics();
      s.write("one.ts", "1\n");
      s.write("two.ts", "2\n");
      s.git("add", "--intent-to-add", "one.ts", "two.ts");
      rmSync(join(s.repo, "two.ts"));
    },
  },
  {
    name: "assume-unchanged and skip-worktree files that changed all the same",
    arrange: (s) => {
      s.commitBasics();
      s.git("update-index", "--assume-unchanged", "train.ts");
      s.git("update-index", "--skip-worktree", "lib/model.ts");
      s.write("train.ts", "changed\n");
      s.write("lib/model.ts", "changed too\n");
    },
    check: (version) => expect(version.dirty).toBe(2),
  },
  {
    name: "assume-unchanged file that was deleted",
    arrange: (s) => {
      s.commitBasics();
      s.git("update-index", "--assume-unchanged", "train.ts");
      rmSync(join(s.repo, "train.ts"));
    },
    check: (version) => expect(version.dirty).toBe(1),
  },
  {
    name: "sparse checkout with a sparse index",
    arrange: (s) => {
      s.commitBasics();
      s.write("far/away.ts", "1\n");
      s.git("add", "-A");
      s.git("commit", "-qm", "far");
      s.git("sparse-checkout", "set", "--cone", "--sparse-index", "lib");
      s.write("lib/model.ts", "changed\n");
    },
    except: ["far/away.ts"],
    check: (version, s, tree) => {
      expect(tree.get("far/away.ts")).toMatch(/^100644/);
      expect(version.dirty).toBe(1);
      expect(existsSync(join(s.repo, "far"))).toBe(false);
    },
  },
  {
    name: "core.autocrlf and core.safecrlf",
    arrange: (s) => {
      s.commitBasics();
      s.git("config", "core.autocrlf", "true");
      s.git("config", "core.safecrlf", "true");
      s.write("mixed.ts", "one\r\ntwo\nthree\r\n");
    },
    except: ["mixed.ts"],
    check: (version, s) => {
      expect(s.git("cat-file", "blob", `${version.commit}:mixed.ts`)).toBe("one\ntwo\nthree\n");
    },
  },
  {
    name: "a required filter that is not installed",
    arrange: (s) => {
      s.commitBasics();
      s.write(".gitattributes", "*.weights filter=lfs\n");
      s.write("old.weights", "old\n");
      s.git("add", "-A");
      s.git("commit", "-qm", "weights");
      s.git("config", "filter.lfs.clean", "no-such-program clean %f");
      s.git("config", "filter.lfs.process", "no-such-program process");
      s.git("config", "filter.lfs.required", "true");
      s.write("new.weights", "new\n");
      s.write("train.ts", "changed\n");
    },
    warnings: [/git filter lfs failed/],
  },
  {
    name: "a required filter that fails when status reads a tracked file",
    arrange: (s) => {
      s.commitBasics();
      s.write(".gitattributes", "*.weights filter=lfs\n");
      s.write("old.weights", "old\n");
      s.git("add", "-A");
      s.git("commit", "-qm", "weights");
      s.git("config", "filter.lfs.clean", "false");
      s.git("config", "filter.lfs.required", "true");
      utimesSync(s.write("old.weights", "new\n"), 1, 1);
    },
    warnings: [/git filter lfs failed/],
  },
  {
    name: "a filter that works",
    arrange: (s) => {
      s.commitBasics();
      s.git("config", "filter.upper.clean", "tr a-z A-Z");
      s.write(".gitattributes", "*.up filter=upper\n");
      s.write("x.up", "shout\n");
    },
    except: ["x.up"],
    check: (version, s) => {
      expect(s.git("cat-file", "blob", `${version.commit}:x.up`)).toBe("SHOUT\n");
    },
  },
  {
    name: "an encoding that git cannot convert",
    arrange: (s) => {
      s.commitBasics();
      s.write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16\n");
      s.write("bad.u16", "no byte order mark");
      s.write("train.ts", "changed\n");
    },
    warnings: [/bad\.u16 cannot be read/],
    except: ["bad.u16"],
  },
  {
    name: "large untracked file",
    arrange: (s) => {
      s.commitBasics();
      truncateSync(s.write("big file.bin", ""), 10_000_001);
      truncateSync(s.write("not quite.bin", ""), 10_000_000);
    },
    warnings: [/big file\.bin \(10 MB\) is untracked and large/],
    except: ["big file.bin"],
    check: (version) => {
      expect(version.dirty).toBe(2);
      expect(version.large).toEqual([
        { file: "big file.bin", bytes: 10_000_001, sha256: zerosHash(10_000_001) },
      ]);
    },
  },
  {
    name: "large tracked file, modified",
    arrange: (s) => {
      s.commitBasics();
      s.write("big.bin", "small at first");
      s.git("add", "-A");
      s.git("commit", "-qm", "big");
      truncateSync(join(s.repo, "big.bin"), 11_000_000);
    },
  },
  {
    name: "a tracked file that became a pipe",
    arrange: (s) => {
      s.commitBasics();
      rmSync(join(s.repo, "train.ts"));
      execFileSync("mkfifo", [join(s.repo, "train.ts")]);
      s.write("lib/model.ts", "changed\n");
    },
    warnings: [/train\.ts cannot be read/],
    except: ["train.ts"],
  },
  {
    name: "hooks, signing, reflogs of every ref, fsmonitor and an odd commit encoding",
    arrange: (s) => {
      s.commitBasics();
      const hook = `#!/bin/sh\ntouch ${s.repo}/hook-ran\n`;
      const names = ["reference-transaction", "post-index-change", "pre-commit", "post-commit"];
      for (const name of names) chmodSync(s.write(`.git/hooks/${name}`, hook), 0o755);
      const monitor = s.write("../monitor", `#!/bin/sh\ntouch ${s.repo}/monitor-ran\n`);
      chmodSync(monitor, 0o755);
      s.git("config", "commit.gpgSign", "true");
      s.git("config", "user.useConfigOnly", "true");
      s.git("config", "core.logAllRefUpdates", "always");
      s.git("config", "i18n.commitEncoding", "latin1");
      s.git("config", "core.fsmonitor", monitor);
      s.git("config", "status.showUntrackedFiles", "no");
      s.git("config", "status.showStash", "true");
      s.write("new.ts", "1\n");
    },
    check: (_version, s) => {
      expect(readdirSync(s.repo).filter((name) => name.endsWith("-ran"))).toEqual([]);
    },
  },
];

function zerosHash(bytes: number): string {
  const zeros = execFileSync("sha256sum", { input: Buffer.alloc(bytes), encoding: "latin1" });
  return zeros.slice(0, 64);
}

describe("a version leaves git as it was and holds the working tree", () => {
  test.each(rows)("$name", (row) => {
    using sandbox = new Sandbox();
    row.arrange(sandbox);
    const workTree = row.workTree?.(sandbox) ?? sandbox.repo;
    const root = join(workTree, row.folder ?? ".");
    excludeStore(root, join(root, ".afterlog"));
    const expected = workingTree(sandbox, workTree);
    const before = fingerprint(sandbox, workTree);

    const version = record(root);

    expect(fingerprint(sandbox, workTree)).toBe(before);
    const gitDir = sandbox.gitIn(workTree, "rev-parse", "--absolute-git-dir").trim();
    const tree = treeOf(sandbox, version.ref, gitDir);
    const compared = new Map(tree);
    for (const path of row.except ?? []) {
      compared.delete(path);
      expected.delete(path);
    }
    for (const [path, entry] of tree) if (entry.startsWith("160000")) compared.delete(path);
    expect(sorted(compared)).toEqual(sorted(expected));
    expect(version.warnings).toEqual(
      (row.warnings ?? []).map((text) => expect.stringMatching(text)),
    );
    expect(sandbox.gitIn(workTree, "rev-parse", version.ref).trim()).toBe(version.commit);
    expect(
      readdirSync(join(root, ".afterlog")).filter((name) => /^version-.{6}$/.test(name)),
    ).toEqual([]);
    row.check?.(version, sandbox, tree);
  });
});

function sorted(entries: Map<string, string>): [string, string][] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}
