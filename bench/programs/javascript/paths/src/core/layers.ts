import { Random } from "./random";

export interface Parameter {
  readonly value: Float64Array;
  readonly gradient: Float64Array;
}

export abstract class Layer {
  abstract forward(x: Float64Array): Float64Array;
  abstract backward(d: Float64Array): Float64Array;
  parameters(): Parameter[] {
    return [];
  }
}

export class Linear extends Layer {
  private readonly weight: Parameter;
  private readonly bias: Parameter;
  private input = new Float64Array(0);

  constructor(
    private readonly inputs: number,
    private readonly outputs: number,
    seed: number,
  ) {
    super();
    const random = new Random(seed);
    const value = Float64Array.from({ length: inputs * outputs }, () => random.next() - 0.5);
    this.weight = { value, gradient: new Float64Array(inputs * outputs) };
    this.bias = { value: new Float64Array(outputs), gradient: new Float64Array(outputs) };
  }

  override forward(x: Float64Array): Float64Array {
    this.input = x;
    const out = this.bias.value.slice();
    for (let o = 0; o < this.outputs; o++) {
      for (let i = 0; i < this.inputs; i++)
        out[o]! += this.weight.value[o * this.inputs + i]! * x[i]!;
    }
    return out;
  }

  override backward(d: Float64Array): Float64Array {
    const back = new Float64Array(this.inputs);
    for (let o = 0; o < this.outputs; o++) {
      this.bias.gradient[o]! += d[o]!;
      for (let i = 0; i < this.inputs; i++) {
        this.weight.gradient[o * this.inputs + i]! += d[o]! * this.input[i]!;
        back[i]! += d[o]! * this.weight.value[o * this.inputs + i]!;
      }
    }
    return back;
  }

  override parameters(): Parameter[] {
    return [this.weight, this.bias];
  }
}

export class Tanh extends Layer {
  private output = new Float64Array(0);

  override forward(x: Float64Array): Float64Array {
    return (this.output = x.map(Math.tanh));
  }

  override backward(d: Float64Array): Float64Array {
    return d.map((v, i) => v * (1 - this.output[i]! ** 2));
  }
}
