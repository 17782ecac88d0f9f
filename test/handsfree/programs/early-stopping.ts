/** @file Early stopping: the best weights are copied, and put back when nothing gets better. */
import { dot, gaussian, makePoints, norm, type Point, shuffled, sigmoid } from "./shared/points.ts";

const patience = 3;
const all = shuffled(makePoints(240));
const train = all.slice(0, 180);
const validation = all.slice(180);

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

for (let epoch = 0; epoch < 50; epoch++) {
  for (const { x, label } of shuffled(train)) {
    const error = sigmoid(dot(weights, x)) - label;
    weights = weights.map((w, i) => w - (0.5 / (1 + epoch)) * error * x[i]);
    // probe inner: console.log("error", error)
  }
  const loss = lossOf(weights, validation);
  console.log("epoch", epoch, "val_loss", loss);
  // probe outer: console.log("weight_norm", norm(weights))
  if (loss < bestLoss - 1e-4) {
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
