/**
 * @file `afterlog demo` as a user meets it. What its replays fill in is, for every version and bit
 * for bit, what that version logs with the statement put in by hand.
 *
 * Needs `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { count } from "../support/draws.ts";
import { fingerprint, Sandbox } from "../git/sandbox.ts";
import { commitWeek, DEMO_VERSIONS, makeDemoProject } from "../../src/cli/demo/demo-history.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLI = join(ROOT, "dist", "cli", "main.js");
const ON_TERMINAL = join(ROOT, "test", "run", "on_terminal.py");
const COLUMNS = 80;
const LONG_MS = 600_000;

/** The value asked for, in the words of each version. */
const BY_HAND: readonly (readonly [week: string, value: string])[] = [
  ["week-1", "f1s[7]"],
  ["week-2", "f1s[7]"],
  ["week-3", "scores[7]"],
  ["week-4", "scores[7]"],
  ["week-5", "f1Of(7, predicted, test.labels)"],
  ["week-6", "f1Of(7, predicted, test.labels)"],
  ["week-7", "f1Of(7, predicted, test.labels)"],
  ["week-8", "f1Of(7, predicted, held.labels)"],
  ["week-9", "f1Of(7, predicted, held.labels)"],
];

/** Weeks that are done again by hand: the first ones, for each begins with the one before. */
const CHOSEN = BY_HAND.map(([week]) => week).slice(0, count(1, { long: BY_HAND.length }));

/** Where the user is when they call it. */
const home = new Sandbox();
let homeBefore = "";
const top = realpathSync(mkdtempSync(join(tmpdir(), "afterlog-demo-test-")));
const demo = join(top, "demo");
const byHand = join(top, "by-hand");
let shown = "";
let status: number | null = null;

beforeAll(() => {
  const argv = [ON_TERMINAL, String(COLUMNS), "40", process.execPath, CLI, "demo", demo];
  home.git("init");
  home.write("a.txt", "a\n");
  home.git("add", "a.txt");
  homeBefore = fingerprint(home);
  const told = spawnSync("python3", argv, { cwd: home.repo, env: environment(), encoding: "utf8" });
  shown = told.stdout;
  status = told.status;
  recordByHand();
}, LONG_MS);

afterAll(() => {
  rmSync(top, { recursive: true, force: true });
  home[Symbol.dispose]();
});

/** This process's environment without what would steer Afterlog, or colours. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^AFTERLOG_|^GIT_|^(?:NO_COLOR|FORCE_COLOR|CI)$/.test(name),
  );
  return { ...Object.fromEntries(kept), TERM: "xterm-256color" };
}

function afterlog(folder: string, ...argv: readonly string[]): string {
  const options = { cwd: folder, env: environment(), encoding: "utf8" } as const;
  const { status: code, stdout, stderr } = spawnSync(process.execPath, [CLI, ...argv], options);
  expect({ argv, stderr, code }).toMatchObject({ code: 0 });
  return stdout;
}

/** The same weeks, each script with the statement in it from the start, and the same seeds. */
function recordByHand(): void {
  const project = makeDemoProject({ cwd: top, env: environment() }, byHand);
  const newest = readFileSync(join(demo, "train.ts"), "utf8");
  const [helper = ""] = /^function f1Of[\s\S]*?^}\n/m.exec(newest) ?? [];
  for (const [at, version] of DEMO_VERSIONS.entries()) {
    commitWeek(project, version);
    const [name, value] = BY_HAND[at] ?? ["", ""];
    if (!CHOSEN.includes(name)) return;
    const file = join(byHand, "train.ts");
    const text = readFileSync(file, "utf8").replace(
      /^( *)al\.log\("accuracy".*\n/m,
      (line, indent) => `${line}${indent}al.log("f1_seven", ${value});\n`,
    );
    const needsHelper = value.includes("f1Of") && !text.includes("function f1Of");
    writeFileSync(file, needsHelper ? `${text}${helper}` : text);
    afterlog(byHand, "run", "--name", name, "--seed", String(30 + version.week), "train.ts");
  }
}

interface Logged {
  readonly week: string;
  readonly name: string;
  readonly path: string;
  readonly number: number;
}

const read = new Map<string, readonly Logged[]>();

/** Everything that was logged in a project: the week, the name, where, and the value. */
function logged(folder: string): readonly Logged[] {
  const sql = `SELECT r.name AS week, l.name, l.path, l.number FROM logs l JOIN runs r USING (run)
    ORDER BY r.ordinal, l.name, l.path`;
  const known = read.get(folder) ?? JSON.parse(afterlog(folder, "query", sql, "--json"));
  read.set(folder, known);
  return known;
}

