/** docs/questions.md as a user follows it: its program is recorded, edited and asked as it says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { ROOT, TestProject } from "../support/project.ts";
import { edited } from "../questions/public-edits/edit.ts";

const PAGE = readFileSync(join(ROOT, "docs/questions.md"), "utf8");

/** Fenced blocks in their order: a program, edits of it, and commands with what they say. */
const BLOCKS = [...PAGE.matchAll(/```(\w*)\n([\s\S]*?)```/g)].map(([, kind = "", text = ""]) => {
  return { kind, text };
});
const PROGRAM = BLOCKS.find(({ kind }) => kind === "python")?.text ?? "";
const [RECORD, ...ASKED] = BLOCKS.filter(({ kind }) => kind === "");

/** The edit that the page shows last before a command; none since its heading: the program itself. */
function editBefore(command: string): string {
  const before = PAGE.slice(0, PAGE.indexOf(command));
  const section = before.slice(before.lastIndexOf("\n## "));
  return [...section.matchAll(/```diff\n([\s\S]*?)```/g)].at(-1)?.[1] ?? "";
}

function words(line: string): string[] {
  const found = line.replace("$ afterlog ", "").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g);
  return [...found].map(([, single, double, bare]) => single ?? double ?? bare ?? "");
}

describe("docs/questions.md", needs("python"), () => {
  let run: TestProject;

  beforeAll(async () => {
    run = new TestProject({ "train.py": PROGRAM });
    const [line = ""] = RECORD?.text.split("\n") ?? [];
    const { code, stderr } = await run.afterlog(...words(line));
    assert(code === 0, stderr);
  });

  afterAll(() => run[Symbol.dispose]());

  test.each(ASKED.map(({ text }) => text.trimEnd().split("\n")))("%s", async (line, ...says) => {
    using project = new TestProject();
    project.copyFrom(run);
    const diff = editBefore(line);
    if (diff !== "") project.write("train.py", edited(PROGRAM, diff));
    const { stdout, stderr } = await project.afterlog(...words(line));
    for (const said of says) expect(stdout + stderr).toContain(said);
  });
});
