import { expect, test } from "vitest";
import { liveText } from "./live-line.ts";
import { createColors, edgeText, onOneLine, WIPE_LINE } from "./terminal-edge.ts";

const { red, bold, dim } = createColors(true);

test.each([
  ["what is ours", red("a"), "\u001B[31ma\u001B[39m"],
  ["in what is ours", dim(`a${red("b")}c`), "\u001B[2ma\u001B[31mb\u001B[39mc\u001B[22m"],
  [
    "styles that end alike",
    dim(`a${bold("b")}c`),
    "\u001B[2ma\u001B[1mb\u001B[22m\u001B[2mc\u001B[22m",
  ],
  ["digits right behind it", red("31m"), "\u001B[31m31m\u001B[39m"],
  ["the progress line", `${WIPE_LINE}1/2`, "\r\u001B[2K1/2"],
  ["what is not", "\u001B[31ma", String.raw`\u001b[31ma`],
  ["what looks like ours", "\u001B[140737488355329;31ma", String.raw`\u001b[140737488355329;31ma`],
  ["both", red("\u001B[0m\u0007"), "\u001B[31m\\u001b[0m\\u0007\u001B[39m"],
  ["lines of ours", "a\n\tb", "a\n\tb"],
  ["one line", onOneLine(red("a\nb")), "\u001B[31ma\\nb\u001B[39m"],
  ["no colours", createColors(false).red("a"), "a"],
])("%s", (_, text, written) => expect(edgeText(text)).toBe(written));

test("the live line is measured as it is shown", () => {
  const loop = { loop: "epoch", index: 1, length: null, ms: 1 };
  const name = "\u202E".repeat(12);
  expect(liveText([loop], [{ name, last: 1, points: [] }], 60)).toBe("epoch 2");
  expect(liveText([loop], [{ name, last: 1, points: [] }], 120)).toContain(String.raw`\u202e 1`);
});