function git(folder: string, ...argv: readonly string[]): string {
  return spawnSync("git", argv, { cwd: folder, env: environment(), encoding: "utf8" }).stdout;
}

/** What stands on the terminal in the end: no colours, and of a line drawn again the last. */
function lines(): string[] {
  const plain = stripVTControlCharacters(shown);
  return plain.split("\n").map((line) => line.replace(/\r+$/, "").split("\r").at(-1) ?? "");
}

describe("afterlog demo", () => {
  test("tells its story to the end", () => {
    expect({ status, end: lines().slice(-30) }).toMatchObject({ status: 0 });
  });

  test.each(["loss", "accuracy", "f1"])("records the %s that it is compared with", (name) => {
    const named = (folder: string): readonly Logged[] =>
      logged(folder).filter((row) => row.name === name && CHOSEN.includes(row.week));
    expect(named(byHand)).not.toEqual([]);
    expect(named(demo)).toEqual(named(byHand));
  });

  const chosen = BY_HAND.filter(([week]) => CHOSEN.includes(week));
  test.each(chosen)("%s: f1_seven is %s, bit for bit", (week) => {
    const ofWeek = (folder: string): readonly Logged[] =>
      logged(folder).filter((row) => row.name === "f1_seven" && row.week === week);
    expect(ofWeek(byHand)).not.toEqual([]);
    expect(ofWeek(demo)).toEqual(ofWeek(byHand));
  });

  test("forgets the sevens in week 6, and the total does not say so", () => {
    const weeks = frame(demo);
    expect(weeks.map(({ week }) => week)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const { week, f1_seven, origin } of weeks) {
      expect({ week, bad: f1_seven < 0.8 }).toEqual({ week, bad: week >= 6 });
      expect(origin.f1_seven).toEqual({ from: "hindsight", check: "verified" });
    }
    const accuracies = weeks.slice(1).map(({ accuracy }) => accuracy);
    expect(Math.max(...accuracies) - Math.min(...accuracies)).toBeLessThan(0.04);
  });

  test("finds that week, and the commit", () => {
    const told = lines().join("\n");
    expect(told).toMatch(
      /first bad run: .*\n.*"Train on the scans of the new scanner"\n.*\(0\.962, then 0\.7761\)/,
    );
    expect(told).toMatch(/data\/week-05\.csv:17\s+Now you:/);
  });

  test("leaves the repository that the user was in alone", () => {
    expect(fingerprint(home)).toBe(homeBefore);
  });

  test("leaves a repository in which nothing but the script has changed", () => {
    expect(git(demo, "status", "--porcelain")).toBe(" M train.ts\n");
    expect(git(demo, "diff", "--numstat")).toBe("1\t0\ttrain.ts\n");
    const subjects = git(demo, "log", "--reverse", "--format=%s").trimEnd().split("\n");
    expect(subjects).toEqual(DEMO_VERSIONS.map(({ subject }) => subject));
    expect(git(demo, "worktree", "list").trimEnd().split("\n")).toHaveLength(1);
    expect(git(demo, "stash", "list")).toBe("");
    const refs = git(demo, "for-each-ref", "--format=%(refname)").trimEnd().split("\n");
    expect(refs.filter((ref) => !ref.startsWith("refs/afterlog/"))).toEqual(["refs/heads/main"]);
  });

  test("fits a terminal of 80 columns", () => {
    // What is quoted from a source file is as long as its author made it.
    const ours = lines().filter((line) => !/^(?: {2})?\+/.test(line));
    expect(ours.filter((line) => line.length > COLUMNS)).toEqual([]);
  });

  test("ends with commands that work", () => {
    const told = lines();
    const next = told.slice(told.findIndex((line) => line.startsWith("Now you:")) + 1);
    const commands = next.map((line) => line.trim()).filter((line) => line !== "");
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands) {
      const options = { cwd: demo, env: environment(), encoding: "utf8" } as const;
      const { status: code, stderr } = spawnSync("sh", ["-c", command], options);
      expect({ command, stderr, code }).toMatchObject({ code: 0 });
    }
  });
});

interface Week {
  readonly week: number;
  readonly accuracy: number;
  readonly f1_seven: number;
  readonly origin: { readonly f1_seven: object | null };
}

function frame(folder: string): readonly Week[] {
  return JSON.parse(
    afterlog(folder, "frame", "week", "accuracy", "f1_seven", "--grain", "run", "--json"),
  );
}
