/**
 * Runs travel by git: two machines (two clones) and a bare repository between them. What the user
 * sees of their own repository must not change, and nothing that comes may do harm.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Manifest } from "../../src/format/index.ts";
import { hex32, manifestToJson } from "../../src/format/index.ts";
import type { Exchanged } from "../../src/store/index.ts";
import { listRunIds, pullRuns, pushRuns, readManifest } from "../../src/store/index.ts";
import { MAIN, ROOT } from "../support/project.ts";
import { fingerprint, Sandbox } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const TRAIN = `import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array(2) });
for (const epoch of al.loop("epoch", al.range(2))) {
  state.w[0]! += Math.random();
  al.log("loss", state.w[0]!);
  al.log("weights", state.w);
}
al.log("f1", state.w[0]! * 2);
`;

/** Two machines and what lies between them. */
class Machines extends Sandbox {
  readonly other: string = join(this.top, "other");
  readonly remote: string = join(this.top, "remote.git");

  constructor({ inGit }: { readonly inGit: boolean }) {
    super();
    this.gitIn(this.top, "init", "-q", "--bare", this.remote);
    this.write("train.ts", TRAIN);
    this.write(".gitignore", "node_modules\n");
    if (inGit) {
      this.git("init", "-q");
      this.git("add", "-A");
      this.git("commit", "-qm", "first");
      this.git("remote", "add", "origin", this.remote);
      this.git("push", "-q", "origin", "HEAD:refs/heads/main");
      this.git("clone", "-q", "-b", "main", this.remote, this.other);
    } else cpSync(this.repo, this.other, { recursive: true });
    for (const folder of [this.repo, this.other]) {
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(ROOT, join(folder, "node_modules/afterlog"));
    }
  }

  /** `afterlog …` on one of the machines. */
  afterlog(cwd: string, ...argv: string[]): string {
    const env = this.#environment();
    const stdio = ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"];
    return execFileSync(process.execPath, [MAIN, ...argv], { cwd, env, encoding: "utf8", stdio });
  }

  /** What it says, on both streams, whatever its exit code. */
  said(cwd: string, ...argv: string[]): string {
    const env = this.#environment();
    const found = spawnSync(process.execPath, [MAIN, ...argv], { cwd, env, encoding: "utf8" });
    return found.stdout + found.stderr;
  }

  #environment(): NodeJS.ProcessEnv {
    return { ...process.env, NO_COLOR: "1", XDG_CONFIG_HOME: join(this.top, "config") };
  }

  record(cwd: string): string {
    const before = new Set(this.runsIn(cwd));
    this.afterlog(cwd, "run", "--overhead", "inf", "train.ts");
    return this.runsIn(cwd).find((run) => !before.has(run)) ?? "";
  }

  runsIn(cwd: string): string[] {
    return listRunIds(join(cwd, ".afterlog")).toSorted();
  }

  folder(cwd: string, run: string): string {
    return join(cwd, ".afterlog/runs", run);
  }

  push(cwd: string, remote: string = this.remote): Exchanged {
    return pushRuns({ project: { root: cwd, store: join(cwd, ".afterlog") }, remote, cwd });
  }

  pull(cwd: string, remote: string = this.remote): Exchanged {
    return pullRuns({ project: { root: cwd, store: join(cwd, ".afterlog") }, remote, cwd });
  }
}

