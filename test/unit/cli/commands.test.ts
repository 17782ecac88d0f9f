import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CliContext } from "../../../src/cli/context.ts";
import { duCommand } from "../../../src/cli/reading/du.ts";
import { exportCommand } from "../../../src/cli/reading/export.ts";
import { frameCommand } from "../../../src/cli/reading/frame.ts";
import { lsCommand } from "../../../src/cli/reading/ls.ts";
import { queryCommand } from "../../../src/cli/reading/query.ts";
import { showCommand } from "../../../src/cli/reading/show.ts";
import { makeFourRuns } from "./four-runs.ts";
import type { CatalogProject } from "../../support/catalog.ts";
import { makeProject } from "../../support/catalog.ts";
import { call } from "../../support/command.ts";

let project: CatalogProject;
beforeAll(() => {
  process.env["TZ"] = "UTC";
  project = makeProject();
  makeFourRuns(project.store);
});
afterAll(() => project[Symbol.dispose]());

type Work = (context: CliContext) => Promise<number>;
const frame =
  (names: string[], options: { where?: string; grain?: string; limit?: number } = {}): Work =>
  (context) =>
    frameCommand(context, names, options);

async function json(command: Work): Promise<unknown> {
  const { code, out, err } = await call(project.root, { json: true }, command);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

const recorded = { from: "recorded", check: null };

describe("frame --json", () => {
  const rows: [string, Work, unknown][] = [
    [
      "the grain is that of the deepest name; shallower values repeat; arguments are names",
      frame(["loss", "accuracy", "lr"], { where: "run = 'train-0001' and step = 1" }),
      [0, 1].map((epoch) => ({
        run: "train-0001",
        epoch,
        epoch_value: epoch,
        step: 1,
        step_value: 1,
        loss: 1 / (2 + 2 * epoch),
        accuracy: epoch === 0 ? 0.5 : 1 - 1 / 3,
        lr: 0.1,
        origin: { loss: recorded, accuracy: recorded, lr: recorded },
      })),
    ],
    [
      "hindsight values stand in their run's rows, with their check",
      frame(["accuracy", "f1_ped"], { where: "run = 'train-0001'" }),
      [0, 1].map((epoch) => ({
        run: "train-0001",
        epoch,
        epoch_value: epoch,
        accuracy: epoch === 0 ? 0.5 : 1 - 1 / 3,
        f1_ped: epoch / 4,
        origin: { accuracy: recorded, f1_ped: { from: "hindsight", check: "verified" } },
      })),
    ],
    [
      "what a replay logged again does not count",
      frame(["loss"], { grain: "run", where: "run = 'train-0001'" }),
      [{ run: "train-0001", loss: 0.25, origin: { loss: recorded } }],
    ],
    [
      "items of loops, entries, NaN and infinities, names that need quotes",
      frame(["my score", "select", "big"]),
      [
        ...["a", "b"].flatMap((item, fold) =>
          [0, 1].map((at) => ({
            run: "odd-0003",
            fold,
            fold_value: item,
            fold_entry: 0,
            try: at,
            try_value: 10 + 5 * at,
            "my score": at === 0 ? "NaN" : "Infinity",
            select: true,
            big: null,
            origin: { "my score": recorded, select: recorded, big: null },
          })),
        ),
        {
          run: "odd-0003",
          fold: 0,
          fold_value: "c",
          fold_entry: 1,
          try: null,
          try_value: null,
          "my score": null,
          select: null,
          big: "1180591620717411303424",
          origin: { "my score": null, select: null, big: recorded },
        },
      ],
    ],
    [
      "columns of runs; runs without the name have NULL",
      frame(["projid", "filename", "optimizer"], { where: "started >= '2026-01-01'" }),
      ["train-0001", "train-0002", "odd-0003"].map((run) => ({
        run,
        projid: "digits",
        filename: "train.ts",
        optimizer: run === "odd-0003" ? "adam" : null,
        origin: {
          projid: recorded,
          filename: recorded,
          optimizer: run === "odd-0003" ? recorded : null,
        },
      })),
    ],
    [
      "a name that equals a loop elsewhere can be asked for where that loop is not",
      frame(["epoch"], { where: "status = 'failed'" }),
      [{ run: "odd-0003", epoch: "not a loop here", origin: { epoch: recorded } }],
    ],
    [
      "a condition may mention names that are not shown, in any case",
      frame(["f1"], { where: 'LR < 0.05 and "my score" is null' }),
      [{ run: "train-0002", f1: 0.1, origin: { f1: recorded } }],
    ],
    ["no row", frame(["f1"], { where: "false" }), []],
  ];
  test.each(rows)("%s", async (_, command, expected) => {
    expect(await json(command)).toEqual(expected);
  });
});

describe("errors", () => {
  const rows: [string, Work, number, RegExp][] = [
    ["a misspelt name", frame(["acuracy"]), 1, /AL021.*\n.*did you mean "accuracy"/],
    [
      "a name that is also a loop of the rows",
      frame(["epoch", "loss"]),
      1,
      /AL021.*"epoch" is a column/,
    ],
    [
      "an unknown grain",
      frame(["loss"], { grain: "epochs" }),
      1,
      /AL022.*\n.*did you mean "epoch"/,
    ],
    [
      "a condition on nothing",
      frame(["loss"], { where: "lrr > 1" }),
      1,
      /AL020[\s\S]*did you mean lr\?/,
    ],
    ["half a condition", frame(["loss"], { where: "lr >" }), 1, /AL020.*ends too early/],
    [
      "a name that is a word of SQL",
      frame(["loss"], { where: "do = 2" }),
      1,
      /AL020[\s\S]*stands in quotes: {2}"do" = 3/,
    ],
    ["more than a condition", frame(["loss"], { where: "1) union select (2" }), 1, /AL020/],
    [
      "a condition that fails late",
      frame(["loss"], { where: "run::INTEGER > 1" }),
      1,
      /AL020.*Conversion/,
    ],
    ["no such run", (c) => showCommand(c, "nope"), 1, /AL004/],
    ["more than one run", (c) => showCommand(c, "train"), 1, /AL004.*3 runs|AL004.*2 runs/],
    ["a statement that writes", (c) => queryCommand(c, "DELETE FROM store.runs", {}), 1, /AL020/],
    ["several statements", (c) => queryCommand(c, "SELECT 1; SELECT 2", {}), 1, /AL020.*several/],
    [
      "reading a file",
      (c) => queryCommand(c, "FROM read_text('/etc/hostname')", {}),
      1,
      /AL020.*Permission/,
    ],
    [
      "reading a file by its name",
      (c) => queryCommand(c, "FROM '/etc/hostname.csv'", {}),
      1,
      /AL020/,
    ],
    ["writing a file", (c) => queryCommand(c, "COPY (SELECT 1) TO '/tmp/x.csv'", {}), 1, /AL020/],
    ["attaching", (c) => queryCommand(c, "ATTACH ':memory:' AS m", {}), 1, /AL020/],
    [
      "changing settings",
      (c) => queryCommand(c, "SET enable_external_access = true", {}),
      1,
      /AL020/,
    ],
    ["installing", (c) => queryCommand(c, "INSTALL httpfs", {}), 1, /AL020/],
    ["an unknown format", (c) => exportCommand(c, ["logs"], { out: "x.xls" }), 2, /AL001/],
    ["Parquet to a terminal", (c) => exportCommand(c, ["logs"], { format: "parquet" }), 2, /AL001/],
    ["an unknown export", (c) => exportCommand(c, ["nothing"], {}), 2, /AL001/],
    ["sorting by nothing", (c) => lsCommand(c, { sortBy: "accurcy" }), 1, /AL021.*\n.*accuracy/],
  ];
  test.each(rows)("%s", async (_, command, code, told) => {
    const printed = await call(project.root, {}, command);
    expect(printed).toEqual({ code, out: "", err: expect.stringMatching(told) as unknown });
    expect(printed.err).toMatch(/help: /);
  });

  test.each([
    [[], "train.ts"],
    [["data.csv", "model.py", "my_train.py"], "my_train.py"],
    [["digits.py"], "digits.py"],
  ])("no project, beside %j", async (files, named) => {
    const bare = makeProject();
    for (const file of files) writeFileSync(join(bare.root, file), "");
    const printed = await call(bare.root, { env: { AFTERLOG_DIR: join(bare.root, "none") } }, (c) =>
      lsCommand(c, {}),
    );
    expect(printed).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(`AL003[^]*afterlog run ${named}\n`) as unknown,
    });
    expect(existsSync(bare.store)).toBe(false);
    bare[Symbol.dispose]();
  });
});

