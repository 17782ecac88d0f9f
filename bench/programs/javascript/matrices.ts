//: about matrices like NumPy's written by hand, softmax regression with Adam
//: quick --epochs 20
//: full --epochs 420
const epochs = Number(process.argv[3] ?? 2);

let seed = 8;
const uniform = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;

class Matrix {
  readonly data: Float64Array;

  constructor(
    readonly rows: number,
    readonly columns: number,
    data?: Float64Array,
  ) {
    this.data = data ?? new Float64Array(rows * columns);
  }

  static random(rows: number, columns: number, scale: number): Matrix {
    return new Matrix(rows, columns).map(() => scale * (2 * uniform() - 1));
  }

  map(f: (value: number, index: number) => number): Matrix {
    return new Matrix(this.rows, this.columns, this.data.map(f));
  }

  get T(): Matrix {
    const out = new Matrix(this.columns, this.rows);
    for (let i = 0; i < this.rows; i++) {
      for (let j = 0; j < this.columns; j++) {
        out.data[j * this.rows + i] = this.data[i * this.columns + j]!;
      }
    }
    return out;
  }

  dot(other: Matrix): Matrix {
    const out = new Matrix(this.rows, other.columns);
    for (let i = 0; i < this.rows; i++) {
      for (let k = 0; k < this.columns; k++) {
        const a = this.data[i * this.columns + k]!;
        for (let j = 0; j < other.columns; j++) {
          out.data[i * other.columns + j]! += a * other.data[k * other.columns + j]!;
        }
      }
    }
    return out;
  }

  add(other: Matrix): Matrix {
    const isRow = other.rows === 1;
    return this.map((v, i) => v + other.data[isRow ? i % this.columns : i]!);
  }

  sub(other: Matrix): Matrix {
    return this.map((v, i) => v - other.data[i]!);
  }

  scale(factor: number): Matrix {
    return this.map((v) => v * factor);
  }

  sumRows(): Matrix {
    const out = new Matrix(1, this.columns);
    this.data.forEach((v, i) => (out.data[i % this.columns]! += v));
    return out;
  }

  norm(): number {
    return Math.sqrt(this.data.reduce((a, b) => a + b * b, 0));
  }
}

function softmax(z: Matrix): Matrix {
  const out = new Matrix(z.rows, z.columns);
  for (let i = 0; i < z.rows; i++) {
    const row = z.data.subarray(i * z.columns, (i + 1) * z.columns);
    const top = row.reduce((a, b) => Math.max(a, b));
    const exps = row.map((v) => Math.exp(v - top));
    const sum = exps.reduce((a, b) => a + b);
    out.data.set(
      exps.map((v) => v / sum),
      i * z.columns,
    );
  }
  return out;
}

class Adam {
  private readonly m = new Map<string, Matrix>();
  private readonly v = new Map<string, Matrix>();
  private t = 0;

  constructor(private readonly rate: number) {}

  step(parameters: Record<string, Matrix>, gradients: Record<string, Matrix>): void {
    this.t++;
    for (const [name, g] of Object.entries(gradients)) {
      const p = parameters[name]!;
      const m = (this.m.get(name) ?? g.scale(0)).scale(0.9).add(g.scale(0.1));
      const v = (this.v.get(name) ?? g.scale(0)).scale(0.999).add(g.map((x) => 0.001 * x * x));
      this.m.set(name, m);
      this.v.set(name, v);
      const correction = Math.sqrt(1 - 0.999 ** this.t) / (1 - 0.9 ** this.t);
      p.data.forEach((_, i) => {
        p.data[i]! -= (this.rate * correction * m.data[i]!) / (Math.sqrt(v.data[i]!) + 1e-8);
      });
    }
  }
}

const FEATURES = 64;
const CLASSES = 10;
const x = Matrix.random(600, FEATURES, 1);
const truth = Matrix.random(FEATURES, CLASSES, 1);
const scores = x.dot(truth);
const labels = Array.from({ length: x.rows }, (_, i) => {
  const row = scores.data.subarray(i * CLASSES, (i + 1) * CLASSES);
  return row.indexOf(Math.max(...row));
});

const parameters: Record<string, Matrix> = {
  w1: Matrix.random(FEATURES, 48, 0.2),
  b1: new Matrix(1, 48),
  w2: Matrix.random(48, CLASSES, 0.2),
  b2: new Matrix(1, CLASSES),
};
const optimizer = new Adam(0.002);
const BATCH = 30;
for (let epoch = 0; epoch < epochs; epoch++) {
  let loss = 0;
  for (let batch = 0; batch < x.rows / BATCH; batch++) {
    const start = batch * BATCH;
    const input = new Matrix(
      BATCH,
      FEATURES,
      x.data.slice(start * FEATURES, (start + BATCH) * FEATURES),
    );
    const { w1, b1, w2, b2 } = parameters as { w1: Matrix; b1: Matrix; w2: Matrix; b2: Matrix };
    const hidden = input.dot(w1).add(b1).map(Math.tanh);
    const p = softmax(hidden.dot(w2).add(b2));
    const d2 = p.map((v, i) => {
      const isRight = labels[start + Math.floor(i / CLASSES)] === i % CLASSES;
      if (isRight) loss -= Math.log(v);
      return (v - (isRight ? 1 : 0)) / BATCH;
    });
    const d1 = d2.dot(w2.T).map((v, i) => v * (1 - hidden.data[i]! ** 2));
    const gradients = {
      w1: input.T.dot(d1),
      b1: d1.sumRows(),
      w2: hidden.T.dot(d2),
      b2: d2.sumRows(),
    };
    //: ask step gradient = gradients.w1.norm() where epoch = 1 and batch = 3
    optimizer.step(parameters, gradients);
  }
  //: ask outer bias = parameters["b2"]!.norm()
  console.log("epoch", epoch, "loss", loss / x.rows);
}
//: ask suffix moved = parameters["w1"]!.norm()
console.log("w2", parameters["w2"]!.norm());
