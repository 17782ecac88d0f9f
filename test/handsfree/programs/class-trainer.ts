/** @file A trainer as a class: weights, velocity and history are its own, `this.step()` changes them. */
import { dot, gaussian, makePoints, norm, type Point, shuffled, sigmoid } from "./shared/points.ts";

interface Options {
  epochs: number;
  batchSize: number;
  lr: number;
}

class Trainer {
  readonly weights: Float64Array;
  readonly velocity: Float64Array;
  history: number[] = [];
  #steps = 0;

  constructor(
    size: number,
    readonly data: Point[],
    readonly options: Options,
  ) {
    this.weights = Float64Array.from({ length: size }, () => 0.1 * gaussian());
    this.velocity = new Float64Array(size);
  }

  get steps(): number {
    return this.#steps;
  }

  gradient(batch: Point[]): Float64Array {
    const grad = new Float64Array(this.weights.length);
    for (const { x, label } of batch) {
      const error = sigmoid(dot(this.weights, x)) - label;
      for (let i = 0; i < grad.length; i++) grad[i] += (error * x[i]) / batch.length;
    }
    return grad;
  }

  step(batch: Point[]): number {
    const grad = this.gradient(batch);
    for (let i = 0; i < grad.length; i++) {
      this.velocity[i] = 0.9 * this.velocity[i] - this.options.lr * grad[i];
      this.weights[i] += this.velocity[i];
    }
    this.#steps++;
    // probe inner: console.log("grad_norm", norm(grad))
    return this.loss(batch);
  }

  loss(points: Point[]): number {
    const losses = points.map(({ x, label }) => {
      const p = sigmoid(dot(this.weights, x));
      return -Math.log(label === 1 ? p : 1 - p);
    });
    return losses.reduce((sum, loss) => sum + loss, 0) / points.length;
  }

  train(): void {
    const { epochs, batchSize } = this.options;
    for (let epoch = 0; epoch < epochs; epoch++) {
      const order = shuffled(this.data);
      let total = 0;
      for (let start = 0; start < order.length; start += batchSize) {
        total += this.step(order.slice(start, start + batchSize));
      }
      this.history.push(total);
      // probe outer: console.log("speed", norm(this.velocity), "steps", this.steps)
      console.log(`epoch ${epoch + 1}/${epochs} loss ${total}`);
    }
  }
}

const trainer = new Trainer(3, makePoints(48), { epochs: 5, batchSize: 8, lr: 0.05 });
// probe prefix: console.log("initial_norm", norm(trainer.weights))
trainer.train();
// probe suffix: console.log("momentum_at_end", norm(trainer.velocity))
console.log("final loss", trainer.loss(trainer.data));
console.log("best", Math.min(...trainer.history));
