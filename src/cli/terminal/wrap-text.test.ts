import { expect, test } from "vitest";
import { noteText, wrapText } from "./wrap-text.ts";

test.each([
  ["", 10, ["  "]],
  ["one two", 10, ["  one two"]],
  ["one two three", 10, ["  one two", "  three"]],
  ["one incomprehensible two", 10, ["  one", "  incomprehensible", "  two"]],
])("%j in %i columns", (text, columns, lines) => {
  expect(wrapText(text, { columns, indent: "  " })).toEqual(lines);
});

test("a note begins with a mark, and goes on below its text", () => {
  expect(noteText("one two three", 10)).toBe("! one two\n  three");
});
