import { describe, expect, test } from "vitest";
import { matchOf, modelOf } from "../../test/unit/planner/recorded-run.ts";
import type { CheckpointRecord, DrawSummary, IteratorPosition } from "../format/index.ts";
import type { SourceLoop } from "../languages/index.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { RestorablePoints } from "./restorable-points.ts";

const PLACES = [{ key: "p.ts:0:v0#0", crc32: "" }];

function checkpoint(
  index: number | "end",
  fields: Partial<CheckpointRecord> = {},
): CheckpointRecord {
  const kind = index === "end" ? "loop" : "iteration";
  const known = { kind, path: [["l0", index]], seq: 5, places: PLACES, absent: [], iterators: [] };
  const file = `l0=${index}.safetensors`;
  return { ...known, file, needs: [], stateBytes: 1, ...fields } as unknown as CheckpointRecord;
}

function entry(fields: Partial<LoopEntry> = {}): LoopEntry {
  const site = { file: "p.ts", line: 10, column: 5, endLine: 99, endColumn: 1 };
  const times = { next: [], head: [], inner: [], tail: [] };
  const known = { key: "l0=end", path: [], loop: "l0", entry: 0, depth: 0, site, times };
  const state = { iterator: 0, seq: 0, ranged: false, iterations: 4, how: "exhausted" as const };
  const quiet = { draws: [], pending: [], outlasts: false, children: new Map(), elapsedMs: 1 };
  return { ...known, ...state, ...quiet, ...fields };
}

interface Given {
  readonly entry?: Partial<LoopEntry>;
  readonly loop?: Partial<SourceLoop>;
  readonly end?: Partial<CheckpointRecord>;
  /** Entered later, over the same iterator. */
  readonly again?: boolean;
  /** The loop in which the audit of the run found something. */
  readonly audited?: string;
  readonly loopsOff?: readonly string[];
}

/** How iteration 2 can begin, and whether the loop can be skipped. */
function points(given: Given): { begins: string | undefined; skips: boolean; reasons: string } {
  const source = modelOf([{ id: 0, name: "l0", iterator: "index", loops: [] }]);
  const model = { ...source, loops: source.loops.map((loop) => ({ ...loop, ...given.loop })) };
  const first = entry(given.entry);
  const again = entry({ key: "l0#1=end", entry: 1, seq: 9 });
  const records = [checkpoint(1, given.end), checkpoint("end", given.end)];
  const facts = {
    rewritten: true,
    loopsOff: given.loopsOff,
    entries: given.again ? [first, again] : [first],
    audit: given.audited ? [{ file: "p.ts", line: 10, loop: given.audited, name: "ema" }] : [],
    checkpoints: new Map(records.map((record) => [`l0=${String(record.path[0]?.[1])}`, record])),
  } as unknown as RunFacts;
  const found = new RestorablePoints(facts, model, matchOf(model), { hasAround: true });
  const ends = found.iterationEnds(first).filter(({ next }) => next === 2);
  return {
    begins: ends[0]?.reposition,
    skips: found.loopEnd(first) !== undefined,
    reasons: found.reasons.join("; "),
  };
}

const draws = (lastNext: number | null, firstBody: number | null): DrawSummary[] => {
  return [{ generator: "Math.random", lastNext, firstBody, outside: 0 }];
};
const standing = (fields: Partial<IteratorPosition>): { iterators: IteratorPosition[] } => {
  return { iterators: [{ id: 0, created: [], delivered: 2, inEntry: 2, over: false, ...fields }] };
};
const CONSUMED = { iterator: "independent", awaits: false } as const;

