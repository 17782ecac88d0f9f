/**
 * @file From flags, environment and `afterlog.toml` to the settings, each with its origin. Pure:
 * what is wrong is returned, and whoever asked decides: a command refuses, a program that records
 * itself says it once and uses the default. `python/afterlog/format/settings.py` is the
 * twin; golden files hold both together.
 */
import { nearestName } from "./did-you-mean.ts";
import { isSeed, parseShare } from "./directive.ts";
import { KEEP_FORMS, parseKeep } from "./keep.ts";
import type { Setting, SettingKey, SettingType } from "./settings-table.ts";
import { SETTINGS } from "./settings-table.ts";
import type { SettingsFile } from "./settings-text.ts";

interface ValueOfType {
  readonly choice: string;
  /** A text is the user's rule for printed lines. */
  readonly console: boolean | string;
  readonly count: number;
  /** As it was written: `parseKeep` reads it. */
  readonly keep: string;
  readonly number: number;
  readonly price: number;
  readonly seconds: number;
  readonly seed: string;
  readonly share: number | "inf";
  readonly switch: boolean;
  readonly text: string;
  readonly time: number;
}

type SettingRow<K extends SettingKey> = Extract<(typeof SETTINGS)[number], { key: K }>;
type ValueOf<K extends SettingKey> =
  | ValueOfType[SettingRow<K>["type"]]
  | (null extends SettingRow<K>["default"] ? null : never);

/** Where a value comes from; `at` names the flag, the variable, or file and line. */
export interface SettingOrigin {
  readonly kind: "default" | "environment" | "file" | "flag";
  readonly at: string | null;
}

export interface Resolved<T> {
  readonly value: T;
  readonly origin: SettingOrigin;
}

export type Settings = { readonly [K in SettingKey]: Resolved<ValueOf<K>> };

/** Something that a user wrote and that is not used. */
export interface SettingProblem {
  /** `AFTERLOG_KEEP=20 is none of: …`, `afterlog.toml:3: record.kep is not a setting`. */
  readonly message: string;
  /** What a program does instead that continues. */
  readonly instead: string;
  /** The setting that was written. */
  readonly setting?: Setting;
  /** The text that its type does not read, and where it stands. */
  readonly text?: string;
  readonly origin?: SettingOrigin;
  /** The known key or section that was most likely meant, as the file would say it. */
  readonly meant?: string;
}

export interface SettingSources {
  /** As texts, by key; what is absent or null was not given. */
  readonly flags?: Readonly<{ [K in SettingKey]?: string | null }>;
  readonly env: Readonly<{ [name: string]: string | undefined }>;
  readonly file?: SettingsFile | undefined;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly problems: readonly SettingProblem[];
}

/** Flag, else environment, else file, else default. A text that cannot be read gives the default. */
export function resolveSettings({ flags = {}, env, file }: SettingSources): ResolvedSettings {
  const problems: SettingProblem[] = [];
  const inFile = fileTexts(file, problems);
  const settings = SETTINGS.map((row) => {
    const found = chooseSetting(row, {
      flag: flags[row.key],
      variable: env[row.variable],
      file: inFile,
    });
    return [row.key, readSettingValue(row, found, problems)] as const;
  });
  // The keys are those of the table, and each value was read by its row's type.
  return { settings: Object.fromEntries(settings) as unknown as Settings, problems };
}

interface GivenSetting {
  readonly text: string;
  readonly origin: SettingOrigin;
}

function chooseSetting(
  row: Setting,
  given: {
    readonly flag: string | null | undefined;
    readonly variable: string | undefined;
    readonly file: ReadonlyMap<string, GivenSetting>;
  },
): GivenSetting | undefined {
  const { flag, variable = "" } = given;
  if (flag != null) return { text: flag, origin: { kind: "flag", at: row.flag } };
  if (variable.trim() !== "") {
    return { text: variable, origin: { kind: "environment", at: row.variable } };
  }
  return given.file.get(row.key);
}

function readSettingValue(
  row: Setting,
  given: GivenSetting | undefined,
  problems: SettingProblem[],
): Resolved<unknown> {
  const value = given && parseSetting(row, given.text);
  if (given && value !== undefined) return { value, origin: given.origin };
  if (given) problems.push(badValue(row, given));
  const isOff = given !== undefined && row.key === "record.mode";
  const text = isOff ? "off" : row.default;
  return {
    value: text === null ? null : parseSetting(row, text),
    origin: { kind: "default", at: null },
  };
}

/** What the file says of settings that may stand in it; everything else becomes a problem. */
function fileTexts(
  file: SettingsFile | undefined,
  problems: SettingProblem[],
): ReadonlyMap<string, GivenSetting> {
  const texts = new Map<string, GivenSetting>();
  if (!file) return texts;
  const { path, broken, sections, entries } = file;
  if (broken) {
    const message = `${path}:${broken.line}: ${broken.why}`;
    problems.push({ message, instead: "the file is not used" });
  }
  for (const { name, line } of sections) {
    if (!FILE_SECTIONS.includes(name)) problems.push(unknownSection(name, `${path}:${line}`));
  }
  for (const { section, key, text, line } of entries) {
    if (section !== "" && !FILE_SECTIONS.includes(section)) continue;
    const full = section === "" ? key : `${section}.${key}`;
    const at = `${path}:${line}`;
    const given = { text, origin: { kind: "file", at } } as const;
    const row: Setting | undefined = SETTINGS.find((setting) => setting.key === full);
    if (!row) problems.push(unknownKey(full, at));
    else if (!row.inFile) problems.push(notInFile(row, at));
    else if (parseSetting(row, text) === undefined) problems.push(badValue(row, given));
    else texts.set(full, given);
  }
  return texts;
}

