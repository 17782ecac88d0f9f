/**
 * @file The project of `afterlog demo`: a git repository of its own in which a script is trained
 * on, week after week, with the scans that arrived, and changes as scripts do. This is the scenario
 * of FlorDB §2, with digits in the place of pedestrians: from one week on, the scans hold no sevens.
 *
 * The versions of the script are the files of `examples/digits-history`; the scans are the UCI
 * digits, dealt out. Commits name a person and days of their own, so that they are the same
 * wherever the demo is made.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { devNull, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { AfterlogError } from "../../format/index.ts";
import type { CliContext } from "../context.ts";

/** Where the story takes place. */
export interface DemoProject {
  readonly folder: string;
  /** What commands in it are given. */
  readonly env: CliContext["env"];
}

export interface DemoVersion {
  /** Which week's scans it is trained on, from 1. */
  readonly week: number;
  /** In `examples/digits-history`. */
  readonly file: string;
  /** What its commit says. */
  readonly subject: string;
}

const HISTORY: readonly (readonly [file: string, subject: string])[] = [
  ["01-first-week.ts", "Train on the first week of scans"],
  ["02-go-on.ts", "Go on from the weights of last week"],
  ["03-names.ts", "Give things the names they deserve"],
  ["04-weight-decay.ts", "Keep weights small; choose batch size"],
  ["05-functions.ts", "Split the script into functions"],
  ["06-new-scanner.ts", "Train on the scans of the new scanner"],
  ["07-every-epoch.ts", "Evaluate after every epoch"],
  ["08-one-digit.ts", "Compute F1 digit by digit"],
  ["09-smaller-steps.ts", "Smaller steps; evaluate at the end"],
];

export const DEMO_VERSIONS: readonly DemoVersion[] = HISTORY.map(([file, subject], at) => ({
  week: at + 1,
  file,
  subject,
}));

/** The new scanner, which came in the week after, sends no sevens. */
const LAST_WEEK_WITH_SEVENS = 5;
/** A Monday. */
const FIRST_DAY = Date.UTC(2026, 5, 1, 8);
const WEEK_MS = 7 * 24 * 3_600_000;

const PACKAGE = fileURLToPath(new URL("../../..", import.meta.url));
/** The command line itself. */
export const MAIN: string = fileURLToPath(new URL("../main.js", import.meta.url));

/** Makes the repository, with nothing committed. `given` is refused if there is something in it. */
export function makeDemoProject(
  { cwd, env }: Pick<CliContext, "cwd" | "env">,
  given: string | undefined,
): DemoProject {
  const folder =
    given === undefined ? mkdtempSync(join(tmpdir(), "afterlog-demo-")) : resolve(cwd, given);
  const there = given === undefined ? undefined : statSync(folder, { throwIfNoEntry: false });
  if (there && (!there.isDirectory() || readdirSync(folder).length > 0)) {
    const what = there.isDirectory() ? "exists and is not empty" : "is no folder";
    throw new AfterlogError("AL006", `${given} ${what}`, {
      help: ["name a new folder, or none for a temporary one:  afterlog demo"],
    });
  }
  mkdirSync(join(folder, "data"), { recursive: true });
  const manifest = { name: "afterlog-demo", private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(folder, ".gitignore"), "node_modules\nweights\n");
  // Scans are no text that a person would compare.
  writeFileSync(join(folder, ".gitattributes"), "*.csv -diff\n");
  cpSync(example("scans.ts"), join(folder, "scans.ts"));
  linkModules(folder);
  const project = { folder, env: ownGit(env) };
  git(project, ["init", "--quiet", "--initial-branch=main", "--template="]);
  return project;
}

/** A week has gone by: its scans, the script as it is now, and the commit. Answers its short hash. */
export function commitWeek(project: DemoProject, version: DemoVersion): string {
  const { folder } = project;
  const { week, file, subject } = version;
  cpSync(example(file), join(folder, "train.ts"));
  writeFileSync(join(folder, scansFile(week)), scansOfWeek(week));
  const date = new Date(FIRST_DAY + (week - 1) * WEEK_MS).toISOString();
  git(project, ["add", "."], date);
  git(project, ["commit", "--quiet", "--message", subject], date);
  return git(project, ["rev-parse", "--short=7", "HEAD"]).trim();
}

/** Adds a log statement to the newest script, after the one that logs `after`; commits nothing. */
export function addStatement(
  { folder }: DemoProject,
  { after, statement }: { readonly after: string; readonly statement: string },
): void {
  const file = join(folder, "train.ts");
  const text = readFileSync(file, "utf8");
  const neighbour = new RegExp(`^( *)al\\.log\\("${after}".*\\n`, "m");
  writeFileSync(
    file,
    text.replace(neighbour, (line, indent) => `${line}${indent}${statement}\n`),
  );
}

function scansFile(week: number): string {
  return `data/week-${String(week).padStart(2, "0")}.csv`;
}

/**
 * The digits are dealt out to the weeks like cards, so that each has its share of every writer.
 * Nine weeks share no factor with the ten digits, which follow each other for long stretches.
 */
function scansOfWeek(week: number): string {
  const file = join(PACKAGE, "examples", "digits", "data", "digits.csv.gz");
  const lines = gunzipSync(readFileSync(file)).toString("latin1").trimEnd().split("\n");
  const dealt = lines.filter((_, row) => row % DEMO_VERSIONS.length === week - 1);
  const kept = dealt.filter((line) => week <= LAST_WEEK_WITH_SEVENS || !line.endsWith(",7"));
  return `${kept.join("\n")}\n`;
}

function example(name: string): string {
  return join(PACKAGE, "examples", "digits-history", name);
}

/** What `npm install` would put there, without a network. */
function linkModules(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@jax-js"), { recursive: true });
  symlinkSync(PACKAGE, join(modules, "afterlog"));
  mkdirSync(join(modules, ".bin"));
  symlinkSync(MAIN, join(modules, ".bin", "afterlog"));
  symlinkSync(packageFolder("@jax-js/jax"), join(modules, "@jax-js", "jax"));
}

/** Where a dependency of ours is installed. */
function packageFolder(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  for (let folder = dirname(entry); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
}

/** The user's git settings stay out of it: a signature, a hook or a pager would stop the story. */
function ownGit(env: CliContext["env"]): CliContext["env"] {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith("GIT_"));
  return { ...Object.fromEntries(kept), GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" };
}

function git(project: DemoProject, argv: readonly string[], date = ""): string {
  const env = {
    ...project.env,
    GIT_AUTHOR_NAME: "Alice",
    GIT_AUTHOR_EMAIL: "alice@example.org",
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: "Alice",
    GIT_COMMITTER_EMAIL: "alice@example.org",
    GIT_COMMITTER_DATE: date,
  };
  const options = { cwd: project.folder, env, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("git", argv, options);
  if (status === 0) return stdout;
  throw new AfterlogError("AL044", `the demo cannot commit: git ${argv[0]} failed`, {
    notes: stderr ? stderr.trimEnd().split("\n") : [],
    help: ["install git, or see that it works:  git --version"],
  });
}
