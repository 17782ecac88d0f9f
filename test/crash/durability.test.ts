/**
 * @file Nothing is listed before it is durable, and in the end everything is: every write, new name
 * and sync of a run as the system saw them. `power-cut.test.ts` looks at what cuts leave.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runPaths, storePaths } from "../../src/store/index.ts";
import { CLEAN_ENVIRONMENT, TestProject } from "../support/project.ts";
import { needs } from "../support/needs.ts";

const CALLS = "openat,mkdir,mkdirat,rename,renameat,renameat2,write,pwrite64,fsync,fdatasync";

interface Call {
  readonly name: string;
  readonly args: string;
  readonly result: number;
}

/** The calls that succeeded, each where it ended. */
function readTrace(file: string): Call[] {
  const begun = new Map<string, string>();
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, thread = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
      const unfinished = /^(.*) <unfinished \.\.\.>$/.exec(rest);
      if (unfinished) begun.set(thread, unfinished[1] ?? "");
      const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
      const whole = resumed ? `${begun.get(thread) ?? ""}${resumed[1]}` : rest;
      const [, name = "", args = "", result = "-1"] = /^(\w+)\((.*)\) += (-?\d+)/.exec(whole) ?? [];
      return unfinished || Number(result) < 0 ? [] : [{ name, args, result: Number(result) }];
    });
}

/** A file system of which only what was synced would be left. */
class Volatile {
  /** Names that are not durable yet, files with bytes that are not. */
  readonly names = new Set<string>();
  readonly data = new Set<string>();
  readonly #store: string;

  constructor(store: string) {
    this.#store = store;
  }

  apply({ name, args }: Call): void {
    const [, descriptor = ""] = /^\d+<([^>]*)>/.exec(args) ?? [];
    const paths = [...args.matchAll(/"([^"]*)"/g)].map(([, path = ""]) => path);
    const [path = "", target = ""] = paths;
    if (name === "openat" && args.includes("O_CREAT")) this.#add(this.names, path);
    if (name.startsWith("mkdir")) this.#add(this.names, path);
    if (name.startsWith("rename")) {
      this.names.delete(path);
      this.#add(this.names, target);
      if (this.data.delete(path)) this.#add(this.data, target);
    }
    if (name === "write" || name === "pwrite64") this.#add(this.data, descriptor);
    if (name === "fsync" || name === "fdatasync") this.data.delete(descriptor);
    if (name !== "fsync") return;
    for (const known of this.names) if (dirname(known) === descriptor) this.names.delete(known);
  }

  #add(set: Set<string>, file: string): void {
    if (file === this.#store || file.startsWith(`${this.#store}/`)) set.add(file);
  }

  /** What of these would be lost. */
  lost(files: readonly string[]): string[] {
    return files.filter((file) => this.names.has(file) || this.data.has(file));
  }
}

const PROGRAM = `import * as al from "afterlog";
const state = al.checkpointing({ w: new Float32Array(4096), n: 0 });
for (let round = 0; round < 3; round++) {
  for (const i of al.loop("i", al.range(2))) {
    state.w.fill(++state.n);
    if (process.env.TENSORS) al.log("t", Float64Array.of(state.n));
    al.log("n", state.n);
  }
}
`;
const WITHOUT_LOOPS = `import * as al from "afterlog";\nal.log("t", Float64Array.of(1));\n`;

describe("a power cut", needs("strace"), () => {
  const rows = ["worker", "inline"].flatMap((persist) => [
    { persist, what: "checkpoints", program: PROGRAM, tensors: "", crashAt: "" },
    { persist, what: "checkpoints and tensors", program: PROGRAM, tensors: "1", crashAt: "" },
    { persist, what: "no checkpoint", program: WITHOUT_LOOPS, tensors: "", crashAt: "" },
  ]);
  rows.push({
    persist: "worker",
    what: "which dies before it has synced its tensors",
    program: PROGRAM,
    tensors: "1",
    crashAt: "worker:persist:before-log-sync#2",
  });

  test.each(rows)("$persist, $what", ({ persist, program, tensors, crashAt }) => {
    using project = TestProject.apart();
    const trace = join(project.folder, "trace");
    const train = project.write("train.mjs", program);
    const how = { AFTERLOG_PERSIST: persist, AFTERLOG_OVERHEAD: "1", AFTERLOG_CRASH_AT: crashAt };
    const flags = ["-f", "-y", "-s", "16", "-e", `trace=${CALLS}`, "-o", trace];
    execFileSync("strace", [...flags, process.execPath, train], {
      cwd: project.folder,
      env: { ...CLEAN_ENVIRONMENT, ...how, TENSORS: tensors },
      stdio: "ignore",
    });
    const run = project.onlyRun;
    const folders = [project.store, storePaths.runs(project.store), run];
    const files = [runPaths.manifest(run), runPaths.log(run), runPaths.values(run)];
    const index = runPaths.checkpointIndex(run);
    const disk = new Volatile(project.store);
    let listed = 0;
    for (const call of readTrace(trace)) {
      if (/^p?write/.test(call.name) && call.args.includes(`<${index}>`)) {
        listed++;
        const named = [...disk.names, ...disk.data].filter((file) => file.endsWith("safetensors"));
        expect(named, "checkpoint").toEqual([]);
        const early = disk.lost([...folders, ...files, runPaths.checkpoints(run)]);
        expect(early, `before line ${listed} of the index`).toEqual([]);
      }
      disk.apply(call);
    }
    expect(listed > 0).toBe(program === PROGRAM);
    const all = [...folders, ...files, runPaths.checkpoints(run), index];
    expect(disk.lost(all), "in the end").toEqual([]);
  });
});
