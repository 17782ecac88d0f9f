//: about autograd engine with values in a graph, an MLP on two moons
//: quick --epochs 80
//: full --epochs 5200
import process from "node:process";

const epochs = Number(process.argv[3] ?? 4);

class Value {
  constructor(data, children = [], op = "") {
    this.data = data;
    this.grad = 0;
    this.children = children;
    this.op = op;
    this.spread = () => {};
  }

  static of(x) {
    return x instanceof Value ? x : new Value(x);
  }

  add(other) {
    const right = Value.of(other);
    const out = new Value(this.data + right.data, [this, right], "+");
    out.spread = () => {
      this.grad += out.grad;
      right.grad += out.grad;
    };
    return out;
  }

  mul(other) {
    const right = Value.of(other);
    const out = new Value(this.data * right.data, [this, right], "*");
    out.spread = () => {
      this.grad += right.data * out.grad;
      right.grad += this.data * out.grad;
    };
    return out;
  }

  relu() {
    const out = new Value(Math.max(0, this.data), [this], "relu");
    out.spread = () => {
      this.grad += (out.data > 0 ? 1 : 0) * out.grad;
    };
    return out;
  }

  backward() {
    const order = [];
    const seen = new Set();
    const visit = (v) => {
      if (seen.has(v)) return;
      seen.add(v);
      for (const child of v.children) visit(child);
      order.push(v);
    };
    visit(this);
    this.grad = 1;
    for (const v of order.toReversed()) v.spread();
  }
}

let seed = 1337;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;

class Neuron {
  constructor(inputs, isLinear) {
    this.w = Array.from({ length: inputs }, () => new Value(2 * random() - 1));
    this.b = new Value(0);
    this.isLinear = isLinear;
  }

  call(x) {
    const sum = this.w.reduce((acc, w, i) => acc.add(w.mul(x[i])), this.b);
    return this.isLinear ? sum : sum.relu();
  }

  parameters() {
    return [...this.w, this.b];
  }
}

class Layer {
  constructor(inputs, outputs, isLinear) {
    this.neurons = Array.from({ length: outputs }, () => new Neuron(inputs, isLinear));
  }

  call(x) {
    return this.neurons.map((neuron) => neuron.call(x));
  }

  parameters() {
    return this.neurons.flatMap((neuron) => neuron.parameters());
  }
}

class MLP {
  constructor(inputs, outputs) {
    const sizes = [inputs, ...outputs];
    this.layers = outputs.map((size, i) => new Layer(sizes[i], size, i === outputs.length - 1));
  }

  call(x) {
    return this.layers.reduce((acc, layer) => layer.call(acc), x)[0];
  }

  parameters() {
    return this.layers.flatMap((layer) => layer.parameters());
  }

  zeroGrad() {
    for (const p of this.parameters()) p.grad = 0;
  }
}

const points = Array.from({ length: 40 }, (_, i) => {
  const angle = Math.PI * random();
  const sign = i % 2 === 0 ? 1 : -1;
  const x = [Math.cos(angle) * sign + (sign < 0 ? 1 : 0), Math.sin(angle) * sign];
  return { x, y: sign };
});
const model = new MLP(2, [8, 8, 1]);

for (let epoch = 0; epoch < epochs; epoch++) {
  let correct = 0;
  let total = 0;
  for (let batch = 0; batch < 4; batch++) {
    let loss = new Value(0);
    for (const { x, y } of points.slice(batch * 10, batch * 10 + 10)) {
      const score = model.call(x);
      if (score.data > 0 === y > 0) correct++;
      loss = loss.add(score.mul(-y).add(1).relu());
    }
    model.zeroGrad();
    loss.backward();
    //: ask step first = model.layers[0].neurons[0].w[0].grad where epoch = 2 and batch = 2
    for (const p of model.parameters()) p.data -= 0.01 * p.grad;
    total += loss.data;
  }
  //: ask outer norm = Math.hypot(...model.parameters().map((p) => p.data))
  console.log(`epoch ${epoch} loss ${total / 40} accuracy ${correct / 40}`);
}
//: ask suffix bias = model.layers[2].neurons[0].b.data
console.log("score", model.call([0.5, 0.25]).data);
