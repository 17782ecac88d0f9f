/** @file The topics of `afterlog help` fit a terminal, and every word of ours is in one. */
import { expect, test } from "vitest";
import type { CheckMark, Scan, Verdict } from "../../format/index.ts";
import { createProgram } from "../register.ts";
import type { CliContext } from "../context.ts";
import { explainedLines, TOPICS } from "./topics.ts";

async function help(...words: readonly string[]): Promise<string> {
  let out = "";
  const context = { out: (text: string) => void (out += text) } as CliContext;
  const program = createProgram("0.0.0", async (_, action) => void (await action(context)));
  await program.parseAsync(["node", "afterlog", "help", ...words]);
  return out;
}

test.each(Object.keys(TOPICS))("afterlog help %s", async (topic) => {
  const lines = (await help(topic)).trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(25);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(await help()).toMatch(new RegExp(`help on a command, or[^]*${topic}`));
});

test.each<[string, readonly (CheckMark | Scan | Verdict)[]]>([
  ["marks", ["verified", "restored", "close", "unchecked", "diverged"]],
  ["scans", ["prefix", "outer", "inner", "suffix"]],
  ["landings", ["exact", "moved", "review", "present", "cannot"]],
])("%s: each word has its line", async (topic, words) => {
  const text = await help(topic);
  for (const word of words) expect(text).toMatch(new RegExp(`^  ${word} {2,}\\S`, "m"));
});

test("a screen explains the words that stand on it, once", () => {
  expect(explainedLines("scans", ["outer", "outer"], 60)).toEqual([
    "  outer: the asked iterations of a loop, with the loops in",
    "  them skipped",
    "  afterlog help scans",
  ]);
  expect(explainedLines("marks", [], 80)).toEqual([]);
});

test("a command has its own help, and another word an error with the nearest", async () => {
  expect(await help("ls")).toContain("Usage: afterlog ls");
  await expect(help("scan")).rejects.toMatchObject({
    code: "AL001",
    help: ["did you mean  afterlog help scans"],
  });
});
