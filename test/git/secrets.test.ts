/** @file What looks like a secret stays on this machine: in runs, in versions that have it already, and in git. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/store/index.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";

const TRAIN = `import * as al from "afterlog";
import { readFileSync } from "node:fs";
const key = readFileSync(".env", "utf8");
for (const epoch of al.loop("epoch", al.range(2))) {
  al.log("loss", 1 / (1 + epoch));
}
`;
const ASKED = TRAIN.replace("  al.log", '  al.log("length", key.length + epoch);\n  al.log');
/** A version that was recorded before anything was left out. */
const AS_BEFORE = { AFTERLOG_NOT_SECRET: "*" };

function git(folder: string, ...argv: string[]): string {
  const identity = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"];
  return execFileSync("git", ["-C", folder, ...identity, ...argv], { encoding: "utf8" });
}

function project(inGit: boolean): TestProject {
  const made = new TestProject({ "train.ts": TRAIN, ".gitignore": "node_modules\n*.git\n" });
  git(made.folder, "init", "-q", "--bare", "remote.git");
  if (inGit) {
    git(made.folder, "init", "-q");
    git(made.folder, "add", "-A");
    git(made.folder, "commit", "-qm", "first");
  }
  made.write(".env", "API=1\n");
  return made;
}

describe.each([
  ["in a git repository", true],
  ["outside of one", false],
])("a project %s", (_, inGit) => {
  test("keeps and sends no file that looks like a secret, and says so", needs("git"), async () => {
    using made = project(inGit);
    const { stderr } = await made.afterlog("run", "train.ts");
    expect(stderr.match(/^afterlog: warning: \.env \(.*neither kept nor sent/gm)).toHaveLength(1);
    const { leftOut } = made.manifest.version ?? {};
    expect(leftOut).toEqual([{ file: ".env", what: "a file of environment variables" }]);
    const { stdout: shown } = await made.afterlog("show", "@");
    expect(shown.match(/looks like a secret/g)).toHaveLength(1);
    const sent = await made.afterlog("push", "remote.git");
    expect(sent).toMatchObject({ code: 0, stderr: "" });
    expect(filesThere(made)).toEqual(expect.arrayContaining(["train.ts"]));
    expect(filesThere(made)).not.toContain(".env");
    made.write("train.ts", ASKED);
    const plan = await made.afterlog("plan", "length");
    expect(plan.stdout).toContain("the run used .env, which its version does not hold");
    await made.afterlog("replay", "length", "-y");
    const { stdout } = await made.afterlog("frame", "length", "--json");
    expect(stdout).toContain('"length":6');
    rmSync(join(made.folder, ".env"));
    made.write("train.ts", ASKED.replace('"length"', '"size"'));
    const without = await made.afterlog("replay", "size", "-y");
    expect(without.stdout).toContain("AL049: .env is missing, and the run read it");
    expect(without.stdout).toContain("which its version does not hold: it looks like a secret");
    expect(without.stderr).toContain(".env is missing: the run read it");
    expect(without.code).toBe(3);
  });

  test("holds back versions that have one, with two ways out", needs("git"), async () => {
    using made = project(inGit);
    await made.afterlogWith(AS_BEFORE, "run", "train.ts");
    await made.afterlogWith(AS_BEFORE, "run", "train.ts");
    const held = await made.afterlog("push", "remote.git");
    expect(held.code).toBe(3);
    expect(held.stderr.match(/is not sent: its version holds \.env \(/g)).toHaveLength(2);
    expect(held.stderr).toContain('not_secret = ".env"  in [record] of afterlog.toml');
    expect(filesThere(made)).not.toContain(".env");

    const named = await made.afterlogWith(
      { AFTERLOG_NOT_SECRET: ".env" },
      "push",
      "remote.git",
      "-n",
    );
    expect({ code: named.code, stderr: named.stderr }).toEqual({ code: 0, stderr: "" });

    const logs = (): string[] =>
      made.runs.map((run) => readFileSync(join(run, "log.jsonl"), "utf8"));
    const before = logs();
    const stripped = await made.afterlog("push", "remote.git", "--without-secrets");
    expect(stripped.code).toBe(0);
    expect(stripped.stderr).toContain("taken out of 2 versions here: .env");
    expect(filesThere(made)).not.toContain(".env");
    expect(logs()).toEqual(before);
    const place = inGit ? made.folder : join(made.store, "git");
    for (const folder of made.runs) {
      const { run, version } = readManifest(folder);
      expect(git(place, "rev-parse", `refs/afterlog/runs/${run}`).trim()).toBe(version?.commit);
      expect(git(place, "ls-tree", "-r", "--name-only", version?.commit ?? "")).not.toContain(
        ".env",
      );
    }
    expect((await made.afterlog("push", "remote.git")).code).toBe(0);

    using other = new TestProject();
    const pulled = await other.afterlog("pull", join(made.folder, "remote.git"));
    expect(pulled.code).toBe(0);
    expect(other.runs.map((run) => readManifest(run).version?.leftOut?.[0]?.file)).toContain(
      ".env",
    );
  });
});

function filesThere({ folder }: TestProject): string[] {
  const remote = join(folder, "remote.git");
  const refs = git(remote, "for-each-ref", "--format=%(refname)", "refs/afterlog/runs/");
  return refs
    .split("\n")
    .filter((ref) => ref !== "")
    .flatMap((ref) => git(remote, "ls-tree", "-r", "--name-only", ref).split("\n"));
}

test(
  "says what is about to leave, and which files in git look like secrets",
  needs("git"),
  async () => {
    using made = project(true);
    made.write("deploy/server.pem", "a certificate\n");
    made.write("data.json", `{"key": "${["AKIA", "QWERTYUIOPASDFGH"].join("")}"}\n`);
    git(made.folder, "add", "deploy/server.pem", "data.json");
    git(made.folder, "commit", "-qm", "certificate");
    // A key that only the working tree has is no part of any commit.
    made.write("data.json", `{"key": "${["ASIA", "QWERTYUIOPASDFGH"].join("")}"}\n`);
    await made.afterlog("run", "train.ts");
    const [run = ""] = made.runs.map((folder) => readManifest(folder).run);
    const held = await made.afterlog("push", "remote.git");
    expect(held.stderr).toContain(`${run} is not sent: its version holds data.json (a key of AWS)`);
    git(made.folder, "checkout", "data.json");
    await made.afterlog("run", "train.ts");
    git(made.folder, "remote", "add", "origin", join(made.folder, "remote.git"));
    const { stdout, code } = await made.afterlog("push", "origin", "--dry-run");
    expect(code).toBe(3);
    expect(stdout).toMatch(/^ {2}train-\S+ {2}record +[\d.]+ kB {2}[0-9a-f]{7} +0 +0 B$/m);
    expect(stdout).toMatch(
      /^ {2}logs: 1 run, [\d.]+ kB\n {2}versions: 1, with 0 files that no commit has, 0 B$/m,
    );
    expect(stdout).toMatch(/^ {2}commits: 2 that no branch of origin has\n {2}checkpoints: none/m);
    expect(stdout).toMatch(
      /^! data\.json \(a key of AWS\), deploy\/server\.pem \(a private key\) look like/m,
    );
    expect(filesThere(made)).toEqual([]);
  },
);

/** Shaped like a token, and none. */
const TOKEN = `hf_${"aB3".repeat(12)}`;

test(
  "holds back logs and notes that have one: nothing can be taken out of a log",
  needs("git"),
  async () => {
    using made = project(true);
    rmSync(join(made.folder, ".env"));
    made.write(
      "train.ts",
      `import * as al from "afterlog";
const token = al.arg("token", "none");
for (const epoch of al.loop("epoch", al.range(2))) al.log("loss", epoch);
al.log("model.card", { "from": [token] });
`,
    );
    await made.afterlog("run", "train.ts", `token=${TOKEN}`);
    await made.afterlog("run", "train.ts");
    await made.afterlog("note", "@", `made with ${TOKEN}`);
    await made.afterlog("tag", "@", "+good");
    const [, clean] = [made.runs[0], made.manifest.run];

    const held = await made.afterlog("push", "remote.git");
    expect(held.code).toBe(3);
    expect(held.stderr).toMatch(
      /is not sent: its log holds .*log\.jsonl:token \(a token of Hugging Face\)/,
    );
    expect(held.stderr).toMatch(/log\.jsonl:model\.card \(a token of Hugging Face\)/);
    expect(held.stderr).toMatch(/run\.json:argv \(a token of Hugging Face\)/);
    expect(held.stderr).toContain("a log never changes: leave such a run here");
    expect(held.stderr).not.toContain("--without-secrets");
    expect(held.stdout).toContain(
      `said of ${clean}, and stays here: annotations.jsonl:note (a token`,
    );
    expect(held.stdout).toContain("said of runs: 1 of tags, notes, names and alerts");
    expect(textsThere(made)).not.toContain(TOKEN);
    expect(textsThere(made)).toContain(clean);

    const [, allow = ""] = /say so: {2}not_secret = "(.*)" {2}in/.exec(held.stderr) ?? [];
    const named = { AFTERLOG_NOT_SECRET: `${allow}, annotations.jsonl:note` };
    const sent = await made.afterlogWith(named, "push", "remote.git");
    expect({ code: sent.code, stderr: sent.stderr }).toEqual({ code: 0, stderr: "" });
    expect(textsThere(made)).toContain(`made with ${TOKEN}`);
  },
);

/** All that the remote has. */
function textsThere({ folder }: TestProject): string {
  const there = join(folder, "remote.git");
  const objects = git(
    there,
    "cat-file",
    "--batch-all-objects",
    "--batch-check=%(objectname) %(objecttype)",
  );
  const blobs = objects
    .split("\n")
    .flatMap((line) => (line.endsWith(" blob") ? [line.slice(0, 40)] : []));
  return blobs.map((blob) => git(there, "cat-file", "blob", blob)).join("\n");
}
