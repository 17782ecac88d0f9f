/** Made-up runs of two loops with their checkpoints, and policies, for properties of retention. */
import fc from "fast-check";
import type { KeepPolicy } from "../../../src/format/index.ts";
import { parsePath } from "../../../src/format/index.ts";
import type { RetainedCheckpoint } from "../../../src/store/index.ts";

export interface Shape {
  readonly epochs: number;
  readonly steps: number;
  readonly bytes: readonly number[];
  /** Which step checkpoints there are, and how far back each checkpoint takes tensors from. */
  readonly taken: readonly boolean[];
  readonly back: readonly number[];
  readonly ended: boolean;
}

export const shapes: fc.Arbitrary<Shape> = fc.record({
  epochs: fc.integer({ min: 1, max: 6 }),
  steps: fc.integer({ min: 1, max: 6 }),
  bytes: fc.array(fc.integer({ min: 4096, max: 1e6 }), { minLength: 5, maxLength: 20 }),
  taken: fc.array(fc.boolean(), { minLength: 5, maxLength: 20 }),
  back: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 5, maxLength: 20 }),
  ended: fc.boolean(),
});

/** The checkpoints of a run of two loops, as the recorder takes them. */
export function checkpointsOf({
  epochs,
  steps,
  bytes,
  taken,
  back,
  ended,
}: Shape): RetainedCheckpoint[] {
  const made: RetainedCheckpoint[] = [];
  let clock = 0;
  const add = (text: string, needs: string[], step: boolean, enteredMs: number): void => {
    const n = made.length;
    const path = parsePath(text)!;
    const holder = made.at(-(back[n % back.length] ?? 0) - 1);
    const isHolding = (back[n % back.length] ?? 0) > 0 && holder !== undefined;
    made.push({
      file: `${text}.safetensors`,
      path,
      kind: text.endsWith("end") ? "loop" : "iteration",
      bytes: bytes[n % bytes.length] ?? 4096,
      holds: isHolding ? [holder.file] : [],
      needs,
      step,
      enteredMs,
      atMs: clock,
    });
  };
  for (let epoch = 0; epoch < epochs; epoch++) {
    const entered = clock;
    for (let step = 0; step < steps; step++) {
      clock += 1 + ((epoch + step) % 3);
      const needs = epoch > 0 ? [`epoch=${epoch - 1}`] : [];
      if (taken[made.length % taken.length])
        add(`epoch=${epoch},step=${step}`, needs, true, entered);
    }
    add(`epoch=${epoch},step=end`, [], false, entered);
    clock += 0.5;
    add(`epoch=${epoch}`, [], false, 0);
  }
  if (ended) add("epoch=end", [], false, 0);
  return made;
}

export const policies: fc.Arbitrary<KeepPolicy> = fc.oneof(
  fc.constant({ kind: "all" } as const),
  fc.record({
    kind: fc.constant("peak" as const),
    name: fc.constant("accuracy"),
    best: fc.constantFrom("max" as const, "min" as const),
  }),
  fc.record({ kind: fc.constant("every" as const), n: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    kind: fc.constant("bytes" as const),
    bytes: fc.integer({ min: 0, max: 1e7 }),
    of: fc.constantFrom("all" as const, "steps" as const),
  }),
);
