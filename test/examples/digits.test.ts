/** @file The data of the examples, and the arithmetic around it. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { accuracy, batches, CLASSES, f1ByDigit, loadDigits } from "../../examples/digits/digits.ts";
import { PIXELS } from "../../examples/digits/digits.ts";
import type { Split } from "../../examples/digits/digits.ts";

const DATA = new URL("../../examples/digits/data/", import.meta.url);

/** Each image with its label, as text. */
function listed({ images, labels }: Split): string[] {
  return Array.from(labels, (label, row) => {
    return `${label}:${images.subarray(row * PIXELS, (row + 1) * PIXELS).join()}`;
  });
}

test("the data file is the one its README describes", () => {
  const digest = createHash("sha256").update(readFileSync(new URL("digits.csv.gz", DATA)));
  expect(readFileSync(new URL("README.md", DATA), "utf8")).toContain(digest.digest("hex"));
});

test("the split covers all images, and each part has every digit", () => {
  const { train, test } = loadDigits();
  expect([train.labels.length, test.labels.length]).toEqual([1540, 257]);
  for (const { images, labels } of [train, test]) {
    expect(images).toHaveLength(labels.length * PIXELS);
    expect(images.every((pixel) => pixel >= 0 && pixel <= 1 && Number.isInteger(pixel * 16))).toBe(
      true,
    );
    for (let digit = 0; digit < CLASSES; digit++) {
      // Each digit is about a tenth of either part.
      const share = labels.filter((label) => label === digit).length / labels.length;
      expect(share).toBeGreaterThan(0.05);
      expect(share).toBeLessThan(0.15);
    }
  }
});

test.each([1, 32, 100, 1540, 5000])(
  "batches of %i hold each image once, in a new order",
  (size) => {
    const { train } = loadDigits();
    const pass = batches(train, size);
    expect(pass).toHaveLength(Math.ceil(1540 / size));
    const seen = pass.flatMap(listed);
    expect(seen).not.toEqual(listed(train));
    expect(seen.sort()).toEqual(listed(train).sort());
  },
);

test.each([
  { predicted: [0, 1, 2, 3], labels: [0, 1, 2, 3], right: 1, f1: [1, 1, 1, 1] },
  { predicted: [0, 0, 0, 0], labels: [0, 0, 1, 1], right: 0.5, f1: [2 / 3, 0, 0, 0] },
  { predicted: [1, 0], labels: [0, 1], right: 0, f1: [0, 0, 0, 0] },
])("scores $predicted against $labels", ({ predicted, labels, right, f1 }) => {
  expect(accuracy(predicted, labels)).toBe(right);
  expect(f1ByDigit(predicted, labels).slice(0, 4)).toEqual(f1);
});
