/**
 * What a loop changes of state that hides is restored, or the loop is executed again; nothing may be
 * restored to something else. The truth is what a program says that has executed the loop; another copy of
 * it gets what the analysis names of that. What closures keep is reached by accessors in their own scope,
 * which a copy here has not: other tests execute them.
 */
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import type { StatePlace } from "../../../src/adapters/index.ts";
import { identify, rememberBound } from "../../../src/adapters/index.ts";
import { analyzeProgram } from "../../../src/languages/index.ts";
import { load, save } from "../../adapters/round-trip.ts";
import { isAfterlogError } from "../../../src/format/index.ts";
import { CONVERTED } from "./converted-rows.ts";
import { ROWS } from "./hidden-state-rows.ts";

interface Copy {
  readonly places: readonly StatePlace[];
  readonly loop: () => void;
  readonly ask: () => unknown;
}

rememberBound();

/** Names that the loop changes; undefined: it is executed again, or they are not in reach here. */
function changedNames(text: string): string[] | undefined {
  const read = (file: string): string | undefined => (file === "t.cjs" ? text : undefined);
  const { loops, uncertain } = analyzeProgram("t.cjs", read);
  const changes = loops[0]?.changes ?? [];
  const isTold = uncertain.length === 0 && changes.every(({ access }) => access !== "out-of-reach");
  const outside = changes.filter(({ name }) => name !== "i");
  const isHere = outside.every(({ key }) => key.startsWith("t.cjs:0:"));
  return isTold && isHere ? outside.map(({ name }) => name) : undefined;
}

const place = (name: string): string =>
  `{ key: "${name}", source: "b", get: () => ${name}, set: (v) => { if (v !== ${name}) ${name} = v; } }`;

/** Whether this version of Node has what the row uses. */
function isHere(make: () => Copy): boolean {
  try {
    make().loop();
    return true;
  } catch {
    return false;
  }
}

test.each(Object.entries({ ...ROWS, ...CONVERTED }))("%s", (_, [before, body, ask]) => {
  const text = `const al = require("afterlog");
${before}
for (const i of al.loop("epoch", al.range(3))) {
  ${body}
}
console.log(${ask});
`;
  const names = changedNames(text);
  if (names === undefined) return;
  const program = `${before}
return {
  places: [${names.map(place).join()}],
  loop() { for (const i of [0, 1, 2]) { ${body} } },
  ask: () => (${ask}),
};`;
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- rows are programs
  const begin = new Function("require", program) as (require: NodeJS.Require) => Copy;
  const make = (): Copy => begin(createRequire(import.meta.url));
  const untouched = isHere(make) ? make().ask() : undefined;
  if (!isHere(make)) return;
  // What every copy sees is in none of them.
  expect(make().ask()).toEqual(untouched);
  const [executed, restored] = [make(), make()];
  const entry = identify(executed.places);
  executed.loop();
  const saved = save(executed.places, entry);
  if (saved.graph.places.some((one) => one.absent !== undefined)) return;
  const truth = executed.ask();
  try {
    load(restored.places, saved, identify(restored.places, { hold: true }));
  } catch (error) {
    if (isAfterlogError(error)) return;
    throw error;
  }
  expect(restored.ask()).toEqual(truth);
});
