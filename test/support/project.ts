/**
 * @file A temporary project, programs and `afterlog …` in it as a user would start them, and what
 * they left. Programs run against the built package: needs `npm run build`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Manifest, Record } from "../../src/format/index.ts";
import { listRunIds, readManifest, storePaths } from "../../src/store/index.ts";
import { inKeptProcess } from "./command-line.ts";
import type { Finished } from "./process.ts";
import { Started } from "./process.ts";

export const ROOT: string = resolve(import.meta.dirname, "../..");
export const MAIN: string = join(ROOT, "dist/cli/main.js");

/** Memory where there is some to be had as files: the disk's speed is not what is tested. */
const FAST_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Apart from the machine's and the user's configuration. */
export const CLEAN_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  LC_ALL: "C",
};

/** A second way would put right what a checkpoint lacks, and no test would see it. */
const WITHOUT_CONTROL: NodeJS.ProcessEnv = { AFTERLOG_CONTROL: "false" };

/** Without git the start of a program takes half the time; no version is kept then. */
export const WITHOUT_GIT: NodeJS.ProcessEnv = { PATH: "/nonexistent" };

export interface TrainOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Flags for Node, before the program. */
  readonly flags?: readonly string[];
  readonly program?: string;
  /** Through `afterlog run`; descriptor 3 is then its own. */
  readonly cli?: boolean;
}

export class TestProject implements Disposable {
  readonly folder: string;
  readonly store: string;

  constructor(files: { readonly [name: string]: string } = {}, parent: string = tmpdir()) {
    if (!existsSync(MAIN)) throw new Error("the package is not built: npm run build");
    this.folder = realpathSync(mkdtempSync(join(parent, "afterlog-test-")));
    this.store = join(this.folder, ".afterlog");
    const modules = join(this.folder, "node_modules");
    mkdirSync(join(modules, "@jax-js"), { recursive: true });
    symlinkSync(ROOT, join(modules, "afterlog"));
    symlinkSync(join(ROOT, "node_modules/@tensorflow"), join(modules, "@tensorflow"));
    symlinkSync(join(ROOT, "node_modules/@jax-js/jax"), join(modules, "@jax-js/jax"));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  /** Of programs that know only what they are given: `train()` and `startTraining()` start them. */
  static apart(options: { readonly git?: boolean; readonly fast?: boolean } = {}): TestProject {
    const files = {
      ".gitignore": "node_modules\n",
      "package.json": '{ "private": true, "type": "module" }\n',
    };
    const project = new TestProject(files, options.fast === true ? FAST_FOLDER : tmpdir());
    if (options.git === true)
      execFileSync("git", ["init", "-q", project.folder], { stdio: "ignore" });
    return project;
  }

  /** Returns the whole path. */
  write(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Takes over the files and the runs of another. */
  copyFrom(other: TestProject): void {
    const modules = join(other.folder, "node_modules");
    cpSync(other.folder, this.folder, { recursive: true, filter: (path) => path !== modules });
  }

  start(
    argv: readonly string[],
    env: NodeJS.ProcessEnv = {},
    options: { readonly command?: string; readonly stdin?: "pipe"; readonly cwd?: string } = {},
  ): Started {
    return new Started(options.command ?? process.execPath, argv, {
      cwd: options.cwd ?? this.folder,
      env: { ...process.env, NO_COLOR: "1", ...env },
      stdin: options.stdin,
    });
  }

  /** `afterlog …`. A test that is about the process itself starts one: `start([MAIN, …])`. */
  afterlog(...argv: readonly string[]): Promise<Finished> {
    return this.afterlogWith({}, ...argv);
  }

  /** `NAME=value … afterlog …` */
  async afterlogWith(env: NodeJS.ProcessEnv, ...argv: readonly string[]): Promise<Finished> {
    const own = { ...WITHOUT_CONTROL, ...env };
    const given = { ...process.env, NO_COLOR: "1", ...own };
    const finished = inKeptProcess(argv, { cwd: this.folder, env: given });
    return finished
      ? { signal: null, side: "", ...(await finished) }
      : this.start([MAIN, ...argv], own).finished;
  }

  /** `node …`, without the command line. */
  node(...argv: readonly string[]): Promise<Finished> {
    return this.start(argv).finished;
  }

  /** Starts `train.mjs` in an environment of its own, with a descriptor 3 that the test reads. */
  startTraining(options: TrainOptions = {}): Started {
    const { flags = [], program = "train.mjs", env = {}, cli = false } = options;
    const through = cli ? [MAIN, "run"] : [];
    return new Started(process.execPath, [...flags, ...through, program], {
      cwd: this.folder,
      env: { ...CLEAN_ENVIRONMENT, ...env },
      side: true,
    });
  }

  /** The same, to its end. */
  train(options?: TrainOptions): Promise<Finished> {
    return this.startTraining(options).finished;
  }

  /** Folders of all runs. */
  get runs(): string[] {
    return listRunIds(this.store).map((id) => storePaths.run(this.store, id));
  }

  /** The folder of the only run. */
  get onlyRun(): string {
    const { runs } = this;
    const [run] = runs;
    if (run === undefined || runs.length > 1) throw new Error(`there are ${runs.length} runs`);
    return run;
  }

  /** Folder of the only run, or of the newest. */
  get run(): string {
    const runs = join(this.folder, ".afterlog/runs");
    const newest = readdirSync(runs)
      .map((name) => readManifest(join(runs, name)))
      .toSorted((a, b) => b.order - a.order)[0];
    if (!newest) throw new Error("nothing was recorded");
    return join(runs, newest.run);
  }

  get manifest(): Manifest {
    return readManifest(this.run);
  }

  get records(): Record[] {
    const file = join(this.run, "log.jsonl");
    // What follows the last newline was never written.
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    return lines.map((line) => JSON.parse(line) as Record);
  }

  /** Values logged under a name, in order. */
  logged(name: string): unknown[] {
    return this.records.flatMap((record) => {
      return record.k === "log" && record.name === name ? [record.value] : [];
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const originals = new Set<() => Promise<void>>();

/** What was made once for the tests of a file. */
export async function removeOriginals(): Promise<void> {
  for (const remove of originals) await remove();
}

/** Copies of a project that is made once: what many tests begin with need not be recorded for each. */
export function copiesOf<T extends TestProject>(
  make: () => Promise<T>,
  empty: () => T,
): () => Promise<T> {
  let original: Promise<T> | undefined;
  originals.add(async () => {
    (await original)?.[Symbol.dispose]();
    original = undefined;
  });
  return async () => {
    original ??= make();
    const copy = empty();
    copy.copyFrom(await original);
    return copy;
  };
}
