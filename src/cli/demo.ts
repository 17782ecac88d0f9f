/**
 * @file `afterlog demo`: a project of its own with the digits example in it, a few recorded runs,
 * their table and one chart, and then a value that none of them logged. Everything shown is
 * computed here and now by the commands it names.
 */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import pc from "picocolors";
import { AfterlogError } from "../format/index.ts";
import { lineChart } from "./chart.ts";
import type { CliContext } from "./context.ts";

const EPOCHS = 8;
/** Runs that differ enough to be worth a look. */
const RUNS: readonly (readonly string[])[] = [
  ["lr=0.0005"],
  ["lr=0.005"],
  ["lr=0.05"],
  ["lr=0.005", "hidden=8"],
];

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));

/** Makes the project, records, shows. Leaves the folder to the user. */
export async function demoCommand(context: CliContext, given: string | undefined): Promise<number> {
  const { dim, bold } = pc.createColors(context.color);
  const folder = makeProject(context.cwd, given);
  context.out(
    `${bold("A small network learns to read digits")} (UCI, 1,797 images), ${RUNS.length} times.\n`,
  );
  context.out(dim(`The project is ${folder}: train.ts, its data, and what is recorded.\n`));
  const shown = { folder, context };
  for (const [index, args] of RUNS.entries()) {
    const argv = ["run", "--seed", String(index + 1), "train.ts", `epochs=${EPOCHS}`, ...args];
    const code = await show(shown, argv, "quiet");
    if (code !== 0) return code;
  }
  for (const argv of [["ls"], ["frame", "lr", "hidden", "accuracy", "f1", "--grain", "run"]]) {
    const code = await show(shown, argv, "loud");
    if (code !== 0) return code;
  }
  context.out(`\n${await chart(shown)}\n`);
  const code = await askLater(shown);
  if (code !== 0) return code;
  context.out("\n");
  context.out(`Now you:  ${bold(`cd ${folder}`)}\n`);
  for (const line of NEXT) context.out(`  ${line}\n`);
  return 0;
}

/** How well the hardest digit is read was never logged: the runs are asked for it now. */
async function askLater(shown: Shown): Promise<number> {
  const { bold } = pc.createColors(shown.context.color);
  const text = "How well was an 8 read, epoch by epoch? Nobody logged it.";
  shown.context.out(`\n${bold(text)} Nothing is trained again:\n`);
  const lines = readFileSync(join(shown.folder, "train.ts"), "utf8").split("\n");
  const line = 1 + lines.findIndex((one) => one.includes('al.log("accuracy"'));
  const statement = "f1_of_8 = f1ByDigit(evaluate(), test.labels)[8]";
  const ask = ["replay", "--at", `train.ts:${line}`, statement, "--yes"];
  const code = await show(shown, ask, "loud");
  if (code !== 0) return code;
  const last = `epoch = ${EPOCHS - 1}`;
  return show(shown, ["frame", "f1_of_8", "accuracy", "lr", "--where", last], "loud");
}

const NEXT = [
  "npx afterlog run train.ts epochs=20 lr=0.002",
  "npx afterlog why @~1 f1_of_8 epoch=7",
  "npx afterlog show @",
  'npx afterlog frame loss --where "epoch = 0 and step < 5"',
  "npx afterlog query \"select run, max(number) as best from logs where name = 'accuracy' group by run\"",
];

function makeProject(cwd: string, given: string | undefined): string {
  const folder =
    given === undefined ? mkdtempSync(join(tmpdir(), "afterlog-demo-")) : resolve(cwd, given);
  if (given !== undefined && existsSync(folder) && readdirSync(folder).length > 0) {
    throw new AfterlogError("AL006", `${given} exists and is not empty`, {
      help: ["name a new folder, or none for a temporary one:  afterlog demo"],
    });
  }
  cpSync(join(PACKAGE, "examples", "digits"), folder, { recursive: true });
  const manifest = { name: "afterlog-demo", private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(folder, ".gitignore"), "node_modules\n");
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@jax-js"), { recursive: true });
  symlinkSync(PACKAGE, join(modules, "afterlog"));
  mkdirSync(join(modules, ".bin"));
  symlinkSync(MAIN, join(modules, ".bin", "afterlog"));
  symlinkSync(packageFolder("@jax-js/jax"), join(modules, "@jax-js", "jax"));
  return folder;
}

/** Where a dependency of ours is installed. */
function packageFolder(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
}

interface Shown {
  readonly folder: string;
  readonly context: CliContext;
}

/** Runs a command as the user would, after saying which. `quiet` leaves the program's output out. */
function show(
  { folder, context }: Shown,
  argv: readonly string[],
  how: "quiet" | "loud",
): Promise<number> {
  const { bold } = pc.createColors(context.color);
  context.out(`\n${bold(`$ afterlog ${argv.map(quoted).join(" ")}`)}\n`);
  const stdout = how === "quiet" ? "ignore" : "inherit";
  const child = spawn(process.execPath, [MAIN, ...argv], {
    cwd: folder,
    stdio: ["ignore", stdout, "inherit"],
  });
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => done(code ?? 1));
  });
}

function quoted(word: string): string {
  return /^[\w.,=@/-]+$/.test(word) ? word : `'${word}'`;
}

interface FrameRow {
  readonly run: string;
  readonly epoch: number;
  readonly lr: number;
  readonly hidden: number;
  readonly accuracy: number;
}

async function chart({ folder, context }: Shown): Promise<string> {
  const rows = await frameRows(folder);
  const runs = groupByRun(rows);
  const series = [...runs.values()].map((points) => ({
    label: `lr=${points[0]?.lr} hidden=${points[0]?.hidden}`,
    points: points.map(({ epoch, accuracy }) => ({ x: epoch, y: accuracy })),
  }));
  const width = Math.min(context.columns, 80);
  const { color } = context;
  return lineChart(series, { width, height: 12, color, title: "accuracy", xLabel: "epoch" });
}

function groupByRun(rows: readonly FrameRow[]): Map<string, FrameRow[]> {
  const runs = new Map<string, FrameRow[]>();
  for (const row of rows) runs.set(row.run, [...(runs.get(row.run) ?? []), row]);
  return runs;
}

function frameRows(folder: string): Promise<FrameRow[]> {
  const argv = ["frame", "accuracy", "lr", "hidden", "--json"];
  const child = spawn(process.execPath, [MAIN, ...argv], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", () => done(JSON.parse(text) as FrameRow[]));
  });
}
