import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { afterAll, expect, test } from "vitest";
import { analyzePython } from "../../src/languages/python/analyze-python.ts";
import { callPythonService } from "../../src/languages/python/python-service.ts";

const folder = mkdtempSync(join(tmpdir(), "afterlog-ask-"));
const started = join(folder, "started");
const active = env["VIRTUAL_ENV"];

/** The interpreter of an environment that writes down when it is started. */
function use(script: string): void {
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(started, "");
  writeFileSync(join(folder, "bin/python3"), `#!/bin/sh\necho >> '${started}'\n${script}\n`, {
    mode: 0o755,
  });
  env["VIRTUAL_ENV"] = folder;
}

function starts(): number {
  return readFileSync(started, "utf8").length;
}

afterAll(() => {
  if (active === undefined) delete env["VIRTUAL_ENV"];
  else env["VIRTUAL_ENV"] = active;
  rmSync(folder, { recursive: true });
});

test("all questions are answered by one process, whatever the texts are", () => {
  use(`exec python3 "$@"`);
  const compiles = (text: string): unknown => callPythonService({ ask: "compile", texts: [text] });
  expect(compiles("x = 1\n")).toEqual([true]);
  expect(compiles('x = "é\u{1F600}"\n')).toEqual([true]);
  expect(compiles("x =\n")).toEqual([false]);
  expect(callPythonService({ ask: "model" })).toMatchObject({
    problem: expect.stringMatching(/^KeyError/) as string,
  });
  const long = `x = [${"1, ".repeat(100_000)}]\n`;
  expect(compiles(long)).toEqual([true]);
  const files: { [file: string]: string } = {
    "train.py": "import broken, helper, json\n",
    "broken.py": "def f(:\n",
    "helper.py": "import other\n",
    "other.py": "",
    // Python's own is meant, and is what reads the question.
    "json.py": "raise ValueError\n",
  };
  const model = analyzePython("train.py", (file) => files[file]);
  expect(model.files.toSorted()).toEqual(["helper.py", "json.py", "other.py", "train.py"]);
  expect(model.uncertain.join()).toContain("broken.py:1 cannot be read");
  expect(starts()).toBe(1);
});

test("an interpreter that has ended is started anew, and one that does not start is told", () => {
  use("echo 'no module named afterlog' >&2; exit 3");
  env["PYTHONPATH"] = "a";
  const problem = "Python cannot be asked: no module named afterlog";
  expect(callPythonService({ ask: "compile", texts: ["a"] })).toEqual({ problem });
  expect(callPythonService({ ask: "compile", texts: ["b"] })).toEqual({ problem });
  expect(starts()).toBe(2);
  use(`exec python3 "$@"`);
  delete env["PYTHONPATH"];
  expect(callPythonService({ ask: "compile", texts: ["c"] })).toEqual([true]);
  env["PYTHONPATH"] = "b";
  rmSync(join(folder, "bin/python3"));
  mkdirSync(join(folder, "bin/python3"));
  expect(callPythonService({ ask: "compile", texts: ["d"] })).toMatchObject({
    problem: expect.stringContaining("EACCES") as string,
  });
  delete env["PYTHONPATH"];
});
