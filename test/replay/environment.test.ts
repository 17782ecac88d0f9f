/**
 * @file Environment variables that a program sets for itself. Started without the command its run
 * begins at the first call, when they are set already; a replay begins before its first line.
 */
import { expect, test } from "vitest";
import { needs } from "../support/needs.ts";
import { PACKAGES } from "../support/python.ts";
import { TestProject } from "../support/project.ts";

const LOOP = `
  for (const e of al.loop("epoch", [1, 2, 3])) al.log("loss", e * Number(process.env.SCALE));
  al.log("last", 1);`;
const PYTHON_LOOP = `
for e in al.loop("epoch", [1, 2, 3]):
    al.log("loss", e * float(os.environ["SCALE"]))
al.log("last", 1)
`;

test.each<[string, string, { readonly [file: string]: string }]>([
  [
    "by a statement",
    "node",
    { "train.mjs": `import * as al from "afterlog"; process.env.SCALE = "2";${LOOP}` },
  ],
  [
    "by a module that is loaded before",
    "node",
    {
      "settings.mjs": 'process.env.SCALE = "2";',
      "train.mjs": `import "./settings.mjs"; import * as al from "afterlog";${LOOP}`,
    },
  ],
  [
    "by a statement of Python",
    "python3",
    { "train.py": `import os\nos.environ["SCALE"] = "2"\nimport afterlog as al${PYTHON_LOOP}` },
  ],
])("set %s, they are no reason to doubt a value", needs("python"), async (_, command, files) => {
  using project = new TestProject(files);
  const [program = ""] = Object.keys(files).toReversed();
  const env = { PYTHONPATH: PACKAGES };
  const { code, stderr } = await project.start([program], env, { command }).finished;
  expect(code, stderr).toBe(0);
  const text = files[program] ?? "";
  const added = command === "node" ? `${text}\nal.log("end", 7);` : `${text}al.log("end", 7)\n`;
  project.write(program, added);
  const replayed = await project.afterlogWith(env, "replay", "end", "--yes", "--json");
  expect(replayed.code, replayed.stderr + replayed.stdout).toBe(0);
  expect(replayed.stdout).toContain('"marks":{"verified":1,"restored":0,"close":0');
});
