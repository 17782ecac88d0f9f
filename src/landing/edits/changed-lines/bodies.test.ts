/** Which bodies and heads of statements are the same program with more to see. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Change } from "../../../../test/support/changed-lines.ts";
import { inLoop } from "../../../../test/support/changed-lines.ts";
import { prepareLanguages } from "../../../languages/index.ts";

beforeAll(() => prepareLanguages(["a.py", "a.ts"]));

/** Heads of statements. */
const OTHER_HEADS: readonly Change[] = [
  [
    "a condition that is evaluated again",
    "    while net(x) > y:\n        f(x)",
    "    out = net(x)\n    while out > y:\n        f(x)",
  ],
  [
    "one that may not be evaluated",
    "    if y:\n        f(x)\n    elif net(x):\n        f(y)",
    "    out = net(x)\n    if y:\n        f(x)\n    elif out:\n        f(y)",
  ],
  [
    "a part that may not be",
    "    if y and net(x):\n        f(x)",
    "    out = net(x)\n    if y and out:\n        f(x)",
  ],
  [
    "behind what it may set",
    "    if g > net(x):\n        f(x)",
    "    out = net(x)\n    if g > out:\n        f(x)",
  ],
  [
    "another condition",
    "    if net(x) > y:\n        f(x)",
    "    out = net(x)\n    if out >= y:\n        f(x)",
  ],
  [
    "another one behind it",
    "    if net(x) > y:\n        f(x)\n    elif y:\n        f(y)",
    "    out = net(x)\n    if out > y:\n        f(x)\n    elif x:\n        f(y)",
  ],
  [
    "a branch more",
    "    if net(x) > y:\n        f(x)",
    "    out = net(x)\n    if out > y:\n        f(x)\n    else:\n        f(y)",
  ],
  [
    "what Afterlog goes over",
    "    for b in loop('s', data):\n        f(b)",
    "    out = loop('s', data)\n    for b in out:\n        f(b)",
  ],
  [
    "what each iteration makes",
    "    for b in data:\n        f(net(b))",
    "    out = net(b)\n    for b in data:\n        f(out)",
  ],
];

/** Bodies that got braces. */
const BRACES: readonly Change[] = [
  ["of if", "  if (x) g = f(g);", '  if (x) { g = f(g); console.log("g", g); }'],
  [
    "of else",
    "  if (x) g = f(g); else f(x);",
    '  if (x) g = f(g); else { console.log("g", g); f(x); }',
  ],
  [
    "of the second of two",
    "  if (x) g = f(g);\n  if (x) g = f(g);",
    "  if (x) g = f(g);\n  if (x) { g = f(g); console.log(g); }",
  ],
  [
    "of a loop that counts",
    "  for (const b of data) f(b);",
    "  for (const [i, b] of data.entries()) { f(b); console.log(i); }",
  ],
  [
    "one in the other",
    "  for (const b of data) if (b) f(b);",
    "  for (const b of data) { if (b) { f(b); console.log(b); } }",
  ],
  ["of while", "  while (x) x = f(x);", "  while (x) { x = f(x); console.log(x); }"],
  ["and a result bound", "  if (x) clip(net);", "  if (x) { const h = clip(net); }"],
  [
    "of an arrow function",
    "  const h = (a) => f(a) + 1;",
    "  const h = (a) => { const b = f(a); return b + 1; };",
  ],
  [
    "of a callback",
    "  x = data.map((a) => f(a)).length;",
    "  x = data.map((a) => { const b = f(a); console.log(b); return b; }).length;",
  ],
  ["of an object", "  const h = () => ({ a: x });", "  const h = () => { f; return { a: x }; };"],
];

const OTHER_BRACES: readonly Change[] = [
  ["with another value", "  if (x) g = f(g);", "  if (x) { g = f(g) + 1; console.log(g); }"],
  ["without what was in it", "  if (x) g = f(g);", "  if (x) { console.log(g); }\n  g = f(g);"],
  [
    "an arrow function that gives nothing",
    "  const h = (a) => f(a);",
    "  const h = (a) => { f(a); };",
  ],
  [
    "and something else",
    "  const h = (a) => f(a);",
    "  const h = (a) => { const b = f(a); return b * 2; };",
  ],
  [
    "in another order",
    "  const h = (a) => f(a) + end(a);",
    "  const h = (a) => { const b = end(a); return f(a) + b; };",
  ],
  [
    "a name of the run",
    "  const h = (a) => f(a) + g;",
    "  const h = (a) => { const g = f(a); return g + g; };",
  ],
  [
    "a callback that gives more",
    "  const h = () => { const k = data.map((a) => f(a)); return k; };",
    "  const h = () => { const k = data.map((a) => { return [f(a), 1]; }); return k; };",
  ],
];

describe.each([
  ["a.py", "another program, in its heads", OTHER_HEADS, 1],
  ["a.ts", "the same program, with braces", BRACES, 0],
  ["a.ts", "another program, with braces", OTHER_BRACES, 1],
] as const)("%s: %s", (file, _, changes, lost) => {
  test.each(changes)("%s", (__, then, now) => {
    expect(inLoop(file, then, now)).toEqual({ lost, canBeUndone: true });
  });
});
