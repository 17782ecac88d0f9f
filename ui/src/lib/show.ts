/** Values as they are read: four digits, local times, and what each mark means. */
import type { Cell, ColumnType } from "./columns.ts";
import { plain } from "./columns.ts";

const DIGITS = 4;

/** Four digits, of what was measured all of them; whole numbers as they are. All digits are in the cell's title, and are what is copied. */
export function shownNumber(value: number, isMeasured = false): string {
  if (!Number.isFinite(value)) return value === Infinity ? "∞" : value === -Infinity ? "−∞" : "NaN";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return minus(String(value));
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return minus(value.toExponential(DIGITS - 1));
  if (size >= 1e3) return minus(value.toFixed(0));
  const text = value.toPrecision(DIGITS);
  return minus(isMeasured ? text : text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));
}

function minus(text: string): string {
  return text.replaceAll("-", "−").replace(/e−/, "e-");
}

/** `05:36:55` today, else `11-16 05:36`, with the year if it is another one. */
export function shownTime(text: string, now: Date = new Date()): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return text;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  if (time.toDateString() === now.toDateString()) return `${clock}:${two(time.getSeconds())}`;
  const day = `${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
  return time.getFullYear() === now.getFullYear() ? day : `${time.getFullYear()}-${day}`;
}

export function shownDuration(seconds: number): string {
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

export function shownBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let at = 0;
  let size = bytes;
  for (; size >= 999.5 && at < units.length - 1; at++) size /= 1000;
  return `${at === 0 || size >= 99.5 ? size.toFixed(0) : size.toFixed(1)} ${units[at]}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** A cell as text of one line. */
export function shownCell(name: string, value: Cell, type: ColumnType, isMeasured = false): string {
  if (value === null) return "";
  if (name === "commit") return plain(value).slice(0, 7);
  if (name === "seconds" && typeof value === "number") return shownDuration(value);
  if (name === "checkpoint_bytes" && typeof value === "number") return shownBytes(value);
  if (type === "time") return shownTime(plain(value));
  if (typeof value === "number") return shownNumber(value, isMeasured);
  return plain(value).replaceAll(/\s+/g, " ");
}

/** What stands beside a value in hindsight: never its colour alone. */
export interface Mark {
  readonly sign: string;
  readonly word: string;
  readonly tone: "hindsight" | "review" | "failed" | "muted";
  readonly says: string;
}

const MARKS: { readonly [check: string]: Mark } = {
  verified: {
    sign: "✓",
    word: "verified",
    tone: "hindsight",
    says: "what the replay did again equals the record",
  },
  restored: {
    sign: "✓",
    word: "restored",
    tone: "hindsight",
    says: "computed from a checkpoint, whose state equals the record",
  },
  close: {
    sign: "≈",
    word: "close",
    tone: "hindsight",
    says: "equal to the record but for rounding",
  },
  unchecked: { sign: "~", word: "unchecked", tone: "review", says: "there was nothing to compare" },
  diverged: {
    sign: "✗",
    word: "diverged",
    tone: "failed",
    says: "the replay differs from the record",
  },
};

/** Undefined for what the run itself logged. */
export function markOf(origin: string | null): Mark | undefined {
  if (origin === null || origin === "recorded") return undefined;
  const [from = "", check = ""] = origin.split(":");
  if (from === "hindsight") return MARKS[check] ?? MARKS["unchecked"];
  return { sign: "", word: from, tone: "muted", says: `${from} from elsewhere` };
}

/** The state of a run: sign, word, colour. */
export function statusOf(status: string): { readonly sign: string; readonly tone: string } {
  const known: { readonly [status: string]: { readonly sign: string; readonly tone: string } } = {
    done: { sign: "✓", tone: "" },
    failed: { sign: "✗", tone: "failed" },
    interrupted: { sign: "■", tone: "review" },
    recording: { sign: "◐", tone: "running" },
  };
  return known[status] ?? { sign: "?", tone: "review" };
}

/** A word for a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What tells of runs: one is shown, of several the first is compared with each of the others. */
export function runsCommand(runs: readonly string[], options = ""): string {
  const [first = "", ...others] = runs.map(shellWord);
  if (others.length === 0) return `afterlog show ${first}`;
  return others.map((other) => `afterlog diff ${first} ${other}${options}`).join(" && ");
}
