/**
 * What a program uses outside its project: a replay finds it where the run did and as the run found it,
 * what it writes there goes to copies, and every original stays as it is.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ask } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { MAIN, TestProject } from "../support/project.ts";
import { TORCH } from "../support/python.ts";

/** Statements before the loop, and a number that depends on them; `@` is the folder around. */
type Ways = { readonly [name: string]: readonly [before: string, look: string] };

const PYTHON: Ways = {
  relative: ["", 'sum(map(float, open("../data/x.csv")))'],
  absolute: ["", 'float(open("@/data/x.csv").readline())'],
  linked: ["", 'sum(map(float, open("../linked/x.csv")))'],
  cached: [
    `cache = pathlib.Path.home() / ".cache" / "tool" / "a.json"
cache.parent.mkdir(parents=True, exist_ok=True)
was = cache.exists()
cache.write_text("[1, 2]")`,
    "was * 10 + len(json.loads(cache.read_text()))",
  ],
  configured: [
    `config = os.path.expanduser("~/.config/matplotlib")
os.makedirs(config, exist_ok=True)
tempfile.TemporaryFile(dir=config).close()`,
    "os.access(config, os.W_OK) + len(os.listdir(config))",
  ],
  appended: [
    'log = logging.FileHandler("../log.txt"); log.emit(logging.makeLogRecord({})); log.close()',
    'len(open("../log.txt").readlines())',
  ],
  replaced: [
    'open("../data/b.tmp", "w").write("12"); os.replace("../data/b.tmp", "../data/b.txt")',
    'int(open("../data/b.txt").read()) + os.path.exists("../data/b.tmp")',
  ],
  renamed: [
    'os.rename("@/data/old.txt", "@/data/new.txt")',
    'os.path.exists("../data/old.txt") * 100 + os.path.getsize("../data/new.txt")',
  ],
  removed: ['os.remove("../data/gone.txt")', 'int(os.path.exists("../data/gone.txt"))'],
  emptied: ['shutil.rmtree("../full"); os.mkdir("../full")', 'len(os.listdir("../full"))'],
  copied: [
    'shutil.copy2("../data/x.csv", "../data/y.csv")',
    'sum(len(files) for _, _, files in os.walk("../data"))',
  ],
  saved: [
    'torch.save({"n": 5}, "@/w.pt"); np.save("../n", np.arange(4))',
    'torch.load("../w.pt")["n"] + np.load("@/n.npy").sum()',
  ],
  stored: [
    `base = sqlite3.connect("../base.db")
base.execute("create table t (x)")
base.execute("insert into t values (8)")
base.commit()`,
    'base.execute("select sum(x) from t").fetchone()[0]',
  ],
  pointed: [
    'open("../w-1.txt", "w").write("31"); os.symlink("w-1.txt", "../latest")',
    'int(open("@/latest").read())',
  ],
  forked: [
    `child = os.fork()
if child == 0:
    open("../by-child.txt", "w").write("6")
    os._exit(0)
os.waitpid(child, 0)`,
    'int(open("../by-child.txt").read())',
  ],
  entered: [
    'os.mkdir("../inner"); os.chdir("../inner"); open("here.txt", "w").write("3"); os.chdir(started)',
    'int(open("@/inner/here.txt").read())',
  ],
  // As processes of a loader do, by names of such a length.
  listened: [
    `place = tempfile.mkdtemp() + "/" + "x" * 45
socket.socket(socket.AF_UNIX).bind(place)`,
    "len(os.listdir(os.path.dirname(place)))",
  ],
};

const python = (
  ways: Ways,
): string => `import json, logging, os, pathlib, shutil, socket, sqlite3, tempfile
import numpy as np
import torch
started = os.getcwd()
${Object.values(ways)
  .map(([before]) => before)
  .join("\n")}
total = 0
for epoch in range(3):
    total += epoch
    print("total", total)
${Object.entries(ways)
  .map(([name, [, look]]) => `print("${name}", float(${look})) # added`)
  .join("\n")}
