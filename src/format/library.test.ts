import { describe, expect, test } from "vitest";
import { describedLibrary, readLibraries } from "./library.ts";

const TINY = { package: "tiny", functions: { mean: "computes" }, classes: {} };
const LIST = "afterlog.libraries is not a list";

/** What is read of `package.json` and a file beside it. */
function check(given: unknown, beside?: unknown): { packages: string[]; problems: string } {
  const files = new Map([
    ["package.json", typeof given === "string" ? given : JSON.stringify(given)],
    ["tiny.json", JSON.stringify(beside)],
  ]);
  const { libraries, problems } = readLibraries((file) => files.get(file));
  return {
    packages: libraries.flatMap((library) => library.packages),
    problems: problems.join("; "),
  };
}
const listed = (...libraries: unknown[]): unknown => ({ afterlog: { libraries } });

describe("readLibraries", () => {
  test.each<[string, unknown, string[], RegExp]>([
    ["nothing", {}, [], /^$/],
    ["no JSON", '{ "afterlog": ', [], /^$/],
    ["other settings", { afterlog: { console: true } }, [], /^$/],
    ["one in place", listed(TINY), ["tiny"], /^$/],
    ["one beside", listed("./tiny.json"), ["tiny"], /^$/],
    ["one that is not there", listed("./none.json"), [], /^none.json: a library must name/],
    ["no list", { afterlog: { libraries: TINY } }, [], new RegExp(LIST)],
    ["no name", listed({}), [], /must name its package/],
    ["a null", listed(null, TINY), ["tiny"], /must name its package/],
    [
      "an unknown word",
      listed({ package: "a", methods: { step: "writes" } }),
      [],
      /^package.json: step of a is to be "computes", "reads" or "changes"$/,
    ],
    [
      "a class that cannot load",
      listed({ package: "a", classes: { K: { save: "get" } } }),
      [],
      /class K of a must name its methods/,
    ],
  ])("%s", (_, given, packages, problems) => {
    const found = check(given, TINY);
    expect(found.packages).toEqual(packages);
    expect(found.problems).toMatch(problems);
  });

  test.each<[string, string | undefined]>([
    ["mean", "computes"],
    ["getMean", "computes"],
    ["getter", undefined],
    ["stats.mean", "reads"],
    ["stats.in.depth", "reads"],
    ["statsXmean", undefined],
    ["set", "changes"],
    ["reset", undefined],
    ["setAll", "changes"],
  ])("the first pattern that fits %s counts", (name, expected) => {
    const functions = { "mean get[A-Z]*": "computes", "stats.*": "reads", "set set*": "changes" };
    const words = (known: object): string | undefined => {
      const library = describedLibrary({ package: "tiny", functions: known });
      if (typeof library === "string") throw new Error(library);
      return [...(library.functions.find(name)?.words ?? [])][0];
    };
    expect(words(functions)).toBe(expected);
    expect(words({ ...functions, "*": "reads" })).toBe(expected ?? "reads");
    expect(words({ "*": "reads", ...functions })).toBe("reads");
  });
});
