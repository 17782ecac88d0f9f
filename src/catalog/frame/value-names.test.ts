import fc from "fast-check";
import { expect, test } from "vitest";
import { nameOfColumn, valueColumn } from "./value-names.ts";

test.each([
  ["loss", "loss", "loss"],
  ["status", "log.status", "arg.status"],
  ["Seed", "log.Seed", "arg.Seed"],
  ["origin", "log.origin", "arg.origin"],
  ["log.loss", "log.loss", "log.loss"],
  ["log.status", "log.log.status", "arg.log.status"],
])("%s", (name, logged, given) => {
  expect([valueColumn("log", name), valueColumn("arg", name)]).toEqual([logged, given]);
});

test("a column is of one name", () => {
  const word = fc.constantFrom("log", "arg", "run", "seed", "loss", "");
  const names = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join("."));
  fc.assert(
    fc.property(names, fc.constantFrom("arg", "log"), (name, kind) => {
      expect(nameOfColumn(valueColumn(kind, name))).toBe(name);
    }),
  );
});
