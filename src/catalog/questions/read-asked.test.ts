import { afterAll, beforeAll, describe, expect, it } from "vitest";
import fc from "fast-check";
import { makeRun, trainingRun } from "../../../test/support/make-runs.ts";
import type { CatalogProject } from "../../../test/support/catalog.ts";
import { makeProject } from "../../../test/support/catalog.ts";
import { boxesOf } from "./asked-boxes.ts";
import type { AskedIterations, AskedQuestion } from "../index.ts";
import { readAsked, useCatalog } from "../index.ts";

let project: CatalogProject;

beforeAll(() => {
  project = makeProject();
  makeRun(project.store, trainingRun("train-1", { epochs: 3, steps: 4, lr: 0.1 }));
  makeRun(project.store, trainingRun("train-2", { epochs: 2, steps: 4, lr: 0.01 }));
  makeRun(project.store, {
    run: "train-3",
    status: "interrupted",
    body: (log) => {
      log.arg("lr", 0.5);
      log.loop("epoch", 2, (epoch) => {
        log.loop("step", 4, (step) => log.log("loss", epoch + step));
      });
      // The process ended in step 1 of epoch 1: no exit of either loop.
      log.lines.splice(log.lines.length - 4);
    },
  });
  makeRun(project.store, {
    run: "replay-4",
    manifest: { kind: "replay", parent: "train-1" },
    body: (log) => {
      log.loop("epoch", 3, (epoch) => {
        log.loop("step", 4, () => {
          if (epoch < 2) log.log("grad_norm", epoch, { check: "verified" });
        });
      });
    },
  });
});

afterAll(() => project[Symbol.dispose]());

function ask(
  where: string | null,
  loops: readonly string[] = ["epoch", "step"],
  more: Partial<AskedQuestion> = {},
): Promise<AskedIterations> {
  const statements = [{ name: "probe", loops }];
  return useCatalog(project.store, {}, ({ connection }) =>
    readAsked(connection, { where, statements, except: [], ...more }),
  );
}

function withoutOpen(runs: AskedIterations["runs"]): unknown {
  return runs.map(({ run, asked }) => ({ run, asked }));
}

const STEPS = ["epoch", "step"];

describe("what a condition asks for", () => {
  const all = (...runs: string[]): unknown => runs.map((run) => ({ run, asked: "all" }));
  const one = (run: string, ...asked: unknown[]): unknown => ({ run, asked });
  it.each<[string | null, readonly string[], unknown]>([
    [null, STEPS, all("train-1", "train-2", "train-3")],
    [null, [], all("train-1", "train-2", "train-3")],
    ["lr = 0.1", STEPS, all("train-1")],
    ["lr = 0.1", [], all("train-1")],
    ["LR > 0.05 and status = 'done'", STEPS, all("train-1")],
    [
      "epoch = 2 and step between 1 and 2",
      STEPS,
      [one("train-1", { epoch: [2, 2], step: [1, 2] })],
    ],
    ["epoch >= 1 and run = 'train-1'", ["epoch"], [one("train-1", { epoch: [1, 2] })]],
    [
      "step in (0, 3) and run = 'train-2'",
      STEPS,
      [one("train-2", { epoch: [0, 1], step: [0, 0] }, { epoch: [0, 1], step: [3, 3] })],
    ],
    // What was recorded deeper counts by its last value, what was recorded outside repeats.
    ["loss < 0.1 and lr = 0.1", ["epoch"], [one("train-1", { epoch: [2, 2] })]],
    ["accuracy > 0.6 and lr = 0.1", STEPS, [one("train-1", { epoch: [1, 2], step: [0, 3] })]],
    ["epoch_value = 1 and lr = 0.01", ["epoch"], [one("train-2", { epoch: [1, 1] })]],
    ["f1 > 0.5 and lr < 1e9", STEPS, all("train-1")],
    ["epoch = 17", STEPS, []],
    // Behind the loop, or in a version without it, nothing is in one of its iterations.
    ["epoch = 2", [], []],
    ["epoch = 2 and lr = 0.1", [], []],
    ["epoch_value + 1 = 1 or epoch_value = 'a' or epoch_entry % 2 = 1", [], []],
    ["step = 1", ["epoch"], []],
    ["epoch is null and lr = 0.1", [], all("train-1")],
    ["epoch = 2 or run = 'train-2'", [], all("train-2")],
    ["run in (select run from logs where name = 'f1')", [], all("train-1", "train-2")],
  ])("%s in %j", async (where, loops, expected) => {
    const { runs, after } = await ask(where, loops);
    expect(withoutOpen(runs)).toEqual(expected);
    expect(after).toBeNull();
  });

  it("knows the iterations of a loop that the process ended in", async () => {
    const { runs } = await ask("run = 'train-3' and epoch = 1 and step >= 0");
    expect(withoutOpen(runs)).toEqual([one("train-3", { epoch: [1, 1], step: [0, 1] })]);
  });
});

