/**
 * Runs that came by `pull` are somebody else's programs: none is executed before the user has said so
 * for the remote, whatever else was said; and then apart from the network and the user's files, where
 * this machine can do that.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Manifest } from "../../src/format/index.ts";
import { manifestToJson } from "../../src/format/index.ts";
import { listRunIds } from "../../src/store/index.ts";
import { needs } from "../support/needs.ts";
import { MAIN, ROOT } from "../support/project.ts";
import { Sandbox, testEnvironment } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const sandbox = new Sandbox();
const other = join(sandbox.top, "other");
const config = join(sandbox.top, "config");
/** Written by whoever executes the program and may write there. */
const evidence = join(sandbox.top, "evidence");
let server: Server | undefined;

/** Programs that it starts are not led to copies: the shell says how far they get. */
const program = (port: number): string => `import * as al from "afterlog";
import { execFileSync } from "node:child_process";
const w = al.checkpointing({ v: 1 });
for (const epoch of al.loop("epoch", al.range(2))) {
  w.v *= 2;
  al.log("v", w.v);
}
const tries = {
  outside: "echo executed >> ${evidence}",
  store: "echo evil > ${other}/.afterlog/evil",
  network: "exec 3<>/dev/tcp/127.0.0.1/${port}",
  others: "kill -0 $AFTERLOGTEST_PID",
  read: "cat ${sandbox.repo}/train.ts > /dev/null",
  tree: "echo own > own.txt",
  temporary: "echo own > $TMPDIR/own.txt",
};
for (const [name, script] of Object.entries(tries)) {
  const told = "(" + script + ") 2> /dev/null && echo " + name + " yes >&2 || echo " + name + " no >&2";
  execFileSync("bash", ["-c", told], { stdio: ["ignore", "ignore", "inherit"] });
}
`;

