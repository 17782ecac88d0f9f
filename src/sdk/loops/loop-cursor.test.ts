/** What a cursor says to whoever drives a loop, and what observers then hear. */
import { describe, expect, test } from "vitest";
import type { CheckpointRecord, LoopExit } from "../../format/index.ts";
import type { Move } from "../replay/entry-progress.ts";
import { Iterators } from "./iterators.ts";
import type { LoopHost } from "./loop-cursor.ts";
import { LoopCursor } from "./loop-cursor.ts";
import type { LoopFrame } from "./loop-frame.ts";
import type { LoopObserver } from "./loop-observer.ts";
import { LoopStack } from "./loop-stack.ts";

/** Writes down what it hears, by the loop's name and the index of its iteration. */
function listener(heard: string[]): LoopObserver {
  const note = (what: string, { name, index }: LoopFrame): void => {
    heard.push(`${name} ${index} ${what}`);
  };
  return {
    entered: (frame) => note("entered", frame),
    iterationBegan: (frame, item) => note(`began with ${String(item)}`, frame),
    iterationEnded: (frame, isComplete) => note(isComplete ? "ended" : "left", frame),
    loopEnded: (frame, how, isUnwound) => note(isUnwound ? `unwound` : how, frame),
    batchEnded: (frame, count) => note(`passed ${count}`, frame),
    arrived: (frame, restored) => note(`arrived${restored ? ", restored" : ""}`, frame),
  };
}

/** A run whose director has these moves to give, one for each time that it is asked. */
function hostOf(heard: string[], moves?: (Move | undefined)[]): LoopHost {
  const observers = [listener(heard)];
  const loops = new LoopStack({ observers, iterators: new Iterators(), director: undefined });
  const director = moves && {
    dropping: false,
    before: () => moves.shift(),
    restore: () => ({ index: 2, restored: {} as CheckpointRecord }),
    skip: () => ({ index: 4, how: "break" as LoopExit }),
    tooShort: (): never => expect.unreachable(),
  };
  return {
    loops,
    director,
    safely: (work) => work(),
    enterLoop(stack, entered, source) {
      return this.safely(() => stack.enter(entered, source));
    },
    inTurn: (stack, frame, work) => work(stack, frame),
  };
}

const statement = (name: string) => ({ name, site: null, context: undefined });

function enter(host: LoopHost, name: string): LoopCursor {
  const cursor = new LoopCursor(host);
  cursor.enter(statement(name), { iterable: [], iterator: {}, drawsBefore: 0 });
  return cursor;
}

/** Goes through items as a `for…of` does: what it did with each, and how it ended. */
function drive(cursor: LoopCursor, items: readonly string[]): string[] {
  const left = [...items];
  const done: string[] = [];
  for (;;) {
    const step = cursor.advance();
    if (step === "end") {
      cursor.skip();
      return [...done, "end"];
    }
    if (step === "body") {
      const item = left.shift();
      if (item === undefined) {
        cursor.end("exhausted");
        return done;
      }
      cursor.begin(item, 0);
      done.push(item);
    } else done.push(...left.splice(0, step.drop).map((item) => `drop ${item}`));
  }
}

describe("a cursor", () => {
  test.each<[string, (Move | undefined)[] | undefined, string[], string[]]>([
    [
      "without a replay",
      undefined,
      ["a", "b"],
      ["0 began with a", "0 ended", "1 began with b", "1 ended", "1 exhausted"],
    ],
    [
      "that drops items before the restore",
      [[{ drop: 3 }, "restore"]],
      ["drop a", "drop b", "drop c", "d"],
      ["2 arrived, restored", "3 began with d", "3 ended", "3 exhausted"],
    ],
    [
      "that drops items after the restore",
      [["restore", { drop: 3 }]],
      ["drop a", "drop b", "drop c", "d"],
      ["2 arrived, restored", "3 began with d", "3 ended", "3 exhausted"],
    ],
    [
      "that is where its iterator was set",
      [undefined, ["restore"], "end"],
      ["a", "b", "end"],
      ["0 began with a", "0 ended", "2 arrived, restored", "3 began with b", "3 ended", "4 break"],
    ],
    ["that ends at once", ["end"], ["end"], ["4 break"]],
    ["that ends later", [undefined, "end"], ["a", "end"], ["0 began with a", "0 ended", "4 break"]],
  ])("%s", (_, moves, done, events) => {
    const heard: string[] = [];
    const host = hostOf(heard, moves);
    const items = ["a", "b", "c", "d"].slice(0, moves ? 4 : 2);
    expect(drive(enter(host, "x"), items)).toEqual(done);
    expect(heard).toEqual(["-1 entered", ...events].map((event) => `x ${event}`));
    expect(host.director?.dropping ?? false).toBe(false);
    expect(host.loops.top).toBeUndefined();
  });

  test("of a framework that cannot be led only counts", () => {
    const heard: string[] = [];
    const cursor = enter(hostOf(heard), "x");
    cursor.beginNext("a");
    cursor.beginNext("b");
    cursor.end("break");
    const events = ["-1 entered", "0 began with a", "0 ended", "1 began with b", "1 left"];
    expect(heard).toEqual([...events, "1 break"].map((event) => `x ${event}`));
  });

  test("where nothing is recorded says body, and keeps nothing", () => {
    const cursor = enter({ ...hostOf([]), safely: () => undefined }, "x");
    expect([cursor.advance(), cursor.frame, cursor.isOver]).toEqual(["body", undefined, false]);
    cursor.end("exhausted");
    expect(cursor.isOver).toBe(true);
  });
});

describe("observers hear", () => {
  test("that a loop left open has ended when the one around it goes on", () => {
    const heard: string[] = [];
    const host = hostOf(heard);
    const outer = enter(host, "outer");
    outer.advance();
    outer.begin("a", 0);
    const inner = enter(host, "inner");
    inner.advance();
    inner.begin("b", 0);
    heard.length = 0;
    outer.advance();
    expect(heard).toEqual(["inner 0 left", "inner 0 unwound", "outer 0 ended"]);
    inner.end("closed");
    expect(heard).toHaveLength(3);
  });

  test("of iterations that went by when somebody wants to know where the loop is", () => {
    const heard: string[] = [];
    const host = hostOf(heard);
    const cursor = enter(host, "x");
    cursor.advance();
    cursor.begin("a", 0);
    const batch = { unreported: () => 3, stop: () => 3 };
    if (cursor.frame) cursor.frame.batch = batch;
    expect(host.loops.lastKnown?.index).toBe(0);
    expect(host.loops.top?.index).toBe(3);
    expect(heard.at(-1)).toBe("x 3 passed 3");
    expect(cursor.takeBack(batch)).toBe(false);
    cursor.leave();
    cursor.end("exhausted");
    expect(heard.slice(-2)).toEqual(["x 2 left", "x 2 exhausted"]);
  });
});
