/** @file The settings as a command needs them: all of them right, or a refusal that says which not. */
import { join, relative } from "node:path";
import type {
  Resolved,
  ResolvedSettings,
  Setting,
  SettingProblem,
  Settings,
  SettingSources,
} from "../format/index.ts";
import { AfterlogError, nearestName, parseSetting, resolveSettings } from "../format/index.ts";
import type { Project } from "../store/index.ts";
import { readSettingsFile, SETTINGS_FILE } from "../store/index.ts";
import type { Ports } from "./ports.ts";
import { requireProject } from "./required-project.ts";

export { SETTINGS_FILE };

type SettingPorts = Pick<Ports, "cwd" | "env">;

/** All settings of a project, with where each comes from and what is wrong. Throws nothing. */
export function readSettings(
  { cwd, env }: SettingPorts,
  { root }: Project,
  flags: SettingSources["flags"] = {},
): ResolvedSettings {
  const path = relative(cwd, join(root, SETTINGS_FILE));
  return resolveSettings({ flags, env, file: readSettingsFile(root, path) });
}

/** The settings of a project. Throws AL008 if the environment or the file says something wrong. */
export function requireSettings(
  ports: SettingPorts,
  project: Project,
  flags: SettingSources["flags"] = {},
): Settings {
  const { settings, problems } = readSettings(ports, project, flags);
  const refused = settingsError(problems);
  if (refused) throw refused;
  return settings;
}

/** The settings of the project around the folder. Throws AL003, AL008. */
export function projectSettings(ports: SettingPorts): Settings {
  return requireSettings(ports, requireProject(ports));
}

/**
 * What a directive says of a setting; null leaves it at its default. A resumed run keeps what
 * it began with, unless the command line says otherwise.
 */
export function handOver<T>({ value, origin }: Resolved<T>, begun?: T | null): T | null {
  if (origin.kind === "flag") return value;
  return begun ?? (origin.kind === "default" ? null : value);
}

const SEE_ALL = "see all settings:  afterlog config";

/** All that is wrong as one error, with the most likely repairs; `last` is its last help line. */
export function settingsError(
  problems: readonly SettingProblem[],
  last: string = SEE_ALL,
): AfterlogError | undefined {
  const [first, ...others] = problems;
  if (!first) return undefined;
  const [line, ...lines] = [...problems.flatMap(settingRepairs), last];
  return new AfterlogError("AL008", first.message, {
    notes: others.map(({ message }) => message),
    help: [line, ...lines],
    data: { problems: problems.map(({ message }) => message) },
  });
}

function settingRepairs({ setting, text, meant, origin }: SettingProblem): string[] {
  if (meant !== undefined) return [`did you mean  ${meant}`];
  if (!setting) return [];
  const { key, flag, variable, meaning } = setting;
  if (text === undefined) {
    const ways = [...(flag === null ? [] : [`${flag} …`]), `${variable}=…`];
    return [`say it where it holds:  ${ways.join("  or  ")}`];
  }
  const near = nearestText(setting, text);
  if (near === undefined) return [`${key}: ${meaning.replaceAll("`", "")}`];
  const isVariable = origin?.kind === "environment";
  return [
    `did you mean  ${isVariable ? `${variable}=${near}` : `${settingName(key)} = ${tomlText(near)}`}`,
  ];
}

function settingName(key: string): string {
  return key.slice(key.lastIndexOf(".") + 1);
}

/** A value as the file says it. */
export function tomlText(text: string): string {
  return /^(?:\d+(?:\.\d+)?(?:e-?\d+)?|true|false)$/.test(text) ? text : `"${text}"`;
}

/** The text that its type reads and that was most likely meant. */
function nearestText(setting: Setting, text: string): string | undefined {
  const isRight = (candidate: string | undefined): boolean =>
    candidate !== undefined && parseSetting(setting, candidate) !== undefined;
  return candidateTexts(setting, text.trim()).find(isRight);
}

function candidateTexts(setting: Setting, text: string): (string | undefined)[] {
  const bare = text.replaceAll(" ", "").replace(",", ".");
  switch (setting.type) {
    case "choice":
      return [nearestName(text, setting.choices ?? [])];
    case "console":
    case "switch":
      return [nearestName(text, ["true", "false", "on", "off", "yes", "no"])];
    case "count":
    case "seconds":
      return [bare.replace(/(?:s|secs?|seconds?)$/i, "")];
    case "keep": {
      const [head = "", ...rest] = bare.split(":");
      const word = nearestName(head, ["all", "peak", "every", "steps"]);
      return [word && [word, ...rest].join(":"), `${bare}B`];
    }
    case "number":
    case "share":
      return [bare, `${bare}%`];
    case "price":
      return [bare.replaceAll(/[^\d.]/g, "")];
    case "time":
      return [bare.replace(/(?<=[hms])[a-z]+/gi, "")];
    case "seed":
    case "text":
      return [];
  }
}
