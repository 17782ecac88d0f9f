/**
 * @file Makes a folder a project before anything is recorded in it: the file of settings, each with
 * its default and as a comment, and the store kept out of git. What is there stays as it is.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Setting } from "../format/index.ts";
import { SETTINGS } from "../format/index.ts";
import { excludeStore } from "../store/index.ts";
import type { Ports } from "./ports.ts";
import { projectAround } from "./required-project.ts";
import { SETTINGS_FILE, tomlText } from "./settings.ts";

/** What was done, as JSON. */
export interface InitReport {
  readonly root: string;
  readonly store: string;
  readonly file: string;
  /** False: there was one, and it is as it was. */
  readonly written: boolean;
  /** The settings that the written file holds, as comments. */
  readonly settings: number;
  /** The file that keeps the store out of git; null outside of a repository. */
  readonly exclude: string | null;
  /** Whether the line was added to it now. */
  readonly excluded: boolean;
}

/** Throws AL044 if git cannot be told of the store. */
export function initProject(ports: Pick<Ports, "cwd" | "env">): InitReport {
  const { root, store } = projectAround(ports);
  const file = join(root, SETTINGS_FILE);
  const written = writeNew(file, settingsTemplate());
  const exclusion = excludeStore(root, store);
  return {
    root,
    store,
    file,
    written,
    settings: written ? FILE_SETTINGS.length : 0,
    exclude: exclusion?.file ?? null,
    excluded: exclusion?.added ?? false,
  };
}

/** False: something of that name is there, be it a link that leads nowhere. */
function writeNew(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

const FILE_SETTINGS: readonly Setting[] = SETTINGS.filter(({ inFile }) => inFile);

const HEAD = `# Settings of Afterlog for this project. To change one, take the "#" before it away; until then
# its default holds. \`afterlog config\` shows all settings, and where each comes from.`;

/** The text of a file that changes nothing: all settings, in their sections, as comments. */
export function settingsTemplate(): string {
  const sectionOf = ({ key }: Setting): string => key.slice(0, key.indexOf("."));
  const blocks = [...new Set(FILE_SETTINGS.map(sectionOf))].map((section) => {
    const rows = FILE_SETTINGS.filter((row) => sectionOf(row) === section);
    return [`[${section}]`, ...rows.map(settingLines)].join("\n\n");
  });
  return `${[HEAD, ...blocks].join("\n\n")}\n`;
}

function settingLines({ key, meaning, default: value, otherwise, example }: Setting): string {
  const name = key.slice(key.indexOf(".") + 1);
  const comment = `# ${meaning.replaceAll("`", "")}`;
  if (value !== null) return `${comment}\n#${name} = ${tomlText(value)}`;
  return `${comment} (without it: ${otherwise ?? ""})\n#${name} = ${tomlText(example ?? "")}`;
}
