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
  test.each([
    ["empty", Buffer.alloc(0)],
    ["not an index", Buffer.alloc(100, "x")],
    ["a later version", Buffer.from(`DIRC\0\0\0\x09${"\0".repeat(60)}`, "latin1")],
  ])("%s: git must be asked", (_name, index) => {
    expect(mayHideChanges(index, 20)).toBe(true);
  });
});
