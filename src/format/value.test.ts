import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainToJson, valueFromJson, valueToJson } from "./value.ts";

const roundTrip = (value: unknown): unknown => valueFromJson(JSON.parse(valueToJson(value)));

describe("logged values", () => {
  test.each<[string, unknown]>([
    ["number", 0.1],
    ["minus zero", -0],
    ["2^60", 2 ** 60],
    ["NaN", Number.NaN],
    ["Infinity", Infinity],
    ["-Infinity", -Infinity],
    ["smallest", 5e-324],
    ["bigint", 2n ** 70n],
    ["string", 'quotes " and \\ and \n'],
    ["lone surrogate", "a\ud800b"],
    ["emoji", "😀"],
    ["null", null],
    ["undefined", undefined],
    ["list", [1, [Number.NaN, "x"], null]],
    ["list with a hole", [undefined, 1]],
    ["record", { a: 1, b: { c: [true] } }],
    ["record with our own tag", { $: "float", v: "NaN" }],
    ["record with a key that is no UTF-8", { "\udfff": 1 }],
    ["typed array", { order: new Uint32Array([3, 1, 2]), b: new Float64Array([-0, NaN]) }],
    ["date", new Date("2026-11-15T09:30:00.123Z")],
    ["map", new Map<unknown, unknown>([[1, { a: new Set(["x"]) }]])],
  ])("%s comes back the same", (_, value) => {
    expect(roundTrip(value)).toEqual(value);
    expect(Object.is(roundTrip(value), value) || typeof value === "object").toBe(true);
  });

  test("plain data is written as by JSON.stringify, and minus zero stays", () => {
    const holed = { a: undefined, b: [undefined, Number.NaN, -0], c: null, d: { e: "é\ud800" } };
    expect(plainToJson(holed)).toBe('{"b":[null,null,-0.0],"c":null,"d":{"e":"é\\ud800"}}');
    const isKept = (value: unknown): void => {
      expect(JSON.parse(plainToJson(value))).toEqual(value);
    };
    fc.assert(fc.property(fc.jsonValue(), isKept));
  });

  test.each<[string, unknown, string]>([
    ["function", () => 1, "function"],
    ["symbol", Symbol("s"), "Symbol(s)"],
    ["cycle", cycle(), "circular"],
    ["a list that doubles with each level", doubling(24), "log a typed array"],
    [
      "throwing getter",
      {
        get x(): never {
          throw new Error("no");
        },
      },
      "no",
    ],
  ])("%s is said to be unsupported", (_, value, text) => {
    expect(valueToJson(value)).toContain('"$":"unsupported"');
    expect(valueToJson(value)).toContain(text);
  });

  test("numbers keep every bit, and no JSON holds a lone surrogate", () => {
    const any = fc.oneof(
      fc.double(),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)) }),
      fc.bigInt(),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(any, (value) => {
        const json = valueToJson(value);
        expect(json.isWellFormed()).toBe(true);
        if (typeof value === "string") expect(/\\u(?:d[89a-f])/i.test(json)).toBe(false);
        expect(roundTrip(value)).toEqual(value);
      }),
    );
  });
});

function doubling(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value, value];
  return value;
}

function cycle(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}
