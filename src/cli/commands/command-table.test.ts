/**
 * @file What the compiler knows of the commands by their table, which `npm run check` sees, and what
 * only a look at the rows can tell.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, expectTypeOf, test } from "vitest";
import { SETTINGS } from "../../format/index.ts";
import type { CliContext } from "../context.ts";
import type { Actions, ReadingUnknownOptions } from "./actions.ts";
import type { ArgumentRow, CommandRow, OptionRow, OptionsOfRows } from "./rows.ts";
import type { ArgumentsOf, COMMANDS, OptionsOf } from "./command-table.ts";
import { listCommands } from "./command-table.ts";

const SOURCES = resolve(import.meta.dirname, "../..");

type Row<Flags extends OptionRow["flags"], More = unknown> = {
  readonly flags: Flags;
  readonly help: string;
} & More;

test("names and types of options come from their flags", () => {
  type Options = OptionsOfRows<
    | Row<"--name <name>">
    | Row<"-j, --jobs <n>", { readonly value: "jobs" }>
    | Row<"--max-time <time>", { readonly value: "seconds" }>
    | Row<"--at <file:line>", { readonly repeatable: true }>
    | Row<"--edit [text]">
    | Row<"-n, --dry-run">
    | Row<"--no-canary">
    | Row<"--console <regexp>">
    | Row<"--no-console">
    | Row<"-C <dir>">
  >;
  expectTypeOf<Options>().toEqualTypeOf<{
    readonly name?: string;
    readonly jobs?: number;
    readonly maxTime?: number;
    readonly at?: readonly string[];
    readonly edit?: string | true;
    readonly dryRun?: boolean;
    readonly canary?: boolean;
    readonly console?: string | boolean;
    readonly C?: string;
  }>();
  expectTypeOf<ArgumentsOf<"why">>().toEqualTypeOf<readonly [string, string, string | undefined]>();
  expectTypeOf<ArgumentsOf<"show">>().toEqualTypeOf<readonly [string]>();
  expectTypeOf<ArgumentsOf<"run">>().toEqualTypeOf<readonly [string, readonly string[]]>();
});

test("an action cannot read an option that the table does not have", () => {
  const replay = (options: OptionsOf<"replay">) => [
    options.maxTime,
    // @ts-expect-error: as `--max-time` would be, were it called otherwise in the table
    options.timeLimit,
    // @ts-expect-error: another command has it
    options.dryRun,
  ];
  expect(replay({ maxTime: 60 })).toEqual([60, undefined, undefined]);
  // @ts-expect-error: nor can it be given one
  expect(replay({ timeLimit: 60 })).toEqual([undefined, 60, undefined]);
});

test("an action that wants more options than the table has is named", () => {
  type Check = (
    context: CliContext,
    run: string,
    options: { readonly jobs?: number; readonly patience?: number },
  ) => Promise<number>;
  type WithThisCheck = Omit<Actions, "check"> & { readonly check: () => Promise<Check> };
  expectTypeOf<ReadingUnknownOptions<Actions>>().toEqualTypeOf<never>();
  expectTypeOf<ReadingUnknownOptions<WithThisCheck>>().toEqualTypeOf<"check">();
});

test("rows have only the fields that are read", () => {
  type Rows = (typeof COMMANDS)[keyof typeof COMMANDS];
  type KeysOf<One> = One extends unknown ? keyof One : never;
  type ItemsOf<One, Key extends string> = One extends {
    readonly [Own in Key]: infer Items extends readonly unknown[];
  }
    ? Items[number]
    : never;
  expectTypeOf<Exclude<KeysOf<Rows>, keyof CommandRow>>().toEqualTypeOf<never>();
  expectTypeOf<Exclude<KeysOf<ItemsOf<Rows, "options">>, keyof OptionRow>>().toEqualTypeOf<never>();
  expectTypeOf<
    Exclude<KeysOf<ItemsOf<Rows, "arguments">>, keyof ArgumentRow>
  >().toEqualTypeOf<never>();
});

describe("rows", () => {
  test.each(listCommands().map((command) => [command.name, command] as const))(
    "%s: no flag, argument or key is there twice",
    (_name, command) => {
      const flags = command.options.flatMap((option) => option.flags.match(/--?[a-zA-Z][\w-]*/g));
      expect(flags).toEqual([...new Set(flags)]);
      for (const flag of ["--json", "-C", "-v", "--verbose", "--no-color", "-h", "--help"]) {
        expect(flags).not.toContain(flag);
      }
      const names = command.arguments.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    },
  );

  test("what is repeatable or read takes a value; what is shown has a help", () => {
    const options = listCommands().flatMap((command) => command.options);
    const wrong = options.filter(({ flags, help, value, repeatable, hidden }) => {
      const takesValue = / [<[]/.test(flags);
      return (
        ((value ?? repeatable) !== undefined && !takesValue) || (help === "") !== (hidden === true)
      );
    });
    expect(wrong).toEqual([]);
  });
});

test.each(SETTINGS.map((row) => [row.key, row] as const))("the flags of %s", (key, { flag }) => {
  const options = listCommands().flatMap((command) => command.options);
  const flags = options.filter(({ setting }) => setting === key).map((row) => row.flags);
  const names = flags.map((one) => /--[\w-]+/.exec(one)?.[0]);
  expect([...new Set(names)]).toEqual(flag === null ? [] : flag.split(", "));
});

test("the help needs no more than the words: commands are loaded when they are called", () => {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const specifier of staticImports(file)) {
      if (specifier.startsWith(".")) visit(resolve(dirname(file), specifier));
      else loaded.add(specifier);
    }
  };
  visit(join(SOURCES, "cli/main.ts"));
  const files = [...loaded].filter((one) => existsSync(one)).map((file) => relative(SOURCES, file));
  const packages = [...loaded].filter((one) => !existsSync(one) && !one.startsWith("node:"));
  expect(packages).toEqual(["commander"]);
  expect(files.filter((file) => !/^(?:format|cli\/commands)\//.test(file)).toSorted()).toEqual([
    "cli/interrupt.ts",
    "cli/main.ts",
    "cli/register.ts",
    "cli/report-error.ts",
    "cli/terminal/origin-signs.ts",
    "cli/terminal/terminal-edge.ts",
    "cli/terminal/wrap-text.ts",
  ]);
});

function staticImports(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const pattern = /^(?:import|export) (?!type )[^;]*?from "([^"]+)"|^import "([^"]+)"/gm;
  return [...text.matchAll(pattern)].map(([, from, bare]) => from ?? bare ?? "");
}
