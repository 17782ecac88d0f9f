/**
 * @file Alerts: conditions on what is logged that are to be known of while a program trains. `alerts.jsonl`
 * is appended to, and of each alert the last line by its time counts (decision 0110). It stays on this
 * machine. `python/afterlog/record/alerts.py` reads of it whether one is armed.
 */
import { tagProblem } from "./run-names.ts";

/** An alert as it is. */
export interface Alert {
  readonly alert: string;
  /** SQL over a row of the frame, as in `--where`. */
  readonly condition: string;
  /** Whether runs that begin from now on are held to it. */
  readonly armed: boolean;
}

/** What was said of it last; without a condition it is gone. */
export interface AlertLine {
  readonly v: 1;
  /** Milliseconds since 1970, above those of all lines before. */
  readonly at: number;
  readonly alert: string;
  readonly condition: string | null;
  readonly armed: boolean;
}

export const CONDITION_CHARACTERS_MAX = 2000;

/** Why an alert cannot be called so; undefined: it can. */
export function alertProblem(name: string): string | undefined {
  return tagProblem(name);
}

/** The alerts that there are, by their names. Lines that cannot be read are passed over. */
export function foldAlerts(text: string): Alert[] {
  const last = new Map<string, AlertLine>();
  for (const line of text.split("\n")) {
    const read = alertLine(line);
    if (read && read.at >= (last.get(read.alert)?.at ?? 0)) last.set(read.alert, read);
  }
  return [...last.values()]
    .flatMap(({ alert, condition, armed }) =>
      condition === null ? [] : [{ alert, condition, armed }],
    )
    .toSorted((a, b) => (a.alert < b.alert ? -1 : 1));
}

function alertLine(line: string): AlertLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { v, at, alert, condition, armed } = (value ?? {}) as { readonly [key: string]: unknown };
  if (v !== 1 || typeof at !== "number" || typeof alert !== "string") return undefined;
  if (condition !== null && !isCondition(condition)) return undefined;
  if (alertProblem(alert) !== undefined) return undefined;
  return { v, at, alert, condition, armed: armed === true };
}

export function isCondition(text: unknown): text is string {
  return typeof text === "string" && text.length <= CONDITION_CHARACTERS_MAX;
}
