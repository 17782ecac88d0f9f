// Scalars that know what they were computed from, as many write them to learn how it is done.
class Value {
  constructor(data, prev = [], pull = () => {}) {
    Object.assign(this, { data, prev, pull, grad: 0 });
  }
  add(o) {
    const out = new Value(this.data + o.data, [this, o], () => {
      this.grad += out.grad;
      o.grad += out.grad;
    });
    return out;
  }
  mul(o) {
    const out = new Value(this.data * o.data, [this, o], () => {
      this.grad += o.data * out.grad;
      o.grad += this.data * out.grad;
    });
    return out;
  }
  backward() {
    const order = [];
    const seen = new Set();
    const visit = (v) => {
      if (seen.has(v)) return;
      seen.add(v);
      for (const p of v.prev) visit(p);
      order.push(v);
    };
    visit(this);
    this.grad = 1;
    for (const v of order.toReversed()) v.pull();
  }
}
const weights = Array.from({ length: 40 }, (_, i) => new Value(Math.sin(i)));
const xs = Array.from({ length: 50 }, (_, i) => weights.map((_, j) => Math.cos(i * j)));
for (let epoch = 0; epoch < Number(process.argv[2]); epoch++) {
  let loss = new Value(0);
  for (const x of xs) {
    let out = new Value(-1);
    for (let j = 0; j < x.length; j++) out = out.add(weights[j].mul(new Value(x[j])));
    loss = loss.add(out.mul(out));
  }
  for (const w of weights) w.grad = 0;
  loss.backward();
  for (const w of weights) w.data -= 0.0002 * w.grad;
  console.log("epoch", epoch, "loss", loss.data);
}
