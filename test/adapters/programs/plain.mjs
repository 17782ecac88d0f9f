/** Plain typed arrays and classes: a perceptron with momentum, a history and a schedule. */
import { random, seed, train } from "./checkpoint-file.mjs";

class Schedule {
  constructor(rate) {
    this.rate = rate;
    this.seen = new Map();
  }
  next(step) {
    this.seen.set(step, { rate: this.rate });
    this.rate *= 0.9;
    return this.seen.get(step).rate;
  }
}

const draw = random(seed);
const data = random(3);
const rows = Array.from({ length: 32 }, () => Float64Array.from({ length: 4 }, data));
const record = {
  weights: Float64Array.from({ length: 4 }, draw),
  velocity: new Float64Array(4),
  schedule: new Schedule(0.5),
  best: null,
  history: [],
};

const losses = train("plain", record, (step) => {
  const rate = record.schedule.next(step);
  const gradient = new Float64Array(4);
  let loss = 0;
  for (const x of rows) {
    const error = x.reduce((sum, item, i) => sum + item * record.weights[i], 0) - (x[0] - 2 * x[3]);
    loss += error * error;
    for (let i = 0; i < 4; i++) gradient[i] += (2 * error * x[i]) / rows.length;
  }
  for (let i = 0; i < 4; i++) {
    record.velocity[i] = 0.9 * record.velocity[i] - rate * gradient[i];
    record.weights[i] += record.velocity[i];
  }
  if (record.best === null || loss < record.best.loss) record.best = { loss, step };
  record.history.push(record.best);
  return [loss, record.best.loss, record.history.length, record.schedule.seen.size];
});
process.stdout.write(JSON.stringify({ plain: losses }));
