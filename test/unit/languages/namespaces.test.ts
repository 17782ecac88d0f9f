/** What a loop may change of what a TypeScript namespace holds. */
import { expect, test } from "vitest";
import { changesOf, LOOP } from "./check.ts";

test.each([
  [
    "what it holds",
    `namespace N { let n = 0; export const xs: number[] = []; export function up() { n++; xs.push(n); } } ${LOOP} N.up();`,
    "N n:bound xs:bound",
  ],
  [
    "what it computes",
    `namespace N { export const k = 2; export namespace M { export function half(x: number) { return x / k; } } } let w = 1; ${LOOP} w = N.M.half(w);`,
    "w",
  ],
  [
    "a class of it",
    `namespace N { export class A { n = 0; up() { this.n++; } } } const a = new N.A(); ${LOOP} a.up();`,
    "a",
  ],
  [
    "a variable that it gives",
    `namespace N { export let n = 0; } ${LOOP} N.n++;`,
    "an object that is not followed:out-of-reach ? train.ts:2: a namespace",
  ],
  [
    "one in two parts",
    `namespace N { export const a = { n: 0 }; } namespace N { export const b = 1; } ${LOOP} N.a.n++;`,
    "N a:bound ? train.ts:2: a namespace",
  ],
  [
    "one of a class",
    `class N {} namespace N { export const a = { n: 0 }; } ${LOOP} N.a.n++;`,
    "an object that is not followed:out-of-reach ? train.ts:2: a namespace",
  ],
])("%s", (_, text, changes) => {
  expect(changesOf(text)).toBe(changes);
});
