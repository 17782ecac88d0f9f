/** Each view and the command that it names give the same values. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parsePatch } from "../../ui/src/lib/patch.ts";
import { decodeSeries } from "../../ui/src/lib/series.ts";
import { Training } from "../cli-replay/training.ts";
import { UiServer } from "./ui-server.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

/** Loops in loops and beside them, one that counts down, a value that is none, one alone. */
const LOOPS = `import * as al from "afterlog";
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", al.range(4))) al.log("inner", epoch * 10 + step);
  al.log("outer", epoch === 1 ? Infinity : epoch / 2);
}
for (const left of al.loop("left", [3, 2, 1])) al.log("down", left * left);
for (const item of al.loop("item", ["a", "b"])) al.log("mixed", item === "a" ? 1 : "text");
al.log("alone", 5);
`;

let project: Training;
let server: UiServer;
beforeAll(async () => {
  project = new Training({ "loops.ts": LOOPS });
  for (const lr of ["lr=0.1", "lr=0.2"]) await project.record(lr, "epochs=3");
  await project.afterlog("run", "loops.ts");
  project.add("suffix");
  await project.afterlog("replay", "final", "--where", "lr < 0.15", "--yes");
  server = await UiServer.start(project);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  project[Symbol.dispose]();
});

async function json<T>(...argv: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await project.afterlog(...argv, "--json");
  expect({ argv, code, stderr: code === 0 ? "" : stderr }).toEqual({ argv, code: 0, stderr: "" });
  return JSON.parse(stdout) as T;
}

interface Plot {
  readonly x: string;
  readonly series: readonly {
    readonly run: string | null;
    readonly points: readonly { readonly x: number; readonly y: number }[];
  }[];
  readonly not_numbers: number;
  readonly not_finite: number;
}

