import { expect, test } from "vitest";
import { capture } from "../../adapters/index.ts";
import { LoopFrame } from "../loops/loop-frame.ts";
import type { TrackedIterator } from "../loops/loop-frame.ts";
import { CapturedState } from "./captured-state.ts";

const ALIVE_MAX = 2000;

function loop(): LoopFrame {
  const statement = { name: "k", site: null, context: undefined };
  const where = { entry: 0, parent: undefined, entryPath: [], entryText: "" };
  const iterator = { delivered: 0 } as TrackedIterator;
  return new LoopFrame(statement, where, { iterator, length: undefined, itemsKnown: false });
}

/** Registers a variable as often as its function is called. */
function calls(state: CapturedState, scope: LoopFrame | undefined, count: number): void {
  for (let n = 0; n < count; n++) state.bind(["t.js:0:s", () => n], scope);
}

test("a variable of too many calls is not held, and the checkpoint says so", () => {
  const state = new CapturedState();
  const frame = loop();
  calls(state, frame, 2 * ALIVE_MAX);
  const { graph } = capture(state.places(frame));
  expect(graph.places).toHaveLength(ALIVE_MAX + 1);
  expect(graph.places.flatMap(({ key, absent }) => (absent ? [key, absent] : []))).toStrictEqual([
    "t.js:0:s@lost",
    "there are more than 2000 of it",
  ]);
});

test("what ends with an iteration is held again in the next", () => {
  const state = new CapturedState();
  const frame = loop();
  calls(state, undefined, 2);
  calls(state, frame, 2 * ALIVE_MAX);
  expect(state.places(frame, frame).map(({ key }) => key)).toStrictEqual([
    "t.js:0:s@0",
    "t.js:0:s@1",
  ]);
  state.closed(frame);
  calls(state, frame, 1);
  expect(state.places(frame).map(({ key }) => key)).toStrictEqual([
    "t.js:0:s@0",
    "t.js:0:s@1",
    "t.js:0:s@2",
  ]);
});
