import { expect, test } from "vitest";
import { slotsThatFit } from "./slot-count.ts";

test.each([
  ["room for two", 1e9, 4e9, 2],
  ["for two, and nothing else", 1e9, 2e9, 1],
  ["for one", 1e9, 1.2e9, 1],
  ["for none", 1e9, 1e9, 0],
  ["nobody says", 1e9, Infinity, 2],
  ["nothing to copy", 0, 0, 0],
])("%s", (_, slotBytes, freeBytes, slots) => {
  expect(slotsThatFit(slotBytes, freeBytes)).toBe(slots);
});
