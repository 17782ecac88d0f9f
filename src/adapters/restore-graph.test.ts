import { expect, test } from "vitest";
import { load, placesOf, save } from "../../test/adapters/round-trip.ts";
import { isAfterlogError } from "../format/index.ts";
import { identify } from "./index.ts";
import type { StatePlace } from "./index.ts";

class Node2 {
  label: string;
  constructor(label: string) {
    this.label = label;
  }
}
const Twin = {
  Node2: class Node2 {
    twin = true;
  },
};
const act = (): number => 1;
const withModel = (): Fields => ({ model: { w: new Float32Array(2) }, best: null });
const constant = (value: unknown): StatePlace[] => [
  { key: "a.ts:m:state#0", source: "b", get: () => value },
];

type Fields = { [field: string]: unknown };

/** Captures after `change`, then restores over what `fresh` sets up, as another process would. */
function resumed(setUp: () => Fields, change: (record: Fields) => void): Fields {
  const first = setUp();
  const entry = identify(placesOf(first));
  change(first);
  const saved = save(placesOf(first), entry);
  const fresh = setUp();
  load(placesOf(fresh), saved);
  return fresh;
}

function refusal(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (isAfterlogError(error)) return `${error.code} ${error.message}`;
    throw error;
  }
  return "";
}

test("a place that still holds its object has it refilled, any other gets a new one", () => {
  const kept = { a: 1 };
  const setUp = (): Fields => ({ kept, rebound: { b: 1 } });
  const before = setUp();
  const fresh = resumed(setUp, (record) => {
    kept.a = 2;
    record["rebound"] = { b: 2 };
  });
  expect(fresh["kept"]).toBe(kept);
  expect(fresh).toStrictEqual({ kept: { a: 2 }, rebound: { b: 2 } });
  expect(fresh["rebound"]).not.toBe(before["rebound"]);
});

test("what came to be shared in the loop is shared after it, and refilled once", () => {
  const fresh = resumed(withModel, (record) => {
    const model = record["model"] as { w: Float32Array };
    model.w.set([1, 2]);
    record["best"] = { alias: model, tail: model.w.subarray(1) };
  });
  const { model, best } = fresh as {
    model: { w: Float32Array };
    best: { alias: unknown; tail: Float32Array };
  };
  expect(best.alias).toBe(model);
  model.w[1] = 9;
  expect(best.tail[0]).toBe(9);
});

const POOLED: readonly [what: string, setUp: () => Fields, change: (record: Fields) => void][] = [
  ["both made in the loop", () => ({ a: null, b: null }), (r) => Object.assign(r, overlapping())],
  ["both there before", overlapping, () => {}],
  [
    "the second made in the loop",
    () => ({ a: Buffer.from("abcd"), b: null }),
    (r) => Object.assign(r, { b: (r["a"] as Buffer).subarray(1) }),
  ],
  [
    "the second by another kind of view",
    () => ({ a: Buffer.from("abcd"), b: null }),
    (r) => {
      const { buffer, byteOffset } = r["a"] as Buffer;
      r["b"] = new Uint8Array(buffer, byteOffset + 1, 3);
    },
  ],
];

function overlapping(): Fields {
  const a = Buffer.from("abcd");
  return { a, b: a.subarray(1) };
}

test.each(POOLED)("pieces of a pool share what they shared: %s", (_what, setUp, change) => {
  const { a, b } = resumed(setUp, (record) => {
    change(record);
    (record["a"] as Buffer).write("xyz");
  }) as { a: Buffer; b: Uint8Array };
  expect([String(a), Buffer.from(b).toString()]).toStrictEqual(["xyzd", "yzd"]);
  b[0] = 33;
  expect(String(a)).toBe("x!zd");
});

test("what is restored of a pool is numbered as what it was", () => {
  const made = (): Fields => ({ a: Buffer.from("one"), b: Buffer.from("two"), c: { d: {} } });
  const none = (): Fields => ({ a: null, b: null, c: null });
  const restored = resumed(none, (record) => Object.assign(record, made()));
  const again = identify(placesOf(restored));
  expect(again.size).toBe(identify(placesOf(made())).size);
  expect(save(placesOf(restored)).json).toBe(save(placesOf(made())).json);
});

