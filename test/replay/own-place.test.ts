/**
 * A program that keeps and shows where its files are is no other program in a replay, which is executed in a
 * tree of its own: names are those of the run, and what does not depend on them is not touched by them.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ask, SEED } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { TORCH } from "../support/python.ts";

const JAVASCRIPT = `import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
const here = path.dirname(fileURLToPath(import.meta.url));
const config = { out: path.join(here, "out"), lr: 0.1 };
console.log("saving", config.out);
const best = { loss: 9, file: "" };
const made = new Map();
let w = 1;
for (let epoch = 0; epoch < 4; epoch++) {
  for (let step = 0; step < 3; step++) w = w * 0.8 + step * config.lr;
  best.file = path.resolve("out", "best" + epoch + ".json");
  made.set(best.file, epoch);
  console.log("loss", w);
  console.log("doubled", w * 2); // added
  console.log("kept", best.file); // added
  console.log("relative", path.relative(process.cwd(), best.file)); // added
  console.log("from_here", best.file.startsWith(here)); // added
  console.log("url", String(pathToFileURL(config.out))); // added
  console.log("all", JSON.stringify([...made])); // added
  console.log("around", path.resolve("..", "data")); // added
}
const parts = here.split("/"); // added
console.log("depth", parts.length); // added
console.log("end", w * 3); // added
console.log("last", best.file); // added
console.log("found", made.get(path.join(here, "out", "best2.json"))); // added
`;

const PYTHON = `import os, pathlib
here = os.path.dirname(os.path.abspath(__file__))
out = pathlib.Path(__file__).resolve().parent / "out"
print("saving", out)
best = {"loss": 9, "file": "", "path": None}
made = {}
w = 1.0
for epoch in range(4):
    for step in range(3):
        w = w * 0.8 + step * 0.1
    best["file"] = os.path.join(here, "out", f"best{epoch}.json")
    best["path"] = out / f"best{epoch}.pt"
    made[best["file"]] = epoch
    print("loss", w)
    print("doubled", w * 2) # added
    print("kept", best["file"]) # added
    print("relative", os.path.relpath(best["file"])) # added
    print("from_here", str(best["path"].relative_to(out))) # added
    print("url", out.as_uri()) # added
    print("all", str(made)) # added
    print("around", os.path.abspath("../data")) # added
print("end", w * 3) # added
print("last", str(best["path"])) # added
print("found", made[os.path.join(here, "out", "best2.json")]) # added
`;

const NAMES = [
  ["doubled", "kept", "relative", "from_here", "url", "all", "around"],
  ["end", "last", "found"],
];

describe("where a program lies", needs("torch"), () => {
  test.each([
    ["train.mjs", JAVASCRIPT, process.execPath, ["depth"]],
    ["train.py", PYTHON, TORCH ?? "", []],
  ])("%s: is told as in the run", async (entry, text, command, taken) => {
    // In a URL some characters are written otherwise.
    const around = mkdtempSync(join(tmpdir(), "afterlog a+é "));
    using project = new TestProject({ [entry]: text }, around);
    const out = execFileSync(command, [entry], { cwd: project.folder, encoding: "utf8" });
    project.write(entry, text.replaceAll(/^.* added\n/gm, ""));
    const interpreter = entry.endsWith(".py") ? ["--python", command] : [];
    const how = ["--seed", SEED, "--overhead", "inf", ...interpreter];
    const run = await project.afterlog("run", ...how, entry);
    expect(run.code, run.stderr).toBe(0);
    project.write(entry, text);
    for (const names of NAMES) {
      const { cells, stdout, stderr } = await ask(project, names);
      const lines = cells.map(({ name, value }) => `${name} ${String(JSON.parse(value))}`);
      const isAsked = (line: string): boolean => names.includes(line.split(" ", 1)[0] ?? "");
      const truth = out.trim().split("\n").filter(isAsked);
      expect(lines.toSorted(), stdout.slice(-1500) + stderr).toEqual(truth.toSorted());
      expect(cells.map(({ check }) => check)).not.toContain("diverged");
    }
    // What is made of the characters of such a name is that of the tree.
    for (const name of taken) {
      const { cells } = await ask(project, [name]);
      expect(cells.map(({ check }) => check)).toEqual(["unchecked"]);
    }
    rmSync(around, { recursive: true, force: true });
  });
});
