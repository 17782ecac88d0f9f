/** @file An exponential moving average of the weights, made by a helper and used for evaluation. */
import { dot, gaussian, makePoints, norm, type Point, shuffled, sigmoid } from "./shared/points.ts";

type Weights = Record<"w1" | "w2", number[]>;

function createEma(source: Weights, decay: number) {
  const shadow = structuredClone(source);
  let updates = 0;
  return {
    shadow,
    update() {
      updates += 1;
      const d = Math.min(decay, updates / (updates + 10));
      for (const key of ["w1", "w2"] as const) {
        shadow[key] = shadow[key].map((old, i) => d * old + (1 - d) * source[key][i]);
      }
    },
    count: () => updates,
  };
}

const model: Weights = {
  w1: Array.from({ length: 3 }, gaussian),
  w2: Array.from({ length: 3 }, gaussian),
};
const ema = createEma(model, 0.99);

/** A product of two linear functions: enough to have something to average. */
const predict = (m: Weights, x: number[]) => sigmoid(dot(m.w1, x) * dot(m.w2, x) + dot(m.w1, x));

const accuracy = (m: Weights, points: Point[]) =>
  points.filter(({ x, label }) => predict(m, x) > 0.5 === (label === 1)).length / points.length;

function update({ x, label }: Point, lr: number): number {
  const error = predict(model, x) - label;
  const a = dot(model.w1, x);
  const b = dot(model.w2, x);
  model.w1.forEach((_, i) => {
    model.w1[i] -= lr * error * (b + 1) * x[i];
    model.w2[i] -= lr * error * a * x[i];
  });
  return error;
}

const inBatches = <T>(items: T[], size: number) =>
  Array.from({ length: items.length / size }, (_, n) => items.slice(n * size, (n + 1) * size));

const data = makePoints(40);
// probe prefix: console.log("start", norm(model.w1), "start2", norm(model.w2))
for (let epoch = 1; epoch <= 4; epoch++) {
  for (const batch of inBatches(shuffled(data), 5)) {
    const errors = batch.map((point) => update(point, 0.02));
    ema.update();
    // probe inner: console.log("gap", norm(model.w1.map((w, i) => w - ema.shadow.w1[i])), "error", norm(errors))
  }
  console.log(`epoch ${epoch}: acc ${accuracy(model, data)}, ema ${accuracy(ema.shadow, data)}`);
  // probe outer: console.log("shadow", norm(ema.shadow.w1))
}
// probe suffix: console.log("shadow_end", norm(ema.shadow.w2))
console.log("updates:", ema.count(), "final:", accuracy(ema.shadow, data));
