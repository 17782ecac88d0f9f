/** @file What the operations of each activation did: the facts that effects are read from. */
import type { Activation, HeapObject } from "./heap.ts";
import type { Op } from "../lowering/ir.ts";

/** One function may run another: at an operation of it, now or when something else is done. */
export interface Edge {
  readonly to: Activation;
  /**
   * `call`: during the operation. `resume`: as the body of a generator. `floating`: it may go on
   * after the operation. `unknown`: if whoever is called likes. `later`: at any time.
   */
  readonly how: "call" | "resume" | "floating" | "unknown" | "later";
}

export interface ActivationFacts {
  readonly edges: Map<Op, Map<Activation, Edge["how"]>>;
  readonly mutated: Map<Op, Set<HeapObject>>;
  /** Objects that are changed with everything that they reach. */
  readonly deep: Map<Op, Set<HeapObject>>;
  /** Packages that nobody knows and that are called: what they keep to themselves may change. */
  readonly outside: Map<Op, Set<string>>;
  /** Operations that change all that holds weights. */
  readonly trains: Set<Op>;
  /** Objects that an operation reads, besides those that the operation itself names. */
  readonly read: Map<Op, Set<HeapObject>>;
}

export function newActivationFacts(): ActivationFacts {
  return {
    edges: new Map(),
    mutated: new Map(),
    deep: new Map(),
    outside: new Map(),
    trains: new Set(),
    read: new Map(),
  };
}

export function noteFact<T>(map: Map<Op, Set<T>>, op: Op, value: T): void {
  const set = map.get(op);
  if (set) set.add(value);
  else map.set(op, new Set([value]));
}
