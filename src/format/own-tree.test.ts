/** Names of files in a run, and in a tree that stands in for its project. */
import { expect, test } from "vitest";
import { asInProject, asInTree } from "./own-tree.ts";

const tree = {
  mirror: "/home/me/a b/.afterlog/trees/r1-0",
  root: "/home/me/a b/.afterlog/trees/r1-0/home/me/a b",
};

test.each([
  ["the project", "/home/me/a b", true],
  ["a file in it", "/home/me/a b/out/best.json", true],
  ["in a sentence", "saved to '/home/me/a b/out', as ever", true],
  ["as a URL", "file:///home/me/a%20b/train.mjs", true],
  ["in a list", "/bin:/home/me/a b/bin", true],
  ["a neighbour", "/home/me/a bc/x", false],
  ["a folder of the same name elsewhere", "/mnt/home/me/a b/x", false],
  ["above it", "/home/me", false],
])("%s", (_, name, isMoved) => {
  const run = JSON.stringify({ name, list: [name, 1] });
  const replay = asInTree(run, tree);
  expect(replay !== run).toBe(isMoved);
  expect(asInProject(replay, tree)).toBe(run);
});

test("what a replay tells of folders around is that of the run, too", () => {
  const text = JSON.stringify([`${tree.mirror}/home/me/data`, `at ${tree.root}/a.js:3:1`]);
  expect(JSON.parse(asInProject(text, tree))).toEqual([
    "/home/me/data",
    "at /home/me/a b/a.js:3:1",
  ]);
  expect(asInProject(text, undefined)).toBe(text);
});
