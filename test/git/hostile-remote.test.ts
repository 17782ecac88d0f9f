/**
 * Everything that a remote may try, in one remote and one pull: each row is a trick and what is said of
 * it, and every honest run comes all the same. What is here already, the user's repository, and all that
 * lies outside of the store stay as they were, and the project goes on working.
 */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { listRunIds, readManifest } from "../../src/store/index.ts";
import { MAIN, ROOT } from "../support/project.ts";
import { CraftedRun, HostileRemote, sealed } from "./hostile-remote.ts";
import type { Trick } from "./hostile-tricks.ts";
import { IN_FILES, IN_MANIFEST, IN_OBJECTS, replayOf } from "./hostile-tricks.ts";
import { fingerprint, Sandbox, testEnvironment } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

const TRAIN = `import * as al from "afterlog";
const epochs = al.arg("epochs", 2);
const state = al.checkpointing({ w: 0 });
for (const epoch of al.loop("epoch", al.range(epochs))) {
  state.w += Math.random();
  al.log("loss", state.w);
}
`;

const sandbox = new Sandbox();
afterAll(() => sandbox[Symbol.dispose]());
const { repo } = sandbox;
const store = join(repo, ".afterlog");
const remote = new HostileRemote(join(sandbox.top, "remote.git"));
const folderOf = (run: string): string => join(store, "runs", run);

/** The command line in the project, as a user types it. */
function afterlog(argv: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const options = { cwd: repo, env: { ...testEnvironment(), ...env }, encoding: "utf8" } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, ...argv], options);
  return `exit code ${status}\n${stdout}${stderr}`;
}

let first = "";
const idOf = (letters: string): string => first.replace(/....$/, letters);
/** Two runs that the user has recorded here. */
const own = (): readonly [string, string] => [idOf("own0"), idOf("own1")];

function put(letters: string, [, , make]: Trick, id = idOf(letters)): string {
  const run = new CraftedRun(id, folderOf(first));
  const commit = String(run.version["commit"]);
  remote.point(`refs/afterlog/runs/${id}`, commit);
  const others = make({ run, remote, idOf, own: own()[0] });
  remote.send(run, others ?? []);
  return id;
}

/** Of tricks that need an id of their own choice: what they take it from, and what they do. */
const IN_NAMES: readonly (readonly [id: () => string, Trick])[] = [
  [
    () => own()[0],
    [
      "the id of a run that is here",
      /another run of this id here/,
      ({ run }) => void Object.assign(run.line("log"), { value: 0 }),
    ],
  ],
  [
    () => own()[1],
    [
      "a run of yours, gone on",
      /a run of yours went on/,
      ({ run }) => {
        const before = readFileSync(join(folderOf(run.id), "log.jsonl"));
        const more = '{"k":"rewind","path":[],"seq":-1}\n';
        run.files.set("log.jsonl", sealed(Buffer.concat([before, Buffer.from(more)])));
      },
    ],
  ],
  [() => first.replace("train", "Train"), ["an id that differs by case", /but for case/, () => []]],
];

/** What of the machine may not change. */
function surroundings(): unknown {
  const outside = readdirSync(sandbox.top).toSorted();
  const kept = [first, ...own()].map((run) =>
    readdirSync(folderOf(run), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:json|jsonl|bin)$/.test(file))
      .map((file) => [file, readFileSync(join(folderOf(run), file), "latin1")]),
  );
  return { outside, kept, repository: fingerprint(sandbox) };
}

const ROWS: readonly Trick[] = [
  ...IN_MANIFEST,
  ...IN_FILES,
  ...IN_OBJECTS,
  [
    "a replay of yours, of another program",
    /does not replay the version of its parent/,
    (tricked) => {
      const directive = replayOf("evil");
      Object.assign(tricked.run.manifest, { kind: "replay", parent: tricked.own, directive });
      Object.assign(tricked.run.version, { commit: "1".repeat(40) });
    },
  ],
  [
    "a replay of yours that gives what you logged another value",
    "taken",
    ({ run, own: parent }) => {
      Object.assign(run.manifest, { kind: "replay", parent, directive: replayOf("loss") });
      for (const line of run.log) {
        if (line["k"] !== "log") continue;
        Object.assign(line, { value: -1, probe: true, check: "verified" });
      }
    },
  ],
];
const CIRCLE = ["crca", "crcb"];

