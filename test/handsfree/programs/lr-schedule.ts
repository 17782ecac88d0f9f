/** @file A learning rate that warms up and then follows a cosine; momentum; a table at the end. */
import { dot, makePoints, norm, shuffled, sigmoid } from "./shared/points.ts";

class CosineSchedule {
  private step = 0;
  constructor(
    private readonly peak: number,
    private readonly warmup: number,
    private readonly total: number,
  ) {}

  next(): number {
    const t = this.step++;
    if (t < this.warmup) return (this.peak * (t + 1)) / this.warmup;
    const progress = (t - this.warmup) / (this.total - this.warmup);
    return (this.peak / 2) * (1 + Math.cos(Math.PI * progress));
  }
}

const EPOCHS = 5;
const BATCHES = 6;
const points = makePoints(BATCHES * 8);
const params = { w: new Float32Array(3), m: new Float32Array(3) };
const schedule = new CosineSchedule(0.3, 10, EPOCHS * BATCHES);
const rows: { epoch: number; lr: number; loss: number }[] = [];
// probe prefix: console.log("points_norm", norm(points.map(({ x }) => x[0])))

for (let epoch = 0; epoch < EPOCHS; epoch++) {
  const order = shuffled(points);
  let lr = 0;
  let loss = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    lr = schedule.next();
    const grad = new Float32Array(3);
    for (const { x, label } of order.slice(batch * 8, (batch + 1) * 8)) {
      const p = sigmoid(dot(params.w, x));
      loss -= Math.log(label ? p : 1 - p) / points.length;
      for (let i = 0; i < 3; i++) grad[i] += ((p - label) * x[i]) / 8;
    }
    for (let i = 0; i < 3; i++) {
      params.m[i] = 0.9 * params.m[i] + grad[i];
      params.w[i] -= lr * params.m[i];
    }
    // probe inner: console.log("grad", norm(grad))
  }
  rows.push({ epoch, lr, loss });
  // probe outer: console.log(`momentum ${norm(params.m)} weights ${norm(params.w)}`)
  console.log(`[epoch ${epoch}] lr=${lr} loss=${loss}`);
}
// probe suffix: console.log("final_momentum", norm(params.m))
console.table(rows);
