import type { Batch } from "@data/types";
import { Sequential } from "./model";

export class Trainer {
  steps = 0;

  constructor(
    private readonly model: Sequential,
    private readonly rate: number,
  ) {}

  epoch(batches: readonly Batch[]): { loss: number; accuracy: number } {
    let loss = 0;
    let right = 0;
    let count = 0;
    for (const [b, { inputs, labels }] of batches.entries()) {
      for (const p of this.model.parameters()) p.gradient.fill(0);
      for (const [n, input] of inputs.entries()) {
        const out = this.model.forward(Float64Array.from(input));
        const exps = out.map(Math.exp);
        const sum = exps.reduce((a, c) => a + c);
        const label = labels[n] ?? 0;
        loss -= Math.log(exps[label]! / sum);
        if (out.indexOf(Math.max(...out)) === label) right++;
        count++;
        this.model.backward(exps.map((v, k) => v / sum - (k === label ? 1 : 0)));
      }
      for (const { value, gradient } of this.model.parameters()) {
        for (let i = 0; i < value.length; i++)
          value[i]! -= (this.rate * gradient[i]!) / inputs.length;
      }
      this.steps++;
      //: ask step bias = this.model.parameters()[1]!.value[0] where epoch = 1 and b = 7 when b === 7 && this.steps === 28
    }
    return { loss: loss / count, accuracy: right / count };
  }
}
