/**
 * @file What each command loads, counted in its own process: no database where none is needed, no parser where
 * nothing is parsed, and no more of our own modules than its kind of command has.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listCommands } from "../../src/cli/commands/command-table.ts";
import { ROOT, TestProject } from "../support/project.ts";

/** Module by module, as the compiler built them. */
const MODULES = "/build/cli/main.js";
/** As users have it: what belongs together is in one file. */
const FILES = "/dist/cli/main.js";

/** Modules of ours: of commands that look at folders, of those that read the index, and of all others. */
const FOLDERS = 200;
const INDEX = 230;
const ALL = 610;
/** Files of ours, of any command. */
const FILES_MOST = 70;

interface Row {
  readonly argv: readonly string[];
  readonly code?: number;
  /** DuckDB is loaded. */
  readonly database: boolean;
  readonly most: number;
}

const folders = (argv: string, code = 0): Row => {
  return { argv: argv.split(" "), code, database: false, most: FOLDERS };
};
const index = (argv: string, code = 0): Row => {
  return { argv: argv.split(" "), code, database: true, most: INDEX };
};
const all = (argv: string, database: boolean, code = 0): Row => {
  return { argv: argv.split(" "), code, database, most: ALL };
};

const ROWS: { readonly [command: string]: Row } = {
  init: folders("init"),
  run: all("run train.js", false),
  demo: folders("demo --help"),
  ls: index("ls"),
  show: index("show"),
  frame: index("frame loss"),
  plot: index("plot loss"),
  tail: folders("tail"),
  watch: folders("watch @"),
  query: { ...index("query"), argv: ["query", "from runs"] },
  export: index("export runs --format csv"),
  du: folders("du"),
  affected: index("affected train.js"),
  completion: folders("completion bash"),
  config: folders("config"),
  plan: all("plan loss", true),
  replay: all("replay loss --yes", true),
  resume: all("resume", false, 1),
  go: all("go r1", false, 1),
  cancel: all("cancel r1", false, 1),
  ps: all("ps", false),
  why: index("why @ loss epoch=0"),
  check: all("check nothing", true, 1),
  restore: all("restore nothing", true, 1),
  fork: all("fork nothing@epoch=0", true, 1),
  gc: all("gc --policy every:5 --dry-run", true),
  where: all("where loss", false),
  bisect: all("bisect loss>9 --yes", true, 1),
  diff: index("diff @ @"),
  alert: all("alert ls", false),
  push: all("push nowhere", false, 1),
  pull: all("pull nowhere", false, 1),
  trust: all("trust", false),
  tag: all("tag", true),
  note: all("note nothing", true, 1),
  name: all("name nothing", true, 1),
  hide: all("hide nothing", true, 1),
  rm: all("rm --list", false),
  ui: all("ui --help", false),
  "plan of a new name behind the loops": all("plan --at train.js:3 new=1", false),
  "replay of it": all("replay --at train.js:3 new=1 --yes", false),
  __complete: folders("__complete show t"),
};

let project: TestProject;
beforeAll(async () => {
  project = new TestProject({
    "train.js": `import * as al from "afterlog";
for (const epoch of al.loop("epoch", al.range(2))) al.log("loss", epoch);
al.log("last", 1);
`,
    "package.json": '{ "type": "module" }',
  });
  await project.afterlog("run", "train.js");
  await project.afterlog("ls");
});
afterAll(() => project[Symbol.dispose]());

test("each command has its row", () => {
  const known = listCommands().map(({ name }) => name as string);
  const rows = Object.keys(ROWS).filter((name) => /^[a-z]+$/.test(name));
  expect(rows.toSorted()).toEqual(known.toSorted());
});

test.each(Object.entries(ROWS))("%s", (_, { argv, code = 0, database, most }) => {
  const { status, stderr, own } = load(MODULES, argv);
  const count = (part: string): number => own.filter((url) => url.includes(part)).length;
  const found = { status, stderr, database: count("/@duckdb/") > 0 };
  expect(found).toEqual({ status: code, stderr, database });
  expect(count("/build/")).toBeGreaterThan(20);
  expect(count("/build/")).toBeLessThanOrEqual(most);
  if (most < ALL) expect(count("/oxc-parser/") + count("/tree-sitter-python/")).toBe(0);
});

test("what users run is put together into few files, and loads nothing besides them", () => {
  const { status, own } = load(FILES, ["replay", "loss", "--yes"]);
  expect(status).toBe(0);
  expect(own.filter((url) => url.includes("/build/"))).toEqual([]);
  const files = own.filter((url) => url.includes("/dist/"));
  expect(files.length).toBeGreaterThan(5);
  expect(files.length).toBeLessThanOrEqual(FILES_MOST);
});

/** What the process of a command has loaded. */
function load(
  main: string,
  argv: readonly string[],
): { readonly status: number | null; readonly stderr: string; readonly own: readonly string[] } {
  const coverage = join(project.folder, "node_modules/.coverage");
  rmSync(coverage, { recursive: true, force: true });
  mkdirSync(coverage);
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, main), ...argv], {
    cwd: project.folder,
    // V8 writes down which scripts each process has loaded.
    env: { ...process.env, NO_COLOR: "1", NODE_V8_COVERAGE: coverage },
    encoding: "utf8",
  });
  const loaded = readdirSync(coverage).map((file) => urlsIn(join(coverage, file)));
  const own = loaded.find((urls) => urls.some((url) => url.endsWith(main))) ?? [];
  return { status, stderr, own };
}

function urlsIn(file: string): string[] {
  const { result } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly result: readonly { readonly url: string }[];
  };
  return result.map(({ url }) => url);
}
