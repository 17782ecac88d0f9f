/** @file Q-learning on a small grid, with a replay buffer and an exploration rate that decays. */

const SIZE = 3;
const ACTIONS = [
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
];

interface Transition {
  state: number;
  action: number;
  reward: number;
  next: number;
  done: boolean;
}

class ReplayBuffer {
  private items: Transition[] = [];
  private at = 0;
  constructor(private capacity: number) {}

  push(item: Transition): void {
    if (this.items.length < this.capacity) this.items.push(item);
    else this.items[this.at] = item;
    this.at = (this.at + 1) % this.capacity;
  }

  sample(count: number): Transition[] {
    return Array.from(
      { length: count },
      () => this.items[Math.floor(Math.random() * this.items.length)],
    );
  }

  get size(): number {
    return this.items.length;
  }
}

class Grid {
  private row = 0;
  private column = 0;

  reset(): number {
    this.row = 0;
    this.column = 0;
    return 0;
  }

  step(action: number): { next: number; reward: number; done: boolean } {
    const [down, right] = ACTIONS[action];
    this.row = Math.min(SIZE - 1, Math.max(0, this.row + down));
    this.column = Math.min(SIZE - 1, Math.max(0, this.column + right));
    const done = this.row === SIZE - 1 && this.column === SIZE - 1;
    return { next: this.row * SIZE + this.column, reward: done ? 1 : -0.01, done };
  }
}

const q = Array.from({ length: SIZE * SIZE }, () => new Float64Array(ACTIONS.length));
const buffer = new ReplayBuffer(40);
const env = new Grid();
let epsilon = 1;

function choose(state: number): number {
  if (Math.random() < epsilon) return Math.floor(Math.random() * ACTIONS.length);
  return q[state].indexOf(Math.max(...q[state]));
}

function learn(): number {
  let total = 0;
  for (const { state, action, reward, next, done } of buffer.sample(16)) {
    const target = reward + (done ? 0 : 0.95 * Math.max(...q[next]));
    const error = target - q[state][action];
    q[state][action] += 0.1 * error;
    total += error * error;
  }
  return total / 16;
}

const returns: number[] = [];
// probe prefix: console.log("states", q.length)
for (let episode = 0; episode < 10; episode++) {
  let state = env.reset();
  let sum = 0;
  let steps = 0;
  let done = false;
  while (!done && steps < 12) {
    const action = choose(state);
    const result = env.step(action);
    buffer.push({ state, action, ...result });
    const loss = learn();
    // probe inner: console.log("td_loss", loss, "state", state)
    sum += result.reward;
    state = result.next;
    done = result.done;
    steps++;
  }
  epsilon = Math.max(0.05, epsilon * 0.8);
  returns.push(sum);
  // probe outer: console.log("q_start", Math.max(...q[0]), "buffer", buffer.size)
  console.log(JSON.stringify({ episode, return: sum, steps, epsilon }));
}
// probe suffix: console.log("q_sum", q.reduce((total, row) => total + Math.max(...row), 0))
console.log("mean return", returns.reduce((a, b) => a + b) / returns.length);