`;

const JAVASCRIPT: Ways = {
  relative: ["", 'Number(fs.readFileSync("../data/x.csv", "utf8").split("\\n")[1])'],
  absolute: ["", 'Number(fs.readFileSync("@/data/x.csv", "utf8").split("\\n")[0])'],
  linked: ["", 'fs.statSync("../linked/x.csv").size'],
  cached: [
    `const cache = os.homedir() + "/.cache/tool/a.json";
fs.mkdirSync(os.homedir() + "/.cache/tool", { recursive: true });
const was = fs.existsSync(cache);
await promises.writeFile(cache, "[1, 2]");`,
    "was * 10 + JSON.parse(await promises.readFile(cache)).length",
  ],
  appended: ['fs.appendFileSync("../log.txt", "x\\n");', 'fs.statSync("../log.txt").size'],
  replaced: [
    'fs.writeFileSync("../data/b.tmp", "12"); fs.renameSync("../data/b.tmp", "../data/b.txt");',
    'Number(fs.readFileSync("../data/b.txt", "utf8")) + fs.existsSync("../data/b.tmp")',
  ],
  renamed: [
    'fs.renameSync("@/data/old.txt", "@/data/new.txt");',
    'fs.existsSync("../data/old.txt") * 100 + fs.statSync("../data/new.txt").size',
  ],
  removed: ['await promises.rm("../data/gone.txt");', 'Number(fs.existsSync("../data/gone.txt"))'],
  emptied: [
    'fs.rmSync("../full", { recursive: true }); fs.mkdirSync("../full");',
    'fs.readdirSync("../full").length',
  ],
  copied: [
    'fs.copyFileSync("../data/x.csv", "../data/y.csv");',
    'fs.readdirSync("../data").length',
  ],
  streamed: [
    'await new Promise((ok) => fs.createWriteStream("@/stream.txt").end("45", ok));',
    'Number(await new Response(fs.createReadStream("../stream.txt")).text())',
  ],
  pointed: [
    'fs.writeFileSync("../w-1.txt", "31"); fs.symlinkSync("w-1.txt", "../latest");',
    'Number(fs.readFileSync("@/latest", "utf8"))',
  ],
};

const javascript = (ways: Ways): string => `import fs from "node:fs";
import os from "node:os";
import * as promises from "node:fs/promises";
${Object.values(ways)
  .map(([before]) => before)
  .join("\n")}
let total = 0;
for (let epoch = 0; epoch < 3; epoch++) {
  total += epoch;
  console.log("total", total);
}
${Object.entries(ways)
  .map(([name, [, look]]) => `console.log("${name}", ${look}); // added`)
  .join("\n")}
`;

/** What lies around a project. */
const AROUND = {
  "data/x.csv": "1\n2\n4\n",
  "data/old.txt": "five!",
  "data/gone.txt": "x",
  "log.txt": "before\n",
  "full/a/b.txt": "x",
  "kept/a.txt": "x",
  "home/.profile": "",
};

class Surroundings implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "afterlog-around-")));

  constructor() {
    for (const [name, text] of Object.entries(AROUND)) {
      mkdirSync(join(this.folder, name, ".."), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
    cpSync(join(this.folder, "data"), join(this.folder, "elsewhere"), { recursive: true });
    execFileSync("ln", ["-s", "elsewhere", join(this.folder, "linked")]);
  }

  get home(): string {
    return join(this.folder, "home");
  }

  /** Everything around the project, by name and content. */
  state(project: string): { readonly [name: string]: string } {
    const files = readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.startsWith(project));
    return Object.fromEntries(files.toSorted().map((file) => [file, contentOf(file)]));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function contentOf(file: string): string {
  const { mode, mtimeMs } = statSync(file);
  if (statSync(file).isDirectory()) return `${mode} ${mtimeMs}`;
  return `${mode} ${mtimeMs} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
}

