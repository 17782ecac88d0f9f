import { clearImmediate, setImmediate } from "node:timers";
import { expect, test } from "vitest";
import { pendingWork } from "./pending-work.ts";

test("an immediate of the program is work, and the look at it leaves none", () => {
  const before = pendingWork();
  const own = setImmediate(() => undefined);
  expect(pendingWork()).toContain("Immediate");
  clearImmediate(own);
  expect(pendingWork()).toEqual(before);
});
