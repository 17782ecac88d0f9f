// @ts-check
/**
 * @file Every step of a training asked for, by one process and by two. Says something only where
 * two cores are idle; the work that was done in both is shown beside.
 */
import { join } from "node:path";
import { interleave, makeResult, median, ratios } from "../measure.js";
import { Project } from "./project.js";
import { LONG, TINY } from "./scans.js";

/** @type {import("../measure.js").Bench} */
export async function benchParallel({ quick, folder, progress, rounds: given = quick ? 1 : 3 }) {
  const project = new Project(join(folder, "parallel"), quick ? TINY : LONG);
  progress("recording");
  await project.run();
  const arms = {
    one: () => project.ask("inner", { jobs: 1 }),
    two: () => project.ask("inner", { jobs: 2, canary: false }),
  };
  const rounds = await interleave(given, arms, (n) => progress(`round ${n + 1}`));
  const clock = rounds.two.map(({ s }) => s);
  return [
    makeResult({
      name: "inner over everything: -j 1 / -j 2",
      values: clock,
      ratios: ratios(
        rounds.one.map(({ s }) => s),
        clock,
      ),
      unit: "s",
      goal: { atLeast: 1.8 },
      detail: {
        "-j 1 s": median(rounds.one.map(({ s }) => s)),
        "processor s of -j 1 and -j 2": [rounds.one, rounds.two].map((all) =>
          median(all.map(({ cpuS }) => cpuS)),
        ),
        "ratio as planned": median(
          rounds.one.map(({ plan }, at) => plan.seconds / (rounds.two[at]?.plan.seconds ?? NaN)),
        ),
        units: rounds.two[0]?.plan.runs[0]?.units.length ?? NaN,
      },
    }),
  ];
}
