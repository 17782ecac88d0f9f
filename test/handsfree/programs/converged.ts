/** @file A mixture of two normal distributions by expectation and maximization, until it converges. */
import { gaussian, norm } from "./shared/points.ts";

const BLOCK = 10;
const data: number[] = [];
while (data.length < 60) data.push(Math.random() < 0.4 ? gaussian() - 2 : 1.5 * gaussian() + 3);

let means = [-1, 1];
let deviations = [1, 1];
let shares = [0.5, 0.5];
let likelihood = -Infinity;
let converged = false;
let rounds = 0;

const density = (x: number, mean: number, deviation: number) =>
  Math.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * Math.sqrt(2 * Math.PI));

// probe prefix: console.log("data_norm", norm(data))
while (!converged) {
  const sums = [0, 0];
  const firsts = [0, 0];
  const seconds = [0, 0];
  let next = 0;
  for (let from = 0; from < data.length; from += BLOCK) {
    for (const x of data.slice(from, from + BLOCK)) {
      const parts = means.map((mean, k) => shares[k] * density(x, mean, deviations[k]));
      const total = parts[0] + parts[1];
      next += Math.log(total);
      parts.forEach((part, k) => {
        sums[k] += part / total;
        firsts[k] += (part / total) * x;
        seconds[k] += (part / total) * x * x;
      });
    }
    // probe inner: console.log("likelihood_so_far", next)
  }
  means = firsts.map((first, k) => first / sums[k]);
  deviations = seconds.map((second, k) => Math.sqrt(second / sums[k] - means[k] ** 2));
  shares = sums.map((sum) => sum / data.length);
  converged = Math.abs(next - likelihood) < 1e-2;
  likelihood = next;
  rounds++;
  // probe outer: console.log("mean_left", means[0], "mean_right", means[1])
  console.log(`round ${rounds} log-likelihood ${likelihood}`);
}
// probe suffix: console.log("share_left", shares[0])
console.log("rounds", rounds, "means", means, "deviations", deviations);