/** What `pull --json` says. */
interface Pulled {
  readonly runs: readonly string[];
  readonly refused: Readonly<{ [run: string]: string }>;
}

let pulled: Pulled;
let before: unknown;
const ids = new Map<string, string>();
let frame = "";

beforeAll(() => {
  sandbox.write("train.ts", TRAIN);
  sandbox.write(".gitignore", "node_modules\n");
  sandbox.git("init", "-q");
  sandbox.git("add", "-A");
  sandbox.git("commit", "-qm", "first");
  mkdirSync(join(repo, "node_modules"));
  symlinkSync(ROOT, join(repo, "node_modules/afterlog"));
  afterlog(["run", "--overhead", "inf", "train.ts"]);
  [first = ""] = listRunIds(store);
  sandbox.git("push", "-q", remote.folder, `refs/afterlog/runs/${first}`);
  for (const run of own()) {
    cpSync(folderOf(first), folderOf(run), { recursive: true });
    const crafted = new CraftedRun(run, folderOf(first));
    for (const file of ["run.json", "log.jsonl"] as const) {
      writeFileSync(join(folderOf(run), file), crafted.bytes(file));
    }
  }
  frame = afterlog(["frame", "loss", "--json"]);
  for (const [at, trick] of ROWS.entries()) {
    const [what] = trick;
    const circle = CIRCLE[IN_MANIFEST.filter(([name]) => /circle/.test(name)).indexOf(trick)];
    ids.set(what, put(circle ?? `t${String(at).padStart(3, "0")}`, trick));
  }
  for (const [id, trick] of IN_NAMES) ids.set(trick[0], put("", trick, id()));
  // What is no run is not even asked for.
  const commit = remote.commit(remote.tree([]));
  for (const ref of ["refs/heads/evil", "refs/tags/evil", "refs/afterlog/evil"]) {
    remote.point(ref, commit);
  }
  for (const name of ["evil", "..", "con.x-20260101-000000-aaaa", "--help"]) {
    if (name !== "..") remote.point(`refs/afterlog/logs/${name}`, commit);
  }
  remote.point(`refs/afterlog/logs/${idOf("cmmt")}`, commit);
  // The configuration of a remote is nobody's.
  const touch = `touch ${join(sandbox.top, "evil")}`;
  appendFileSync(
    join(remote.folder, "config"),
    `[core]\n\tfsmonitor = ${touch}\n\tsshCommand = ${touch}\n` +
      `[uploadpack]\n\tpackObjectsHook = ${touch}\n`,
  );
  put("good", ["", "taken", () => []]);
  mkdirSync(join(sandbox.top, "server"));
  before = surroundings();
  const said = afterlog(["pull", "--json", remote.folder]);
  pulled = JSON.parse(said.slice(said.indexOf("{"), said.lastIndexOf("}") + 1)) as Pulled;
});

it("there are at least 30 tricks, and each says what it is", () => {
  expect(ids.size).toBe(ROWS.length + IN_NAMES.length);
  expect(ids.size).toBeGreaterThan(60);
});

it.each([...ROWS, ...IN_NAMES.map(([, trick]) => trick)])("%s", (what, said) => {
  const id = ids.get(what) ?? "";
  const why = pulled.refused[id] ?? (pulled.runs.includes(id) ? "taken" : "neither");
  if (said === "taken") expect(why).toBe("taken");
  else expect(why).toMatch(said);
  expect(pulled.runs.includes(id)).toBe(said === "taken");
});

it("an honest run among them comes, with the mark of where it came from", () => {
  const id = idOf("good");
  expect(pulled.runs).toContain(id);
  const mark = JSON.parse(readFileSync(join(folderOf(id), "received.json"), "utf8")) as object;
  expect(mark).toMatchObject({ remote: remote.folder, address: remote.folder });
  expect(pulled.refused[idOf("cmmt")]).toBe("it is no log of a run");
});

