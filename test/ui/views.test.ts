/** Each view and the command that it names give the same values. */
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
        some.map(({ y }) => y).toSorted();
      // Of one value a run \`plot\` makes one line.
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
