/** @file What a program gets from outside that is another each time: clocks, entropy, draws of random numbers. */
import type { CallExpression, Expression, Node } from "oxc-parser";
import type { Span } from "../../../tree/index.ts";
import { Lines } from "../../lines.ts";
import { draws, handsOn, isNondeterministic } from "../libraries/nondeterministic-calls.ts";
import type { Cause, Flow, FlowGraph } from "./flow-graph.ts";
import type { Functions } from "./function-flows.ts";
import type { OutsideNames } from "./outside-sources.ts";

/** The generator of random numbers: whoever draws at odd times changes all later draws. */
export const RANDOM = "random";

export interface Program {
  readonly graph: FlowGraph;
  readonly functions: Functions;
  readonly outside: OutsideNames;
  /** `Math.random` is seeded before any package is loaded: some keep the function that they find. */
  readonly isSeededFirst: boolean;
  /** Somewhere it asks where it lies. */
  readonly tellsPlace: boolean;
}

/** A call that logs, with nodes for whether it is executed and for the parts of what it prints. */
export interface LoggedCall {
  readonly call: CallExpression;
  readonly executed: string;
  readonly parts: readonly { readonly part: Expression; readonly node: string }[];
}

export interface FlowingText {
  readonly text: string;
  /** By where they begin, nodes for what calls that log are given. */
  readonly logs: ReadonlyMap<number, string>;
  /** Calls whose results are recorded. */
  readonly calls: readonly Span[];
}

function spanText({ start, end }: Span): string {
  return `${start}:${end}`;
}

/** An expression that stands for something from outside. */
interface FromOutside {
  readonly node: Expression;
  /** The expression with the call. */
  readonly whole: Node;
  readonly call: string;
  /** What decides whether it is evaluated. */
  readonly control: Flow;
}

/** The sources of one file. */
export class ChanceSources {
  readonly #program: Program;
  readonly #file: string;
  readonly #text: string;
  readonly #lines: Lines;
  readonly #calls: ReadonlySet<string>;

  constructor(program: Program, file: string, { text, calls }: Omit<FlowingText, "logs">) {
    this.#program = program;
    this.#file = file;
    this.#text = text;
    this.#lines = new Lines(text);
    this.#calls = new Set(calls.map(spanText));
  }

  causeAt(node: Node): Cause {
    return { words: this.#wordsAt(node, this.#textOf(node)) };
  }

  given(path: string, { node, whole, call, control }: FromOutside): Flow {
    const text = this.#textOf(node) + call;
    if (draws(path)) {
      this.#program.graph.add(RANDOM, control);
      if (this.#program.isSeededFirst || path.startsWith("global|")) return [RANDOM];
      const late = `${text}, of a package that is loaded before afterlog seeds Math.random,`;
      return [RANDOM, ...this.varying(late, whole)];
    }
    if (!isNondeterministic(path) && (call !== "" || !handsOn(path))) return [];
    return this.varying(text, whole);
  }

  varying(text: string, node: Node): Flow {
    const call = { file: this.#file, ...this.#lines.at(node.start) };
    const words = this.#wordsAt(node, text);
    const isRecorded = this.#calls.has(spanText(node));
    return this.#program.graph.cause({ words, ...(isRecorded ? { call } : {}) });
  }

  #textOf({ start, end }: Span): string {
    return this.#text.slice(start, end).replaceAll(/\s+/g, " ");
  }

  #wordsAt(node: Node, text: string): string {
    return `${text} at ${this.#file}:${this.#lines.at(node.start).line}`;
  }
}