function sectionOf(key: string): string {
  return key.includes(".") ? key.slice(0, key.indexOf(".")) : "";
}

function unknownKey(key: string, at: string): SettingProblem {
  const near = nearestSetting(key)?.key;
  const message = `${at}: ${key} is not a setting`;
  if (near === undefined) return { message, instead: "it is ignored" };
  const meant = `${near.slice(near.indexOf(".") + 1)} = …  in [${sectionOf(near)}]`;
  return { message, instead: `it is ignored; did you mean ${near}?`, meant };
}

function unknownSection(section: string, at: string): SettingProblem {
  const near = nearestName(section, FILE_SECTIONS);
  const message = `${at}: [${section}] holds no settings`;
  if (near === undefined) return { message, instead: "it is ignored" };
  return { message, instead: `it is ignored; did you mean [${near}]?`, meant: `[${near}]` };
}

function notInFile(setting: Setting, at: string): SettingProblem {
  const message = `${at}: ${setting.key} cannot stand in the file`;
  return { message, instead: "it is ignored", setting };
}

function badValue(setting: Setting, { text, origin }: GivenSetting): SettingProblem {
  const { key, flag, variable, type } = setting;
  const written = {
    default: key,
    environment: `${variable}=${text}`,
    file: `${origin.at}: ${key} = ${text}`,
    flag: `${flag} ${text}`,
  }[origin.kind];
  const wrong = type === "choice" ? `is none of: ${setting.choices?.join(", ")}` : WRONG[type];
  const instead = INSTEAD[key] ?? "using the default";
  return { message: `${written} ${wrong}`, instead, setting, text, origin };
}

const FILE_SETTINGS: readonly Setting[] = SETTINGS.filter(({ inFile }) => inFile);
const FILE_SECTIONS = [...new Set(FILE_SETTINGS.map(({ key }) => sectionOf(key)))];

/** The setting of the file that a key most likely meant: sections are mixed up easily. */
function nearestSetting(key: string): Setting | undefined {
  const nameOf = (full: string): string => full.slice(full.lastIndexOf(".") + 1);
  const names = FILE_SETTINGS.map((row) => nameOf(row.key));
  const near = nearestName(nameOf(key), names);
  return FILE_SETTINGS[names.indexOf(near ?? "")];
}

const WRONG: Readonly<{ [T in Exclude<SettingType, "choice">]: string }> = {
  console: "is neither true, false nor a regular expression with a named group",
  count: "is not a whole number from 1 to 1024",
  keep: `is none of: ${KEEP_FORMS}`,
  number: "is not a number from 0 to 1",
  price: "is not a price such as 2.5",
  seconds: "is not a whole number of seconds",
  seed: "is not a seed (0 to 18446744073709551615)",
  share: "is not a share between 0 and 1",
  switch: "is neither true nor false",
  text: "is not a text",
  time: "is not a time such as 90s, 10m or 1h30m",
};

const INSTEAD: Readonly<{ [key: string]: string }> = {
  "record.mode": "nothing is recorded",
  "record.seed": "one was drawn",
};

const SWITCH: Readonly<{ [word: string]: boolean }> = {
  true: true,
  on: true,
  yes: true,
  1: true,
  false: false,
  off: false,
  no: false,
  0: false,
};

/** The value that a text names; undefined if it names none. Words ignore case. */
export function parseSetting(setting: Setting, given: string): unknown {
  const text = given.trim();
  const word = text.toLowerCase();
  switch (setting.type) {
    case "choice":
      return setting.choices?.find((choice) => choice === word);
    case "console":
      return SWITCH[word] ?? (isRule(text) ? text : undefined);
    case "count":
      return wholeNumber(text, { from: 1, to: 1024 });
    case "keep":
      return parseKeep(text) && text;
    case "number":
      return /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(word) && Number(word) <= 1
        ? Number(word)
        : undefined;
    case "price":
      return /^(?:\d+\.?\d*|\.\d+)$/.test(word) ? Number(word) : undefined;
    case "seconds":
      return wholeNumber(text, { from: 0, to: 999_999 });
    case "seed":
      return isSeed(text) ? text : undefined;
    case "share":
      return parseShare(text);
    case "switch":
      return SWITCH[word];
    case "text":
      return given;
    case "time":
      return parseTime(word);
  }
}

/** Only this language knows whether it is a regular expression: Python's has other forms. */
function isRule(text: string): boolean {
  try {
    void new RegExp(text);
    return /\(\?<[A-Za-z_]/.test(text);
  } catch {
    return false;
  }
}

function wholeNumber(text: string, { from, to }: { from: number; to: number }): number | undefined {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  return number >= from && number <= to ? number : undefined;
}

/** Seconds of `90s`, `10m`, `1h30m`, or of a bare number. */
export function parseTime(text: string): number | undefined {
  const [, hours = 0, minutes = 0, seconds = 0] =
    /^(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s?)?$/.exec(
      text.replaceAll(" ", "").toLowerCase(),
    ) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return total > 0 ? total : undefined;
}
