/** @file Early stopping: the best weights are copied, and put back when nothing gets better. */
import { dot, gaussian, makePoints, norm, type Point, shuffled, sigmoid } from "./shared/points.ts";

const patience = 2;
const all = shuffled(makePoints(40));
const train = all.slice(0, 28);
const validation = all.slice(28);

let weights = Array.from({ length: 3 }, () => gaussian());
let bestWeights = [...weights];
let bestLoss = Infinity;
let waited = 0;
// probe prefix: console.log("norm_before", norm(weights))

function lossOf(w: number[], points: Point[]): number {
  const losses = points.map(({ x, label }) => {
    const p = sigmoid(dot(w, x));
    return -Math.log(label ? p : 1 - p);
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / points.length;
}

for (let epoch = 0; epoch < 20; epoch++) {
  const order = shuffled(train);
  for (let first = 0; first < order.length; first += 4) {
    for (const { x, label } of order.slice(first, first + 4)) {
      const error = sigmoid(dot(weights, x)) - label;
      weights = weights.map((w, i) => w - (0.5 / (1 + epoch)) * error * x[i]);
    }
    // probe inner: console.log("norm_in_epoch", norm(weights))
  }
  const loss = lossOf(weights, validation);
  console.log("epoch", epoch, "val_loss", loss);
  // probe outer: console.log("weight_norm", norm(weights))
  if (loss < bestLoss - 0.003) {
    bestLoss = loss;
    bestWeights = [...weights];
    waited = 0;
  } else if (++waited >= patience) {
    console.log(`stopped after epoch ${epoch}`);
    break;
  }
}
// probe suffix: console.log("last_norm", norm(weights))
weights = bestWeights;
console.log({ best: bestLoss, train: lossOf(weights, train) });
