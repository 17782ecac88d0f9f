import { expect, test } from "vitest";
import { Iterators } from "./iterators.ts";

function* numbers(): Generator<number> {
  yield 1;
}

const cached = [1, 2][Symbol.iterator]();

/** What loops go through; whether a second loop over it goes on with the same iterator. */
const GONE_THROUGH: readonly (readonly [
  what: string,
  iterable: Iterable<unknown>,
  isSame: boolean,
])[] = [
  ["an array", [1, 2], false],
  ["a typed array", new Float32Array(2), false],
  ["a map", new Map([[1, 2]]), false],
  ["a set", new Set([1]), false],
  ["a text", Object("ab") as Iterable<string>, false],
  ["a generator", numbers(), true],
  ["an iterator of an array", [1, 2][Symbol.iterator](), true],
  ["what gives the same iterator each time", { [Symbol.iterator]: () => cached }, true],
  ["an array that does", Object.assign([1], { [Symbol.iterator]: () => cached }), true],
];

test.each(GONE_THROUGH)("%s is known again only where it can come again", (_, iterable, isSame) => {
  const iterators = new Iterators();
  const enter = () => iterators.track(iterable, iterable[Symbol.iterator](), []);
  const first = enter();
  expect(enter() === first).toBe(isSame);
});

test("an iterator that nobody else has is held by nobody", () => {
  const iterators = new Iterators();
  const items = [{}];
  const made = items[Symbol.iterator]();
  expect(iterators.track(items, made, []).key).not.toBe(made);
});
