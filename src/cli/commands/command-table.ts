/**
 * @file All commands of `afterlog`: their words, once. The parser, the help, `docs/cli.md` and the
 * man page are made from this table, and the compiler knows from it what each action is given. A
 * new command is a row in the file of its family and a line in `actions.ts`; `npm run docs` does the
 * rest.
 */
import { SETTINGS } from "../../format/index.ts";
import { ALERT_COMMANDS } from "./alerts.ts";
import { ANNOTATING_COMMANDS } from "./annotating.ts";
import { HISTORY_COMMANDS } from "./history.ts";
import { READING_COMMANDS } from "./reading.ts";
import { RECORDING_COMMANDS } from "./recording.ts";
import { REPLAYING_COMMANDS } from "./replaying.ts";
import type {
  ArgumentRow,
  ArgumentsOfRows,
  CommandRow,
  CommandRows,
  OptionRow,
  OptionsOfRows,
} from "./rows.ts";
import type { GLOBAL_OPTIONS } from "./shared-options.ts";
import { OPTION_GROUPS } from "./shared-options.ts";

/** In the order in which the help lists them. */
export const COMMANDS: typeof RECORDING_COMMANDS &
  typeof READING_COMMANDS &
  typeof REPLAYING_COMMANDS &
  typeof HISTORY_COMMANDS &
  typeof ALERT_COMMANDS &
  typeof ANNOTATING_COMMANDS = {
  ...RECORDING_COMMANDS,
  ...READING_COMMANDS,
  ...REPLAYING_COMMANDS,
  ...HISTORY_COMMANDS,
  ...ALERT_COMMANDS,
  ...ANNOTATING_COMMANDS,
};

export type CommandName = keyof typeof COMMANDS;

type RowsOf<Row, Key extends string, Item> = Row extends {
  readonly [One in Key]: infer Rows extends readonly Item[];
}
  ? Rows
  : readonly [];

type GroupOf<Row> = Row extends {
  readonly optionGroup: infer Name extends keyof typeof OPTION_GROUPS;
}
  ? (typeof OPTION_GROUPS)[Name][number]
  : never;

/** What the action of a command gets of its options. */
export type OptionsOf<Name extends CommandName> = OptionsOfRows<
  RowsOf<(typeof COMMANDS)[Name], "options", OptionRow>[number] | GroupOf<(typeof COMMANDS)[Name]>
>;

/** What it gets of its arguments, in their order. */
export type ArgumentsOf<Name extends CommandName> = ArgumentsOfRows<
  RowsOf<(typeof COMMANDS)[Name], "arguments", ArgumentRow>
>;

export type GlobalOptions = OptionsOfRows<(typeof GLOBAL_OPTIONS)[number]>;

/** A command as those see it to whom all are alike. */
export interface Command extends CommandRow {
  readonly name: CommandName;
  readonly arguments: readonly ArgumentRow[];
  /** The shared ones first; without those that every command takes. */
  readonly options: readonly OptionRow[];
}

export function listCommands(): readonly Command[] {
  const rows: CommandRows = COMMANDS;
  const groups: { readonly [name: string]: readonly OptionRow[] } = OPTION_GROUPS;
  return Object.entries(rows).map(([name, row]) => {
    const shared = row.optionGroup === undefined ? [] : (groups[row.optionGroup] ?? []);
    return {
      ...row,
      name: name as CommandName,
      arguments: row.arguments ?? [],
      options: [...shared, ...(row.options ?? [])],
    };
  });
}

/** `afterlog show [options] [run]` */
export function usageOf({ name, arguments: words }: Command): string {
  return ["afterlog", name, "[options]", ...words.map((word) => word.name)].join(" ");
}

/** The environment variable that says the same as an option: `AFTERLOG_CANARY=false` of `--no-canary`. */
export function environmentOf({ flags, setting }: OptionRow): string | undefined {
  const variable = SETTINGS.find(({ key }) => key === setting)?.variable;
  return variable !== undefined && flags.includes("--no-") ? `${variable}=false` : variable;
}
