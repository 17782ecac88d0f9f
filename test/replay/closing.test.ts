/** A loop that is left early closes its iterator: what that changes is in the loop's end. */
import { expect, test } from "vitest";
import type { Course } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { logged, replay } from "../support/replay.ts";

const PROGRAM = `
import * as al from "afterlog";
let [open, closed] = [0, 0];
function* items() {
  open++;
  try {
    for (const x of al.loop("inside", [1, 2, 3])) yield x;
  } finally {
    open--;
    closed += Math.random();
  }
}
for AWAIT(const epoch of al.loop("epoch", al.range(3))) {
  for AWAIT(const x of al.loop("step", items())) {
    al.log("loss", x);
    if (x === 2) break;
  }
  al.log("acc", [open, closed]);
}
`;

test.each(["", "await "])("for %s…of", async (awaits) => {
  using project = new TestProject({ "train.ts": PROGRAM.replaceAll("AWAIT", awaits) });
  const { code, stderr } = await project.afterlog("run", "--overhead", "inf", "train.ts");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const exits = project.records.flatMap((record) => (record.k === "exit" ? [record] : []));
  expect(exits.map(({ loop, iterations }) => [loop, iterations])).toEqual([
    ...[0, 1, 2].flatMap(() => [
      ["inside", 2],
      ["step", 2],
    ]),
    ["epoch", 3],
  ]);
  const courses = [0, 1].map((epoch): Course => {
    const entry = `epoch=${epoch},step=end`;
    return { entry, do: "skip", restore: `${entry}.safetensors` };
  });
  const replayed = await replay(project, "train.ts", courses);
  expect(replayed).toMatchObject({ code: 0, outcome: { kind: "done" }, iterations: 2 });
  const known = logged(project.records).filter(({ name }) => name === "acc");
  expect(replayed.values.filter(({ name }) => name === "acc")).toEqual(known);
});
