/**
 * @file Packages as the lockfile of a version names them, installed once for all versions that have
 * the same one, under `.afterlog/modules`. The user's own `node_modules` is not touched.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { hostname } from "node:os";
import type { Manifest, PlannedRun } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import { nodePlatform, ownEnvironment, ownPid, processExists } from "../../host/index.ts";
import type { Project } from "../../store/index.ts";
import { checkOutVersion, makeFolder, readVersionFiles, storePaths } from "../../store/index.ts";
import type { Lockfile } from "../propagation/lockfiles.ts";

/**
 * Installs exactly what the lockfile says, from the cache of the tool where it has it. What is not the
 * tool's own business is not started: a version can name programs in its packages, and in `.npmrc`.
 */
const COMMANDS: Readonly<{ [lockfile in Lockfile]: readonly string[] }> = {
  "package-lock.json": ["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund"],
  "pnpm-lock.yaml": ["pnpm", "install", "--frozen-lockfile", "--prefer-offline"],
  "yarn.lock": ["yarn", "install", "--frozen-lockfile", "--prefer-offline"],
};

const WITHOUT_SCRIPTS: Readonly<{ [lockfile in Lockfile]: readonly string[] }> = {
  "package-lock.json": ["--ignore-scripts", "--git=git"],
  "pnpm-lock.yaml": ["--ignore-scripts", "--ignore-pnpmfile"],
  "yarn.lock": ["--ignore-scripts"],
};

/** Dependencies that lie in the project itself need the project's files. */
const LOCAL =
  /"(?:file|link|workspace|portal):|"workspaces"|^\s*(?:resolution|version): (?:file|link):/m;
const TAIL_LINES = 12;
/** What is kept of what the tool says: enough for its last lines. */
const SAID_MAX = 2 ** 14;

/** Installs packages of versions; each set once. */
export class PackageInstaller {
  readonly #project: Project;
  readonly #env: NodeJS.ProcessEnv;
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, Promise<string>>();

  /** `signal`: ends the tools that are at work. */
  constructor(project: Project, signal: AbortSignal, env: NodeJS.ProcessEnv = ownEnvironment) {
    this.#project = project;
    this.#signal = signal;
    this.#env = env;
  }

  /** A folder with the `node_modules` of a version. Throws AL048 if they cannot be installed. */
  folderFor(
    manifest: Manifest,
    { lockfile, scripts }: NonNullable<PlannedRun["packages"]>,
  ): Promise<string> {
    const files = this.#read(manifest, ["package.json", lockfile, ".npmrc"]);
    const what = JSON.stringify([files, ...nodePlatform, ...(scripts ? [] : ["no scripts"])]);
    const id = createHash("sha256").update(what).digest("hex").slice(0, 32);
    let running = this.#running.get(id);
    if (!running) {
      running = this.#install(manifest, lockfile as Lockfile, { id, files, scripts });
      this.#running.set(id, running);
    }
    return running;
  }

  #read(manifest: Manifest, names: readonly string[]): [file: string, text: string][] {
    const { run, version } = manifest;
    if (version === null) return [];
    const found = readVersionFiles(
      this.#project,
      names.map((file) => ({ run, version, file })),
    );
    return names.flatMap((file, at): [string, string][] => {
      const kept = found[at];
      return kept ? [[file, kept.text]] : [];
    });
  }

  async #install(
    manifest: Manifest,
    lockfile: Lockfile,
    {
      id,
      files,
      scripts = false,
    }: {
      readonly id: string;
      readonly files: readonly [string, string][];
      readonly scripts: boolean | undefined;
    },
  ): Promise<string> {
    const all = storePaths.modules(this.#project.store);
    const folder = join(all, id);
    // Of no dependencies the tools make no folder.
    const packages = join(folder, "node_modules");
    if (existsSync(packages)) return folder;
    makeFolder(all);
    removeLeftovers(all);
    const temporary = mkdtempSync(join(all, `new-${hostname()}-${ownPid}-`));
    try {
      this.#layOutProject(manifest, files, temporary);
      await this.#runInstaller(manifest, lockfile, { cwd: temporary, scripts });
      if (existsSync(folder)) rmSync(temporary, { recursive: true, force: true });
      else renameSync(temporary, folder);
    } catch (error) {
      rmSync(temporary, { recursive: true, force: true });
      // Another replayer may have been faster.
      if (!existsSync(folder)) throw error;
    }
    mkdirSync(packages, { recursive: true });
    return folder;
  }

  /** What the installation needs of the version. */
  #layOutProject(manifest: Manifest, files: readonly [string, string][], folder: string): void {
    if (files.some(([, text]) => LOCAL.test(text))) {
      const whole = join(folder, "version");
      checkOutVersion({ project: this.#project, manifest, folderFor: () => whole });
      cpSync(join(whole, manifest.version?.folder ?? "."), folder, { recursive: true });
      rmSync(whole, { recursive: true, force: true });
    }
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of files) writeFileSync(join(folder, file), text);
  }

  async #runInstaller(
    manifest: Manifest,
    lockfile: Lockfile,
    { cwd, scripts }: { readonly cwd: string; readonly scripts: boolean },
  ): Promise<void> {
    const [command = "", ...own] = COMMANDS[lockfile];
    const args = scripts ? own : [...own, ...WITHOUT_SCRIPTS[lockfile]];
    const child = spawn(command, args, {
      cwd,
      env: this.#env,
      stdio: ["ignore", "pipe", "pipe"],
      signal: this.#signal,
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-SAID_MAX);
      });
    }
    const problem = await new Promise<string | null>((done) => {
      child.on("error", (error) => done(error.message));
      child.on("close", (code) => done(code === 0 ? null : `exit code ${code}`));
    });
    if (problem === null) return;
    const commit = manifest.version?.commit.slice(0, 7) ?? "";
    throw new AfterlogError("AL048", `the packages of version ${commit} cannot be installed`, {
      notes: [
        `${command} ${args[0] ?? ""}: ${problem}`,
        ...said.trim().split("\n").slice(-TAIL_LINES),
      ],
      help: ["replay with the present packages:  without --install"],
      data: { run: manifest.run, lockfile },
    });
  }
}

/** Removes what replayers of this machine that were killed had begun to install. */
function removeLeftovers(all: string): void {
  for (const name of readdirSync(all)) {
    const [, host, owner] = /^new-(.+)-(\d+)-[^-]+$/.exec(name) ?? [];
    if (host !== hostname() || processExists(Number(owner))) continue;
    rmSync(join(all, name), { recursive: true, force: true });
  }
}
