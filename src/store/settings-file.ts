/**
 * @file Reads `afterlog.toml` of a project. The TOML reader is the one package that a training
 * program may load, and only where the file exists: all others pay for looking, no more.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Toml from "smol-toml";
import type { SettingsFile } from "../format/index.ts";
import { readSettingsText } from "../format/index.ts";

export const SETTINGS_FILE: string = "afterlog.toml";

/** The settings file in the root of a project; undefined if there is none. Never throws. */
export function readSettingsFile(
  root: string,
  path: string = SETTINGS_FILE,
): SettingsFile | undefined {
  const broken = (why: string): SettingsFile => {
    return { path, sections: [], entries: [], broken: { line: 1, why } };
  };
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(root, SETTINGS_FILE));
  } catch (error) {
    const { code = "it failed" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? undefined : broken(`the file cannot be read (${code})`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return broken("the file is not UTF-8 text");
  }
  // Loaded at once, for a run begins without waiting.
  const require = createRequire(import.meta.url);
  const toml = require("smol-toml") as typeof Toml;
  return readSettingsText(path, text, (value) => {
    return toml.parse(`value = ${value}`, { integersAsBigInt: true })["value"];
  });
}
