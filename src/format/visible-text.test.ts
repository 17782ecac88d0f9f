import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AfterlogError, formatError, visibleText } from "./index.ts";

const TABLE = JSON.parse(
  readFileSync(new URL("../../test/fixtures/visible-texts.json", import.meta.url), "utf8"),
) as readonly (readonly [string, string])[];

test.each(TABLE)("%j", (text, shown) => expect(visibleText(text)).toBe(shown));

test("an error that nobody catches is printed by Node itself", () => {
  const error = new AfterlogError("AL001", "no \u001B[2Jrun\nerror[AL002]: forged", {
    notes: ["\u202Enote"],
    help: ["run \u0007"],
  });
  const shown = String.raw`error[AL001]: no \u001b[2Jrun
    error[AL002]: forged
  \u202enote
  help: run \u0007`;
  expect(formatError(error)).toBe(shown);
  expect(error.stack?.startsWith(shown)).toBe(true);
});
