/**
 * @file What a row of the command table says, and what the compiler makes of it: the options and
 * arguments that a command's action gets have their names and types from the words of the table.
 */
import type { SettingKey } from "../../format/index.ts";
import type { ValueTypes } from "./option-values.ts";

/** A flag of a command, with all that help, pages and the parser must know of it. */
export interface OptionRow {
  /** `-j, --jobs <n>`; `<…>` takes a value, `[…]` may take one, `--no-…` turns something off. */
  readonly flags: `-${string}`;
  readonly help: string;
  /** How its value is read; as the text that it is, if not said. */
  readonly value?: keyof ValueTypes;
  /** May be given several times: the action gets a list. */
  readonly repeatable?: true;
  /** Works, but is not shown. */
  readonly hidden?: true;
  /** What says the same in the environment and in `afterlog.toml`; the flag comes first. */
  readonly setting?: SettingKey;
}

/** A word of a command that is not an option. */
export interface ArgumentRow {
  /** `<file>`, `[run]` if it may be missing, `<names...>` if there may be several. */
  readonly name: `<${string}>` | `[${string}]`;
  readonly help: string;
  /** What is meant if it is missing. */
  readonly default?: string;
}

/** A line to type, and what it does. */
export interface ExampleRow {
  readonly line: `afterlog ${string}`;
  readonly says: string;
}

export interface CommandRow {
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What the command's own help begins with, by lines. */
  readonly description?: readonly string[];
  /** What only the pages have room for, by lines. */
  readonly notes?: readonly string[];
  readonly arguments?: readonly ArgumentRow[];
  /** Options that it has in common with others; shown before its own. */
  readonly optionGroup?: string;
  readonly options?: readonly OptionRow[];
  /** What follows the first argument belongs to the program, also if it looks like an option. */
  readonly passThrough?: true;
  readonly examples?: readonly ExampleRow[];
}

export interface CommandRows {
  readonly [name: string]: CommandRow;
}

/** `max-time` of `--max-time <time>`; `C` of `-C <dir>`. */
type FlagName<Flags> = Flags extends `${string}--${infer Name} ${string}`
  ? Name
  : Flags extends `${string}--${infer Name}`
    ? Name
    : Flags extends `-${infer Name} ${string}`
      ? Name
      : never;

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The property that an action reads: `maxTime`, and `canary` of `--no-canary`. */
type OptionKey<Row extends OptionRow> =
  FlagName<Row["flags"]> extends `no-${infer Name}`
    ? CamelCase<Name>
    : CamelCase<FlagName<Row["flags"]>>;

type ReadValue<Row extends OptionRow> = Row extends { readonly value: keyof ValueTypes }
  ? ValueTypes[Row["value"]]
  : string;

/** Of each row by itself: `--console <regexp>` and `--no-console` are one property. */
type OptionValue<Row extends OptionRow> = Row extends { readonly flags: `${string} <${string}>` }
  ? Row extends { readonly repeatable: true }
    ? readonly ReadValue<Row>[]
    : ReadValue<Row>
  : Row extends { readonly flags: `${string} [${string}]` }
    ? ReadValue<Row> | true
    : boolean;

/** What an action gets of these options. */
export type OptionsOfRows<Row extends OptionRow> = {
  readonly [One in Row as OptionKey<One> & string]?: OptionValue<One>;
};

type ArgumentValue<Row> = Row extends { readonly name: `${string}...${string}` }
  ? readonly string[]
  : Row extends { readonly name: `<${string}` } | { readonly default: string }
    ? string
    : string | undefined;

/** What an action gets of these arguments, one after the other. */
export type ArgumentsOfRows<Rows extends readonly ArgumentRow[]> = {
  readonly [Index in keyof Rows]: ArgumentValue<Rows[Index]>;
};
