/** @file Numbers, bytes, durations and times as a person reads them in a table. */

/** About four significant digits: `0.2143`, `12.35`, `1,234,567`, `3.2e-8`. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return formatCount(value);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return trimExponent(value.toExponential(3));
  const decimals = Math.max(0, 4 - Math.max(0, Math.floor(Math.log10(size)) + 1));
  return trimZeros(size < 1 ? value.toPrecision(4) : value.toFixed(decimals));
}

/** A number without what repeats nothing: `0.1000` is `0.1`. */
function trimZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function trimExponent(text: string): string {
  const [digits = "", exponent = ""] = text.split("e");
  return `${trimZeros(digits)}e${exponent.replace("+", "")}`;
}

/** An integer with separators from five digits on; minus zero keeps its sign. */
export function formatCount(value: number | bigint): string {
  if (Object.is(value, -0)) return "-0";
  const text = String(value);
  if (text.replace("-", "").length < 5) return text;
  return text.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1.5 MB`; decimal units, as file managers and disks use. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : 1;
  return `${trimZeros(value.toFixed(digits))} ${units[unit]}`;
}

/** `8 ms`, `1.2 s`, `41 s`, `13m 41s`, `2h 05m`, `3d 04h`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "?";
  if (ms < 999.5) return `${trimZeros(ms.toFixed(ms < 9.95 ? 1 : 0))} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ${two(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** `12.35`, `0.0034`: an amount in whatever currency the price was. */
export function formatMoney(amount: number): string {
  return amount >= 0.095 || amount === 0 ? amount.toFixed(2) : trimZeros(amount.toPrecision(2));
}

/** `2026-11-15 09:30`, in local time. */
export function formatTime(time: Date): string {
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `now`, `12 min ago`, `5 h ago`, `3 d ago`; after two weeks, or if it is to come, the day. */
export function formatAge(time: Date, now: Date): string {
  const ms = now.getTime() - time.getTime();
  if (ms < -MINUTE_MS || ms >= 14 * DAY_MS) return formatTime(time).slice(0, 10);
  if (ms < MINUTE_MS) return "now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return `${Math.floor(ms / DAY_MS)} d ago`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** `2.1 %`. */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
