/** @file Five folds: a model is trained for each, the scores are averaged. */
import { dot, makePoints, norm, type Point, shuffled, sigmoid } from "./shared/points.ts";

const FOLDS = 5;

function fit(train: Point[], epochs: number): number[] {
  const weights = [0, 0, 0];
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (const { x, label } of shuffled(train)) {
      const error = sigmoid(dot(weights, x)) - label;
      for (let i = 0; i < weights.length; i++) weights[i] -= 0.05 * error * x[i];
    }
    // probe inner: console.log("fold_norm", norm(weights))
  }
  return weights;
}

function score(weights: number[], test: Point[]): number {
  return test.filter(({ x, label }) => dot(weights, x) > 0 === (label === 1)).length / test.length;
}

function main(): void {
  const points = shuffled(makePoints(50));
  const scores: number[] = [];
  const models = new Map<number, number[]>();
  // probe prefix: console.log("points", points.length, "x", points[3].x[0])
  for (let fold = 0; fold < FOLDS; fold++) {
    const test = points.filter((_, i) => i % FOLDS === fold);
    const train = points.filter((_, i) => i % FOLDS !== fold);
    const weights = fit(train, 5);
    models.set(fold, weights);
    scores.push(score(weights, test));
    // probe outer: console.log("weights_of_fold", norm(weights), "train_score", score(weights, train))
    console.log("fold", fold, "accuracy", scores[fold]);
  }
  // probe suffix: console.log("spread", norm([...models.values()].map((w) => w[0])))
  console.log("mean accuracy:", scores.reduce((sum, s) => sum + s, 0) / FOLDS);
}

main();