it("nothing else is changed, and nothing outside of the store is made", () => {
  expect(surroundings()).toEqual(before);
  const refs = sandbox.git("for-each-ref", "--format=%(refname)").trim().split("\n");
  const strange = refs.filter((ref) => !/^refs\/(?:heads\/main$|afterlog\/runs\/)/.test(ref));
  expect(strange).toEqual([]);
  expect(readdirSync(store).filter((name) => name.startsWith("version-"))).toEqual([]);
});

it("no run is later than the day on which it came", () => {
  for (const run of pulled.runs) {
    expect(readManifest(folderOf(run)).order).toBeLessThanOrEqual(Date.now());
  }
  expect(Number(readFileSync(join(store, "clock"), "utf8"))).toBeLessThanOrEqual(Date.now());
});

it("the project goes on working, and the user's own values are what they were", () => {
  for (const argv of [
    ["ls", "--limit", "0"],
    ["show", idOf("good")],
    ["plan", "--limit", "0"],
  ]) {
    expect(afterlog(argv)).not.toMatch(/internal|TypeError|RangeError/);
  }
  expect(afterlog(["ls", "--limit", "0", "--json"])).toContain("exit code 0");
  const mine = (text: string): string[] =>
    text.split(/(?=\{)/).filter((row) => [first, ...own()].some((run) => row.includes(run)));
  expect(mine(afterlog(["frame", "loss", "--json", "--limit", "0"]))).toEqual(mine(frame));
  expect(surroundings()).toEqual(before);
});

/** Of the connection itself: what the user is given to type, and what answers. */
const evil = join(sandbox.top, "evil");
it.each<[what: string, word: () => string, said: RegExp, env?: () => NodeJS.ProcessEnv]>([
  ["an address that is a command", () => `ext::sh -c 'touch ${evil}'`, /AL046/],
  ["an option for git", () => `--upload-pack=touch ${evil}`, /AL001/],
  ["an option for git, in an address", () => `-oProxyCommand=touch ${evil}`, /AL001|AL046/],
  ["an option for ssh", () => `ssh://-oProxyCommand=touch%20${evil}/x`, /AL046/],
  ["an option for ssh, after a host", () => `h:--upload-pack=touch ${evil}`, /AL046/],
  ["a helper that there is not", () => "evil::x", /AL046/],
  ["a server that says something else", () => "ssh://h/x", /AL046/, () => server("echo hello")],
  ["a server that goes away", () => "ssh://h/x", /AL046/, () => server("exit 1")],
  [
    "a server that lists one version and sends another",
    () => "ssh://h/x",
    /its version is not the one that it names|its objects are damaged or missing/,
    changingServer,
  ],
])("%s", (_, word, said, env) => {
  const here = surroundings();
  const text = afterlog(["pull", word()], env?.() ?? {});
  expect(text).toMatch(said);
  expect(text).not.toMatch(/exit code 0|internal|TypeError/);
  expect(surroundings()).toEqual(here);
});

/** What stands for ssh, and answers as it likes. */
function server(script: string): NodeJS.ProcessEnv {
  const file = sandbox.write("server.sh", `#!/bin/sh\n${script}\n`, join(sandbox.top, "server"));
  return { GIT_SSH_COMMAND: `sh ${file}`, GIT_SSH_VARIANT: "ssh" };
}

/** The second time that it is asked it shows another repository, with other versions of the same runs. */
function changingServer(): NodeJS.ProcessEnv {
  const folder = join(sandbox.top, "server");
  const honest = new HostileRemote(join(folder, "honest.git"));
  const other = new HostileRemote(join(folder, "other.git"));
  const run = new CraftedRun(idOf("chng"), folderOf(first));
  for (const one of [honest, other]) one.send(run);
  honest.setVersion(run, honest.tree([["100644", "train.ts", honest.blob("one")]]));
  honest.send(run);
  const changed = other.commit(other.tree([["100644", "train.ts", other.blob("two")]]));
  other.send(run);
  other.point(`refs/afterlog/runs/${run.id}`, changed);
  const count = join(folder, "count");
  return server(`echo x >> ${count}
if [ "$(wc -l < ${count})" -le 2 ]; then exec git upload-pack ${honest.folder}; fi
exec git upload-pack ${other.folder}`);
}