describe("ls", () => {
  test("--json has its stable keys", async () => {
    const rows = (await json((c) => lsCommand(c, {}))) as { [key: string]: unknown }[];
    expect(rows.map((row) => row["run"])).toEqual(["odd-0003", "train-0002", "train-0001"]);
    expect(rows[1]).toMatchObject({
      run: "train-0002",
      started: "2026-09-21T14:15:20.000Z",
      status: "done",
      commit: "a1b9c3000000000000000000000000000000000f",
      overhead: 0.021,
      args: { lr: 0.01, epochs: 2 },
      metrics: { loss: 0.25, accuracy: 1 - 1 / 3, f1: 0.1 },
    });
  });

  test("for people: what differs, and what is hidden", async () => {
    const where = "run like 'train%'";
    const { out, err } = await call(project.root, { isTTY: true }, (c) => lsCommand(c, { where }));
    expect(out).toBe(
      [
        "RUN         STATUS  WHEN          LR   F1  F1_PED  TIME  COMMIT",
        "train-0002  done    2026-09-21  0.01  0.1     ⋯    13 s  a1b9c30",
        "train-0001  done    2026-09-21   0.1    1  0.25 ✓  13 s  a1b9c30",
        "",
      ].join("\n"),
    );
    expect(err).toMatch(/^2 runs · epochs is 2, .* in all of these · --all-columns\nshows them/);
    expect(err).toContain("✓ in hindsight, verified");
  });

  test("for people: a sign beside a value in hindsight", async () => {
    const where = "run = 'train-0001'";
    const { out, err } = await call(project.root, { isTTY: true }, (c) =>
      frameCommand(c, ["accuracy", "f1_ped"], { where }),
    );
    expect(out.split("\n").map((line) => line.trimEnd())).toEqual([
      "run         epoch  accuracy  f1_ped",
      "train-0001      0       0.5     0 ✓",
      "train-0001      1    0.6667  0.25 ✓",
      "",
    ]);
    expect(err).toContain("✓ in hindsight, verified");
  });

  test("in a pipe: tab-separated, in full", async () => {
    const options = { columns: ["lr", "note", "nope"], sortBy: "lr:desc" };
    const { out, err } = await call(project.root, {}, (c) => lsCommand(c, options));
    expect(out).toBe(
      "run\tlr\tnote\tnope\nodd-0003\t0.5\tline\\tone\\nline two\t\ntrain-0001\t0.1\t\t\ntrain-0002\t0.01\t\t\n",
    );
    expect(err).toMatch(/nope was never logged/);
  });

  test("a project without runs", async () => {
    const empty = makeProject();
    mkdirSync(empty.store);
    const people = await call(empty.root, { isTTY: true }, (c) => lsCommand(c, {}));
    expect(people).toMatchObject({ code: 0, out: "" });
    expect(people.err).toMatch(/afterlog run/);
    const script = await call(empty.root, { json: true }, (c) => lsCommand(c, {}));
    expect(script).toEqual({ code: 0, out: "[]\n", err: "" });
    empty[Symbol.dispose]();
  });
});

