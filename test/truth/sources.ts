/**
 * @file What loops go through, as pieces of source: arrays, ranges, generators, loaders.
 *
 * In the texts `$` is the number of the piece, `N` how many items, `G` a number of the state.
 */

export interface Source {
  /** At the top of the module. */
  readonly module?: string;
  /** The iterable. */
  readonly from: string;
  /** What the head of the loop declares, and a number in it. */
  readonly item: string;
  readonly value: string;
  /** A statement for the body. */
  readonly body?: string;
  /** Needs `for await`. */
  readonly awaits?: true;
}

const source = (from: string, item = "x$", value = `frac(${item} * 0.37)`): Source => ({
  from,
  item,
  value,
});

const LOADER = (kind: string): string => `
class ${kind} {
  constructor(xs) { this.xs = xs; this.pass = 0; this.at = 0; }
  [Symbol.iterator]() { return this; }
  next() {
    if (this.at >= this.xs.length) { this.at = 0; this.pass++; return { done: true, value: undefined }; }
    return { done: false, value: mix(this.xs[this.at++], this.pass) };
  }
  state() { return { pass: this.pass, at: this.at }; }
  restore(state) { this.pass = state.pass; this.at = state.at; }
}`;

/** Sources over which every scan must be able to skip. */
export const USUAL_SOURCES: { readonly [kind: string]: Source } = {
  range: source("al.range(N)"),
  rangeStep: source("al.range(1, 1 + 2 * N, 2)"),
  literal: source("[0.1, 0.7, 0.4, 0.9].slice(0, N)"),
  objects: {
    module: "const rows$ = Array.from({ length: 4 }, (_, i) => ({ x: mix(i, 0.3), y: [i] }));",
    ...source("rows$.slice(0, N)", "row$", "row$.x"),
  },
  whole: { module: "const list$ = [0.3, 0.6, 0.2];", ...source("list$") },
  typed: {
    module: "const typed$ = new Float64Array([0.2, 0.5, 0.8, 0.1]);",
    ...source("typed$.subarray(0, N)"),
  },
  chars: source('"abcd".slice(0, N)', "c$", "frac(c$.charCodeAt(0) * 0.013)"),
  map: {
    module: 'const pairs$ = new Map([["a", 0.3], ["b", 0.8], ["c", 0.1]]);',
    ...source("pairs$.entries()", "[k$, v$]", "mix(k$.length, v$)"),
  },
  set: { module: "const set$ = new Set([0.3, 0.9]);", ...source("set$") },
  generator: {
    module: "function* gen$(n) { for (let i = 0; i < n; i++) yield i * 0.41; }",
    ...source("gen$(N)"),
  },
  drawing: {
    module: "function* draw$(n) { for (let i = 0; i < n; i++) yield Math.random(); }",
    ...source("draw$(N)"),
  },
  shuffling: {
    module:
      "function* batches$(n) { const idx = Array.from({ length: n }, (_, i) => i); for (let i = n - 1; i > 0; i--) { const j = Math.floor(Math.random() * (i + 1)); [idx[i], idx[j]] = [idx[j], idx[i]]; } for (const i of idx) yield { i, x: i * 0.3 }; }",
    ...source("batches$(N)", "batch$", "mix(batch$.i, batch$.x)"),
  },
  drawnAtEntry: source("Array.from({ length: N }, () => Math.random())"),
  stateful: source("Array.from({ length: N }, (_, i) => mix(i, G))"),
  lengthOfState: source("al.range(Math.floor(G * 4))"),
  dependent: {
    ...source("(function* () { for (let i = 0; i < N; i++) yield mix(i, G); })()"),
  },
  loader: {
    module: `${LOADER("Loader$")}\nconst loader$ = new Loader$([0.2, 0.9, 0.4]);`,
    ...source("loader$"),
  },
  freshLoader: { module: LOADER("Fresh$"), ...source("new Fresh$([0.2, 0.9, 0.4].slice(0, N))") },
  asyncGenerator: {
    module:
      "async function* stream$(n) { for (let i = 0; i < n; i++) { await null; yield mix(i, 0.1); } }",
    ...source("stream$(N)"),
    awaits: true,
  },
  promises: {
    ...source("[0.3, 0.1, 0.8].slice(0, N).map((v) => Promise.resolve(v))"),
    awaits: true,
  },
  asyncOverArray: { ...source("[0.35, 0.15, 0.85].slice(0, N)"), awaits: true },
};

