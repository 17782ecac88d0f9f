/**
 * @file What a value may come from, as a graph over variables, properties and values on the way. Order
 * does not count. Each node has a second one for what its value *holds*: an array of times holds a
 * clock, and so does the object of which one field is a time, though its other fields do not.
 */

/** Ends the name of the node that stands for what is in a value. */
const HELD = "~";

export type Flow = readonly string[];

export function isHeld(node: string): boolean {
  return node.endsWith(HELD);
}

/** A value that somebody gets from a place, with what is in it. */
export function valueOf(place: string): Flow {
  return [place, place + HELD];
}

/** The value without what is in it. */
export function bare(flow: Flow): Flow {
  return flow.filter((node) => !isHeld(node));
}

export class FlowGraph {
  readonly #from = new Map<string, Set<string>>();
  readonly #causes = new Map<string, string>();
  #count = 0;

  /** A new node that depends on a flow as a whole. */
  whole(flow: Flow): Flow {
    if (flow.length === 0) return flow;
    const node = this.node();
    this.add(node, flow);
    return [node];
  }

  /** A new value that holds what flows into it. */
  holding(flow: Flow): Flow {
    if (flow.length === 0) return flow;
    const node = this.node() + HELD;
    this.add(node, flow);
    return [node];
  }

  node(): string {
    return `#${this.#count++}`;
  }

  /** A value that comes from outside, with the words for it. */
  cause(text: string): Flow {
    const node = `!${text}`;
    this.#causes.set(node, text);
    return [node];
  }

  add(node: string, flow: Flow): void {
    let from = this.#from.get(node);
    if (!from) this.#from.set(node, (from = new Set()));
    for (const one of flow) from.add(one);
  }

  /** A place gets a value: what is put into one is in the other too, for they may be one object. */
  assign(place: string, flow: Flow): void {
    for (const node of flow) {
      this.add(isHeld(node) ? place + HELD : place, [node]);
      if (isHeld(node)) this.add(node, [place + HELD]);
    }
  }

  /** Something is put into the objects that a flow may be. */
  put(objects: Flow, flow: Flow): void {
    for (const node of objects) if (isHeld(node)) this.add(node, flow);
  }

  /** The causes that a node depends on, the nearest first. */
  causesOf(node: string): string[] {
    const seen = new Set([node]);
    // Grows while it is gone through.
    for (const one of seen) for (const from of this.#from.get(one) ?? []) seen.add(from);
    return [...seen].flatMap((one) => this.#causes.get(one) ?? []);
  }
}
