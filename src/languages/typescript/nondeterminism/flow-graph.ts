/**
 * @file What a value may come from, as a graph over variables, properties and values on the way. Order
 * does not count. Each node has a second one for what its value *holds*: an array of times holds a
 * clock, and so does the object of which one field is a time, though its other fields do not.
 */

import type { SourcePlace } from "../../../format/index.ts";

/** Begins the name of a node for what a field of an object is given. */
const FIELD = "in .";
/** Ends the name of the node that stands for what is in a value. */
const HELD = "~";

export type Flow = readonly string[];

/** Something that is another each time. */
export interface Cause {
  readonly words: string;
  /** Where the call stands whose result is recorded; absent: it is not. */
  readonly call?: SourcePlace;
}

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
  readonly #causes = new Map<string, Cause>();
  /** Fields that objects of the program are given. */
  readonly fields: Set<string> = new Set();
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

  /** A value that comes from outside. */
  cause(cause: Cause): Flow {
    const node = `!${cause.words}:${cause.call?.column ?? ""}`;
    this.#causes.set(node, cause);
    return [node];
  }

  /** What is put into an object as its field of a name: that is known to be in no other field. */
  field(name: string, flow: Flow): Flow {
    if (/^\d+$/.test(name)) return flow;
    this.fields.add(name);
    if (flow.length === 0) return flow;
    const node = `${FIELD}${name} ${this.node()}`;
    this.add(node, flow);
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
  causesOf(node: string): Cause[] {
    const seen = new Set([node]);
    // Grows while it is gone through.
    for (const one of seen) for (const from of this.#from.get(one) ?? []) seen.add(from);
    return [...seen].flatMap((one) => this.#causes.get(one) ?? []);
  }

  /**
   * All that may be another in every execution. `apart`: an object is none because of a field that
   * is known by its name, only what is computed from it is. `given`: recorded results are given again.
   */
  varying({ given }: { readonly given: boolean }): {
    readonly all: ReadonlySet<string>;
    readonly apart: ReadonlySet<string>;
  } {
    const to = new Map<string, string[]>();
    for (const [node, sources] of this.#from) {
      for (const source of sources) {
        const known = to.get(source);
        if (known) known.push(node);
        else to.set(source, [node]);
      }
    }
    const apart = new Set<string>();
    const inFields = new Set<string>();
    const waiting = [...this.#causes]
      .filter(([, { call }]) => !given || call === undefined)
      .map(([node]) => ({ node, isInField: false }));
    // Grows while it is gone through.
    for (const { node, isInField } of waiting) {
      const seen = isInField ? inFields : apart;
      if (seen.has(node)) continue;
      seen.add(node);
      for (const next of to.get(node) ?? []) {
        const staysIn = next.startsWith(FIELD) || (isInField && isHeld(next));
        waiting.push({ node: next, isInField: staysIn });
      }
    }
    return { all: new Set([...apart, ...inFields]), apart };
  }
}