function textFor(text: string, { folder }: Surroundings): string {
  return text.replaceAll("@", folder);
}

/** What the program prints where nobody has run before. */
function truth(entry: string, text: string): { [name: string]: number } {
  using around = new Surroundings();
  using project = new TestProject({ [entry]: textFor(text, around) }, around.folder);
  const command = entry.endsWith(".py") ? (TORCH ?? "") : process.execPath;
  const env = { ...process.env, HOME: around.home };
  const out = execFileSync(command, [entry], { cwd: project.folder, env, encoding: "utf8" });
  const pairs = out
    .trim()
    .split("\n")
    .map((line) => line.split(" "));
  return Object.fromEntries(pairs.map(([name = "", value]) => [name, Number(value)]));
}

/** Records the program without the lines that were added, in surroundings of its own, and asks. */
async function replayed(
  around: Surroundings,
  entry: string,
  { text, names, between }: { text: string; names: readonly string[]; between?: () => void },
): Promise<Awaited<ReturnType<typeof ask>> & { changed: boolean }> {
  const whole = textFor(text, around);
  const recorded = whole.replaceAll(/^.* added\n/gm, "");
  using project = new TestProject({ [entry]: recorded }, around.folder);
  const env = { HOME: around.home };
  const interpreter = entry.endsWith(".py") ? ["--python", TORCH ?? ""] : [];
  const how = ["run", "--overhead", "inf", ...interpreter, entry];
  const run = await project.afterlogWith(env, ...how);
  expect(run.code, run.stderr).toBe(0);
  between?.();
  const before = around.state(project.folder);
  project.write(entry, whole);
  const answer = await ask(project, names, { env });
  const after = around.state(project.folder);
  return { ...answer, changed: JSON.stringify(before) !== JSON.stringify(after) };
}

describe("files outside the project", needs("torch"), () => {
  test.each([
    ["train.py", python(PYTHON), Object.keys(PYTHON)],
    ["train.mjs", javascript(JAVASCRIPT), Object.keys(JAVASCRIPT)],
  ] as const)("%s: are as the run found them, and stay as they are", async (entry, text, names) => {
    using around = new Surroundings();
    const expected = truth(entry, text);
    const { cells, changed, stderr, stdout } = await replayed(around, entry, { text, names });
    const found = Object.fromEntries(cells.map(({ name, value }) => [name, Number(value)]));
    expect({ ...found, total: 3 }, stderr + stdout.slice(-1500)).toEqual(expected);
    expect(changed).toBe(false);
  });
});

/** A loop in whose iterations `write` is executed, and `look` behind it. */
const SMALL = {
  "train.py": ({ before = "", write = "pass", look = "0" }) => `import os
${before}
for epoch in range(3):
    print("epoch_was", epoch)
    ${write}
print("q", ${look}) # added
`,
  "train.mjs": ({ before = "", write = "", look = "0" }) => `import fs from "node:fs";
${before}
for (let epoch = 0; epoch < 3; epoch++) {
  console.log("epoch_was", epoch);
  ${write}
}
console.log("q", ${look}); // added
`,
} as const;

const APPEND = 'with open("../log.txt", "a") as log: log.write("x\\n")';
const READ = 'fs.readFileSync("../data/x.csv", "utf8");';

interface Small {
  readonly before?: string;
  readonly write?: string;
  readonly look?: string;
}