describe("charts", () => {
  test.each([
    ["inner", ""],
    ["inner", "epoch"],
    ["outer", ""],
    ["down", ""],
    ["mixed", ""],
    ["accuracy", ""],
    ["loss", ""],
    ["final", ""],
  ])("%s by %j are the points of `afterlog plot`", async (name, x) => {
    const { runs } = (await server.ask("/api/v1/runs")).json() as { runs: readonly string[] };
    const list = runs.map((run) => `'${run}'`).join(", ");
    const axis = x === "" ? [] : ["-x", x];
    const plot = await json<Plot>("plot", name, "-w", `run in (${list})`, ...axis);
    const path = `/api/v1/series?runs=${runs.join(",")}&name=${name}&x=${x}`;
    const { bytes } = await server.ask(path);
    const { series, x: label } = decodeSeries(Uint8Array.from(bytes).buffer);
    const byRun = new Map(
      series.map((one) => [
        one.run,
        Array.from(one.x, (at, place) => ({ x: at, y: one.y[place] })),
      ]),
    );
    for (const { run, points } of plot.series) {
      const own = run === null ? series.flatMap((one) => byRun.get(one.run) ?? []) : byRun.get(run);
      const values = (some: readonly { y: number | undefined }[]): unknown =>
        some.map(({ y = NaN }) => y).toSorted((a, b) => a - b);
      // Of one value a run `plot` makes one line.
      if (run === null) expect(values(own ?? [])).toEqual(values(points));
      else expect(own, run).toEqual(points.toSorted((a, b) => a.x - b.x));
    }
    if (plot.series.every(({ run }) => run !== null)) {
      expect(label).toBe(plot.x);
      expect(series.filter(({ count }) => count > 0).length).toBe(plot.series.length);
    }
    const sum = (of: (one: (typeof series)[number]) => number): number =>
      series.reduce((total, one) => total + of(one), 0);
    expect(sum(({ notFinite }) => notFinite)).toBe(plot.not_finite);
    expect(sum(({ notNumbers }) => notNumbers)).toBe(plot.not_numbers);
    const hindsight = series.flatMap((one) => [...one.hindsight]);
    expect(hindsight.includes(1)).toBe(name === "final");
  });

  test.each([
    ["runs=nobody&name=loss", "AL004", 404],
    ["runs=@&name=los", "AL021", 404],
    ["runs=@&name=inner&x=epoc", "AL022", 404],
    ["runs=@&name=inner&px=wide", "AL001", 400],
  ])("%s is an error", async (query, code, status) => {
    const answer = await server.ask(`/api/v1/series?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.json()["error"]).toMatchObject({ code });
  });
});

describe("a run", () => {
  /** The runs of two programs, of which one was replayed. */
  test.each(["@", "@~1", "@~2"])("%s: each part is what `show --part` prints", async (run) => {
    for (const part of ["code", "console", "checks", "performance"] as const) {
      const answer = (await server.ask(`/api/v1/runs/${run}/${part}`)).json();
      expect(answer[part]).toEqual(await json("show", run, "--part", part));
    }
  });

  test("its parts say what is in its files", async () => {
    const { code } = (await server.ask("/api/v1/runs/@/code")).json() as {
      readonly code: {
        readonly files: readonly { readonly file: string; readonly text: string }[];
      };
    };
    const [program] = code.files;
    expect(program).toMatchObject({ file: "loops.ts", text: LOOPS });
    const hits = LOOPS.split("\n").flatMap((text, at) =>
      text.includes('"step"') ? [{ line: at + 1, values: 12, iterations: 12 }] : [],
    );
    expect(program).toMatchObject({ lines: expect.arrayContaining(hits) as unknown });
    const { checks } = (await server.ask("/api/v1/runs/@~2/checks")).json();
    const compared = { equal: expect.any(Number) as number, close: 0, different: 0 };
    const replay = { replay: "r1", names: ["final"], compared, first_difference: null };
    expect(checks).toMatchObject({ replays: [replay] });
    const { performance } = (await server.ask("/api/v1/runs/@~2/performance")).json() as {
      readonly performance: { readonly iterations: readonly object[] };
    };
    expect(performance.iterations).toMatchObject(
      [0, 1, 2].map((at) => ({ loop: "epoch", entry: 0, from: at, to: at })),
    );
  });

  test("a part that is none is refused", async () => {
    const { code, stderr } = await project.afterlog("show", "@", "--part", "cod");
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/AL001[\s\S]*parts: code, console, checks, performance/);
  });
});

type Facts = Readonly<{ [name: string]: readonly unknown[] }>;
type Section = "args" | "values" | "data" | "environment";

describe("runs side by side", () => {
  test.each([
    ["two", ["@~2", "@~1"]],
    ["three, of two programs", ["@~2", "@~1", "@"]],
    ["one with itself", ["@", "@"]],
  ])("%s: what `diff` prints of the first and each of the others", async (_, runs) => {
    const { compare } = (await server.ask(`/api/v1/compare?runs=${runs.join(",")}`)).json() as {
      readonly compare: { readonly [section in Section]: Facts } & {
        readonly sources: readonly { readonly patch: string }[];
      };
    };
    for (const [at, other] of runs.slice(1).entries()) {
      const diff = await json<
        { readonly [section in Section]: Facts } & { readonly source: { readonly patch: string } }
      >("diff", runs[0] ?? "", other);
      for (const section of ["args", "values", "data", "environment"] as const) {
        const pairs = Object.entries(compare[section]).map(
          ([name, values]) => [name, [values[0], values[at + 1]]] as const,
        );
        const different = pairs.filter(([, [a, b]]) => JSON.stringify(a) !== JSON.stringify(b));
        expect(Object.fromEntries(different), `${section} of ${other}`).toEqual(diff[section]);
      }
      expect(compare.sources[at]).toEqual(diff.source);
      // Line beside line there is what git says, and nothing else.
      const lines = parsePatch(diff.source.patch).flatMap((file) => file.lines);
      const removed = lines.flatMap(({ kind, left }) =>
        kind !== "same" && left ? [left.text] : [],
      );
      const added = lines.flatMap(({ kind, right }) =>
        kind !== "same" && right ? [right.text] : [],
      );
      const said = (sign: string): string[] =>
        diff.source.patch
          .split("\n")
          .flatMap((line) =>
            line.startsWith(sign) && !line.startsWith(sign.repeat(3)) ? [line.slice(1)] : [],
          );
      expect([removed, added]).toEqual([said("-"), said("+")]);
    }
  });

  test.each([
    ["runs=@", "AL001", 400],
    [`runs=${"@,".repeat(60)}`, "AL001", 400],
    ["runs=@,nobody", "AL004", 404],
  ])("%s is refused", async (query, code, status) => {
    const answer = await server.ask(`/api/v1/compare?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.json()["error"]).toMatchObject({ code });
  });
});

interface Rows {
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly cut: number;
  readonly missing: readonly object[];
}

