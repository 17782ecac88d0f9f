/**
 * Results of clocks, of entropy and the like are given again in replays: what is asked is what the
 * program had, which it writes down itself; where a result is not known for certain, the value is
 * `unchecked`, and `why` says why.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";
import { ADDED, CASES, KILLED } from "./recorded-calls-programs.ts";

type Truth = { readonly [name: string]: readonly (readonly [epoch: number, value: number])[] };

describe("results of calls", () => {
  test.each(Object.entries(CASES))("%s", { timeout: 120_000 }, async (_, given) => {
    const { entry, files, where, names } = given;
    const text = files[entry] ?? "";
    const recorded = {
      ...files,
      [entry]: text.replaceAll(ADDED, ""),
      ".gitignore": "truth.json\n",
    };
    using project = await record(recorded, entry, "all");
    const truth = JSON.parse(readFileSync(join(project.folder, "truth.json"), "utf8")) as Truth;
    edit(project, { [entry]: text });
    const answer = await ask(project, Object.keys(names), { where, workers: 2 });
    const isAsked = (epoch: number): boolean => where === undefined || [2, 4].includes(epoch);
    for (const [name, mark] of Object.entries(names)) {
      const cells = answer.cells.filter((cell) => cell.name === name);
      const marks = new Set(cells.map(({ check }) => check));
      const wanted = new Set([mark === "verified" ? mark : "unchecked"]);
      expect(marks, `${name}\n${answer.stderr}`).toEqual(wanted);
      if (mark === "verified") {
        const values = (truth[name] ?? []).filter(([epoch]) => isAsked(epoch));
        expect(cells.map(({ value }) => Number(value))).toEqual(values.map(([, value]) => value));
      } else {
        const { stdout } = await project.afterlog("why", "@", name);
        expect(stdout.replaceAll(/\s+/g, " ")).toMatch(mark);
      }
    }
  });

  test.each(Object.entries(KILLED))(
    "a run that was killed and resumed, %s",
    { timeout: 120_000 },
    async (entry, text) => {
      const recorded = text.replaceAll(ADDED, "");
      using project = new TestProject({
        [entry]: recorded,
        ".gitignore": "*.jsonl\nkill\n",
        kill: "",
      });
      const run = ["run", "--seed", "3", "--overhead", "inf"];
      expect((await project.afterlog(...run, entry)).code).toBe(137);
      const { code, stderr } = await project.afterlog(...run, "--resume", entry);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stderr).toMatch(/resumes after epoch=/);
      edit(project, { [entry]: text });
      const lines = readFileSync(join(project.folder, "truth.jsonl"), "utf8").trim().split("\n");
      // What was executed twice counts as it was the second time.
      const truth = new Map(lines.map((line) => JSON.parse(line) as [number, number]));
      const answer = await ask(project, ["sum"], { workers: 2 });
      expect(new Set(answer.cells.map(({ check }) => check)), answer.stderr).toEqual(
        new Set(["verified"]),
      );
      expect(answer.cells.map(({ value }) => Number(value))).toEqual([...truth.values()]);
    },
  );
});