/** What the replay says if it has no value; else the value. */
const ROWS: readonly [
  keyof typeof SMALL,
  string,
  Small,
  string | number,
  (data: string) => void,
][] = [
  [
    "train.py",
    "written in a loop that is skipped",
    { write: APPEND, look: 'len(open("../log.txt").readlines())' },
    4,
    () => undefined,
  ],
  [
    "train.mjs",
    "written in a loop that is skipped",
    {
      write: 'fs.appendFileSync("../log.txt", "x\\n");',
      look: 'fs.readFileSync("../log.txt", "utf8").length',
    },
    13,
    () => undefined,
  ],
  [
    "train.py",
    "grown since the run appended to it",
    { before: APPEND, look: 'len(open("../log.txt").readlines())' },
    2,
    (around) => appendFileSync(join(around, "log.txt"), "more\nand more\n"),
  ],
  [
    "train.py",
    "another since the run read it",
    { before: 'open("../data/x.csv").read()' },
    "data/x.csv has changed since the run read it",
    (around) => writeFileSync(join(around, "data/x.csv"), "3\n"),
  ],
  [
    "train.mjs",
    "another since the run read it",
    { before: READ },
    "data/x.csv has changed",
    (around) => writeFileSync(join(around, "data/x.csv"), "3\n"),
  ],
  [
    "train.py",
    "missing since the run read it",
    { before: 'open("../data/x.csv").read()' },
    "data/x.csv is missing",
    (around) => rmSync(join(around, "data/x.csv")),
  ],
  [
    "train.mjs",
    "missing since the run read it",
    { before: READ },
    "data/x.csv is missing",
    (around) => rmSync(join(around, "data/x.csv")),
  ],
  [
    "train.py",
    "overwritten by the run that read it",
    {
      before: 'n = len(open("../log.txt").read()); open("../log.txt", "w").write("new")',
      look: "n",
    },
    "log.txt has changed since the run read it",
    () => undefined,
  ],
  [
    "train.mjs",
    "moved away by the run, with what is in it",
    { before: 'fs.renameSync("../kept", "../away");', look: 'fs.readdirSync("../away").length' },
    "is missing: the run found it",
    () => undefined,
  ],
  [
    "train.py",
    "moved away by the run, with what is in it",
    { before: 'os.rename("../kept", "../away")', look: 'len(os.listdir("../away"))' },
    "is missing: the run found it",
    () => undefined,
  ],
  [
    "train.py",
    "left to a program that is started",
    { before: 'open("../in.txt", "w").write("x")', look: 'len(os.popen("cat ../in.txt").read())' },
    "may read what was written outside",
    () => undefined,
  ],
];

describe("a file outside the project", needs("torch"), () => {
  test.each(ROWS)("%s: %s", async (entry, _, small, expected, between) => {
    using around = new Surroundings();
    const text = SMALL[entry](small);
    const change = (): void => between(around.folder);
    const answer = await replayed(around, entry, { text, names: ["q"], between: change });
    const { cells, stdout, stderr, changed } = answer;
    const values = cells.map(({ value }) => Number(value));
    const isValue = typeof expected === "number";
    expect(values, stdout.slice(-900) + stderr).toEqual(isValue ? [expected] : []);
    if (!isValue) expect(stdout).toContain(expected);
    expect(changed).toBe(false);
  });

  test("is found by a program that was started in another folder, and named if it is gone", async () => {
    using around = new Surroundings();
    const text = SMALL["train.py"]({ before: 'n = len(open("data/x.csv").read())', look: "n" });
    const recorded = text.replaceAll(/^.* added\n/gm, "");
    using project = new TestProject({ "train.py": recorded, "afterlog.toml": "" }, around.folder);
    const argv = [MAIN, "run", "--python", TORCH ?? "", join(project.folder, "train.py")];
    const options = { cwd: around.folder };
    const run = await project.start(argv, { AFTERLOG_OVERHEAD: "inf" }, options).finished;
    expect(run.code, run.stderr).toBe(0);
    project.write("train.py", text);
    const { cells, stdout } = await ask(project, ["q"]);
    expect(
      cells.map(({ value }) => Number(value)),
      stdout,
    ).toEqual([6]);
    rmSync(join(around.folder, "data/x.csv"));
    project.write("train.py", text.replace('"q", n', '"r", n'));
    const plan = await project.afterlog("plan", "r");
    expect(plan.stdout).toMatch(/AL049: .*data\/x\.csv is missing, and the run read it/);
  });
});
