/** README.md as a new user follows it: its programs are pasted, run, and asked as it says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { ROOT, TestProject } from "../support/project.ts";
import { TORCH } from "../support/python.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** The program whose first line is a comment with this name. */
function program(name: string): string {
  const [, text = ""] =
    new RegExp(`\`\`\`\\w+\\n((?:#|//) ${name}\\n[\\s\\S]*?)\`\`\``).exec(README) ?? [];
  expect(text).not.toBe("");
  return text;
}

test("the unchanged PyTorch program", needs("torch"), async () => {
  const text = program("train.py");
  using project = new TestProject({ "train.py": text });
  const options = ["--overhead", "inf", "--python", TORCH ?? ""];
  const recorded = await project.afterlog("run", ...options, "train.py");
  expect(recorded).toMatchObject({ code: 0 });
  const [, line = ""] = /Then a line is added before the last one, `(.+)`/.exec(README) ?? [];
  const lines = text.trimEnd().split("\n");
  project.write("train.py", `${lines.toSpliced(-1, 0, line).join("\n")}\n`);
  const { code, stdout } = await project.afterlog("replay", "norm", "--yes");
  expect({ code, stdout }).toMatchObject({ code: 0 });
  for (const said of [
    "norm  train.py:17  in loop epoch  →  outer scan",
    "✔ 10 cells filled",
    "checks: 21 of 21 values equal the record · marks: 10 verified",
    "0.0 % of the recorded iterations executed again",
  ]) {
    expect(README).toContain(said);
    expect(stdout).toContain(said);
  }
});

test("the program with the SDK, and a question without editing it", async () => {
  using project = new TestProject({ "train.ts": program("train.ts") });
  const recorded = await project.afterlog("run", "train.ts", "lr=0.05");
  expect(recorded).toMatchObject({ code: 0 });
  expect(project.logged("slope")).toHaveLength(8);
  const [, place = "", assignment = "", where = ""] =
    /afterlog replay --at (\S+) '(.+)' --where "(.+)"/.exec(README) ?? [];
  const asked = ["--at", place, assignment, "--where", where];
  const { code, stdout } = await project.afterlog("replay", ...asked, "--yes");
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toContain("3 cells filled");
});

test("every page that it links to is there", () => {
  const linked = [...README.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, file = ""]) => file);
  expect(linked.length).toBeGreaterThan(20);
  for (const file of linked) expect(() => readFileSync(join(ROOT, file)), file).not.toThrow();
});
