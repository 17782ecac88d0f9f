/** @file Logged values, as they stand in a log, in few words. */
import { valueColumn } from "../../app/read.ts";
import { formatNumber } from "../terminal/format-units.ts";
import { displayText } from "../terminal/output.ts";
import { shellWord } from "../terminal/shell-word.ts";

/** Longest text of a value in a line. */
const TEXT_MAX = 60;

/** Logged names as the words of `afterlog frame`. */
export function frameWords(names: readonly string[]): string {
  return names.map((name) => shellWord(valueColumn("log", name))).join(" ");
}

/** A value of the log (docs/format.md, "Values") for people: about four digits. */
export function displayValue(value: unknown): string {
  return cutValueText(typeof value === "number" ? formatNumber(value) : shownValue(value));
}

/** The same with all digits: to tell two values apart. */
export function exactValue(value: unknown): string {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  return cutValueText(shownValue(value));
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  return displayText(value);
}

function cutValueText(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text;
}
