import { describe, expect, test } from "vitest";
import type { SourceLoop, SourceModel } from "../languages/index.ts";
import type { LoopSite } from "./facts.ts";
import { matchLoops } from "./match-loops.ts";

/** Loops as `name@line:column`, in order. */
function model(...texts: readonly string[]): SourceModel {
  const loops = texts.map((text, id): SourceLoop => {
    const [, name = "", line, column] = /^(\w*)@(\d+):(\d+)$/.exec(text) ?? [];
    const place = { file: "t.ts", line: Number(line), column: Number(column) };
    const known = { id, ordinal: id, form: "for" as const, changes: [] };
    return { ...known, ...place, name: name === "" ? null : name, iterator: "index" };
  });
  return { files: ["t.ts"], loops, logs: [], uncertain: [] };
}

const at = (line: number, column: number): LoopSite => ({ file: "t.ts", line, column });
const span = (line: number, column: number, endLine: number): LoopSite => {
  return { ...at(line, column), endLine, endColumn: 1 };
};

describe("matchLoops", () => {
  test.each<[string, SourceModel, LoopSite | null, string, number | undefined]>([
    ["by the place of the call", model("a@3:10", "a@5:10"), span(5, 10, 9), "a", 1],
    ["by the statement around it", model("a@3:10", "b@4:12"), span(3, 1, 9), "a", 0],
    ["the inner one of two of a name", model("a@3:10", "a@4:12"), span(4, 3, 8), "a", 1],
    ["by the property that V8 gives", model("a@3:10", "b@3:40"), at(3, 43), "b", 1],
    [
      "not by a place that V8 gave to another",
      model("a@3:10", "a@5:10"),
      at(3, 13),
      "a",
      undefined,
    ],
    ["nor where a computed name may be it", model("a@3:10", "@5:10"), at(3, 13), "a", undefined],
    ["a computed name by its place", model("@3:10"), span(3, 10, 5), "a", 0],
    ["not another name", model("b@3:10"), span(3, 10, 5), "a", undefined],
    ["nothing without a place", model("a@3:10"), null, "a", undefined],
  ])("%s", (_, source, site, name, expected) => {
    expect(matchLoops(source, source)(site, name)?.id).toBe(expected);
  });

  test("by its number in the file when statements were added", () => {
    const match = matchLoops(model("a@3:10", "b@4:12"), model("a@4:10", "b@7:12"));
    expect(match(span(4, 12, 5), "b")).toMatchObject({ id: 1, line: 7 });
  });

  test("not a loop that has become another one", () => {
    const match = matchLoops(model("a@3:10"), model("z@3:10"));
    expect(match(span(3, 10, 5), "a")).toBeUndefined();
  });
});