describe("RestorablePoints", () => {
  test.each<[string, Given, string | undefined, boolean]>([
    ["an array", {}, "index", true],
    [
      "a range, whatever the source tells",
      { entry: { ranged: true }, loop: { iterator: "dependent" } },
      "index",
      true,
    ],
    [
      "a plain loop, whose test draws after its body",
      { loop: { form: "plain", iterator: "state" }, entry: { draws: draws(3, 0) } },
      "index",
      true,
    ],
    ["a loop that several calls may be in", { loop: { concurrent: true } }, undefined, false],
    [
      "a plain loop in a run in which loops ran at the same time",
      { loop: { form: "plain", iterator: "state" }, loopsOff: ["loop l0: at the same time"] },
      undefined,
      false,
    ],
    [
      "a plain loop that was going on when the one around it went on",
      { loop: { form: "plain", iterator: "state" }, entry: { how: "closed" } },
      undefined,
      false,
    ],
    [
      "an iterator with a state",
      { loop: { iterator: "dependent" }, end: standing({ state: 1 }) },
      "state",
      true,
    ],
    [
      "one whose state could not be had",
      { loop: { iterator: "dependent" }, end: standing({ absent: "no" }) },
      undefined,
      true,
    ],
    [
      "a generator that reads what the body changes",
      { loop: { iterator: "dependent" } },
      undefined,
      true,
    ],
    ["a generator that does not", { loop: CONSUMED }, "consume", true],
    ["draws in next() only", { loop: CONSUMED, entry: { draws: draws(3, null) } }, "consume", true],
    [
      "draws in next() before any in the body",
      { loop: CONSUMED, entry: { draws: draws(1, 1) } },
      "consume",
      true,
    ],
    [
      "draws in next() after one in the body",
      { loop: CONSUMED, entry: { draws: draws(2, 1) } },
      undefined,
      true,
    ],
    ["draws that nobody counted", { loop: CONSUMED, entry: { draws: null } }, undefined, true],
    [
      "draws of an entry that never ended, in its checkpoint",
      { loop: CONSUMED, entry: { draws: null, how: null }, end: { draws: draws(0, 0) } },
      "consume",
      false,
    ],
    [
      "the same, of the iterator after the body",
      { loop: CONSUMED, entry: { draws: null, how: null }, end: { draws: draws(2, 1) } },
      undefined,
      false,
    ],
    ["for await without draws", { loop: { ...CONSUMED, awaits: true } }, "consume", true],
    [
      "for await with draws",
      { loop: { ...CONSUMED, awaits: true }, entry: { draws: draws(0, null) } },
      undefined,
      true,
    ],
    ["left by a marked break", { entry: { how: "break" } }, "index", true],
    ["left by a jump", { entry: { how: "jump" } }, "index", false],
    ["left by nobody knows what", { entry: { how: "closed" } }, "index", false],
    ["its iterator threw", { entry: { how: "throw" } }, "index", false],
    ["it was running when the process ended", { entry: { how: null } }, "index", false],
    ["work that is not awaited", { entry: { pending: ["Timeout"] } }, undefined, false],
    [
      "such work in a loop inside",
      { entry: { children: new Map([[0, [entry({ pending: ["Timeout"], key: "x" })]]]) } },
      undefined,
      false,
    ],
    [
      "open over several iterations of the loop around",
      { entry: { outlasts: true } },
      undefined,
      false,
    ],
    ["a training of al.fit", { loop: { form: "fit" } }, "index", true],
    ["a loop that nobody sees", { loop: { form: "other" } }, undefined, false],
    ["a loop that is not in the source", { entry: { site: null } }, undefined, false],
    ["a partial checkpoint", { end: { places: [] } }, undefined, false],
    ["a change that the audit found", { audited: "l0" }, undefined, false],
    ["one that it found in another loop", { audited: "l1" }, "index", true],
    [
      "an iterator that goes on in another entry",
      { again: true, loop: CONSUMED },
      "consume",
      false,
    ],
    [
      "one that can be set to its position",
      { again: true, end: standing({ state: 1 }) },
      "index",
      true,
    ],
  ])("%s", (_, given, begins, skips) => {
    expect(points(given)).toMatchObject({ begins, skips });
  });

  test.each<[string, object, boolean, boolean | undefined]>([
    ["left alone by it", { still: ["package:lib"] }, true, true],
    [
      "left alone by it, for who has not executed what is around",
      { still: ["package:lib"] },
      false,
      undefined,
    ],
    ["of which nothing is known", {}, true, undefined],
    ["another than what it left alone", { still: ["package:other"] }, true, undefined],
  ])("a package that changes in the loop around: %s", (_, seen, hasAround, along) => {
    const inner = { id: 1, name: "l1", iterator: "index" as const, loops: [] };
    const model = modelOf([{ id: 0, name: "l0", iterator: "index", loops: [inner] }]);
    const own = { key: "l0=0,l1=end", path: [["l0", 0]] as const, loop: "l1", depth: 1, seq: 2 };
    const site = { file: "p.ts", line: 11, column: 5, endLine: 90, endColumn: 1 };
    const child = entry({ ...own, iterator: 1, site });
    const places = ["v0#0", "v1#0", "v1#1"].map((key) => ({ key: `p.ts:0:${key}`, crc32: "" }));
    const path = [["l0", 0] as const, ["l1", "end"] as const];
    const facts = {
      rewritten: true,
      entries: [entry({ children: new Map([[0, [child]]]) })],
      audit: [{ file: "p.ts", line: 10, loop: "l0", key: "package:lib", name: "the state of lib" }],
      checkpoints: new Map([[own.key, checkpoint("end", { path, places, ...seen })]]),
    } as unknown as RunFacts;
    const found = new RestorablePoints(facts, model, matchOf(model), { hasAround });
    expect(found.loopEnd(child)?.along).toBe(along);
  });

  test("there is no beginning after the last iteration", () => {
    expect(points({ entry: { iterations: 2 } })).toMatchObject({ begins: undefined, skips: true });
  });

  test("what keeps from restoring is told", () => {
    expect(points({ entry: { how: "jump" } }).reasons).toMatch(/left early by a jump/);
    expect(points({ loop: { iterator: "dependent" } }).reasons).toMatch(/iterator .* position/);
    expect(points({ entry: { pending: ["Timeout"] } }).reasons).toMatch(/does not await/);
    expect(points({ audited: "l0" }).reasons).toMatch(/^ema \(p.ts:10\) changes .* audit found$/);
    expect(points({}).reasons).toBe("");
  });
});
