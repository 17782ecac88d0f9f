/**
 * @file The scans of a week: `data/week-06.csv` has one image a line, 64 pixels from 0 to 16 and
 * the digit. Two of three are trained on; every third is held out, and goes on being held out.
 */
import { readFileSync } from "node:fs";

export const PIXELS = 64;
export const DIGITS = 10;

export interface Scans {
  /** Row-major, `PIXELS` values from 0 to 1 an image. */
  readonly images: Float32Array<ArrayBuffer>;
  readonly labels: Int32Array<ArrayBuffer>;
}

/** What arrived in `week`, to be trained on. */
export function scansOf(week: number): Scans {
  return toScans(linesOf(week).filter((_, line) => line % 3 !== 0));
}

/** What was held out in all weeks until now. */
export function heldOut(week: number): Scans {
  const weeks = Array.from({ length: week }, (_, before) => linesOf(before + 1));
  return toScans(weeks.flatMap((lines) => lines.filter((_, line) => line % 3 === 0)));
}

/** `scans` in a fresh random order, `size` at a time; the last may be fewer. */
export function minibatches(scans: Scans, size: number): Scans[] {
  const order = Array.from(scans.labels.keys(), (row) => ({ row, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ row }) => row);
  const count = Math.ceil(order.length / size);
  return Array.from({ length: count }, (_, n) =>
    pick(scans, order.slice(n * size, (n + 1) * size)),
  );
}

/** A draw from the standard normal distribution (Box and Muller). */
export function gaussian(): number {
  // 1 - u is never 0, so the logarithm is finite.
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

function linesOf(week: number): string[] {
  const name = `week-${String(week).padStart(2, "0")}.csv`;
  const text = readFileSync(new URL(`./data/${name}`, import.meta.url), "utf8");
  return text.trimEnd().split("\n");
}

function toScans(lines: readonly string[]): Scans {
  const rows = lines.map((line) => line.split(",").map(Number));
  return {
    images: Float32Array.from(
      rows.flatMap((row) => row.slice(0, PIXELS)),
      (value) => value / 16,
    ),
    labels: Int32Array.from(rows, (row) => row[PIXELS] ?? 0),
  };
}

function pick(scans: Scans, rows: readonly number[]): Scans {
  const images = new Float32Array(rows.length * PIXELS);
  for (const [i, row] of rows.entries()) {
    images.set(scans.images.subarray(row * PIXELS, (row + 1) * PIXELS), i * PIXELS);
  }
  return { images, labels: Int32Array.from(rows, (row) => scans.labels[row] ?? 0) };
}
