import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TreeStatus } from "./version-status.ts";
import { mayHideChanges, parseStatus } from "./version-status.ts";

const OID = "1".repeat(40);
const CLEAN: TreeStatus = {
  head: OID,
  branch: "main",
  changed: [],
  deleted: [],
  untracked: [],
  nested: [],
  dirtySubmodules: [],
  tracked: 0,
  ambiguous: false,
};

const ordinary = (states: string, path: string, submodule = "N..."): string =>
  `1 ${states} ${submodule} 100644 100644 100644 ${OID} ${OID} ${path}`;
const unmerged = (states: string, mode: string, path: string): string =>
  `u ${states} N... 100644 100644 100644 ${mode} ${OID} ${OID} ${OID} ${path}`;

describe("parseStatus", () => {
  const rows: readonly [string, readonly string[], Partial<TreeStatus>][] = [
    ["clean", [], {}],
    ["detached", ["# branch.head (detached)"], { branch: null }],
    ["no commit", ["# branch.oid (initial)"], { head: null }],
    ["a stash", ["# stash 3"], {}],
    ["staged", [ordinary("M.", "a")], { tracked: 1 }],
    ["changed", [ordinary(".M", "a  b ")], { tracked: 1, changed: ["a  b "] }],
    ["intent to add", [ordinary(".A", "a")], { tracked: 1, changed: ["a"] }],
    ["deleted", [ordinary(".D", "a\nb")], { tracked: 1, deleted: ["a\nb"] }],
    ["taken out of the index", [ordinary("D.", "a")], { tracked: 1, ambiguous: true }],
    ["both", [ordinary("MM", "a")], { tracked: 1, changed: ["a"], ambiguous: true }],
    [
      "unmerged",
      [unmerged("UU", "100644", "a b")],
      { tracked: 1, changed: ["a b"], ambiguous: true },
    ],
    [
      "unmerged, gone",
      [unmerged("UD", "000000", "a")],
      { tracked: 1, deleted: ["a"], ambiguous: true },
    ],
    ["untracked", ["? a b", "? n/", "! x"], { untracked: ["a b"], nested: ["n/"] }],
    ["submodule moved", [ordinary(".M", "s", "SC..")], { tracked: 1, changed: ["s"] }],
    ["submodule dirty", [ordinary(".M", "s", "S.MU")], { dirtySubmodules: ["s"] }],
    ["submodule gone", [ordinary(".D", "s", "S...")], { tracked: 1, deleted: ["s"] }],
  ];
  test.each(rows)("%s", (_name, lines, expected) => {
    const headers = [`# branch.oid ${OID}`, "# branch.head main"];
    // Of two headers the first counts, so a row's own comes first.
    const out = [...lines, ...headers].map((line) => `${line}\0`).join("");
    expect(parseStatus(out)).toEqual({ ...CLEAN, ...expected });
  });
});

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

  test.each([
    ["empty", Buffer.alloc(0)],
    ["not an index", Buffer.alloc(100, "x")],
    ["a later version", Buffer.from(`DIRC\0\0\0\x09${"\0".repeat(60)}`, "latin1")],
  ])("%s: git must be asked", (_name, index) => {
    expect(mayHideChanges(index, 20)).toBe(true);
  });
});
