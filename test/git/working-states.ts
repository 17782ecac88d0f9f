/** @file The states that a repository can be in, as rows: how to get there, what a version is then. */
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { VersionReference } from "../../src/format/index.ts";
import type { Sandbox } from "./sandbox.ts";

export interface RepositoryState {
  readonly name: string;
  readonly arrange: (sandbox: Sandbox) => void;
  /** The working tree and, inside it, the project; the repository itself if absent. */
  readonly workTree?: (sandbox: Sandbox) => string;
  readonly folder?: string;
  readonly warnings?: readonly RegExp[];
  /** Paths that the version does not hold as they are on disk. */
  readonly except?: readonly string[];
  /** What Python makes of it is always looked at, not only where it was drawn. */
  readonly isTwin?: true;
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

/** What people do to a working tree. */
export const WORKING_STATES: readonly RepositoryState[] = [
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
    name: "untracked files that look like secrets, and links to them",
    isTwin: true,
    arrange: (s) => {
      s.commitBasics();
      s.write("afterlog.toml", '[record]\nnot_secret = "conf/*.pem, .env.test"\n');
      s.write("conf/ca.pem", "a certificate\n");
      s.write(".env.test", "A=1\n");
      s.write(".env", "A=1\n");
      s.write("deep/id_rsa", "key\n");
      s.write("notes.txt", `key: ${["AKIA", "QWERTYUIOPASDFGH"].join("")}\n`);
      s.write("fine.txt", "key\n");
      symlinkSync("/nowhere/id_rsa", join(s.repo, "id_dsa"));
    },
    except: [".env", "deep/id_rsa", "notes.txt"],
    warnings: [
      /^\.env \(a file of environment variables\), deep\/id_rsa \(a private key\), notes\.txt \(a key of AWS\) look like secrets: they are neither kept nor sent, .* not_secret = "\.env, deep\/id_rsa, notes\.txt" {2}in \[record\] of afterlog\.toml$/,
    ],
    check: (version, _, tree) => {
      expect(version.leftOut?.map(({ file }) => file)).toEqual([
        ".env",
        "deep/id_rsa",
        "notes.txt",
      ]);
      expect(version.dirty).toBe(8);
      expect([...tree.keys()]).toEqual(
        expect.arrayContaining(["conf/ca.pem", ".env.test", "id_dsa"]),
      );
      expect([...tree.keys()]).not.toContain("deep/id_rsa");
    },
  },
  {
    name: "secrets beside the project in its folder, and those that git has",
    isTwin: true,
    folder: "sub",
    arrange: (s) => {
      s.commitBasics();
      s.write(".env.tracked", "A=1\n");
      s.git("add", "-A");
      s.git("commit", "-qm", "tracked");
      s.write(".env.tracked", "A=2\n");
      s.write("sub/afterlog.toml", '[record]\nnot_secret = "id_a"\n');
      s.write("sub/id_a", "no key\n");
      s.write("id_a", "key\n");
    },
    except: ["id_a"],
    warnings: [/^id_a \(a private key\) looks like a secret: it is neither kept nor sent/],
    check: (_, __, tree) =>
      expect([...tree.keys()]).toEqual(expect.arrayContaining(["sub/id_a", ".env.tracked"])),
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
    check: (version) => expect(version.dirty).toBe(1),
  },
  {
    name: "no index although there are commits",
    arrange: (s) => {
      s.commitBasics();
      rmSync(join(s.repo, ".git/index"));
      s.write("train.ts", "changed\n");
    },
    check: (version) => expect(version.dirty).toBe(1),
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
];
