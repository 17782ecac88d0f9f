/**
 * @file No byte that a run holds does anything to the terminal on which it is read: escapes are planted
 * in every text of a run, of its replays and of its source, and each command of the table is asked.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CommandName } from "../../src/cli/commands/command-table.ts";
import { listCommands } from "../../src/cli/commands/command-table.ts";
import { inKeptProcess } from "../support/command-line.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";

/** Sets the title, asks for the cursor, turns the direction around, goes back, and begins a line. */
const PLANT = "\u001B]0;t\u0007\u001B[31m\u009B5n\u202Eab\u2067\u2028\b\r\n✔ planted";
/** File names and what is typed hold it as well. */
const TYPED = PLANT;

/** Texts by which a run is found or read; anything else may be anything. */
const KEPT_KEYS =
  /^(?:k|run|kind|status|format|commit|ref|sha256|hash|crc32|started|ended|language)$/;

const PROGRAM = `train${TYPED}.ts`;
const SOURCE = `import * as al from "afterlog";
const said = ${JSON.stringify(PLANT)};
al.arg("note", said);
const state = al.checkpointing({ w: new Float64Array(4) });
for (const epoch of al.loop("epoch", al.range(3))) {
  state.w[0] = (state.w[0] ?? 0) + epoch;
  al.log("loss", 1 / (1 + epoch)); // ${PLANT.replaceAll(/[\n\r\u2028]/g, "")}
  al.log("text", said);
}
`;

let project: TestProject;
let remote: TestProject;
let hostile = "";

beforeAll(async () => {
  project = new TestProject({ [PROGRAM]: SOURCE, ".gitignore": "node_modules\n" });
  remote = new TestProject();
  git(project, "init", "-q");
  commit();
  await record();
  project.write(PROGRAM, `// ${PLANT.slice(0, 9)} newer\n${SOURCE}`);
  commit();
  await record();
  // A question that throws what would be an escape, and one that is answered.
  project.write(
    PROGRAM,
    SOURCE.replace(
      '  al.log("text"',
      '  al.log("w0", epoch < 2 ? state.w[0] : JSON.parse(said));\n  al.log("text"',
    ),
  );
  await said({ argv: ["replay", "w0", "-y"] });
  project.write("plain.ts", SOURCE);
  plantRuns();
  git(remote, "init", "-q", "--bare", "shared.git");
  const hook = remote.write(
    "shared.git/hooks/pre-receive",
    `#!/bin/sh\nprintf '%b' '\\033]0;t\\007\\033[31m \\302\\2335n' >&2\nexit 1\n`,
  );
  chmodSync(hook, 0o755);
});
afterAll(() => {
  project[Symbol.dispose]();
  remote[Symbol.dispose]();
});

function git({ folder }: TestProject, ...argv: string[]): void {
  execFileSync("git", ["-C", folder, ...argv], { stdio: ["ignore", "ignore", "inherit"] });
}

function commit(): void {
  const identity = [
    "-c",
    "user.name=x",
    "-c",
    "user.email=x@x",
    "-c",
    "core.hooksPath=/nonexistent",
  ];
  git(project, "add", "-A");
  git(project, ...identity, "commit", "-q", "-m", `change ${PLANT}`);
}

async function record(): Promise<void> {
  const { code, err } = await said({ argv: ["run", PROGRAM] });
  assert.equal(code, 0, err);
}

/** Beside each run one of which every text was planted; the newest is asked for. */
function plantRuns(): void {
  for (const folder of project.runs) {
    const run = `${basename(folder).slice(0, -2)}zz`;
    const copy = join(dirname(folder), run);
    cpSync(folder, copy, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(copy, "run.json"), "utf8")) as { kind: string };
    const fresh = { ...(planted(manifest) as object), run, sha256: "0".repeat(64) };
    const text = `${JSON.stringify(fresh, undefined, 2)}\n`;
    const sha256 = createHash("sha256").update(text).digest("hex");
    writeFileSync(join(copy, "run.json"), text.replace("0".repeat(64), sha256));
    for (const name of ["log.jsonl", "profile.jsonl", "checkpoints/index.jsonl"]) {
      plantLines(join(copy, name), run);
    }
    if (manifest.kind === "record") hostile = run;
  }
}