describe("SQL", () => {
  const query = async (sql: string, seconds?: number): Promise<Rows> => {
    const body = { sql, ...(seconds === undefined ? {} : { seconds }) };
    const answer = await server.ask("/api/v1/query", { method: "POST", body });
    expect(answer.status, answer.text).toBe(200);
    return answer.json() as unknown as Rows;
  };

  test.each([
    "from runs where kind <> 'replay' order by run",
    "select run, name, path, number, value, origin, t, loops, indices from logs order by run, seq, name",
    "select run, final, final_origin, loss from runs where kind = 'record' order by run",
    "select run, epoch, loss from frame order by all",
    "select 1 as a, 2 as a, 'NaN'::double as b, 2::hugeint ** 70 as c, null as d where 1 = 1",
    "explain select 1",
    "describe runs",
    "select run from runs where false",
  ])("%s: what `query` prints", async (sql) => {
    const { columns, rows, cut } = await query(sql);
    const said = await json<readonly object[]>("query", sql);
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])),
    );
    // How long DuckDB takes is another thing each time.
    if (!sql.startsWith("explain")) expect(objects).toEqual(said);
    expect([rows.length, cut]).toEqual([said.length, 0]);
  });

  test("of very many rows the first are sent, and the others counted", async () => {
    for (const more of [0, 1, 90_000]) {
      const { rows, cut } = await query(`select i from range(${10_000 + more}) t(i)`);
      expect([rows.length, rows.at(-1), cut]).toEqual([10_000, [9999], more]);
    }
  });

  test("missing cells of logged names are counted", async () => {
    const { rows, missing } = await query(
      "select run, final, seed from runs where kind = 'record'",
    );
    expect(missing).toEqual([{ name: "final", cells: rows.length - 1 }]);
    // A replay has none of its own.
    const all = await query("select run, final, seed from runs");
    expect(all.rows.length).toBe(rows.length + 1);
    expect(all.missing).toEqual(missing);
  });

  test("what takes long is interrupted, and the next one answered", async () => {
    const body = { sql: "select count(*) from range(1000000000000)", seconds: 0.3 };
    const answer = await server.ask("/api/v1/query", { method: "POST", body });
    expect(answer.status).toBe(400);
    expect(answer.json()["error"]).toMatchObject({
      code: "AL020",
      message: "it took more than 0.3 s, and was interrupted",
    });
    expect((await query("select 1")).rows).toEqual([[1]]);
  });

  test("nothing is written, no file is read, no setting changed, whatever the statement", async () => {
    const outside = mkdtempSync(join(tmpdir(), "afterlog-views-"));
    const { folder } = server.file;
    // The one folder that DuckDB may reach: there is nothing of worth in it.
    const inside = join(folder, "lines");
    const before = readFileSync(join(project.folder, "loops.ts"), "utf8");
    const traps = [outside, inside, project.store].flatMap((place) => [
      `copy (select 1) to '${place}/trap.csv'`,
      `EXPLAIN ANALYZE COPY (select 1) TO '${place}/trap.csv'`,
      `explain (analyze) copy (select 1) to '${place}/trap.csv'`,
      `explain /* a */ analyze copy (select 1) to '${place}/trap.csv'`,
      `explain analyze select 1`,
      `select 1; copy (select 1) to '${place}/trap.csv'`,
      `commit; copy (select 1) to '${place}/trap.csv'`,
      `export database '${place}/trap'`,
      `attach '${place}/trap.db' as other`,
    ]);
    const others = [
      "select * from read_text('/etc/hostname')",
      `select * from read_text('${project.store}/ui.json')`,
      `select * from glob('${project.folder}/*')`,
      "from '/etc/passwd'",
      "set memory_limit = '1GB'",
      "set enable_external_access = true",
      "create table trap (a int)",
      "create temp table trap as select 1",
      "insert into store.runs select * from store.runs",
      "delete from store.runs",
      "drop view runs",
      "install httpfs",
      "load httpfs",
      "call pragma_version()",
      "begin",
      "",
    ];
    for (const sql of [...traps, ...others]) {
      const answer = await server.ask("/api/v1/query", { method: "POST", body: { sql } });
      expect([sql, answer.status]).toEqual([sql, 400]);
      expect(answer.json()["error"]).toMatchObject({ code: "AL020" });
    }
    expect(
      [outside, inside, project.store].map((place) => existsSync(join(place, "trap.csv"))),
    ).toEqual([false, false, false]);
    expect(readdirSync(outside)).toEqual([]);
    expect(readFileSync(join(project.folder, "loops.ts"), "utf8")).toBe(before);
    expect((await query("select count(*) from runs")).rows).toEqual([[4]]);
    rmSync(outside, { recursive: true });
  });
});

describe("storage", () => {
  test("is what `du` prints, and its preview what `gc --dry-run` does", async () => {
    const { storage } = (await server.ask("/api/v1/storage")).json();
    const runs = (some: unknown): unknown =>
      (some as readonly { readonly run: string | null }[]).filter(({ run }) => run !== null);
    // What belongs to no run, the index of the command line itself, changes with each command.
    expect(runs(storage)).toEqual(runs(await json("du")));
    for (const policy of ["peak:accuracy", "every:2", "1B", "all"]) {
      const answer = await server.ask("/api/v1/gc", { method: "POST", body: { policy } });
      expect(answer.json()).toEqual(await json("gc", "--policy", policy, "--dry-run"));
    }
    expect(runs(storage)).toEqual(runs(await json("du")));
    const wrong = await server.ask("/api/v1/gc", { method: "POST", body: { policy: "some" } });
    expect([wrong.status, wrong.json()["error"]]).toMatchObject([400, { code: "AL001" }]);
  });
});