describe("show", () => {
  test.each(["@~1", "train-0002", "best", "train-0002"])("%s", async (reference) => {
    const { out, code } = await call(project.root, { isTTY: true }, (c) =>
      showCommand(c, reference),
    );
    expect(code).toBe(0);
    for (const part of [
      /^best \(id train-0002\) {2}✔ done$/m,
      /^version +a1b9c30 on main$/m,
      /^args +lr=0.01 {2}epochs=2$/m,
      /^checkpoints +2, 2 kB, newest epoch=1$/m,
      /^overhead +2.1 % of a budget of 6.7 %$/m,
      /^ {2}epoch {2}2 iterations$/m,
      /^ {4}step {2}4 iterations in 2 entries$/m,
      /^ {2}loss +0.25 {2}█\S+ +4 in epoch \/ step$/m,
      /^! checkpoints turned off: disk full$/m,
      /^! the disk is slow$/m,
    ]) {
      expect(out).toMatch(part);
    }
  });

  test("a recording that cost more than it may", async () => {
    const { out } = await call(project.root, { isTTY: true }, (c) => showCommand(c, "odd-0003"));
    expect(out).toMatch(/^overhead +20.0 %, more than the budget of 6.7 %$/m);
  });

  test("--json", async () => {
    expect(await json((c) => showCommand(c, "train-0001"))).toMatchObject({
      run: "train-0001",
      args: { lr: 0.1, epochs: 2 },
      loops: [
        { loop: "epoch", iterations: 2 },
        { loop: "step", entries: 2, iterations: 4 },
      ],
      replays: ["replay-0004"],
    });
  });
});

