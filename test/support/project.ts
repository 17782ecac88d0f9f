/** A temporary project, and `afterlog run` in it as a user would start it. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Manifest, Record } from "../../src/format/index.ts";
import { readManifest } from "../../src/store/index.ts";

export const ROOT: string = resolve(import.meta.dirname, "../..");
export const MAIN: string = join(ROOT, "dist/cli/main.js");

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class TestProject implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "afterlog-run-"));

  constructor(files: { readonly [name: string]: string }) {
    const modules = join(this.folder, "node_modules");
    mkdirSync(join(modules, "@jax-js"), { recursive: true });
    symlinkSync(ROOT, join(modules, "afterlog"));
    symlinkSync(join(ROOT, "node_modules/@tensorflow"), join(modules, "@tensorflow"));
    symlinkSync(join(ROOT, "node_modules/@jax-js/jax"), join(modules, "@jax-js/jax"));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }

  start(
    argv: readonly string[],
    env: NodeJS.ProcessEnv = {},
    options: { readonly command?: string; readonly stdin?: "pipe"; readonly cwd?: string } = {},
  ): { child: ChildProcess; finished: Promise<Finished> } {
    const child = spawn(options.command ?? process.execPath, [...argv], {
      cwd: options.cwd ?? this.folder,
      env: { ...process.env, NO_COLOR: "1", ...env },
      stdio: [options.stdin ?? "ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const finished = new Promise<Finished>((done, failed) => {
      child.on("error", failed);
      child.on("close", (code, signal) => done({ code, signal, stdout, stderr }));
    });
    return { child, finished };
  }

  /** `afterlog …` */
  afterlog(...argv: readonly string[]): Promise<Finished> {
    return this.start([MAIN, ...argv]).finished;
  }

  /** `node …`, without the command line. */
  node(...argv: readonly string[]): Promise<Finished> {
    return this.start(argv).finished;
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
