// @ts-check
/**
 * @file Loops with almost nothing in them, and loops over work of about a millisecond. The same text
 * is executed twice in one process: as a file of the project, which is rewritten, and as a package,
 * which is not. Times go from the first body to the last, so that what happens once a loop entry,
 * the checkpoint of its end above all, is no part of them.
 */
import { readFileSync } from "node:fs";

/** Milliseconds of processor time that this thread has had. */
const now = () => Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;

/** @typedef {{ ms: number, sum: number }} Timed */

/** @param {number} n */
export function countedFor(n) {
  let sum = 0;
  let from = 0;
  let ms = 0;
  for (let i = 0; i < n; i++) {
    if (i === 0) from = now();
    sum += i & 7;
    if (i === n - 1) ms = now() - from;
  }
  return { ms, sum };
}

/** @param {number} n */
export function whileLoop(n) {
  let sum = 0;
  let from = 0;
  let ms = 0;
  let i = 0;
  while (i < n) {
    if (i === 0) from = now();
    sum += i & 7;
    if (++i === n) ms = now() - from;
  }
  return { ms, sum };
}

/** @param {number} n */
export function doLoop(n) {
  let sum = 0;
  let from = 0;
  let ms = 0;
  let i = 0;
  do {
    if (i === 0) from = now();
    sum += i & 7;
    if (++i === n) ms = now() - from;
  } while (i < n);
  return { ms, sum };
}

/** @param {number} n */
export function overArray(n) {
  const items = new Float64Array(n).map((_, i) => i);
  const plain = Array.from(items);
  let sum = 0;
  let from = 0;
  let ms = 0;
  for (const i of plain) {
    if (i === 0) from = now();
    sum += i & 7;
    if (i === n - 1) ms = now() - from;
  }
  return { ms, sum };
}

/** @param {number} n */
export function overGenerator(n) {
  function* numbers() {
    for (let i = 0; i < n; i++) yield i;
  }
  let sum = 0;
  let from = 0;
  let ms = 0;
  for (const i of numbers()) {
    if (i === 0) from = now();
    sum += i & 7;
    if (i === n - 1) ms = now() - from;
  }
  return { ms, sum };
}

/** Each iteration has a copy of its own of `i`, since a function holds it. @param {number} n */
export function capturedHead(n) {
  let sum = 0;
  let from = 0;
  let ms = 0;
  for (let i = 0; i < n; i++) {
    const low = () => i & 7;
    if (i === 0) from = now();
    sum += low();
    if (i === n - 1) ms = now() - from;
  }
  return { ms, sum };
}

const SIZE = 64;
const a = Float64Array.from({ length: SIZE * SIZE }, (_, i) => Math.sin(i));
const b = Float64Array.from({ length: SIZE * SIZE }, (_, i) => Math.cos(i));
const c = new Float64Array(SIZE * SIZE);

/** About a millisecond of arithmetic, in loops of its own. */
function multiply() {
  for (let i = 0; i < SIZE; i++) {
    for (let j = 0; j < SIZE; j++) {
      let sum = 0;
      for (let k = 0; k < SIZE; k++) sum += (a[i * SIZE + k] ?? 0) * (b[k * SIZE + j] ?? 0);
      c[i * SIZE + j] = sum;
    }
  }
  return c[SIZE + 1] ?? 0;
}

/** Epochs of steps, each a product of two matrices. @param {number} n steps in all */
export function training(n) {
  const steps = 20;
  let sum = 0;
  let from = 0;
  let ms = 0;
  for (let epoch = 0; epoch < n / steps; epoch++) {
    for (let step = 0; step < steps; step++) {
      if (epoch === 0 && step === 0) from = now();
      sum += multiply();
      if ((epoch + 1) * steps >= n && step === steps - 1) ms = now() - from;
    }
  }
  return { ms, sum };
}

const work = Float64Array.from({ length: 60_000 }, (_, i) => Math.sin(i));

/** One loop around the work. @param {number} n */
export function singleLoop(n) {
  let sum = 0;
  let from = 0;
  let ms = 0;
  for (let i = 0; i < n; i++) {
    if (i === 0) from = now();
    sum += Math.sin(work.reduce((total, value) => total + Math.exp(value * 1e-3), 0) + i);
    if (i === n - 1) ms = now() - from;
  }
  return { ms, sum };
}
