/** What counts as another state. */
import { expect, test } from "vitest";
import type { StatePlace } from "../../adapters/index.ts";
import { capture, ClassRegistry, identify } from "../../adapters/index.ts";
import type { CheckpointRecord } from "../../format/index.ts";
import { placeHashes } from "../../materialize/index.ts";
import { differingPlaces } from "./compare-state.ts";

const classes = new ClassRegistry();

function place(key: string, value?: number): StatePlace {
  const get = (): number => {
    if (value === undefined) throw new ReferenceError(key);
    return value;
  };
  return { key, source: "b", get };
}

function recorded(places: readonly StatePlace[]): CheckpointRecord["places"] {
  return placeHashes(capture(places, identify(places, { classes }), classes).graph, new Map());
}

test.each([
  ["the same", place("t@0", 1), place("t@0", 1), []],
  ["another value", place("t@0", 1), place("t@0", 2), ["t@0"]],
  ["over, and skipped", place("t@gone"), place("t@none"), []],
  ["over, and there", place("t@gone"), place("t@0", 1), ["t@0", "t"]],
])("%s", (_, then, now, differs) => {
  const generators: [] = [];
  const entry = identify([now], { classes });
  const found = differingPlaces(
    { places: [now], entry, classes, generators },
    { places: recorded([then]), generators },
  );
  expect(found).toEqual(differs);
});
