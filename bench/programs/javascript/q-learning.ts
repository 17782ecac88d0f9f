//: about Q-learning in a grid world, with an epsilon that decays
//: quick --episodes 3000
//: full --episodes 400000
type Action = "up" | "down" | "left" | "right";
interface Position {
  row: number;
  column: number;
}

const episodes = Number(process.argv[3] ?? 300);
const ACTIONS: readonly Action[] = ["up", "down", "left", "right"];
const SIZE = 24;

let seed = 2024;
const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;

class GridWorld {
  private position: Position = { row: 0, column: 0 };
  private readonly walls = new Set<string>();
  steps = 0;

  constructor() {
    for (let n = 0; n < 100; n++) {
      this.walls.add(`${1 + Math.floor(random() * 22)},${1 + Math.floor(random() * 22)}`);
    }
  }

  reset(): string {
    this.position = { row: 0, column: 0 };
    this.steps = 0;
    return this.key;
  }

  get key(): string {
    return `${this.position.row},${this.position.column}`;
  }

  step(action: Action): { state: string; reward: number; done: boolean } {
    this.steps++;
    const { row, column } = this.position;
    const next: Position = {
      row: row + (action === "down" ? 1 : action === "up" ? -1 : 0),
      column: column + (action === "right" ? 1 : action === "left" ? -1 : 0),
    };
    const isFree =
      Math.min(next.row, next.column) >= 0 &&
      Math.max(next.row, next.column) < SIZE &&
      !this.walls.has(`${next.row},${next.column}`);
    if (isFree) this.position = next;
    const done = this.position.row === SIZE - 1 && this.position.column === SIZE - 1;
    return { state: this.key, reward: done ? 10 : isFree ? -0.05 : -0.5, done };
  }
}

class Agent {
  readonly table: Map<string, Record<Action, number>> = new Map();
  epsilon = 1;

  valuesOf(state: string): Record<Action, number> {
    let values = this.table.get(state);
    if (!values) this.table.set(state, (values = { up: 0, down: 0, left: 0, right: 0 }));
    return values;
  }

  choose(state: string): Action {
    if (random() < this.epsilon) return ACTIONS[Math.floor(random() * 4)] ?? "up";
    const values = this.valuesOf(state);
    return ACTIONS.reduce((best, one) => (values[one] > values[best] ? one : best));
  }

  learn(state: string, action: Action, reward: number, next: string): number {
    const values = this.valuesOf(state);
    const error = reward + 0.97 * Math.max(...Object.values(this.valuesOf(next))) - values[action];
    values[action] += 0.2 * error;
    return error;
  }
}

const world = new GridWorld();
const agent = new Agent();
let window: number[] = [];
for (let episode = 0; episode < episodes; episode++) {
  let state = world.reset();
  let total = 0;
  for (let step = 0; step < 600; step++) {
    const action = agent.choose(state);
    const { state: next, reward, done } = world.step(action);
    const error = agent.learn(state, action, reward, next);
    //: ask step td = error where episode = 120 and step = 10
    total += reward;
    state = next;
    if (done) break;
  }
  agent.epsilon = Math.max(0.05, agent.epsilon * 0.999);
  window.push(total);
  if (episode % 1000 !== 999) continue;
  //: ask outer states = agent.table.size
  console.log("episode", episode, "reward", window.reduce((a, b) => a + b) / window.length);
  window = [];
}
//: ask suffix start = agent.valuesOf("0,0").right
console.log("epsilon", agent.epsilon);
