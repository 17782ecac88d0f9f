import { expect, test } from "vitest";
import { placesOf, save } from "../../test/adapters/round-trip.ts";
import type { Structure } from "../format/index.ts";
import { identify, plainValues } from "./index.ts";

class Best {
  loss = 0.5;
  self = this;
  act = (): number => this.loss;
}

/** What a checkpoint of these fields gives somebody who knows nothing of their classes. */
function plain(record: { [field: string]: unknown }): { [name: string]: unknown } {
  const places = placesOf(record);
  const { graph, tensors } = save(places, identify(places));
  const read = (name: string): Uint8Array => tensors.get(name) ?? new Uint8Array();
  return Object.fromEntries(plainValues(graph as Structure, read, () => []));
}

const shared = new Float32Array([1, 2, 3]);
test.each<[what: string, value: unknown, expected?: unknown]>([
  ["numbers and texts", [1, -0, NaN, "a", null, undefined, 2n ** 70n]],
  ["collections", new Map<unknown, unknown>([[[1], new Set(["a"])]])],
  ["typed arrays over one memory", [shared, shared.subarray(1)]],
  ["dates and expressions", [new Date(5), /x/g]],
  ["an object that saves itself", { stateDict: () => ({ w: 2 }), loadStateDict() {} }, { w: 2 }],
])("%s", (_, value, expected) => {
  expect(plain({ value })).toEqual({ value: expected ?? value });
});

test("an instance by its properties, without its class and its functions", () => {
  const { best } = plain({ best: new Best(), act: () => 1 }) as { best: Best };
  expect(Object.getPrototypeOf(best)).toBe(Object.prototype);
  expect(best.self).toBe(best);
  expect([best.loss, best.act, Object.keys(best)]).toEqual([
    0.5,
    undefined,
    ["loss", "self", "act"],
  ]);
});