/** Sources that are hard to reposition, or whose items are part of the state. */
export const RARE_SOURCES: { readonly [kind: string]: Source } = {
  changedItems: {
    module: "const data$ = Array.from({ length: 4 }, (_, i) => ({ x: mix(i, 0.6) }));",
    ...source("data$.slice(0, N)", "d$", "d$.x"),
    body: "d$.x = mix(d$.x, G);",
  },
  changedWhole: {
    module: "const rows$ = [{ x: 0.1 }, { x: 0.2 }, { x: 0.3 }];",
    ...source("rows$", "r$", "r$.x"),
    body: "rows$[rows$.length - 1].x = mix(r$.x, G); rows$[0].x += G;",
  },
  growing: {
    module: "const jobs$ = [0.1, 0.2];",
    ...source("jobs$", "job$", "job$"),
    body: "if (jobs$.length < 6) jobs$.push(mix(job$, G));",
  },
  shrinking: {
    module: "const stack$ = [0.1, 0.2, 0.3, 0.4, 0.5];",
    ...source("stack$", "s$", "s$"),
    body: "if (stack$.length > 2) stack$.pop(); stack$[0] = mix(s$, G);",
  },
  growingMap: {
    module: "const todo$ = new Map([[0, 0.1], [1, 0.2]]);",
    ...source("todo$", "[key$, val$]", "mix(key$, val$)"),
    body: "if (todo$.size < 5) todo$.set(todo$.size, mix(val$, G));",
  },
  spentMap: {
    module: "const open$ = new Set([0.1, 0.2, 0.3, 0.4]);",
    ...source("open$", "o$", "o$"),
    body: "open$.delete(0.3); if (G > 0.5) open$.delete(o$);",
  },
  iteratorObject: {
    module:
      "const custom$ = (n) => ({ [Symbol.iterator]() { let i = 0; return { next: () => (i < n ? { done: false, value: mix(i++, 0.2) } : { done: true, value: undefined }) }; } });",
    ...source("custom$(N)"),
  },
  sharedStream: {
    module:
      "const shared$ = (function* () { let i = 0; while (true) yield mix(i++, 0.3); })();\nconst take$ = (n) => ({ [Symbol.iterator]() { let i = 0; return { next: () => (i++ < n ? { done: false, value: shared$.next().value } : { done: true, value: undefined }) }; } });",
    ...source("take$(N)"),
  },
  sharedDraws: {
    module:
      "let fed$ = 0.1;\nconst feed$ = { *[Symbol.iterator]() { for (let i = 0; i < 3; i++) { fed$ = mix(fed$, Math.random()); yield fed$; } } };",
    ...source("feed$", "f$", "mix(f$, fed$)"),
  },
  continued: {
    module:
      "const source$ = { i: 0, next() { return this.i % 3 === 2 ? (this.i++, { done: true, value: undefined }) : { done: false, value: mix(this.i++, 0.3) }; }, [Symbol.iterator]() { return this; } };",
    ...source("source$"),
  },
  prefetch: {
    module:
      "function* ahead$(n) { let next = Math.random(); for (let i = 0; i < n; i++) { const now = next; next = Math.random(); yield now; } }",
    ...source("ahead$(N)"),
  },
  nestedGenerators: {
    module:
      "function* raw$(n) { for (let i = 0; i < n; i++) yield mix(i, Math.random()); } function* scaled$(xs) { for (const x of xs) yield x * 0.5; }",
    ...source("scaled$(raw$(N))"),
  },
  asyncDraws: {
    module:
      "async function* noisy$(n) { for (let i = 0; i < n; i++) { await null; yield Math.random(); } }",
    ...source("noisy$(N)"),
    awaits: true,
  },
  bodyDriven: {
    module:
      "let temp$ = 1; function* until$(n) { for (let i = 0; i < n && temp$ > 0.2; i++) yield mix(temp$, i); }",
    ...source("until$(N + 2)"),
    body: "temp$ *= 0.5 + G / 2;",
  },
  finallyGenerator: {
    module:
      "let closed$ = 0.1; function* held$(n) { try { for (let i = 0; i < n; i++) yield mix(i, closed$); } finally { closed$ = mix(closed$, 0.9); } }",
    ...source("held$(N)", "h$", "mix(h$, closed$)"),
  },
  batched: {
    module:
      "function* batch$(xs, k) { let out = []; for (const x of xs) { out.push(x); if (out.length === k) { yield out; out = []; } } if (out.length) yield out; }",
    ...source("batch$([0.1, 0.2, 0.3, 0.4, 0.5], 2)", "b$", "b$[0]"),
    body: "b$[0] = mix(b$[0], G);",
  },
  reusedBuffer: {
    module:
      "function* reuse$(n) { const out = new Float64Array(2); for (let i = 0; i < n; i++) { out[0] = mix(out[0], out[1] + i); yield out; } }",
    ...source("reuse$(N)", "u$", "u$[0]"),
    body: "u$[1] = mix(u$[0], G);",
  },
};
