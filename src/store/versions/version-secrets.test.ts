import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { secretByName, secretInText } from "./version-secrets.ts";

const FIXTURE = new URL("../../../test/fixtures/secrets.json", import.meta.url);
const TABLE = JSON.parse(readFileSync(FIXTURE, "utf8")) as readonly (readonly [
  path: string,
  text: string,
  what: string | null,
])[];
/** Nothing that a scanner of this repository would take for a token. */
const LETTERS = {
  "": "aB3dE6gH9kL2mN5pQ8rS1tU4vW7xY0z".repeat(3),
  A: "QWERTYUIOPASDFGH",
  h: "0123456789abcdef".repeat(3),
};

function filled(text: string): string {
  return text.replaceAll(/<(\d+)([Ah]?)>/g, (_, count: string, kind: keyof typeof LETTERS) => {
    return LETTERS[kind].slice(0, Number(count));
  });
}

describe("the same in both languages", () => {
  test.each(TABLE)("%s %j", (path, text, what) => {
    expect(secretByName(path) ?? secretInText(filled(text)) ?? null).toBe(what);
  });
});
