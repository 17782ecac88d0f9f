/**
 * Past versions of PyTorch programs answer as each would have: with functions that went into another
 * file, with landings that somebody accepted, wrote or left out, with what is printed; and a version
 * in which the statement fails fails alone. The truth is each version with the statements in it,
 * executed without Afterlog.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Finished } from "../support/process.ts";
import { History } from "../versions/history.ts";
import { TORCH } from "../support/python.ts";
import type { TorchVersion } from "./torch-history.ts";
import { PLAIN_VERSIONS, TORCH_VERSIONS, written } from "./torch-history.ts";
import { FIXED_HASHES, Zygote } from "./zygote.ts";
import { needs } from "../support/needs.ts";

// Many processes a test, on a machine that may have other work.
vi.setConfig({ testTimeout: 600_000 });

/** What the SDK is to a program that is not recorded: it prints what is logged. */
const STAND_IN = `import contextlib
import json


def arg(name, default):
    return default


def loop(name, items):
    return items


def log(name, value):
    print(name, json.dumps(value))
    return value


@contextlib.contextmanager
def checkpointing(**state):
    yield
`;

class TorchHistory extends History {
  readonly #python: string;
  readonly #printed = new Map<TorchVersion, string[]>();

  constructor(python: string) {
    super();
    this.#python = python;
  }

  override afterlog(...argv: readonly string[]): Promise<Finished> {
    return this.afterlogWith(FIXED_HASHES, ...argv);
  }

  async recordAll(versions: readonly TorchVersion[]): Promise<void> {
    for (const version of versions) {
      this.put(written(version, { asked: false }));
      this.git("add", "-A");
      this.git("commit", "-q", "-m", "a version");
      const run = ["run", "--python", this.#python, "--overhead", "inf", "--seed", "11"];
      await this.succeed(...run, "train.py");
      this.names.push(this.manifest.run);
    }
    this.put(written(versions.at(-1) ?? {}, { asked: true }));
  }

  async succeed(...argv: readonly string[]): Promise<string> {
    const { code, stderr, stdout } = await this.afterlog(...argv);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  /** What a version prints when it is executed with the statements in it, by the first word. */
  truth(version: TorchVersion, name: string): unknown[] {
    const known = this.#printed.get(version) ?? this.#print(version);
    this.#printed.set(version, known);
    const own = known.filter((line) => line.startsWith(`${name} `));
    return own.map((line) => JSON.parse(line.slice(name.length + 1)) as unknown);
  }

  #print(version: TorchVersion): string[] {
    const project = new History();
    try {
      project.put(written(version, { asked: true }));
      writeFileSync(join(project.folder, "afterlog.py"), STAND_IN);
      const env = { ...process.env, ...FIXED_HASHES };
      const options = { cwd: project.folder, env, encoding: "utf8", stdio: "pipe" } as const;
      return execFileSync(this.#python, ["-m", "train"], options).split("\n");
    } finally {
      project[Symbol.dispose]();
    }
  }

  /** The marks that the values of a name have. */
  async marks(name: string): Promise<string[]> {
    const rows = (await this.rows(name)).filter((row) => row[name] !== null);
    return [...new Set(rows.map(({ origin }) => JSON.stringify(origin)))];
  }
}

const verified = (name: string): string[] => [
  JSON.stringify({ [name]: { from: "hindsight", check: "verified" } }),
];

describe("past versions", needs("torch"), () => {
  let zygote: Zygote;
  beforeAll(async () => {
    zygote = await Zygote.start(TORCH ?? "");
  });
  afterAll(() => zygote[Symbol.dispose]());

  test("answer, where a person has decided too", async () => {
    using history = new TorchHistory(zygote.command);
    await history.recordAll(TORCH_VERSIONS);
    const [oldest = "", flat = ""] = history.names;
    // A loop that went into a function: all that is new stands before the statement, and so does what it replaced.
    for (const run of [oldest, flat]) {
      expect(await history.succeed("where", "norm", run)).toContain("moved");
    }
    const own = 'al.log("grad", sum(float(p.grad.norm()) for p in net.parameters()))';
    expect(await history.succeed("where", "grad", oldest, "--exclude")).toContain("left this");
    const left = await history.plan("grad");
    expect(left.runs.map(({ run }) => run)).not.toContain(oldest);
    await history.succeed("where", "grad", oldest, "--forget");
    expect(await history.succeed("where", "grad", oldest, "--edit", own)).toContain("as decided");
    await history.succeed("replay", "norm", "grad", "final", "--yes", "-j", "2");
    for (const name of ["norm", "grad", "final"]) {
      const truth = TORCH_VERSIONS.map((version) => history.truth(version, name));
      expect(await history.values(name)).toEqual(truth);
      expect(await history.marks(name)).toEqual(verified(name));
    }
  });

  test("answer by what they print; one that fails fails alone", async () => {
    using history = new TorchHistory(zygote.command);
    await history.recordAll(PLAIN_VERSIONS);
    const [oldest = ""] = history.names;
    await history.succeed("where", "gradnorm", oldest, "--accept");
    await history.succeed("replay", "gradnorm", "last", "--yes");
    // The old one has no `a`, and would end there.
    const [old = {}, newest = {}] = PLAIN_VERSIONS;
    const without = Object.entries(old).map(([file, text]) => [
      file,
      text.replace(/^.*net\.a.*\n/m, ""),
    ]);
    const versions = [Object.fromEntries(without) as TorchVersion, newest];
    for (const name of ["gradnorm", "last"]) {
      const truth = versions.map((version) => history.truth(version, name));
      expect(await history.values(name)).toEqual(truth);
      expect(await history.marks(name)).toEqual(verified(name));
    }
    await history.succeed("where", "inner", oldest, "--accept");
    const failed = await history.afterlog("replay", "inner", "--yes");
    expect(failed.code).toBe(3);
    expect(failed.stderr).toMatch(/train\.py:\d+ {2}print\("inner", net\.a\.weight/);
    expect(failed.stderr).toMatch(/afterlog where inner [0-9a-f]{7} --edit/);
    expect(await history.values("inner")).toEqual([[], history.truth(newest, "inner")]);
  });
});