function plantLines(file: string, run: string): void {
  if (!existsSync(file)) return;
  let text = "";
  let count = 0;
  for (const line of readFileSync(file, "utf8").split("\n").slice(0, -1)) {
    const record = JSON.parse(line) as { readonly [key: string]: unknown };
    const fresh = record["k"] === "header" ? { ...record, run } : (planted(record) as object);
    const bytes = crc32(Buffer.from(text)).toString(16).padStart(8, "0");
    const sealed = record["k"] === "seal" ? { ...record, count, crc32: bytes } : fresh;
    text += `${JSON.stringify(sealed)}\n`;
    count += 1;
  }
  writeFileSync(file, text);
}

/** The same, but for the texts in it and the names of fields that are the program's. */
function planted(value: unknown, key = ""): unknown {
  if (typeof value === "string") return KEPT_KEYS.test(key) ? value : value + PLANT;
  if (Array.isArray(value)) return value.map((one) => planted(one, key));
  if (typeof value !== "object" || value === null) return value;
  const isOfProgram = ["versions", "sources", "environment", "value"].includes(key);
  const entries = Object.entries(value).map(([name, one]) => {
    return [isOfProgram ? name + PLANT : name, planted(one, name)] as const;
  });
  return Object.fromEntries(entries);
}

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function said(asked: {
  readonly argv: readonly string[];
  readonly isTTY?: boolean;
}): Promise<Said> {
  const { argv, isTTY = true } = asked;
  const env = { ...process.env, FORCE_COLOR: "1", AFTERLOG_CONTROL: "false", PAGER: "" };
  const answer = inKeptProcess(argv, { cwd: project.folder, env, isTTY });
  assert.ok(answer);
  const { code, stdout, stderr } = await answer;
  return { code, out: stdout, err: stderr };
}

/** What stands for the arguments of commands; those of a command alone come first. */
const WORDS: { readonly [word: string]: () => readonly string[] } = {
  "<run>": () => [hostile],
  "[run]": () => [hostile],
  "[other]": () => ["@~1"],
  "[runs...]": () => [hostile],
  "<name>": () => [`loss${PLANT}`],
  "<names...>": () => ["loss", `loss${PLANT}`, `text${PLANT}`],
  "[names...]": () => [`w1 = state.w[1] + "${TYPED}"`],
  "[path]": () => [`epoch${PLANT}=1`],
  "<file>": () => ["plain.ts"],
  "[args...]": () => [`note=${TYPED}`],
  "<sql>": () => ["SELECT * FROM runs, logs"],
  "[what...]": () => ["logs"],
  "<id>": () => [`r1${TYPED}`],
  "[id]": () => [`r1${TYPED}`],
  "[words...]": () => ["w0"],
  "<condition>": () => ["loss < 0.4"],
  "<remote>": () => [join(remote.folder, "shared.git")],
  "[remote]": () => [`/nonexistent/${TYPED}`],
  "<shell>": () => [`bash${TYPED}`],
  "[name]": () => [`named${TYPED}`],
  "[text]": () => [TYPED],
  "<action>": () => ["ls"],
};

/** What shows more than the words above do. */
const FURTHER: { readonly [Name in CommandName]?: readonly (() => readonly string[])[] } = {
  show: [() => [TYPED], () => ["@"]],
  ls: [
    () => ["--all-columns"],
    () => ["--where", `note = '${TYPED}'`],
    () => ["--where", `"${TYPED}" = 1`],
  ],
  frame: [() => [TYPED]],
  query: [
    () => [`SELECT 1 AS "${TYPED}", '${TYPED}' AS a, ['${TYPED}'] AS b`],
    () => [`SELECT ${TYPED}`],
  ],
  diff: [() => [hostile, "@~1", "--all"], () => ["@", "@~1", "--all"]],
  plan: [() => ["w0"], () => [TYPED]],
  replay: [() => ["w0", "-y"], () => ["w2 = JSON.parse(said)", "-y", "--at", `${PROGRAM}:8`]],
  check: [() => ["@"]],
  why: [() => ["@", "text"], () => ["@", TYPED]],
  where: [() => [TYPED], () => ["w0", TYPED]],
  push: [() => [TYPED], () => [`/nonexistent/${TYPED}`]],
  pull: [() => [TYPED]],
  bisect: [() => [`"loss${PLANT}" < 0.4`, "-y"]],
  fork: [() => ["@@epoch=1", `note=${TYPED}`]],
  affected: [() => [PROGRAM]],
  gc: [() => ["--policy", "every:2", "--dry-run"]],
  run: [() => [`gone${TYPED}.ts`]],
  tag: [() => [hostile, `+good${TYPED}`]],
  alert: [
    () => ["add", "low", `"loss${PLANT}" < 0.4 or '${TYPED}' = 'x'`, "--arm"],
    () => ["ls"],
    () => ["test", "low"],
    () => ["watch", hostile],
    () => ["add", TYPED, "loss < 1"],
    () => [TYPED],
    () => ["arm", TYPED],
  ],
  restore: [() => ["@", "--branch", TYPED, "-y"], () => ["@", "--branch", "planted"]],
  rm: [() => ["--list"], () => ["--undo", hostile]],
};

