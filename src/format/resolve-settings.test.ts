/** The table of settings, and what becomes of flags, environment and file. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { Setting, SettingKey } from "./settings-table.ts";
import { SETTINGS } from "./settings-table.ts";
import { parseSetting, resolveSettings } from "./resolve-settings.ts";
import { readSettingsText } from "./settings-text.ts";

const ROOT = new URL("../../", import.meta.url);
const ROWS: readonly Setting[] = SETTINGS;

interface Golden {
  readonly text: string;
  readonly flags?: { readonly [K in SettingKey]?: string | null };
  readonly env?: { readonly [name: string]: string };
  /** Key, value, kind of the origin, and what it names; flags have other names in Python. */
  readonly set: readonly [SettingKey, unknown, string, string | null][];
  readonly problems: readonly string[];
  /** A bad mode records nothing. */
  readonly off?: boolean;
}

const GOLDEN = JSON.parse(
  readFileSync(new URL("test/fixtures/settings.json", ROOT), "utf8"),
) as readonly Golden[];

const readToml = (text: string): unknown =>
  parse(`value = ${text}`, { integersAsBigInt: true })["value"];

describe("settings", () => {
  test.each(GOLDEN)("$env $text", ({ text, flags = {}, env = {}, set, problems, off = false }) => {
    const file = readSettingsText("afterlog.toml", text, readToml);
    const resolved = resolveSettings({ flags, env, file });
    const given = Object.entries(resolved.settings).filter(
      ([, { origin }]) => origin.kind !== "default",
    );
    expect(
      given.map(([key, { value, origin }]) => {
        return [key, value, origin.kind, origin.kind === "flag" ? null : origin.at];
      }),
    ).toEqual(set);
    expect(resolved.problems.map(({ message, instead }) => `${message}; ${instead}`)).toEqual(
      problems,
    );
    const mode = set.some(([key]) => key === "record.mode") ? undefined : off ? "off" : "record";
    if (mode) expect(resolved.settings["record.mode"].value).toBe(mode);
  });

  test.each(ROWS)("$key: what the table says of it is true", (row) => {
    expect(row.variable).toBe(`AFTERLOG_${row.key.replace(/^.*\./, "").toUpperCase()}`);
    expect(row.default === null).toBe(row.otherwise !== undefined);
    if (row.default !== null) expect(parseSetting(row, row.default)).toBeDefined();
    expect(row.choices === undefined).toBe(row.type !== "choice");
    if (row.inFile) expect(row.key).toMatch(/^(?:record|replay)\.\w+$/);
  });

  test("Python has the same table", () => {
    const python = readFileSync(new URL("python/afterlog/format/settings_table.py", ROOT), "utf8");
    const literal = (text: string | null): string => (text === null ? "None" : `"${text}"`);
    const rows = ROWS.map(({ key, type, default: value, variable, inFile, choices }) => {
      const texts = [key, type, value, variable].map(literal);
      const words = choices ? [`(${choices.map(literal).join(", ")})`] : [];
      return `    Setting(${[...texts, inFile ? "True" : "False", ...words].join(", ")}),\n`;
    });
    expect(python.slice(python.indexOf("SETTINGS = "))).toBe(`SETTINGS = (\n${rows.join("")})\n`);
  });

  test("no text makes it throw, and a file that is read is TOML", () => {
    const words = '[record] keep = "all" \' " \\ # 1 inf [ ] grace true . é'.split(" ");
    const word = fc.constantFrom(...words, " ", "\n", "\r\n", "\u0000");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (parts) => {
        const text = parts.join("");
        const file = readSettingsText("afterlog.toml", text, readToml);
        resolveSettings({ env: {}, file });
        if (!file.broken) parse(text);
      }),
    );
  });
});