/** `afterlog …` on the machine that has pulled, without a terminal. */
function afterlog(argv: readonly string[], cwd = other): Promise<string> {
  const pid = String(process.pid);
  const env = { ...testEnvironment(), XDG_CONFIG_HOME: config, AFTERLOGTEST_PID: pid };
  const child = spawn(process.execPath, [MAIN, ...argv], { cwd, env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  return new Promise((done) => {
    child.on("close", (code) => done(`exit code ${code}\n${said}`));
  });
}

/** Whether what was executed since has left its trace outside; it is wiped off. */
function wasExecuted(): boolean {
  const was = existsSync(evidence);
  rmSync(evidence, { force: true });
  return was;
}

const remote = join(sandbox.top, "remote.git");
let run = "";
let pulled = "";
let recorded = false;

beforeAll(async () => {
  server = createServer((socket) => socket.end());
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  sandbox.gitIn(sandbox.top, "init", "-q", "--bare", remote);
  sandbox.write("train.ts", program(port));
  sandbox.write(".gitignore", "node_modules\n");
  sandbox.git("init", "-q");
  sandbox.git("add", "-A");
  sandbox.git("commit", "-qm", "first");
  sandbox.git("remote", "add", "origin", remote);
  sandbox.git("push", "-q", "origin", "HEAD:refs/heads/main");
  sandbox.git("clone", "-q", "-b", "main", remote, other);
  for (const folder of [sandbox.repo, other]) {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/afterlog"));
  }
  await afterlog(["run", "--overhead", "inf", "train.ts"], sandbox.repo);
  await afterlog(["push", "origin"], sandbox.repo);
  [run = ""] = listRunIds(join(sandbox.repo, ".afterlog"));
  pulled = await afterlog(["pull", "origin"]);
  sandbox.write("train.ts", `${program(port)}al.log("double", w.v * 2);\n`, other);
  recorded = wasExecuted();
});
afterAll(() => {
  server?.close();
  sandbox[Symbol.dispose]();
});

describe("before the remote is trusted", () => {
  it("what only reads goes on, and says where a run came from", async () => {
    expect(recorded).toBe(true);
    expect(pulled).toContain("once you say so: afterlog trust origin");
    expect(await afterlog(["show", run])).toMatch(/^pulled +from origin \(.*remote\.git\)/m);
    const plan = await afterlog(["plan", "double"]);
    expect(plan).toMatch(/code of 1 run came from origin, which you have not trusted yet/);
    expect(plan).toMatch(/without network, and writes|with all that you may do/);
    const trust = await afterlog(["trust", "--json"]);
    expect(JSON.parse(trust.slice(trust.indexOf("{")))).toEqual({
      schema: 1,
      remotes: [{ remote: "origin", address: remote, runs: 1, trusted: null }],
    });
  });

  it.each([
    [["replay", "double", "--yes"]],
    [["replay", "double", "--yes", "--trust", "upstream"]],
    [["check", "RUN"]],
    [["bisect", "double > 1", "--yes"]],
    [["fork", "RUN"]],
    [["alert", "test", "double > 1", "--yes"]],
  ])("nothing is executed by afterlog %s", async (argv) => {
    const text = await afterlog(argv.map((word) => word.replace("RUN", run)));
    expect(text).toMatch(/exit code 1/);
    // A bisection between one run and itself ends before that.
    if (argv[0] !== "bisect")
      expect(text).toMatch(/error\[AL052\][^]*help: .*afterlog trust origin/);
    expect(wasExecuted()).toBe(false);
    expect(existsSync(config)).toBe(false);
  });
});

it("nothing is executed by afterlog run --resume of one that was interrupted", async () => {
  const folder = join(other, ".afterlog/runs", run);
  const before = readFileSync(join(folder, "run.json"), "utf8");
  const manifest = JSON.parse(before) as Manifest;
  const { sha256: _, ...fields } = manifest as Manifest & { sha256: string };
  writeFileSync(join(folder, "run.json"), manifestToJson({ ...fields, status: "interrupted" }));
  const text = await afterlog(["run", `--resume=${run}`, "train.ts"]);
  writeFileSync(join(folder, "run.json"), before);
  expect(text).toMatch(/error\[AL052\]/);
  expect(wasExecuted()).toBe(false);
});

it("a remote that there is not cannot be trusted", async () => {
  expect(await afterlog(["trust", "nowhere"])).toMatch(/error\[AL046\]/);
  expect(await afterlog(["trust", "--withdraw"])).toMatch(/error\[AL001\]/);
});

describe("trusted", () => {
  it("is kept by its address in the user's configuration, and can be withdrawn", async () => {
    expect(await afterlog(["trust", "origin"])).toMatch(/is trusted: its runs may be executed/);
    const file = readFileSync(join(config, "afterlog/trust.json"), "utf8");
    expect(JSON.parse(file)).toMatchObject({ v: 1, remotes: [{ address: remote }] });
    expect(readdirSync(join(other, ".afterlog"))).not.toContain("trust.json");
    expect(await afterlog(["trust"])).toMatch(/origin +\d{4}-.* 1 /);
    expect(await afterlog(["trust", "origin", "--withdraw"])).toMatch(/trusted no more/);
    expect(await afterlog(["check", run])).toMatch(/error\[AL052\]/);
    expect(wasExecuted()).toBe(false);
  });

  it("its runs are executed, apart where that can be, and the record says so", async () => {
    const text = await afterlog(["replay", "double", "--yes", "--trust", "origin"]);
    expect(text).toMatch(/exit code 0/);
    const store = join(other, ".afterlog");
    const result = listRunIds(store).find((id) => id !== run) ?? "";
    const manifest = readFileSync(join(store, "runs", result, "run.json"), "utf8");
    const { directive } = JSON.parse(manifest) as { directive: { isolation: string } };
    const isApart = /bubblewrap\)/.test(text);
    expect(directive.isolation).toBe(isApart ? "bubblewrap" : "none");
    expect(wasExecuted()).toBe(!isApart);
  });

  it(
    "cannot reach the network, other processes or files, but its own",
    needs("sandbox"),
    async () => {
      await afterlog(["check", run]);
      const replays = join(other, ".afterlog/replays");
      const newest = readdirSync(replays).toSorted().at(-1) ?? "";
      const said = readFileSync(join(replays, newest, "units/0/stderr.log"), "utf8");
      expect(said.match(/^\w+ (?:yes|no)$/gm)).toEqual([
        "outside no",
        "store no",
        "network no",
        "others no",
        "read yes",
        "tree yes",
        "temporary yes",
      ]);
      expect(wasExecuted()).toBe(false);
    },
  );
});

it("without bubblewrap it is executed all the same, and said so", async () => {
  // The same machine, as one would be that lacks it.
  const bin = join(sandbox.top, "bin");
  mkdirSync(bin);
  for (const name of ["git", "bash", "cat", "sh"]) {
    const { stdout } = spawnSync("which", [name], { encoding: "utf8" });
    symlinkSync(stdout.trim(), join(bin, name));
  }
  const env = { ...testEnvironment(), XDG_CONFIG_HOME: config, PATH: bin };
  const options = { cwd: other, env, encoding: "utf8" } as const;
  const { stderr } = spawnSync(process.execPath, [MAIN, "check", run], options);
  expect(stderr).toMatch(/executed with all that you may do: there is no bubblewrap here/);
  expect(wasExecuted()).toBe(true);
});

it("a fork of one says that it is not executed apart", async () => {
  const part = `.afterlog/runs/${run}/checkpoints`;
  cpSync(join(sandbox.repo, part), join(other, part), { recursive: true });
  sandbox.gitIn(other, "checkout", "-q", "train.ts");
  const text = await afterlog(["fork", `${run}@epoch=0`, "--trust", "origin"]);
  expect(text).toMatch(/came from origin: your working tree is executed, with all that you may do/);
  expect(text).toMatch(/exit code 0/);
  expect(wasExecuted()).toBe(true);
});
