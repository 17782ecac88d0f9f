/** Variables that a loop leaves alone, and that lead to an object to which one leads that it sets. */
import { expect, test } from "vitest";
import type { Sources } from "./check.ts";
import { changesOf, LOOP } from "./check.ts";

test.each<[what: string, sources: Sources, changes: string, loop?: number]>([
  [
    "changed behind the loop",
    `let box; const pool = [{ n: 0 }, { n: 1 }]; ${LOOP} { box = pool[e]; } box.n++; al.log("n", pool[0].n);`,
    "box pool",
  ],
  [
    "of the iteration around, changed behind the loop",
    `let box; for (const o of al.loop("o", [1])) { const pool = [{ n: 0 }]; ${LOOP} { box = pool[0]; } box.n++; }`,
    "box pool",
    1,
  ],
  [
    "taken in a function, changed by whoever called it",
    `let box; const pool = [{ n: 0 }]; function take() { ${LOOP} { box = pool[0]; } } take(); pool[0].n++;`,
    "box pool",
  ],
  [
    "changed in the next iteration around, before the loop",
    `let box = { n: 0 }; const pool = [{ n: 0 }]; for (const o of al.loop("o", [1, 2])) { pool[0].n++; ${LOOP} { box = pool[0]; } }`,
    "box pool",
    1,
  ],
  [
    "left alone since",
    `let box; const pool = [{ n: 0 }]; pool[0].n++; ${LOOP} { box = pool[0]; } al.log("n", box.n);`,
    "box",
  ],
])("an object of a list, %s", (_, sources, changes, loop) => {
  expect(changesOf(sources, loop)).toBe(changes);
});
