/** @file What a program logs by names that the columns of runs have, or that are words of SQL. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CliContext } from "../../../src/cli/context.ts";
import { diffCommand } from "../../../src/cli/history/diff.ts";
import { frameCommand } from "../../../src/cli/reading/frame.ts";
import { lsCommand } from "../../../src/cli/reading/ls.ts";
import { queryCommand } from "../../../src/cli/reading/query.ts";
import { showCommand } from "../../../src/cli/reading/show.ts";
import type { CatalogProject } from "../../support/catalog.ts";
import { makeProject } from "../../support/catalog.ts";
import { call } from "../../support/command.ts";
import { makeRun } from "../../support/make-runs.ts";

/** As the catalog calls the columns of `runs`; then what each row of a frame has besides. */
const OWN =
  `run name kind parent point status started ended seconds projid filename language argv commit head
branch dirty seed host exit_code signal overhead budget overhead_parts checkpoints checkpoint_bytes
damaged warnings off log_lines ordinal checkpoint checkpoint_exact origin`.split(/\s/);
const SQL_WORDS = [
  "when",
  "from",
  "order",
  "select",
  "group",
  "end",
  "limit",
  "case",
  "null",
  "all",
];

let plain: CatalogProject;
let odd: CatalogProject;
beforeAll(() => {
  [plain, odd] = [makeProject(), makeProject()];
  for (const { store } of [plain, odd]) {
    for (const [at, run] of ["r1", "r2"].entries()) {
      makeRun(store, {
        run,
        body: (log) => {
          if (store === odd.store) for (const name of OWN) log.arg(name, 7 + at);
          log.loop("epoch", 2, (epoch) => {
            if (store === odd.store)
              for (const name of [...OWN, ...SQL_WORDS]) log.log(name, epoch);
            log.log("loss", epoch);
          });
        },
      });
    }
  }
});
afterAll(() => [plain, odd].forEach((project) => project[Symbol.dispose]()));

type Work = (context: CliContext) => Promise<number>;
type Row = { readonly [column: string]: unknown };

async function rowsOf(project: CatalogProject, command: Work): Promise<readonly Row[]> {
  const { code, out, err } = await call(project.root, { json: true }, command);
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Row[];
}

/** What says the same whatever was logged; folders have other names, and logs other lengths. */
function same(rows: readonly Row[], ...more: readonly string[]): readonly Row[] {
  const others = [
    "args",
    "metrics",
    "projid",
    "log_lines",
    "warnings",
    "seconds",
    "ended",
    ...more,
  ];
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([key]) => !others.includes(key))),
  );
}

const OF_RUNS = OWN.filter((name) => name !== "origin" && !name.startsWith("checkpoint_"));

test.each<[string, Work]>([
  ["ls", (c) => lsCommand(c, {})],
  ["ls --sort-by", (c) => lsCommand(c, { sortBy: "seconds", columns: ["seed"] })],
  ["ls --where", (c) => lsCommand(c, { where: "status = 'done' and run = 'r2'" })],
  ["frame", (c) => frameCommand(c, [...OF_RUNS, "loss"], {})],
  ["frame --where", (c) => frameCommand(c, ["loss"], { where: "run = 'r1' and seed is not null" })],
  ["query runs", (c) => queryCommand(c, "select run, name, seed, status, commit from runs", {})],
  ["query frame", (c) => queryCommand(c, "select run, epoch, status, loss from frame", {})],
])("%s shows of a run what it shows without them", async (_, command) => {
  expect(same(await rowsOf(odd, command))).toEqual(same(await rowsOf(plain, command)));
});

test("each is reached by its own name with log. or arg. before it", async () => {
  const columns = OWN.flatMap((name) => [`log.${name}`, `arg.${name}`]);
  const rows = await rowsOf(odd, (c) => frameCommand(c, columns, { where: "epoch = 1" }));
  expect(rows).toHaveLength(2);
  for (const [at, row] of rows.entries()) {
    expect(row).toMatchObject({ run: `r${at + 1}`, epoch: 1 });
    for (const name of OWN) {
      expect([row[`log.${name}`], row[`arg.${name}`]]).toEqual([1, 7 + at]);
    }
  }
  const frame = await rowsOf(odd, (c) => frameCommand(c, SQL_WORDS, { where: "epoch = 1" }));
  for (const name of SQL_WORDS) expect(frame.map((row) => row[name])).toEqual([1, 1]);
});

test.each<[string, Work, readonly Row[]]>([
  [
    "a condition",
    (c) => frameCommand(c, ["loss"], { where: "arg.seed = 8 and log.status = 1" }),
    [{ run: "r2", epoch: 1, loss: 1 }],
  ],
  [
    "a condition on runs",
    (c) => lsCommand(c, { where: 'arg.seed = 8 and "when" = 1' }),
    [{ run: "r2" }],
  ],
  [
    "a query",
    (c) => queryCommand(c, "select run, log.status, arg.seed from runs where arg.seed > 7", {}),
    [{ run: "r2", "log.status": 1, "arg.seed": 8 }],
  ],
  [
    "a query of the frame",
    (c) =>
      queryCommand(c, "select run, sum(log.seconds) as s from frame group by run order by run", {}),
    [
      { run: "r1", s: 1 },
      { run: "r2", s: 1 },
    ],
  ],
  [
    "a table that the query calls so itself",
    (c) => queryCommand(c, "select log.name from logs log where log.name = 'seed' limit 1", {}),
    [{ name: "seed" }],
  ],
])("%s may say them", async (_, command, expected) => {
  const rows = await rowsOf(odd, command);
  expect(rows).toHaveLength(expected.length);
  expect(rows).toMatchObject(expected);
});

test("ls, show and diff show them beside the run's own", async () => {
  const [first] = await rowsOf(odd, (c) => lsCommand(c, {}));
  expect(first).toMatchObject({ run: "r2", status: "done", seed: expect.any(String) as unknown });
  expect(first).toMatchObject({ args: { seed: 8 }, metrics: { seed: 1, when: 1 } });
  const { out } = await call(odd.root, { isTTY: true, columns: 2000 }, (c) => lsCommand(c, {}));
  expect(out).toMatch(/^RUN +STATUS +WHEN .*ARG\.SEED/);
  const shown = await call(odd.root, {}, (c) => showCommand(c, "r2"));
  expect(shown.out).toMatch(/^r2 +✔ done$[^]*^args .*seed=8[^]*^ {2}status +1 /m);
  const diff = await call(odd.root, {}, (c) => diffCommand(c, "r1", "r2", {}));
  expect(diff.out).toMatch(/^seed +7 +8 +\+1$/m);
  expect(diff.out).toMatch(/^last values {2}the same$/m);
});

test.each<[string, Work, RegExp]>([
  [
    "frame",
    (c) => frameCommand(c, ["seed"], {}),
    /seed is that of the run; the program's is arg\.seed, log\.seed/,
  ],
  [
    "query",
    (c) => queryCommand(c, "select run, when from runs", {}),
    /AL020[^]*help: if when is a name, it stands in quotes: {2}"when" = 3/,
  ],
])("%s says what else there is", async (_, command, told) => {
  expect((await call(odd.root, {}, command)).err).toMatch(told);
});
