/**
 * @file What a hands-free program prints, as log records (the rule is in
 * `format/console-rule.ts`). The console's own methods are called first, with all that they were
 * given: what is printed stays as it was, whatever becomes of the record.
 *
 * An argument is looked at as `util.inspect` does: no getter, no proxy and no method of the program
 * is called.
 */
import { asTensor, hasTraps } from "../../adapters/index.ts";
import type { ConsoleEntry, ConsolePiece, ReadingOptions, RunMode } from "../../format/index.ts";
import {
  consoleValues,
  describeError,
  isNameOfLoop,
  isScalar,
  tableValues,
} from "../../format/index.ts";
import { kindOfOdd } from "./kind-of-value.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import type { Session } from "../session.ts";

/** Warnings and errors are said, not measured. */
const METHODS = ["log", "info", "debug", "table"] as const;
/** More than this is not a line of a log. */
const ENTRIES_MAX = 100;
const ROWS_MAX = 1000;
const LIST_MAX = 1000;
const TENSOR_BYTES_MAX = 1 << 20;

type Method = (...args: unknown[]) => void;

/** Puts records of what is printed into a run, from now on. */
export function recordConsole(target: Console, session: Session, { consoleRule }: RunMode): void {
  const rule = consoleRule === undefined ? undefined : new RegExp(consoleRule);
  let isCounting = false;
  const count = target.count.bind(target);
  // It prints with `log`; what it counts is kept in the console, where no checkpoint finds it.
  target.count = (label): void => {
    isCounting = true;
    try {
      count(label);
    } finally {
      isCounting = false;
    }
  };
  for (const name of METHODS) {
    const print = target[name] as Method;
    const method = function (this: unknown, ...args: unknown[]): void {
      print.apply(this, args);
      const texts = session.instrument.writtenTexts.take(args);
      if (isCounting) return;
      const readingOf = (): Reading => {
        if (name === "table") return (withClocks) => tableOf(args, { rule, withClocks });
        const pieces = args.map(pieceOf);
        return (withClocks) => consoleValues(pieces, { rule, withClocks }, texts);
      };
      recordConsoleValues(session, method, { args, readingOf });
    };
    Object.defineProperty(method, "name", { value: name });
    target[name] = method;
  }
}

/** What a call logs, with what sounds like a clock or without that. */
type Reading = (withClocks: boolean) => readonly ConsoleEntry[];

function recordConsoleValues(
  session: Session,
  callee: Method,
  { args, readingOf }: { readonly args: readonly unknown[]; readonly readingOf: () => Reading },
): void {
  try {
    const startedAt = performance.now();
    const reading = readingOf();
    const kept = reading(false);
    // What a run leaves out may be what is asked for.
    const values = session.replaying ? reading(true) : kept;
    session.parts.ledger.otherMs += performance.now() - startedAt;
    if (session.replaying) {
      const was = kindOfOdd(args) ?? (values.length === 0 ? "no name before a value" : undefined);
      if (was !== undefined) session.printed(was, callee);
    }
    for (const [name, value] of values) {
      const isKept =
        values === kept || kept.some((one) => one[0] === name && Object.is(one[1], value));
      // Which iteration it is stands in the path.
      if (!isLoop(session.frame, name)) session.log(name, value, callee, isKept);
    }
  } catch (error) {
    session.turnOff("records of the console", describeError(error));
  }
}

function isLoop(frame: LoopFrame | undefined, name: string): boolean {
  for (let at = frame; at; at = at.parent) if (isNameOfLoop(name, at.name)) return true;
  return false;
}

function pieceOf(value: unknown): ConsolePiece {
  switch (typeof value) {
    case "string":
      return { kind: "text", text: value };
    case "number":
    case "bigint":
    case "boolean":
      return { kind: "value", value };
    case "object":
      return value === null || hasTraps(value) ? { kind: "other" } : pieceOfObject(value);
    case "undefined":
    case "symbol":
    case "function":
      return { kind: "other" };
  }
}

function pieceOfObject(value: object): ConsolePiece {
  if (Array.isArray(value)) return isNumbers(value) ? { kind: "value", value } : { kind: "other" };
  const entries = objectEntries(value);
  if (entries) return { kind: "record", entries };
  return isSmallTensor(value) ? { kind: "value", value } : { kind: "other" };
}

function isNumbers(list: readonly unknown[]): boolean {
  if (list.length === 0 || list.length > LIST_MAX) return false;
  return list.every((item) => typeof item === "number");
}

/** One that was disposed or used up can be printed, and holds nothing. */
function isSmallTensor(value: object): boolean {
  try {
    const tensor = asTensor(value);
    return tensor !== undefined && tensor.bytes.byteLength <= TENSOR_BYTES_MAX;
  } catch {
    return false;
  }
}

/** Own scalars of a plain object; undefined for any other. */
function objectEntries(value: object): ConsoleEntry[] | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return undefined;
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value));
  const entries = properties.flatMap(([name, { value: own, enumerable }]): ConsoleEntry[] => {
    return enumerable && isScalar([name, own]) ? [[name, own as unknown]] : [];
  });
  return entries.slice(0, ENTRIES_MAX);
}

/** `console.table(rows, columns)`. */
function tableOf([table, columns]: readonly unknown[], options: ReadingOptions): ConsoleEntry[] {
  if (typeof table !== "object" || table === null || hasTraps(table)) return [];
  const rows = Object.values(Object.getOwnPropertyDescriptors(table)).slice(0, ROWS_MAX);
  const records = rows.flatMap(({ value }) => {
    const piece = pieceOf(value);
    return piece.kind === "record" ? [piece] : [];
  });
  const values = tableValues(records, options);
  return Array.isArray(columns) ? values.filter(([name]) => columns.includes(name)) : values;
}
