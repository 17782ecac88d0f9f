import { describe, expect, test } from "vitest";
import type { CheckpointRecord } from "../format/index.ts";
import type { ChangedName, SourceLoop, SourceModel } from "../languages/index.ts";
import { whyIncomplete } from "./complete.ts";

const changed = (name: string, access: ChangedName["access"]): ChangedName => {
  return { key: `t.ts:0:${name}`, name, access };
};

function loop(name: string, ...changes: readonly ChangedName[]): SourceLoop {
  const place = { file: "t.ts", line: 12, column: 1 };
  return { id: 0, ordinal: 0, name, form: "for", changes, iterator: "index", ...place };
}

function checkpoint(places: readonly string[], absent: readonly string[] = []): CheckpointRecord {
  return {
    places: places.map((key) => ({ key, crc32: "" })),
    absent: absent.map((key) => ({ key, why: "it is a WeakMap" })),
  } as unknown as CheckpointRecord;
}

const total = changed("total", "name");
const rate = changed("rate", "bound");
const model = changed("model", "declared");

describe("whyIncomplete", () => {
  test.each<[string, CheckpointRecord, SourceLoop[], RegExp | undefined]>([
    ["nothing changes", checkpoint([]), [loop("epoch")], undefined],
    ["a name is held", checkpoint(["t.ts:0:total#0"]), [loop("epoch", total)], undefined],
    [
      "a name is not held",
      checkpoint(["d0.w"]),
      [loop("epoch", total)],
      /^total \(t.ts:12\) changes/,
    ],
    [
      "a name is held for the outer loop only",
      checkpoint(["t.ts:0:total#0"]),
      [loop("epoch", total), loop("step", total)],
      /changes in loop "step" and was not captured$/,
    ],
    [
      "a name is held for both",
      checkpoint(["t.ts:0:total#0", "t.ts:0:total#1"]),
      [loop("epoch", total), loop("step", total)],
      undefined,
    ],
    [
      "a name could not be captured",
      checkpoint(["t.ts:0:total#0"], ["t.ts:0:total#0"]),
      [loop("epoch", total)],
      /could not be captured: it is a WeakMap/,
    ],
    [
      "what a loader keeps could not be captured",
      checkpoint(["t.ts:0:total#0"], ["loader:epoch/step:workers"]),
      [loop("epoch", total)],
      /continues with what was not captured: it is a WeakMap/,
    ],
    [
      "what cuDNN keeps could not be captured",
      checkpoint(["t.ts:0:total#0"], ["cudnn:dropout"]),
      [loop("epoch", total)],
      /continues with what was not captured: it is a WeakMap/,
    ],
    [
      "what autocast keeps could not be captured",
      checkpoint(["t.ts:0:total#0"], ["autocast:weights"]),
      [loop("epoch", total)],
      /continues with what was not captured: it is a WeakMap/,
    ],
    [
      "another name begins alike",
      checkpoint(["t.ts:0:totals#0"]),
      [loop("e", total)],
      /not captured/,
    ],
    ["a bound name is held", checkpoint(["t.ts:0:rate@1"]), [loop("e", rate)], undefined],
    [
      "one that nobody has declared yet",
      checkpoint(["t.ts:0:rate@none"]),
      [loop("e", rate)],
      undefined,
    ],
    [
      "one that is over",
      checkpoint(["t.ts:0:rate@gone"]),
      [loop("e", { ...rate, ofIteration: true })],
      undefined,
    ],
    ["one that may live on", checkpoint(["t.ts:0:rate@gone"]), [loop("e", rate)], /not captured/],
    [
      "one that may have a value all the same",
      checkpoint(["t.ts:0:rate@none"]),
      [loop("e", { ...rate, hoisted: true })],
      /not captured/,
    ],
    ["a bound name is not", checkpoint(["t.ts:0:rates@1"]), [loop("e", rate)], /not captured/],
    ["declared state is held", checkpoint(["d3.model"]), [loop("e", model)], undefined],
    [
      "no declared state is",
      checkpoint(["t.ts:0:d0.x#0"]),
      [loop("e", model)],
      /no declared state/,
    ],
    [
      "what nobody can capture",
      checkpoint(["d0.w"]),
      [loop("e", changed("x", "out-of-reach"))],
      /cannot be captured$/,
    ],
  ])("%s", (_, record, active, expected) => {
    const source: SourceModel = { files: [], loops: active, logs: [], uncertain: [] };
    const why = whyIncomplete(record, active, { model: source, rewritten: true });
    if (expected) expect(why).toMatch(expected);
    else expect(why).toBeUndefined();
  });

  test("a run that was not rewritten is told how to record", () => {
    const source: SourceModel = { files: [], loops: [], logs: [], uncertain: [] };
    const why = whyIncomplete(checkpoint(["d0.w"]), [loop("epoch", total)], {
      model: source,
      rewritten: false,
    });
    expect(why).toBe(
      'total (t.ts:12) changes in loop "epoch" and was not captured; record with afterlog run',
    );
  });

  test("what only the loop reads is not asked for behind it", () => {
    const position = { ...total, inside: true as const };
    const source: SourceModel = { files: [], loops: [], logs: [], uncertain: [] };
    const whole = { model: source, rewritten: true };
    const behind = { ...whole, isOver: true };
    const record = checkpoint([], ["t.ts:0:total#0"]);
    expect(whyIncomplete(record, [loop("e", position)], behind)).toBeUndefined();
    expect(whyIncomplete(record, [loop("e", position)], whole)).toMatch(/could not be captured/);
    expect(whyIncomplete(record, [loop("e", total)], behind)).toMatch(/could not be captured/);
    const around = [loop("e", position), loop("step")];
    expect(whyIncomplete(record, around, behind)).toMatch(/could not be captured/);
  });

  test("what the loops around change is not asked for where it has been executed", () => {
    const source: SourceModel = { files: [], loops: [], logs: [], uncertain: [] };
    const along = { model: source, rewritten: true, hasAround: true };
    const around = loop("epoch", changed("lib", "out-of-reach"));
    const held = checkpoint(["t.ts:0:total#1"]);
    const active = [around, loop("step", total)];
    expect(whyIncomplete(held, active, along)).toBeUndefined();
    expect(whyIncomplete(held, active, { ...along, hasAround: false })).toMatch(/cannot be/);
    expect(whyIncomplete(checkpoint(["t.ts:0:total#0"]), active, along)).toMatch(/loop "step"/);
    expect(whyIncomplete(held, [undefined, loop("step", total)], along)).toMatch(/not found/);
  });

  test("nothing is complete under a loop that is not known, or in doubt", () => {
    const source: SourceModel = { files: [], loops: [], logs: [], uncertain: [] };
    const whole = { model: source, rewritten: true };
    expect(whyIncomplete(checkpoint([]), [undefined], whole)).toMatch(/not found/);
    const doubtful = { model: { ...source, uncertain: ["eval at t.ts:3"] }, rewritten: true };
    expect(whyIncomplete(checkpoint([]), [loop("e")], doubtful)).toBe("eval at t.ts:3");
  });
});
