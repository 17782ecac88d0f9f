/**
 * @file A program through several versions in a real repository, each recorded once; and the truth:
 * the same version with the statement put in by hand, recorded from scratch under the same seed.
 */
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plan } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";

export type Files = { readonly [name: string]: string | null };

/** A version: files that change (null: removed), and how it is started. */
export interface Version {
  readonly files: Files;
  readonly argv?: readonly string[] | undefined;
  /** `train.ts` if not given. */
  readonly program?: string | undefined;
  /** What a person would have written into it, to log the asked name there. */
  readonly byHand?: Files;
}

const OPTIONS: readonly string[] = ["--overhead", "inf", "--seed", "11"];

export class History extends TestProject {
  /** Names of the runs, oldest first. */
  readonly names: string[] = [];

  constructor() {
    super({ ".gitignore": "node_modules\n.afterlog\n" });
    this.git("init", "-q", "-b", "main");
  }

  git(...args: readonly string[]): string {
    const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    // `git status` would renew the index.
    const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
    return execFileSync("git", [...identity, ...args], { cwd: this.folder, env, encoding: "utf8" });
  }

  put(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      if (text === null) rmSync(path);
      else writeFileSync(path, text);
    }
  }

  /** Commits a version and records it. */
  async record(version: Version): Promise<string> {
    this.put(version.files);
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", `version ${this.names.length + 1}`);
    const argv = ["run", ...OPTIONS, version.program ?? "train.ts", ...(version.argv ?? [])];
    const { code, stderr } = await this.afterlog(...argv);
    if (code !== 0) throw new Error(stderr);
    this.names.push(this.manifest.run);
    return this.manifest.run;
  }

  async rows(name: string): Promise<{ readonly [column: string]: unknown }[]> {
    const { stdout, stderr, code } = await this.afterlog("frame", "--json", name);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as { [column: string]: unknown }[];
  }

  /** All that a user of git could see, and the files of the working tree with their times. */
  repositoryState(): string {
    const asked = [
      ["status", "--porcelain=v2", "--branch", "-uall"],
      ["worktree", "list", "--porcelain"],
      ["stash", "list"],
      [
        "for-each-ref",
        "--format=%(refname) %(objectname)",
        "refs/heads",
        "refs/tags",
        "refs/stash",
      ],
    ];
    const files = readdirSync(this.folder).filter(
      (name) => !/^(?:\.afterlog|node_modules)$/.test(name),
    );
    const times = [...files, ".git/index", ".git/HEAD", ".git/config"].map((file) => {
      const stat = lstatSync(join(this.folder, file));
      return [file, stat.isFile() ? `${stat.mtimeMs} ${stat.size}` : ""];
    });
    return JSON.stringify([asked.map((args) => this.git(...args)), times]);
  }

  /** The plan that a question gives. */
  async plan(...words: readonly string[]): Promise<Plan> {
    const { stdout, stderr, code } = await this.afterlog("plan", ...words, "--json");
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Plan;
  }

  /** The values that each run has of a name, oldest run first. */
  async values(name: string): Promise<unknown[][]> {
    const rows = await this.rows(name);
    return this.names.map((run) =>
      rows.filter((row) => row["run"] === run && row[name] !== null).map((row) => row[name]),
    );
  }
}

/** What each version logs when the statements stand in it from the beginning, by name. */
export async function truthOf(
  versions: readonly Version[],
  names: readonly string[],
): Promise<{ readonly [name: string]: readonly unknown[][] }> {
  const found = new Map<string, unknown[][]>(names.map((name) => [name, []]));
  for (const { files, byHand, argv, program } of versions) {
    using history = new History();
    await history.record({ files: { ...files, ...byHand }, ...startOf({ argv, program }) });
    for (const [name, values] of found) values.push(history.logged(name));
  }
  return Object.fromEntries(found);
}

function startOf({ argv, program }: Pick<Version, "argv" | "program">): Partial<Version> {
  return {
    ...(argv === undefined ? {} : { argv }),
    ...(program === undefined ? {} : { program }),
  };
}
