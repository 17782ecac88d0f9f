import { expect, test } from "vitest";
import { capture } from "../../adapters/index.ts";
import { LoopFrame } from "../loops/loop-frame.ts";
import type { TrackedIterator } from "../loops/loop-frame.ts";
import { LoopContext } from "../loops/instrument.ts";
import { CapturedState } from "./captured-state.ts";

const ALIVE_MAX = 2000;

function loop(context?: LoopContext): LoopFrame {
  const statement = { name: "k", site: null, context };
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

test("what only loops change that are not recorded any more is not registered, and one that still runs says so", () => {
  const state = new CapturedState();
  const frame = loop(new LoopContext({ file: "t.js", site: [1, 1, 2, 1, ["t.js:0:s"]] }, () => []));
  state.opened("t.js");
  calls(state, undefined, 1);
  state.hold(new Set(["t.js:0:other"]));
  calls(state, frame, 2);
  const held = state.places(undefined).map(({ key }) => key);
  expect(held).toStrictEqual(["t.js:0:s@0"]);
  const { graph } = capture(state.places(frame));
  expect(graph.places.map(({ key, absent }) => [key, absent])).toStrictEqual([
    ["t.js:0:s@0", undefined],
    ["t.js:0:s@lost", "the loops that change it are not recorded any more"],
  ]);
});
