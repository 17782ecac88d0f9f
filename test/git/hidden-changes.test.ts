/** @file What git's own index files hide, by the bits that git writes into them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mayHideChanges } from "../../src/store/versions/version-status.ts";

describe("mayHideChanges", () => {
  const rows: readonly [string, readonly string[][], boolean][] = [
    ["version 2", [], false],
    ["version 3", [["add", "-N", "ita"]], false],
    ["version 4", [["update-index", "--index-version", "4"]], false],
    ["assume-unchanged", [["update-index", "--assume-unchanged", "x".repeat(50)]], true],
    ["skip-worktree", [["update-index", "--skip-worktree", "a"]], true],
    [
      "skip-worktree in version 4",
      [
        ["update-index", "--skip-worktree", "y/z/last"],
        ["update-index", "--index-version", "4"],
      ],
      true,
    ],
    ["split index", [["update-index", "--split-index"]], true],
  ];
  test.each(rows)("%s", (_name, commands, expected) => {
    const folder = mkdtempSync(join(tmpdir(), "afterlog-index-"));
    try {
      const git = (...args: string[]): string =>
        execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });
      git("init", "-q", "y/z");
      rmSync(join(folder, "y/z/.git"), { recursive: true });
      git("init", "-q");
      // Lengths all around the padding to eight bytes.
      const names = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg", "x".repeat(50)];
      for (const name of [...names, "y/z/last"]) writeFileSync(join(folder, name), name);
      git("add", "-A");
      writeFileSync(join(folder, "ita"), "");
      for (const command of commands) git(...command);
      const index = readFileSync(join(folder, ".git/index"));
      expect(mayHideChanges(index, 20)).toBe(expected);
      // Torn anywhere it ends, and sees no less.
      for (let end = 0; end < index.length; end += 7) mayHideChanges(index.subarray(0, end), 20);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
