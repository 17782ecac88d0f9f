/** What the analysis of a program says of loops over datasets: their maps run in the loop. */
import { expect, test } from "vitest";
import { changesOf } from "./check.ts";

const STEP = 'for (const b of al.loop("step", data))';

test.each<[string, string, string]>([
  [
    "nothing",
    `const data = al.dataset([[1], [2]]).shuffle(1).batch(2); ${STEP} al.log("b", b);`,
    "",
  ],
  [
    "nothing by a map that only reads",
    `const w = [1]; const data = al.dataset(9).map((x, { random }) => x * w[0] + random.next()).batch(3); ${STEP} ;`,
    "",
  ],
  [
    "what a map changes",
    `let seen = 0; const data = al.dataset(9).map((x) => { seen++; return x; }).batch(3); ${STEP} ;`,
    "seen",
  ],
  [
    "what a map of batches changes, in a function of its own",
    `const sizes = []; function note(b) { sizes.push(b.length); return b; }
    const base = al.dataset(9).batch(3); const data = base.map(note).map((b) => b); ${STEP} ;`,
    "sizes",
  ],
  [
    "what an awaited map changes",
    `let seen = 0; const data = (await al.dataset.collect(read())).shuffle(1).map(async (x) => { seen += x; });
    async function* read() { yield 1; } for await (const b of al.loop("step", data)) ;`,
    "seen",
  ],
  [
    "items, by a map and by the body",
    `const items = [{ n: 0 }, { n: 0 }]; const others = [{ n: 0 }];
    const data = al.dataset(items).map((item) => { item.n++; return item; }).batch(2); ${STEP} { b[0].n++; }`,
    "data items",
  ],
  [
    "items, by the body alone",
    `const items = [{ n: 0 }, { n: 0 }]; const data = al.dataset(items).batch(2); ${STEP} { for (const x of b) x.n++; }`,
    "data items",
  ],
  [
    "what a function changes that goes over a batch of numbers",
    `let total = 0; const data = al.dataset(9).batch(3); ${STEP} b.forEach((x) => { total += x; });`,
    "total",
  ],
  [
    "what a generator changes that feeds it",
    `let read = 0; async function* lines() { for (;;) { read++; yield "x"; } }
    const data = al.dataset({ [Symbol.asyncIterator]: lines }).batch(2); for await (const b of al.loop("step", data)) ;`,
    "read",
  ],
  [
    "what a dataset changes that is gone through by hand",
    `let seen = 0; const other = al.dataset(3).map((x) => { seen++; return x; });
    const data = al.range(3); ${STEP} { for (const x of other) ; const all = [...other]; }`,
    "seen",
  ],
  [
    "no position: the SDK keeps it",
    `const data = al.dataset(9).batch(3); const other = al.dataset(3);
    ${STEP} { other.setEpoch(2); other.restore(other.state()); al.log("s", data.state()); }`,
    "",
  ],
])("a loop over a dataset changes %s", (_, text, changes) => {
  expect(changesOf(text)).toBe(changes);
});
