/** @file Batches come from generators: one for each epoch, and an endless stream beside them. */
import { dot, gaussian, makePoints, norm, type Point, shuffled, sigmoid } from "./shared/points.ts";

function* batches(points: Point[], size: number): Generator<Point[]> {
  const order = shuffled(points);
  for (let i = 0; i < order.length; i += size) yield order.slice(i, i + size);
}

async function* withNoise(source: Iterable<Point[]>, amount: number): AsyncGenerator<Point[]> {
  for (const batch of source) {
    yield batch.map(({ x, label }) => ({ x: x.map((v) => v + amount * gaussian()), label }));
  }
}

function* temperatures(): Generator<number> {
  for (let t = 1; ; t *= 0.97) yield t;
}

const points = makePoints(48);
const temperature = temperatures();
const weights = new Float64Array(3);
let seen = 0;
// probe prefix: console.log("first", norm(points[0].x))

for (let epoch = 0; epoch < 5; epoch++) {
  let loss = 0;
  for await (const batch of withNoise(batches(points, 8), 0.1)) {
    const t = temperature.next().value as number;
    const grad = [0, 0, 0];
    for (const { x, label } of batch) {
      const p = sigmoid(dot(weights, x) / t);
      loss -= Math.log(label ? p : 1 - p);
      for (let i = 0; i < 3; i++) grad[i] += (p - label) * x[i];
    }
    for (let i = 0; i < 3; i++) weights[i] -= 0.02 * grad[i];
    seen += batch.length;
    // probe inner: console.log("temperature", t, "grad", norm(grad))
  }
  console.log("epoch %d", epoch);
  console.log("loss:", loss / points.length, "seen:", seen);
  // probe outer: console.log("weights", norm(weights))
}
// probe suffix: console.log("last_weights", norm(weights))
console.log(
  "done, accuracy",
  points.filter((p) => dot(weights, p.x) > 0 === (p.label === 1)).length / points.length,
);
