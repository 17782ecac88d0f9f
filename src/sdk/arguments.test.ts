import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ProgramArguments } from "./arguments.ts";

interface Row {
  readonly word: string;
  readonly default: unknown;
  readonly value?: unknown;
  readonly refused?: string;
}

/** What both languages read of a word; `python/tests/test_format.py` has the same table. */
const TABLE = JSON.parse(
  readFileSync(new URL("../../test/fixtures/arguments.json", import.meta.url), "utf8"),
) as Row[];

describe("arg", () => {
  test.each(TABLE)("$word over $default", ({ word, default: fallback, value, refused }) => {
    const name = word.split("=", 1)[0] ?? "";
    const take = (): unknown => new ProgramArguments([word]).take(name, fallback);
    if (refused === undefined) return expect(take()).toEqual(value);
    expect(take).toThrow(
      expect.objectContaining({ code: "AL005", message: `argument ${word} is not ${refused}` }),
    );
  });

  test("a default that is not finite takes what is not", () => {
    expect(new ProgramArguments(["clip=Infinity"]).take("clip", Infinity)).toBe(Infinity);
    expect(() => new ProgramArguments(["clip=abc"]).take("clip", Infinity)).toThrow(
      "argument clip=abc is not a number",
    );
  });

  test.each<[string, string[], string, unknown, unknown]>([
    ["name=value", ["lr=0.01"], "lr", 1, 0.01],
    ["--name value", ["--lr", "0.01"], "lr", 1, 0.01],
    ["--name=value", ["--lr=0.01"], "lr", 1, 0.01],
    ["dash for underscore", ["--batch-size", "8"], "batch_size", 1, 8],
    ["the last one wins", ["lr=1", "lr=2"], "lr", 0, 2],
    ["negative value", ["--shift", "-3"], "shift", 0, -3],
    ["exponent", ["lr=1e-3"], "lr", 1, 0.001],
    ["text that looks like a number", ["tag=007"], "tag", "", "007"],
    ["empty text", ["tag="], "tag", "x", ""],
    ["flag", ["--amp"], "amp", false, true],
    ["flag before a word", ["--amp", "train"], "amp", false, true],
    ["flag with its value", ["--amp", "no"], "amp", true, false],
    ["truth as a word", ["amp=off"], "amp", true, false],
    ["bigint", ["n=12345678901234567890"], "n", 1n, 12345678901234567890n],
    ["list as JSON", ["sizes=[64,10]"], "sizes", [1], [64, 10]],
    ["without a default, guessed", ["x=3"], "x", null, 3],
    ["not given", ["lr=1"], "epochs", 5, undefined],
  ])("%s", (_, argv, name, fallback, expected) => {
    expect(new ProgramArguments(argv).take(name, fallback)).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ["lr=abc", 1],
    ["lr=", 1],
    ["lr=maybe", true],
    ["lr=1.5", 1n],
    ["lr={", {}],
  ])("%s does not fit its default", (word, fallback) => {
    expect(() => new ProgramArguments([word]).take("lr", fallback)).toThrow(
      expect.objectContaining({ code: "AL005" }),
    );
  });

  test("asking again gives the same", () => {
    const given = new ProgramArguments(["lr=0.5", "--wd", "2"]);
    expect([given.take("lr", 1), given.take("lr", 1)]).toEqual([0.5, 0.5]);
    expect([given.take("wd", 1), given.take("wd", 1)]).toEqual([2, 2]);
  });

  test("what nobody asked for is named, with the nearest name", () => {
    const given = new ProgramArguments(["epoch=3", "--verbose", "lr=1", "data.csv", "--wd", "2"]);
    given.take("epochs", 1);
    given.take("lr", 1);
    expect(given.unused()).toEqual([
      { word: "epoch", nearest: "epochs" },
      { word: "verbose", nearest: undefined },
      { word: "wd", nearest: undefined },
    ]);
  });

  test("a program that asks for none reads its command line by itself", () => {
    expect(new ProgramArguments(["--epochs", "3", "lr=1"]).unused()).toEqual([]);
  });
});