test("objects that changed places keep their identities", () => {
  const [a, b] = [{ id: "a" }, { id: "b" }];
  const setUp = (): Fields => ({ first: a, second: b });
  const fresh = resumed(setUp, (record) => {
    [record["first"], record["second"]] = [b, a];
    b.id = "b2";
  });
  expect(fresh["first"]).toBe(b);
  expect(fresh["second"]).toBe(a);
});

test("a function is the one that was there at entry", () => {
  const fresh = resumed(
    () => ({ act, table: {} }),
    (record) => {
      record["table"] = { act };
    },
  );
  expect((fresh["table"] as Fields)["act"]).toBe(act);
});

test("a new instance takes its class from a live one, or from the class itself", () => {
  for (const witness of [new Node2("w"), Node2]) {
    const fresh = resumed(
      () => ({ witness, made: null }),
      (record) => {
        record["made"] = new Node2("new");
      },
    );
    expect(fresh["made"]).toBeInstanceOf(Node2);
    expect(fresh["made"]).toStrictEqual(new Node2("new"));
  }
});

const REFUSED: readonly [
  what: string,
  setUp: () => Fields,
  other: () => Fields,
  change: (record: Fields) => void,
  message: RegExp,
][] = [
  [
    "class unknown",
    () => ({ a: {} }),
    () => ({ a: {} }),
    (r) => {
      (r["a"] as Fields)["n"] = new Node2("x");
    },
    /AL071 a\.n .*Node2/,
  ],
  [
    "class ambiguous",
    () => ({ a: [new Node2("x"), new Twin.Node2()] }),
    () => ({ a: [new Node2("x"), new Twin.Node2()] }),
    (r) => {
      (r["a"] as unknown[]).push(new Node2("y"));
    },
    /AL071 a\.2 .*2 classes/,
  ],
  [
    "other length",
    () => ({ w: new Float32Array(2) }),
    () => ({ w: new Float32Array(3) }),
    () => {},
    /AL071 w .*12 bytes now, and had 8/,
  ],
  ["other kind", () => ({ w: { a: 1 } }), () => ({ w: [1] }), () => {}, /AL071 w .*plain object/],
  [
    "other class",
    () => ({ w: new Node2("a") }),
    () => ({ w: new Date() }),
    () => {},
    /AL071 w .*class Date/,
  ],
  [
    "no such place",
    () => ({ w: 1, x: 2 }),
    () => ({ w: 1 }),
    () => {},
    /AL071 x .*no such variable/,
  ],
  [
    "frozen and different",
    () => ({ w: Object.freeze({ a: 1 }) }),
    () => ({ w: Object.freeze({ a: 2 }) }),
    () => {},
    /AL071 w .*property a/,
  ],
];

test.each(REFUSED)("does not fit: %s", (_what, setUp, other, change, message) => {
  const record = setUp();
  const entry = identify(placesOf(record));
  change(record);
  const saved = save(placesOf(record), entry);
  expect(refusal(() => load(placesOf(other()), saved))).toMatch(message);
});

test("a constant takes the object it had, and nothing else", () => {
  const state = { n: 1 };
  const entry = identify(constant(state), { hold: true });
  const saved = save(constant(state), entry);
  state.n = 2;
  load(constant(state), saved, entry);
  expect(state.n).toBe(1);
  expect(refusal(() => load(constant({ n: 3 }), saved, entry))).toMatch(
    /AL071 a\.ts.*cannot be assigned/,
  );
});

test("a checkpoint that does not fit changes nothing", () => {
  const record = { a: { n: 1 }, w: new Float32Array(2) };
  const saved = save(placesOf(record), identify(placesOf(record)));
  const other = { a: { n: 5 }, w: new Float32Array(3) };
  expect(refusal(() => load(placesOf(other), saved))).toMatch(/AL071/);
  expect(other.a.n).toBe(5);
});
