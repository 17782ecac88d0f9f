/**
 * @file A program through several versions in a real repository, each recorded once; and the truth:
 * the same version with the statement put in by hand, recorded from scratch under the same seed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TestProject } from "../run/harness.ts";

export type Files = { readonly [name: string]: string | null };

/** A version: files that change (null: removed), and how it is started. */
export interface Version {
  readonly files: Files;
  readonly argv?: readonly string[];
  /** What a person would have written into it, to log the asked name there. */
  readonly byHand?: Files;
}

export const OPTIONS: readonly string[] = ["--overhead", "inf", "--seed", "11"];

export class History extends TestProject {
  /** Runs, oldest first. */
  readonly runs: string[] = [];

  constructor() {
    super({ ".gitignore": "node_modules\n.afterlog\n" });
    this.git("init", "-q", "-b", "main");
  }

  git(...args: readonly string[]): string {
    const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    return execFileSync("git", [...identity, ...args], { cwd: this.folder, encoding: "utf8" });
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
  async record(version: Version, program = "train.ts"): Promise<string> {
    this.put(version.files);
    this.git("add", "-A");
    this.git("commit", "-qm", `version ${this.runs.length + 1}`);
    const argv = ["run", ...OPTIONS, program, ...(version.argv ?? [])];
    const { code, stderr } = await this.afterlog(...argv);
    if (code !== 0) throw new Error(stderr);
    this.runs.push(this.manifest.run);
    return this.manifest.run;
  }

  async rows(name: string): Promise<{ readonly [column: string]: unknown }[]> {
    const { stdout, stderr, code } = await this.afterlog("frame", "--json", name);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as { [column: string]: unknown }[];
  }

  /** The values that each run has of a name, oldest run first. */
  async values(name: string): Promise<unknown[][]> {
    const rows = await this.rows(name);
    return this.runs.map((run) =>
      rows.filter((row) => row["run"] === run && row[name] !== null).map((row) => row[name]),
    );
  }
}

/** What each version logs when the statement stands in it from the beginning. */
export async function truthOf(
  versions: readonly Version[],
  name: string,
  program: string | ((index: number) => string) = "train.ts",
): Promise<unknown[][]> {
  const found: unknown[][] = [];
  using history = new History();
  for (const [index, version] of versions.entries()) {
    history.put(version.files);
    const files = { ...version, files: version.byHand ?? {} };
    await history.record(files, typeof program === "string" ? program : program(index));
    found.push(history.logged(name));
    // The next version is built on what was there, not on what was put in by hand.
    const before = versions.slice(0, index + 1).map((one) => one.files);
    history.put(Object.assign({}, ...before) as Files);
  }
  return found;
}
