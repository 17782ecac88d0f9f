import { expect, test } from "vitest";
import { noteTrainingFlags, setBackFlags } from "./training-flags.ts";

class Model {
  #training = true;
  get isTraining(): boolean {
    return this.#training;
  }
  set isTraining(value: boolean) {
    this.#training = value;
  }
  get train(): boolean {
    return this.#training;
  }
}

class Layer extends Model {
  mode = "train";
}

/** What a program may hold, and the names of its flags. */
const HELD: readonly (readonly [what: string, held: () => unknown, names: readonly string[]])[] = [
  ["a field", () => ({ training: true, train: 3, mode: 1 }), ["training"]],
  ["accessors of a class", () => new Model(), ["isTraining"]],
  ["those of the class above", () => new Layer(), ["mode", "isTraining"]],
  ["what nobody lists", () => Object.defineProperty({}, "eval", hidden(false)), ["eval"]],
  ["what cannot be set", () => Object.freeze({ training: true }), []],
  [
    "deep inside",
    () => new Map([[{ phase: "fit" }, [new Set([{ _train: false }])]]]),
    ["phase", "_train"],
  ],
  ["on an array", () => Object.assign([1, 2], { inference: true }), ["inference"]],
  [
    "behind a getter",
    () => ({
      get inner() {
        return { training: true };
      },
    }),
    [],
  ],
  ["no object", () => 7, []],
];

function hidden(value: boolean): PropertyDescriptor {
  return { value, writable: true, enumerable: false };
}

test.each(HELD)("%s", (_, held, names) => {
  const value = held();
  const flags = noteTrainingFlags([{ key: "x", source: "b", get: () => value }]);
  expect(flags.map(({ name }) => name)).toStrictEqual(names);
  for (const { set } of flags) set("another");
  setBackFlags(flags);
  expect(flags.map(({ read }) => read())).toStrictEqual(flags.map((flag) => flag.value));
});