describe.each([
  ["in a git repository", true],
  ["outside of one", false],
])("a project %s", (_, inGit) => {
  let machines: Machines;
  let first: string;

  beforeAll(() => {
    machines = new Machines({ inGit });
    first = machines.record(machines.repo);
    machines.record(machines.repo);
  });
  afterAll(() => machines[Symbol.dispose]());

  it("is sent and received, once, and reads the same on both sides", () => {
    const { repo, other } = machines;
    const state = (): string[] =>
      inGit ? [repo, other].map((folder) => fingerprint(machines, folder)) : [];
    writeFileSync(join(repo, "train.ts"), `${TRAIN}al.log("f2", state.w[0]! * 3);\n`);
    machines.afterlog(repo, "replay", "f2", "--yes");
    const before = state();
    expect(machines.push(repo)).toMatchObject({ runs: { length: 4 }, present: 0 });
    expect(machines.push(repo)).toMatchObject({ runs: [], present: 4 });
    expect(machines.pull(other)).toMatchObject({ runs: { length: 4 }, present: 0 });
    expect(machines.pull(other)).toMatchObject({ runs: [], present: 4 });
    expect(state()).toEqual(before);
    const frame = (cwd: string): unknown =>
      JSON.parse(machines.afterlog(cwd, "frame", "loss", "f1", "f2", "weights", "--json"));
    expect(frame(other)).toEqual(frame(repo));
    expect(machines.afterlog(other, "show", first)).toContain("hindsight: verified");
    expect(existsSync(join(machines.folder(other, first), "checkpoints"))).toBe(false);
  });

  it("can be asked on the other side, which says what it lacks", () => {
    const { other } = machines;
    writeFileSync(join(other, "train.ts"), `${TRAIN}al.log("f3", state.w[0]! * 4);\n`);
    const plan = machines.afterlog(other, "plan", "f3");
    expect(plan).toMatch(/its checkpoints are on \S+, not here: it is executed from its start/);
    expect(plan).toMatch(/2 of 2 runs/);
    machines.afterlog(other, "replay", "f3", "--yes", "--trust", machines.remote);
    writeFileSync(join(other, "train.ts"), TRAIN);
    const told: [RegExp, ...string[]][] = [
      [/^checkpoints {2}\d+, on \S+, not here$/m, "show", first],
      [
        /AL035\][^]*its checkpoints are on \S+, not here\n[^]*help: copy them from/,
        "restore",
        first,
      ],
      [/AL035\][^]*its checkpoints are on \S+, not here\n[^]*help: copy them from/, "fork", first],
    ];
    for (const [said, ...argv] of told) expect(machines.said(other, ...argv)).toMatch(said);
    // Its answer goes back the same way.
    const own = machines.record(other);
    expect(machines.push(other)).toMatchObject({ runs: { length: 3 }, present: 4 });
    expect(machines.pull(machines.repo)).toMatchObject({ runs: { length: 3 }, present: 4 });
    expect(machines.runsIn(machines.repo)).toEqual(machines.runsIn(other));
    expect(machines.afterlog(machines.repo, "frame", "f3", "--json")).toContain("verified");
    expect(machines.afterlog(machines.repo, "ls")).toContain(own);
  });
});

/** A run directory of the test's own making, with a seal and a checksum that fit. */
function reseal(folder: string, change: (manifest: Manifest) => object, more = ""): void {
  const log = readFileSync(join(folder, "log.jsonl"), "utf8") + more;
  const lines = log.split("\n").slice(0, -1);
  if (more !== "") {
    const count = lines.length;
    const seal = { k: "seal", status: "done", count, crc32: hex32(crc32(log)) };
    writeFileSync(join(folder, "log.jsonl"), `${log}${JSON.stringify(seal)}\n`);
  }
  const manifest = readManifest(folder);
  const changed = { ...manifest, ...change(manifest) } as Manifest;
  writeFileSync(join(folder, "run.json"), manifestToJson(changed));
}

