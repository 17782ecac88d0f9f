/**
 * Loops of libraries (decision 0048): a training that a library's trainer does, in a stand-in with the
 * control flow of the real one. Its loops are loops of the run; what is asked of them is answered with
 * no more executed than for loops of the program's own, and no number differs from the truth.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReplay } from "../../src/replayer/index.ts";
import { TestProject } from "../support/project.ts";
import { ask, byPlace, costOf } from "../support/ask.ts";
import { TORCH } from "../support/python.ts";
import { standIns } from "../support/stand-ins.ts";
import { logged } from "../support/replay.ts";
import { needs } from "../support/needs.ts";
import { asked, LIBRARY_PROGRAMS } from "./library-programs.ts";
import { FIXED_HASHES, Zygote } from "./zygote.ts";

/** Why the last replay executed more than was planned. */
function fallbacks(project: TestProject): readonly unknown[] {
  return readReplay(project.store).units.flatMap((unit) => (unit.whole ? [unit] : []));
}

describe("loops of libraries", needs("torch"), () => {
  let zygote: Zygote;
  beforeAll(async () => {
    zygote = await Zygote.start(TORCH ?? "");
  });
  afterAll(() => zygote[Symbol.dispose]());

  async function recorded(text: string): Promise<TestProject> {
    const files = { "train.py": text, ".gitignore": "site-packages\n", ...standIns() };
    const project = new TestProject(files);
    const how = ["--python", zygote.command, "--overhead", "inf", "--seed", "7"];
    const { code, stderr } = await project.afterlogWith(FIXED_HASHES, "run", ...how, "train.py");
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    return project;
  }

  test.each(Object.entries(LIBRARY_PROGRAMS))("%s", { timeout: 600_000 }, async (_, program) => {
    using project = await recorded(program.text);
    using reference = await recorded(asked(program.text));
    const libraries = program.library === undefined ? [] : [program.library];
    expect(project.manifest.libraries ?? []).toEqual(libraries);
    expect(project.manifest.audit ?? []).toEqual([]);
    const truth = logged(reference.records)
      .filter(({ name }) => name.startsWith("p_"))
      .map((one) => ({ ...one, value: JSON.stringify(one.value) }));
    project.write("train.py", asked(program.text));

    for (const names of program.outside) {
      const outer = await ask(project, names);
      expect(outer.code, outer.stderr).toBe(0);
      expect(byPlace(outer.cells)).toEqual(
        byPlace(truth.filter(({ name }) => names.includes(name))),
      );
      expect(costOf(outer).share, costOf(outer).notes.join("; ")).toBe(0);
      expect(outer.cells.map(({ check }) => check)).not.toContain("diverged");
      expect(fallbacks(project)).toEqual([]);
    }
    const inner = await ask(project, ["p_step"], { where: program.where });
    const path = program.where.replaceAll(" and ", ",").replaceAll(" ", "");
    const there = truth.filter((cell) => cell.name === "p_step" && cell.path === path);
    expect(there.length).toBe(1);
    expect(byPlace(inner.cells)).toEqual(byPlace(there));
    expect(inner.cells.map(({ check }) => check)).toEqual(["verified"]);
    expect(costOf(inner).iterations, costOf(inner).notes.join("; ")).toBe(1);
    expect(fallbacks(project)).toEqual([]);
  });

  test("a training that is killed inside of its epochs goes on inside of them, each time", async () => {
    const text = LIBRARY_PROGRAMS["Keras' fit"]?.text ?? "";
    const kill = `import os, signal
        if os.path.exists(f"crash-{self.steps}"):
            os.unlink(f"crash-{self.steps}")
            os.kill(os.getpid(), signal.SIGKILL)`;
    const killed = text.replace(/# ask p_step.*/, kill);
    using whole = await recorded(killed);
    const files = { "train.py": killed, ".gitignore": "site-packages\n", ...standIns() };
    using project = new TestProject({ ...files, "crash-7": "", "crash-11": "" });
    const how = ["run", "--python", zygote.command, "--overhead", "inf", "--seed", "7"];
    await project.afterlogWith(FIXED_HASHES, ...how, "train.py");
    for (const epoch of [1, 2]) {
      const { stderr } = await project.afterlogWith(FIXED_HASHES, ...how, "--resume", "train.py");
      expect(stderr).toMatch(new RegExp(`resumes after epoch=${epoch},step=\\d`));
    }
    for (const name of ["epoch", "best"]) {
      expect(project.logged(name).at(-1), name).toEqual(whole.logged(name).at(-1));
    }
    expect(project.manifest.status).toBe("done");
  });
});
