/**
 * @file Real repositories in temporary folders, and what must be equal before and after a version is
 * recorded. Nothing here uses the code under test.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder that the test owns. */
export class Sandbox implements Disposable {
  readonly top: string = realpathSync(mkdtempSync(join(tmpdir(), "afterlog-git-")));
  readonly repo: string = join(this.top, "repo");

  constructor() {
    mkdirSync(this.repo);
  }

  git(...args: string[]): string {
    return this.gitIn(this.repo, ...args);
  }

  gitIn(cwd: string, ...args: string[]): string {
    const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    const always = ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"];
    const quiet = ["-c", "core.fsmonitor=false"];
    return execFileSync("git", [...identity, ...always, ...quiet, ...args], {
      cwd,
      encoding: "latin1",
      env: testEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 2 ** 28,
    });
  }

  /** Like `git`, for a command that ends with an error on purpose (a merge with a conflict). */
  gitFails(...args: string[]): void {
    try {
      this.git(...args);
    } catch {
      return;
    }
    throw new Error(`git ${args.join(" ")} was expected to fail`);
  }

  write(file: string, content: string | Uint8Array, folder: string = this.repo): string {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** A repository with one commit: two sources and a .gitignore. */
  commitBasics(): void {
    this.git("init", "-q");
    this.write("train.ts", "export const lr = 0.1;\n");
    this.write("lib/model.ts", "export const layers = 2;\n");
    this.write(".gitignore", "*.log\ndata/\n");
    this.git("add", "-A");
    this.git("commit", "-qm", "basics");
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

/** Apart from the machine's and the user's configuration. */
export function testEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_OPTIONAL_LOCKS: "0",
    LC_ALL: "C",
  };
}

/** Everything of a repository that its user could see or that their git reads. */
export function fingerprint(sandbox: Sandbox, workTree: string = sandbox.repo): string {
  const ask = (...args: string[]): string => sandbox.gitIn(workTree, ...args);
  const gitDir = ask("rev-parse", "--absolute-git-dir").trim();
  const commonDir = join(gitDir, existsSync(join(gitDir, "commondir")) ? "../.." : ".");
  const refs = ask("for-each-ref", "--format=%(refname) %(objectname) %(symref)").split("\n");
  return JSON.stringify(
    {
      index: fileState(join(gitDir, "index")),
      status: orFailure(() => ask("status", "--porcelain=v2", "--branch", "-uall")),
      worktrees: ask("worktree", "list", "--porcelain"),
      refs: refs.filter((line) => !line.startsWith("refs/afterlog/")),
      stash: ask("stash", "list"),
      // All of git's own files but objects, our refs and the exclude file.
      files: listFiles(commonDir)
        .filter((file) => !/^objects\/|^refs\/afterlog\/|^info\/exclude$/.test(file))
        // Every reader of a split index renews the time of its shared half.
        .map((file) => [
          file,
          fileState(join(commonDir, file)).replace(
            file.startsWith("sharedindex.") ? / \d+ / : "",
            " ",
          ),
        ]),
      tree: listFiles(workTree)
        .filter((file) => !/^(?:\.git|.*\.afterlog)\//.test(file))
        .map((file) => [file, fileState(join(workTree, file))]),
    },
    undefined,
    1,
  );
}

/** With a broken filter even the user's own status fails, and not always in the same words. */
function orFailure(ask: () => string): string {
  try {
    return ask();
  } catch {
    return "fails";
  }
}

/** Objects in a repository. */
export function countObjects(sandbox: Sandbox, workTree: string = sandbox.repo): number {
  const lines = sandbox.gitIn(workTree, "count-objects", "-v").split("\n");
  const [loose = 0, packed = 0] = ["count: ", "in-pack: "].map((name) =>
    Number(lines.find((line) => line.startsWith(name))?.slice(name.length)),
  );
  return loose + packed;
}

/** What a commit holds: path (bytes as latin1) to mode and blob. */
export function treeOf(sandbox: Sandbox, commit: string, gitDir: string): Map<string, string> {
  const lines = sandbox.git("--git-dir", gitDir, "ls-tree", "-r", "-z", commit).split("\0");
  return new Map(
    lines.slice(0, -1).map((line) => {
      const [mode, , oid] = line.split("\t", 1)[0]?.split(" ") ?? [];
      return [line.slice(line.indexOf("\t") + 1), `${mode} ${oid}`];
    }),
  );
}

/** What the working tree holds, tracked and untracked but not ignored, read file by file. */
export function workingTree(
  sandbox: Sandbox,
  workTree: string = sandbox.repo,
): Map<string, string> {
  const asked = ["--cached", "--others", "--exclude-standard", "-z"];
  const names = sandbox
    .gitIn(workTree, "ls-files", ...asked)
    .split("\0")
    .slice(0, -1);
  const entries = new Map<string, string>();
  for (const name of names) {
    const path = Buffer.from(`${Buffer.from(workTree).toString("latin1")}/${name}`, "latin1");
    const stat = statIfPresent(path);
    if (stat === undefined || name.startsWith(".afterlog/") || name.includes("/.afterlog/"))
      continue;
    if (stat.isSymbolicLink()) entries.set(name, `120000 ${blobId(linkTarget(path))}`);
    else if (stat.isFile()) {
      const mode = (stat.mode & 0o100) === 0 ? "100644" : "100755";
      entries.set(name, `${mode} ${blobId(readFileSync(path))}`);
    }
  }
  return entries;
}

/** The id that git gives to a file of this content. */
export function blobId(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** Also undefined below something that is a file now. */
function statIfPresent(path: Buffer) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function linkTarget(path: Buffer): Buffer {
  return readlinkSync(path, { encoding: "buffer" });
}

function fileState(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (stat === undefined) return "absent";
  const content = stat.isSymbolicLink()
    ? readlinkSync(path)
    : stat.isFile()
      ? createHash("sha1").update(readFileSync(path)).digest("hex")
      : "other";
  return `${stat.mode} ${stat.mtimeNs} ${content}`;
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
