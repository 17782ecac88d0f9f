/**
 * Projects that users of earlier versions left, opened with this one, in another folder: all that is
 * in them is shown as before, what was stopped or interrupted goes on, and old runs answer new
 * questions. `test/fixtures/make-history/make.js` makes such a project; what is expected of it is
 * written down by `npx vitest run test/format/kept-project.test.ts -u`, to be read before it is kept.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
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
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { listRunIds, verifyCheckpoints } from "../../src/store/index.ts";
import { ROOT } from "../support/project.ts";
import type { CommandResult } from "../support/command-line.ts";
import { inKeptProcess } from "../support/command-line.ts";
import { readStrictly } from "./strict-safetensors.ts";

const HISTORIES = join(import.meta.dirname, "../fixtures/histories");
const RELEASES = readdirSync(HISTORIES).filter((release) =>
  existsSync(join(HISTORIES, release, "project.tar.gz")),
);

/** The file of what is expected, and the command. */
type Row = readonly [file: string, command: string];

const RUNS = ["first", "second", "third", "resumed", "forked", "plain-js", "plain-py", "model"];
RUNS.push("audited", "arrays", "net", "failing", "killed", "interrupted");

/** What the project shows as it was kept. */
const READING: readonly Row[] = [
  ["ls", "ls --limit 0 --json"],
  ...RUNS.map((run): Row => [`show-${run}`, `show ${run} --json`]),
  ["frame", "frame rate loss gradient mean_loss --where 'epoch >= 1' --limit 0 --json"],
  ["frame-kinds", "frame kinds big nothing seen final best --grain run --limit 0 --json"],
  ["frame-tensors", "frame weights bias first_bias w --grain epoch --limit 0 --json"],
  ["why-recorded", "why third loss epoch=1,step=2 --json"],
  ["why-resumed", "why resumed loss epoch=2,step=1 --json"],
  ["why-replayed", "why net first_bias epoch=2 --json"],
  ["why-printed", "why plain-py best epoch=3 --json"],
  ["du", "du --json"],
  ["diff-typescript", "diff second third --json"],
  ["diff-python", "diff model interrupted --json"],
  ["query-loops", "query 'SELECT run, path, loop, iterations, how FROM loops ORDER BY ALL' --json"],
  [
    "query-checkpoints",
    "query 'SELECT run, file, bytes, holds, needs, superseded FROM checkpoints ORDER BY ALL' --limit 0",
  ],
  ["where-gradient", "where gradient --json"],
  ["where-momentum", "where momentum --json"],
  ["plan", "plan momentum --where 'epoch >= 1' -j 1 --json"],
  ["plan-saved", "replay --plan momentum-plan.json"],
  ["ps", "ps --all --json"],
  ["gc", "gc --dry-run --policy every:2 --json"],
];

/** What was begun goes on, and new questions are asked: in this order, see `prepare`. */
const WORKING: readonly Row[] = [
  ["replay-plan", "replay --plan momentum-plan.json --yes --json"],
  ["resume-stopped", "resume r2 --json"],
  ["resume-killed", "resume r3 --json"],
  ["run-resume-killed", "run --resume --force plain.js 40"],
  ["run-resume-interrupted", "run --resume model.py rate=0.01 pause_s=0.04"],
  ["ask-typescript", "replay 'last = best.epochs.size' --at train.ts:49 -j 1 --yes --json"],
  ["ask-javascript", "replay first -j 1 --yes --json"],
  ["ask-plain-python", "replay 'walked = list(recent)' --at plain.py:23 -j 1 --yes --json"],
  ["ask-python", "replay 'losses = len(past[\"losses\"])' --at model.py:38 -j 1 --yes --json"],
  ["ask-audited", "replay 'size = len(hidden)' --at audited.py:10 -j 1 --yes --json"],
  ["ask-arrays", "replay 'halved = state.params.w.ref.mul(0.5)' --at arrays.mjs:12 --yes --json"],
  ["ask-torch", "replay 'second = net[2].weight' --at net.py:18 -j 1 --yes --json"],
  [
    "values-after",
    "query 'SELECT run, name, path, origin, \"check\", number, text, value FROM logs ORDER BY ALL' --limit 0",
  ],
];

function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
}