describe("what waits for the replay", () => {
  it("keeps conditions on asked names, and uses the others", async () => {
    const { runs, after } = await ask(
      "lr = 0.1 and probe > 3e9 and epoch = 1 and (PROBE < 9 or true)",
    );
    expect(withoutOpen(runs)).toEqual([
      { run: "train-1", asked: [{ epoch: [1, 1], step: [0, 3] }] },
    ]);
    expect(after).toMatch(/probe"? > 3000000000.0.*AND.*PROBE"? < 9/);
  });

  it("keeps the whole condition if it joins by or", async () => {
    const { runs, after } = await ask("lr = 0.1 or probe > 3");
    expect(runs.map(({ run }) => run)).toEqual(["train-1", "train-2", "train-3"]);
    expect(after).toContain("probe");
  });
});

describe("several statements", () => {
  it("asks each in its own loops", async () => {
    const statements = [
      { name: "probe", loops: ["epoch", "step"] },
      { name: "probe", loops: [] },
    ];
    const { runs } = await ask("epoch = 1 and lr = 0.1", [], { statements });
    expect(withoutOpen(runs)).toEqual([
      { run: "train-1", asked: [{ epoch: [1, 1], step: [0, 3] }] },
    ]);
  });
});

describe("statements", () => {
  it("of which nothing is left are told from those that are open", async () => {
    const statements = [
      { name: "grad", loops: STEPS },
      { name: "probe", loops: ["epoch"] },
    ];
    const { runs } = await ask("run = 'train-1'", [], { statements });
    expect(runs).toEqual([{ run: "train-1", asked: "all", open: [["epoch"]] }]);
  });
});

describe("cells that are filled", () => {
  const grad = { statements: [{ name: "grad_norm", loops: STEPS }] };
  it("are not asked for again", async () => {
    const { runs } = await ask("run = 'train-1'", STEPS, grad);
    expect(withoutOpen(runs)).toEqual([
      { run: "train-1", asked: [{ epoch: [2, 2], step: [0, 3] }] },
    ]);
    const none = await ask("run = 'train-1' and epoch < 2", STEPS, grad);
    expect(none).toMatchObject({ runs: [], filled: ["train-1"] });
  });

  it("count also when they were recorded", async () => {
    const { runs, filled } = await ask(null, STEPS, {
      statements: [{ name: "grad", loops: STEPS }],
    });
    expect(filled).toEqual(["train-1", "train-2"]);
    expect(withoutOpen(runs)).toEqual([{ run: "train-3", asked: "all" }]);
  });

  it("do not count if they come from a replay of another statement", async () => {
    const except = [{ name: "grad_norm", replay: "replay-4" }];
    const { runs } = await ask("run = 'train-1'", STEPS, { ...grad, except });
    expect(withoutOpen(runs)).toEqual([{ run: "train-1", asked: "all" }]);
    const other = await ask("run = 'train-1' and epoch < 2", STEPS, {
      ...grad,
      except: [{ name: "grad", replay: "replay-4" }],
    });
    expect(other.filled).toEqual(["train-1"]);
  });
});

describe("a condition that cannot be", () => {
  it.each([
    ["epohc = 3", ["AL020"], "epoch"],
    ["epoch = ", ["AL020"], "condition looks like"],
  ])("%s is the frame's own error", async (where, [code], help) => {
    await expect(ask(where)).rejects.toMatchObject({ code });
    const error: unknown = await ask(where).catch((thrown: unknown) => thrown);
    expect((error as { help: string[] }).help.join(" ")).toContain(help);
  });
});

describe("boxes", () => {
  it("cover exactly the given iterations, each once", () => {
    const cells = fc.uniqueArray(fc.tuple(fc.nat(4), fc.nat(3), fc.nat(5)), {
      selector: (cell) => cell.join(),
    });
    fc.assert(
      fc.property(cells, (list) => {
        const stretches = list.map(([a, b, c]) => ({ outer: [a, b], first: c, last: c }));
        const covered = boxesOf(["a", "b", "c"], stretches).flatMap((box) => {
          const span = (loop: string): number[] => {
            const [first, last] = box[loop] ?? [0, -1];
            return Array.from({ length: last - first + 1 }, (_, at) => first + at);
          };
          return span("a").flatMap((a) =>
            span("b").flatMap((b) => span("c").map((c) => [a, b, c].join())),
          );
        });
        expect(covered.sort()).toEqual(list.map((cell) => cell.join()).sort());
      }),
    );
  });
});

it("asks in the innermost of five loops, where nothing was logged", async () => {
  using deep = makeProject();
  const loops = ["a", "b", "c", "d", "e"];
  makeRun(deep.store, {
    run: "deep-1",
    body: (log) => {
      const nest = (depth: number): void => {
        const name = loops[depth];
        if (name !== undefined) log.loop(name, depth < 4 ? 1 : 3, () => nest(depth + 1));
      };
      nest(0);
    },
  });
  const { runs } = await useCatalog(deep.store, {}, ({ connection }) =>
    readAsked(connection, { where: null, statements: [{ name: "probe", loops }], except: [] }),
  );
  expect(runs.map(({ run }) => run)).toEqual(["deep-1"]);
});
