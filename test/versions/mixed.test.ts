/** @file A statement that was changed and asked for again in part: its column says that it is mixed. */
import { expect, it } from "vitest";
import { History } from "./history.ts";

const program = (statement: string): string => `import * as al from "afterlog";
let w = 0.5;
for (const epoch of al.loop("epoch", al.range(2))) {
  w *= 0.9;
  al.log("w", w);
${statement}}
`;

it("tells that a name holds values of two statements, and of one it does not", async () => {
  using history = new History();
  await history.record({ files: { "train.ts": program("") } });
  history.put({ "train.ts": program('  al.log("q", w * 10);\n') });
  await history.afterlog("replay", "q", "--yes");
  expect((await history.afterlog("frame", "q")).stderr).not.toContain("statements");

  history.put({ "train.ts": program('  al.log("q", w * 20);\n') });
  await history.afterlog("replay", "q", "--yes", "--where", "epoch = 1");
  const mixed = await history.afterlog("frame", "q");
  expect(mixed.stderr).toContain("q holds values of 2 statements");
  expect(await history.values("q")).toEqual([[0.45 * 10, 0.45 * 0.9 * 20]]);

  await history.afterlog("replay", "q", "--yes");
  expect((await history.afterlog("frame", "q")).stderr).not.toContain("statements");
  expect(await history.values("q")).toEqual([[0.45 * 20, 0.45 * 0.9 * 20]]);
}, 60_000);
