/**
 * @file The data of the examples: 1,797 handwritten digits of 8x8 pixels, and what each example
 * needs around them: a split, shuffled minibatches, a score. No framework, no Afterlog.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

export const PIXELS = 64;
export const CLASSES = 10;

export interface Split {
  /** Row-major, `PIXELS` values from 0 to 1 an image. */
  readonly images: Float32Array<ArrayBuffer>;
  readonly labels: Int32Array<ArrayBuffer>;
}

/** Every seventh image is for testing: 1,540 to train on, 257 to test, the same for every seed. */
export function loadDigits(): { readonly train: Split; readonly test: Split } {
  const file = new URL("./data/digits.csv.gz", import.meta.url);
  const rows = gunzipSync(readFileSync(file)).toString("latin1").trimEnd().split("\n");
  // Seven shares no factor with ten: the file runs through the digits in order for long stretches,
  // and a divisor of ten would leave whole digits out of the test.
  return {
    train: toSplit(rows.filter((_, row) => row % 7 !== 0)),
    test: toSplit(rows.filter((_, row) => row % 7 === 0)),
  };
}

function toSplit(rows: readonly string[]): Split {
  const images = new Float32Array(rows.length * PIXELS);
  const labels = new Int32Array(rows.length);
  for (const [row, line] of rows.entries()) {
    const values = line.split(",").map(Number);
    labels[row] = values.pop() ?? 0;
    for (const [pixel, value] of values.entries()) images[row * PIXELS + pixel] = value / 16;
  }
  return { images, labels };
}

/** One pass over `split` in a fresh random order; the last batch may be smaller. */
export function batches(split: Split, batchSize: number): Split[] {
  const order = Array.from(split.labels.keys(), (row) => ({ row, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ row }) => row);
  const cut: Split[] = [];
  for (let start = 0; start < order.length; start += batchSize) {
    cut.push(select(split, order.slice(start, start + batchSize)));
  }
  return cut;
}

function select(split: Split, rows: readonly number[]): Split {
  const images = new Float32Array(rows.length * PIXELS);
  for (const [i, row] of rows.entries()) {
    images.set(split.images.subarray(row * PIXELS, (row + 1) * PIXELS), i * PIXELS);
  }
  return { images, labels: Int32Array.from(rows, (row) => split.labels[row] ?? 0) };
}

/** A draw from the standard normal distribution (Box and Muller). */
export function gaussian(): number {
  // 1 - u is never 0, so the logarithm is finite.
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

/** Share of the predictions that are right. */
export function accuracy(predicted: ArrayLike<number>, labels: ArrayLike<number>): number {
  let right = 0;
  for (let i = 0; i < labels.length; i++) if (predicted[i] === labels[i]) right++;
  return right / labels.length;
}

/** F1 score of each digit: harmonic mean of precision and recall, 0 where nothing was right. */
export function f1ByDigit(predicted: ArrayLike<number>, labels: ArrayLike<number>): number[] {
  return Array.from({ length: CLASSES }, (_, digit) => {
    let right = 0;
    let total = 0;
    for (let i = 0; i < labels.length; i++) {
      const said = predicted[i] === digit;
      const is = labels[i] === digit;
      if (said && is) right++;
      total += Number(said) + Number(is);
    }
    return total === 0 ? 0 : (2 * right) / total;
  });
}