describe("export", () => {
  const rows: [string, string[], { out?: string; format?: string; where?: string }, RegExp][] = [
    [
      "a frame as CSV",
      ["frame", "f1", "lr"],
      { out: "a/f.csv" },
      /^run,f1,lr\ntrain-0001,1.0,0.1\n/,
    ],
    [
      "a frame as JSON",
      ["frame", "f1"],
      { out: "f.json" },
      /^\[\n\{"run":"train-0001","f1":1,"origin"/,
    ],
    [
      "a query",
      ["query", "SELECT 1 AS x, NULL AS y, '' AS z;"],
      { out: "q.csv" },
      /^x,y,z\n1,,""\n$/,
    ],
    [
      "a table with a condition",
      ["args"],
      { out: "t.csv", where: "name = 'optimizer'" },
      /^run,.*\nodd-0003,optimizer,text,,adam/,
    ],
    ["the runs as Parquet", ["ls"], { out: "r.parquet" }, /^PAR1[\s\S]*PAR1$/],
  ];
  test.each(rows)("%s", async (_, words, options, content) => {
    const { code, out } = await call(project.root, {}, (c) => exportCommand(c, words, options));
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(readFileSync(join(project.root, options.out ?? ""), "latin1")).toMatch(content);
  });

  test("to standard output", async () => {
    const options = { format: "csv" };
    const { out } = await call(project.root, {}, (c) =>
      exportCommand(c, ["query", "SELECT 'é' AS x"], options),
    );
    expect(out).toBe("x\né\n");
  });

  test("everything into a folder", async () => {
    await call(project.root, {}, (c) => exportCommand(c, [], { out: "all" }));
    expect(readdirSync(join(project.root, "all")).sort()).toEqual(
      "alerts ancestry args checkpoints files items logs loops profile runs"
        .split(" ")
        .map((name) => `${name}.parquet`),
    );
    rmSync(join(project.root, "all"), { recursive: true });
  });
});

test("du counts each byte once", async () => {
  const rows = (await json((c) => duCommand(c))) as { [kind: string]: number | string | null }[];
  expect(rows.map((row) => String(row["run"])).sort()).toEqual([
    "null",
    "odd-0003",
    "replay-0004",
    "train-0001",
    "train-0002",
  ]);
  const kinds = ["log", "checkpoints", "values", "console", "index", "git", "trash", "other"];
  for (const row of rows) {
    const sum = kinds.reduce((total, kind) => total + Number(row[kind]), 0);
    expect(row["total"]).toBe(sum);
  }
  expect(rows.at(-1)).toMatchObject({ run: null, log: 0 });
});