describe("what is not sound", () => {
  let machines: Machines;
  let run: string;

  beforeAll(() => {
    machines = new Machines({ inGit: true });
    run = machines.record(machines.repo);
  });
  afterAll(() => machines[Symbol.dispose]());

  /** A copy of the run under another id, in the first machine's store. */
  function copied(letters: string): { id: string; folder: string } {
    const id = run.replace(/....$/, letters);
    const folder = machines.folder(machines.repo, id);
    cpSync(machines.folder(machines.repo, run), folder, { recursive: true });
    const log = readFileSync(join(folder, "log.jsonl"), "utf8").trimEnd().split("\n").slice(0, -1);
    writeFileSync(join(folder, "log.jsonl"), "");
    reseal(
      folder,
      ({ version }) => ({
        run: id,
        version: version && { ...version, ref: `refs/afterlog/runs/${id}` },
      }),
      `${log.join("\n").replaceAll(run, id)}\n`,
    );
    return { id, folder };
  }

  it("stays: damaged runs are refused, those that record or lack a seal wait", () => {
    const damaged = copied("dmgd");
    const log = readFileSync(join(damaged.folder, "log.jsonl"));
    log[40] = 0x20;
    writeFileSync(join(damaged.folder, "log.jsonl"), log);
    const unsealed = copied("unsd");
    const lines = readFileSync(join(unsealed.folder, "log.jsonl"), "utf8").split("\n");
    writeFileSync(join(unsealed.folder, "log.jsonl"), `${lines.slice(0, -2).join("\n")}\n`);
    const running = copied("rung");
    reseal(running.folder, ({ host }) => ({
      status: "recording",
      host: { ...host, name: "another" },
    }));
    const { runs, refused, unsealed: waiting } = machines.push(machines.repo);
    expect(runs).toEqual([run]);
    expect([...refused]).toEqual([[damaged.id, "log.jsonl: its checksum does not match"]]);
    expect(waiting.get(unsealed.id)).toContain("not sealed");
    expect(waiting.get(running.id)).toBe("it is still recording");
  });

  it("stays: one whose version is gone, or whose log nobody would take", () => {
    const gone = copied("gone");
    reseal(gone.folder, ({ version }) => ({ version: { ...version, commit: "1".repeat(40) } }));
    const large = copied("huge");
    truncateSync(join(large.folder, "log.jsonl"), 200_000_001);
    const { runs, refused, present } = machines.push(machines.repo);
    expect({ runs, present }).toEqual({ runs: [], present: 1 });
    expect(refused.get(gone.id)).toBe("its version is gone from the repository");
    expect(refused.get(large.id)).toBe("log.jsonl is too large to be sent");
    for (const { folder } of [gone, large]) rmSync(folder, { recursive: true });
  });

  it("a run that continued since replaces what was sent; another of its id does not", () => {
    const { repo, other } = machines;
    const going = copied("goes");
    expect(machines.push(repo).runs).toEqual([going.id]);
    expect(machines.pull(other).runs).toContain(going.id);
    const more = '{"k":"rewind","path":[["epoch",1]],"seq":9}\n';
    reseal(going.folder, () => ({ ended: "2030-01-01T00:00:00.000Z" }), more);
    expect(machines.push(repo)).toMatchObject({ runs: [], updated: [going.id] });
    expect(machines.pull(other)).toMatchObject({ runs: [], updated: [going.id] });
    expect(readManifest(machines.folder(other, going.id)).ended).toContain("2030");
    const log = join(machines.folder(other, going.id), "log.jsonl");
    writeFileSync(log, "");
    reseal(
      machines.folder(other, going.id),
      () => ({}),
      `{"k":"header","format":1,"run":"${going.id}"}\n`,
    );
    expect(machines.push(other).refused.get(going.id)).toContain("another run of this id");
    expect(machines.pull(other).refused.get(going.id)).toContain("another run of this id");
  });

  it("leaves nothing behind where git fails in the middle", () => {
    const { repo, other } = machines;
    machines.push(repo);
    machines.pull(other);
    const folder = machines.folder(other, run);
    const log = readFileSync(join(folder, "log.jsonl"));
    const id = createHash("sha1").update(`blob ${log.byteLength}\0`).update(log).digest("hex");
    const object = join(other, ".afterlog/exchange/objects", id.slice(0, 2), id.slice(2));
    chmodSync(object, 0o644);
    truncateSync(object, Math.floor(statSync(object).size / 2));
    rmSync(folder, { recursive: true });
    const before = readdirSync(join(other, ".afterlog"));
    expect(() => machines.pull(other)).toThrow("git cat-file");
    expect(readdirSync(join(other, ".afterlog"))).toEqual(before);
  });
});

it("says what is wrong with a remote", () => {
  using machines = new Machines({ inGit: true });
  const failing = (word: string): string => {
    try {
      machines.afterlog(machines.repo, "pull", word);
      return "";
    } catch (error) {
      return (error as { stderr: string }).stderr;
    }
  };
  expect(failing("origin")).toContain("error[AL047]: origin holds no runs");
  expect(failing("nowhere")).toMatch(/error\[AL046\]: there is no remote "nowhere"/);
  expect(failing(machines.repo + "/node_modules")).toContain("error[AL046]");
  expect(failing("--upload-pack=touch evil")).toMatch(/error/);
  expect(readdirSync(machines.repo).toSorted()).toEqual([
    ".git",
    ".gitignore",
    "node_modules",
    "train.ts",
  ]);
  machines.write(".afterlog/clock", "1");
  expect(machines.afterlog(machines.repo, "push", "origin")).toContain("0 runs sent to origin");
});
