/** @file `afterlog config`: every setting, its value, and where that comes from. */
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { projectAround, readSettings, settingsError, SETTINGS_FILE } from "../../app/read.ts";
import type { Resolved, Setting, Settings } from "../../format/index.ts";
import { SETTINGS } from "../../format/index.ts";
import type { CliContext } from "../context.ts";
import { reportError } from "../report-error.ts";
import { renderTable } from "../terminal/text-table.ts";

/** Shows what is right also if something is wrong: this is where one comes to find out. */
export function configCommand(context: CliContext): Promise<number> {
  const { cwd, columns: width, color } = context;
  const project = projectAround(context);
  const { settings, problems } = readSettings(context, project);
  if (context.json) {
    const rows = SETTINGS.map((row) => settingObject(row, settings[row.key]));
    context.out(`${JSON.stringify(rows, undefined, 2)}\n`);
  } else {
    const rows = SETTINGS.map((row) => [row.key, ...shownSetting(row, settings[row.key])]);
    const columns = ["SETTING", "VALUE", "FROM"].map(
      (title) => ({ title, align: "left" }) as const,
    );
    context.out(renderTable(columns, rows, { width, color }));
    context.err(`${fileNote(cwd, project.root)}\n`);
  }
  const refused = settingsError(problems, "correct it, and look again:  afterlog config");
  return Promise.resolve(refused ? reportError(context, refused) : 0);
}

function settingObject(row: Setting, { value, origin }: Resolved<unknown>): object {
  const { key, variable, flag, inFile, meaning } = row;
  return {
    key,
    value,
    origin: origin.kind,
    at: origin.at,
    default: row.default,
    variable,
    flag,
    in_file: inFile,
    meaning,
  };
}

function shownSetting(row: Setting, { value, origin }: Settings[keyof Settings]): [string, string] {
  const text = origin.kind === "default" ? (row.default ?? row.otherwise ?? "") : String(value);
  return [text.replaceAll("`", ""), origin.at ?? origin.kind];
}

/** Which file counts; one that lies elsewhere on the way up is of no project, or of another. */
function fileNote(cwd: string, root: string): string {
  const own = join(root, SETTINGS_FILE);
  const other = ancestorFolders(cwd)
    .map((folder) => join(folder, SETTINGS_FILE))
    .find((file) => file !== own && existsSync(file));
  const shownAs = relative(cwd, own);
  const note = existsSync(own) ? `the project's file is ${shownAs}` : `there is no ${shownAs}`;
  if (other === undefined) return note;
  return `${note}; ${relative(cwd, other)} does not count: the project is ${root}`;
}

function ancestorFolders(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestorFolders(above)];
}