/** A project that was kept, in a folder of its own. */
class KeptProject implements Disposable {
  readonly #archived: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "afterlog-kept-"));
  readonly #env: NodeJS.ProcessEnv;
  readonly root: string = join(this.#folder, "project");
  readonly store: string = join(this.root, ".afterlog");

  constructor(release: string) {
    this.#archived = join(HISTORIES, release);
    mkdirSync(this.root);
    execFileSync("tar", ["-xzf", join(this.#archived, "project.tar.gz"), "-C", this.root]);
    const modules = join(this.root, "node_modules");
    mkdirSync(join(modules, "@jax-js"), { recursive: true });
    symlinkSync(ROOT, join(modules, "afterlog"));
    symlinkSync(join(ROOT, "node_modules/@jax-js/jax"), join(modules, "@jax-js/jax"));
    const { PATH } = process.env;
    this.#env = { PATH, HOME: this.#folder, TZ: "UTC", LANG: "C.UTF-8", NO_COLOR: "1" };
  }

  async afterlog(command: string): Promise<CommandResult> {
    const result = inKeptProcess(wordsOf(command), { cwd: this.root, env: this.#env });
    if (!result) throw new Error("one command at a time");
    return result;
  }

  edit(file: string, text: string, by: string): void {
    const path = join(this.root, file);
    const before = readFileSync(path, "utf8");
    if (!before.includes(text)) throw new Error(`${file} has no ${text}`);
    writeFileSync(path, before.replace(text, by));
  }

  /** Where it is written what a command is to print. */
  expected(file: string): string {
    return join(this.#archived, "expected", `${file}.txt`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

type Fields = { readonly [field: string]: unknown };

/** Events that tell of times: of the plan, and while a replay runs. */
const PASSING: ReadonlySet<unknown> = new Set(["plan", "progress", "canary"]);

/** Of a replay its values and how it ended; of a run all but times. */
function lasting({ code, stdout: out, stderr: err }: CommandResult): string {
  const events = out.split("\n").flatMap((line) => (line.startsWith("{") ? [eventOf(line)] : []));
  const kept = events.filter(({ kind }) => !PASSING.has(kind));
  const lines = (out + err).split("\n").filter((line) => !/^[{✔]/.test(line));
  // Which of the runs is replayed first depends on how long others have just taken.
  const told = kept.map((event) => JSON.stringify(event)).toSorted();
  return [`exit code ${code}`, ...told, ...lines].join("\n");
}

function eventOf(line: string): Fields {
  const {
    result: _run,
    predicted_s: _plan,
    actual_s: _took,
    ...event
  } = JSON.parse(line) as Fields;
  return event;
}

/** What a user does before some of the commands. */
function prepare(project: KeptProject, file: string): void {
  // Whoever replayed was killed on this machine: on another one it could still be at work.
  const state = ".afterlog/replays/r3/state.json";
  if (file === "resume-killed") project.edit(state, '"trainer"', JSON.stringify(hostname()));
  const printed = 'console.log("first:", weights[0]);';
  if (file === "ask-javascript") project.edit("plain.js", "  console.log", `  ${printed}\n$&`);
}

describe.each(RELEASES)("a project of %s", (release) => {
  const project = new KeptProject(release);
  afterAll(() => project[Symbol.dispose]());

  test("every checkpoint of every run verifies and is a safetensors file", () => {
    for (const run of listRunIds(project.store)) {
      const folder = join(project.store, "runs", run);
      const { good, bad } = verifyCheckpoints(folder);
      expect(bad, run).toEqual([]);
      for (const { file } of good) readStrictly(readFileSync(join(folder, "checkpoints", file)));
    }
  });

  test.each(READING)("%s", async (file, command) => {
    const { code, stdout: out, stderr: err } = await project.afterlog(command);
    // A run that may still be recorded elsewhere has lost more every second.
    const told = out.replace(/"lost_seconds": [\d.]+/, '"lost_seconds": 0');
    const text = `exit code ${code}\n${told}${err}`.replaceAll(project.root, "/project");
    await expect(text).toMatchFileSnapshot(project.expected(file));
  });

  test.each(["arrays@epoch=1", "net@end", "model@end"])("restore %s", async (point) => {
    const name = point.replaceAll(/\W/g, "-");
    const { stdout: out } = await project.afterlog(`restore ${point} --out ${name}.safetensors`);
    const bytes = readFileSync(join(project.root, `${name}.safetensors`));
    const digest = createHash("sha256").update(bytes).digest("hex");
    await expect(`${out}${digest}\n`).toMatchFileSnapshot(project.expected(`restore-${name}`));
  });

  test.each(WORKING)("%s", async (file, command) => {
    prepare(project, file);
    const text = lasting(await project.afterlog(command));
    await expect(text).toMatchFileSnapshot(project.expected(file));
  });
});
