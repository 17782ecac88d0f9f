import { Layer, Parameter } from "./layers";

export class Sequential extends Layer {
  constructor(private readonly layers: Layer[]) {
    super();
  }

  override forward(x: Float64Array): Float64Array {
    return this.layers.reduce((value, layer) => layer.forward(value), x);
  }

  override backward(d: Float64Array): Float64Array {
    return this.layers.reduceRight((value, layer) => layer.backward(value), d);
  }

  override parameters(): Parameter[] {
    return this.layers.flatMap((layer) => layer.parameters());
  }

  norm(): number {
    return Math.hypot(...this.parameters().flatMap(({ value }) => [...value]));
  }
}
