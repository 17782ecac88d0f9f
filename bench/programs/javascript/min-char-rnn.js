//: about character RNN by hand with Adagrad, a sample every 20 updates
//: quick --updates 900
//: full --updates 13000
const updates = Number(process.argv[3] ?? 60);

const data = "it was the best of times, it was the worst of times, it was the age of wisdom. ";
const chars = Array.from(new Set(data));
const toIndex = Object.fromEntries(chars.map((c, i) => [c, i]));
const H = 48;
const V = chars.length;
const T = 20;

let seed = 17;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const zeros = (r, c) => Array.from({ length: r }, () => new Float64Array(c));
const randn = (r, c) => zeros(r, c).map((row) => row.map(() => 0.02 * (random() - 0.5)));

const model = {
  Wxh: randn(H, V),
  Whh: randn(H, H),
  Why: randn(V, H),
  bh: zeros(1, H),
  by: zeros(1, V),
};
const memory = Object.fromEntries(
  Object.entries(model).map(([k, m]) => [k, zeros(m.length, m[0].length)]),
);

function forward(x, hidden) {
  const h = new Float64Array(H);
  for (let i = 0; i < H; i++) {
    let sum = model.bh[0][i] + model.Wxh[i][x];
    for (let j = 0; j < H; j++) sum += model.Whh[i][j] * hidden[j];
    h[i] = Math.tanh(sum);
  }
  const y = new Float64Array(V);
  let total = 0;
  for (let i = 0; i < V; i++) {
    let sum = model.by[0][i];
    for (let j = 0; j < H; j++) sum += model.Why[i][j] * h[j];
    y[i] = Math.exp(sum);
    total += y[i];
  }
  return [h, y.map((v) => v / total)];
}

function lossAndGradients(inputs, targets, hidden) {
  const hs = [hidden];
  const ps = [];
  let loss = 0;
  for (let t = 0; t < inputs.length; t++) {
    const [h, p] = forward(inputs[t], hs[t]);
    hs.push(h);
    ps.push(p);
    loss -= Math.log(p[targets[t]]);
  }
  const g = Object.fromEntries(
    Object.entries(model).map(([k, m]) => [k, zeros(m.length, m[0].length)]),
  );
  let next = new Float64Array(H);
  for (let t = inputs.length - 1; t >= 0; t--) {
    const dy = ps[t].slice();
    dy[targets[t]] -= 1;
    const dh = next.slice();
    for (let i = 0; i < V; i++) {
      g.by[0][i] += dy[i];
      for (let j = 0; j < H; j++) {
        g.Why[i][j] += dy[i] * hs[t + 1][j];
        dh[j] += model.Why[i][j] * dy[i];
      }
    }
    next = new Float64Array(H);
    for (let i = 0; i < H; i++) {
      const raw = (1 - hs[t + 1][i] ** 2) * dh[i];
      g.bh[0][i] += raw;
      g.Wxh[i][inputs[t]] += raw;
      for (let j = 0; j < H; j++) {
        g.Whh[i][j] += raw * hs[t][j];
        next[j] += model.Whh[i][j] * raw;
      }
    }
  }
  return { loss, g, last: hs.at(-1) };
}

function sample(hidden, x, n) {
  let text = "";
  let h = hidden;
  for (let t = 0; t < n; t++) {
    let p;
    [h, p] = forward(x, h);
    let r = random();
    x = 0;
    while (x < V - 1 && (r -= p[x]) > 0) x++;
    text += chars[x];
  }
  return text;
}

let n = 0;
let p = 0;
let hprev = new Float64Array(H);
let smooth = -Math.log(1 / V) * T;
while (n < updates) {
  if (p + T + 1 >= data.length || n === 0) {
    hprev = new Float64Array(H);
    p = 0;
  }
  const inputs = Array.from(data.slice(p, p + T), (c) => toIndex[c]);
  const targets = Array.from(data.slice(p + 1, p + T + 1), (c) => toIndex[c]);
  const { loss, g, last } = lossAndGradients(inputs, targets, hprev);
  hprev = last;
  smooth = smooth * 0.999 + loss * 0.001;
  for (const name of Object.keys(model)) {
    for (const [i, row] of model[name].entries()) {
      for (let j = 0; j < row.length; j++) {
        const d = Math.max(-5, Math.min(5, g[name][i][j]));
        memory[name][i][j] += d * d;
        row[j] -= (0.1 * d) / Math.sqrt(memory[name][i][j] + 1e-8);
      }
    }
  }
  //: ask step hidden = hprev[7] where while = 33 when n === 33
  if (n % 20 === 0) {
    //: ask outer recurrent = model.Whh[1][2]
    console.log("n", n, "loss", smooth, JSON.stringify(sample(hprev, inputs[0], 12)));
  }
  p += T;
  n += 1;
}
//: ask suffix memory = memory.Why[2][3]
console.log("end", smooth);
