/**
 * Models of libraries, whose sources nobody reads: asked at every scan, no more is executed than for
 * a model of the project, and no number differs from the truth (decision 0021). And a model that does
 * what is assumed that none does: the audit finds it.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { ask, byPlace, costOf } from "../support/ask.ts";
import {
  asked,
  FOREIGN_PROGRAMS,
  PACKAGE,
  SCALING,
  truthful,
  unasked,
} from "./foreign-programs.ts";
import { TORCH } from "../support/python.ts";
import { logged } from "../support/replay.ts";
import { FIXED_HASHES, Zygote } from "./zygote.ts";
import { some } from "../support/draws.ts";
import { needs } from "../support/needs.ts";

describe("models of libraries", needs("torch"), () => {
  let zygote: Zygote;
  beforeAll(async () => {
    zygote = await Zygote.start(TORCH ?? "");
  });
  afterAll(() => zygote[Symbol.dispose]());

  async function recorded(text: string, handsFree: boolean): Promise<TestProject> {
    const project = new TestProject({
      "train.py": text,
      ".gitignore": "site-packages\n",
      "site-packages/lib.py": PACKAGE,
    });
    const mode = handsFree ? ["--hands-free"] : [];
    const how = ["--python", zygote.command, "--overhead", "inf", "--seed", "7", ...mode];
    const argv = ["run", ...how, "train.py"];
    const { code, stderr } = await project.afterlogWith(FIXED_HASHES, ...argv);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    return project;
  }

  test.each(some(Object.entries(FOREIGN_PROGRAMS), { every: 2 }))(
    "%s",
    { timeout: 600_000 },
    async (_, { text, handsFree, where }) => {
      using project = await recorded(unasked(text), handsFree);
      using reference = await recorded(truthful(text), handsFree);
      expect(project.manifest.audit ?? []).toEqual([]);
      const truth = logged(reference.records)
        .filter(({ name }) => name.startsWith("p_"))
        .map((one) => ({ ...one, value: JSON.stringify(one.value) }));
      project.write("train.py", asked(text));

      const names = [...new Set(truth.map(({ name }) => name))];
      const outside = names.filter((name) => name !== "p_step");
      const outer = await ask(project, outside);
      expect(outer.code, outer.stderr).toBe(0);
      const expected = truth.filter(({ name }) => name !== "p_step");
      expect(byPlace(outer.cells)).toEqual(byPlace(expected));
      expect(new Set(outer.cells.map(({ check }) => check))).toEqual(new Set(["verified"]));
      expect(costOf(outer)).toMatchObject({ scan: "outer", share: 0 });

      const inner = await ask(project, ["p_step"], { where });
      const path = where.replaceAll(" and ", ",").replaceAll(" ", "");
      const there = truth.filter((cell) => cell.name === "p_step" && cell.path === path);
      expect(there.length).toBe(1);
      expect(byPlace(inner.cells)).toEqual(byPlace(there));
      expect(costOf(inner).iterations, costOf(inner).notes.join("; ")).toBe(1);
    },
  );

  test("a model that changes its input is found by the audit", { timeout: 600_000 }, async () => {
    using project = await recorded(unasked(SCALING), false);
    using reference = await recorded(truthful(SCALING), false);
    expect(project.manifest.audit?.map(({ name }) => name)).toContain("batches");
    project.write("train.py", asked(SCALING));
    const answer = await ask(project, ["p_epoch"]);
    expect(answer.code, answer.stderr).toBe(0);
    expect(costOf(answer).share).toBe(1);
    const values = reference.logged("p_epoch").map((value) => JSON.stringify(value));
    expect(answer.cells.map(({ value }) => value)).toEqual(values);
  });
});