/** A history of its own, with a process for each step; a server, which goes on until it is stopped. */
const NOT_ASKED: readonly CommandName[] = ["demo", "ui"];

const COMMANDS = listCommands().filter(({ name }) => !NOT_ASKED.includes(name));

// oxlint-disable-next-line no-control-regex
const OWN_STYLE = /\u001B\[(?:1|2|22|3[1-6]|39)m|\r\u001B\[2K/g;
const HARMFUL =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/;

/** They execute programs, which takes long: asked once. What a program itself prints is its own. */
const EXECUTES: readonly CommandName[] = ["run", "replay", "resume", "check", "fork", "bisect"];

const MODES = [
  { where: "on a terminal", isTTY: true, flags: [] },
  { where: "in a pipe", isTTY: false, flags: [] },
  { where: "as JSON", isTTY: true, flags: ["--json"] },
];

const ASKED = COMMANDS.flatMap((command) => {
  const modes = EXECUTES.includes(command.name) ? MODES.slice(0, 1) : MODES;
  return modes.map((mode) => ({ ...command, ...mode }));
});

/** What would move the cursor, and what looks like a line of ours. */
function harmIn(text: string): string[] {
  // Between the cells of tables in a pipe, and as it stands in a source, which a diff shows.
  const plain = text.replaceAll(OWN_STYLE, "").replaceAll("\t", " ");
  const places = [plain.search(HARMFUL), plain.search(/^✔ planted/m)];
  return places.filter((at) => at >= 0).map((at) => plain.slice(Math.max(0, at - 80), at + 20));
}

test.each(ASKED)("afterlog $name $where", needs("git"), async (asked) => {
  const { name, arguments: words, isTTY, flags } = asked;
  const wordsFor = (all: typeof words): readonly string[] =>
    all.flatMap(({ name: word }) => (WORDS[word] ?? assert.fail(`no words for ${word}`))());
  const ways = [
    wordsFor(words),
    wordsFor(words.filter(({ name: word }) => word.startsWith("<"))),
    ...(FURTHER[name] ?? []).map((further) => further()),
  ];
  for (const way of ways) {
    const argv = [name, ...flags, ...way];
    const { out, err } = await said({ argv, isTTY });
    expect({ argv, harm: harmIn(err) }).toEqual({ argv, harm: [] });
    // A file is what it is in a pipe, and has lines of its own.
    if (name === "export")
      expect(isTTY && out.replaceAll("\n", "").search(HARMFUL) >= 0).toBe(false);
    else expect({ argv, harm: harmIn(out) }).toEqual({ argv, harm: [] });
  }
});

test("what is shown is what is there", needs("git"), async () => {
  const { out } = await said({ argv: ["show", hostile] });
  expect(out).toContain(String.raw`\u001b]0;t\u0007\u001b[31m\u009b5n\u202eab\u2067`);
  const { out: table } = await said({ argv: ["query", `SELECT '${TYPED}' AS t`], isTTY: false });
  expect(table).toBe(
    String.raw`t${"\n"}\u001b]0;t\u0007\u001b[31m\u009b5n\u202eab\u2067\u2028\u0008\r\n✔ planted${"\n"}`,
  );
  const { out: bytes } = await said({
    argv: ["export", "query", `SELECT '${TYPED}' AS t`],
    isTTY: false,
  });
  expect(bytes).toContain(TYPED);
});
