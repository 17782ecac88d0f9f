import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { locateRepository } from "../../src/store/versions/version-locate.ts";
import { repositoryTree } from "../../src/store/versions/version-repository.ts";

test("a walk that takes too long: tracked files, and source near the project's top", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "afterlog-slow-")));
  try {
    const git = (...args: string[]): string =>
      execFileSync("git", ["-C", folder, "-c", "user.name=T", "-c", "user.email=t@e", ...args], {
        encoding: "utf8",
      });
    const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
    git("init", "-q");
    mkdirSync(join(folder, "project/data"), { recursive: true });
    write(".gitattributes", "slow.txt filter=slow\n");
    write("slow.txt", "one\n");
    write(".gitignore", "ignored.ts\n");
    git("add", "-A");
    git("commit", "-qm", "first");
    for (const path of ["new.ts", "ignored.ts", "data/near.py", "data/x.bin"]) {
      write(`project/${path}`, "1\n");
    }
    write("elsewhere.ts", "1\n");
    // Of the same size, so that status must read it through the filter to see that it changed.
    write("slow.txt", "two\n");
    utimesSync(join(folder, "slow.txt"), 1, 1);
    git("config", "filter.slow.clean", "sleep 1; cat");
    const located = locateRepository(join(folder, "project"));
    if (located.kind === "none") throw new Error("no repository found");
    const store = join(folder, "project/.afterlog");
    const temporary = join(store, "temporary");
    mkdirSync(temporary, { recursive: true });
    const source = repositoryTree(located.repository, { store, temporary }, 300);
    expect(git("ls-tree", "-r", "--name-only", source.tree).trim().split("\n")).toEqual([
      ".gitattributes",
      ".gitignore",
      "project/data/near.py",
      "project/new.ts",
      "slow.txt",
    ]);
    expect(git("show", `${source.tree}:slow.txt`)).toBe("two\n");
    expect(source).toMatchObject({
      dirty: 3,
      warnings: [expect.stringMatching(/took over 0.3 s/)],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
