/**
 * @file Kinds of state that an analysis of source easily overlooks, or that no checkpoint can
 * hold. Replays may cost more where these are used; their values must be right all the same.
 */
import type { Gadget } from "./gadgets.ts";

const number = (declare: string, update: string, value: string, read = value): Gadget => ({
  declare,
  update,
  value,
  read,
});

export const RARE: { readonly [kind: string]: Gadget } = {
  privateField: {
    module:
      "class Secret$ { #v = 0.1; add(x) { this.#v = mix(this.#v, x); } get v() { return this.#v; } }",
    ...number("const secret$ = new Secret$();", "secret$.add(V);", "secret$.v"),
  },
  staticField: {
    module:
      "class Stats$ { static total = 0.1; static add(x) { Stats$.total = mix(Stats$.total, x); } }",
    ...number("", "Stats$.add(V);", "Stats$.total"),
  },
  functionProperty: {
    module: "function calls$() {} calls$.v = 0.1;",
    ...number("", "calls$.v = mix(calls$.v, V);", "calls$.v"),
  },
  global: number(
    "globalThis.shared$ = 0.1;",
    "globalThis.shared$ = mix(globalThis.shared$, V);",
    "globalThis.shared$",
  ),
  environment: number(
    'process.env.AL_TRUTH_$ = "0.1";',
    "process.env.AL_TRUTH_$ = String(mix(Number(process.env.AL_TRUTH_$), V));",
    "Number(process.env.AL_TRUTH_$)",
  ),
  prototype: {
    module: "class Proto$ {} Proto$.prototype.v = 0.1; const one$ = new Proto$();",
    ...number("", "Proto$.prototype.v = mix(one$.v, V);", "one$.v"),
  },
  weak: number(
    "const key$ = {}; const weak$ = new WeakMap([[key$, 0.1]]);",
    "weak$.set(key$, mix(weak$.get(key$), V));",
    "weak$.get(key$)",
  ),
  proxy: number(
    "const inner$ = { v: 0.1 }; const proxy$ = new Proxy(inner$, { set(o, k, v) { o[k] = mix(o[k], v); return true; } });",
    "proxy$.v = V;",
    "inner$.v",
    "inner$",
  ),
  regexp: number(
    'const re$ = /a/g; const as$ = "a".repeat(7); let at$ = 0.1;',
    "at$ = mix(at$, re$.exec(as$)?.index ?? V);",
    "at$",
    "[at$, re$.lastIndex]",
  ),
  regexpTest: number(
    "const rt$ = /a/y; let hits$ = 0.1;",
    'hits$ = mix(hits$, rt$.test("aaaaa") ? V : 0.3);',
    "hits$",
    "[hits$, rt$.lastIndex]",
  ),
  handIterator: number(
    "const hand$ = [0.1, 0.5, 0.3, 0.8, 0.2, 0.9, 0.7, 0.4][Symbol.iterator](); let took$ = 0.1;",
    "took$ = mix(took$, hand$.next().value ?? V);",
    "took$",
  ),
  handGenerator: {
    module: "function* stream$() { let i = 0; while (true) yield mix(i++, 0.5); }",
    ...number(
      "const gen$ = stream$(); let drawn$ = 0.1;",
      "drawn$ = mix(gen$.next().value, V);",
      "drawn$",
    ),
  },
  drawingGenerator: {
    module: "function* noise$() { while (true) yield Math.random(); }",
    ...number(
      "const rng$ = noise$(); let noisy$ = 0.1;",
      "noisy$ = mix(rng$.next().value, noisy$);",
      "noisy$",
    ),
  },
  call: number(
    "const called$ = [0.1];",
    "Array.prototype.push.call(called$, mix(called$.at(-1), V)); Array.prototype.splice.apply(called$, [0, called$.length - 3 > 0 ? 1 : 0]);",
    "called$.at(-1)",
    "called$",
  ),
  bound: number(
    "const bin$ = [0.1]; const put$ = bin$.push.bind(bin$);",
    "put$(mix(bin$.at(-1), V)); bin$.splice(0, Math.max(0, bin$.length - 3));",
    "bin$.at(-1)",
    "bin$",
  ),
  reflect: number(
    "const mirror$ = { v: 0.1 };",
    'Reflect.set(mirror$, "v", mix(mirror$.v, V));',
    "mirror$.v",
    "mirror$",
  ),
  computedMethod: number(
    'const ops$ = { v: 0.1, ["b" + "ump"](x) { this.v = mix(this.v, x); } };',
    'ops$["bu" + "mp"]?.(V);',
    "ops$.v",
    "ops$",
  ),
  getter: number(
    "const lazy$ = { n: 0, get next() { this.n = mix(this.n, 0.3); return this.n; } }; let seen$ = 0.1;",
    "seen$ = mix(lazy$.next, V);",
    "seen$",
    "[seen$, lazy$.n]",
  ),
  setter: number(
    "const box$ = { inner: 0.1, set v(x) { this.inner = mix(this.inner, x); } };",
    "box$.v = V;",
    "box$.inner",
    "box$.inner",
  ),
  valueOf: number(
    "const coin$ = { n: 0.1, valueOf() { this.n = mix(this.n, 0.7); return this.n; } }; let sum$ = 0.1;",
    "sum$ = mix(coin$ + 0, V);",
    "sum$",
    "[sum$, coin$.n]",
  ),
  toText: number(
    "const tag$ = { n: 1, toString() { this.n = (this.n * 7) % 31; return String(this.n); } }; let line$ = 0.1;",
    "line$ = mix(Number(`${tag$}`) / 31, V);",
    "line$",
    "[line$, tag$.n]",
  ),
  ownIterator: number(
    "const it$ = { n: 0.1, *[Symbol.iterator]() { this.n = mix(this.n, 0.3); yield this.n; } }; let first$ = 0.1;",
    "first$ = mix([...it$][0], V);",
    "first$",
    "[first$, it$.n]",
  ),
  tagged: number(
    "let tags$ = 0.1; const tagFn$ = (parts, v) => { tags$ = mix(tags$, v); return tags$; };",
    "tagFn$`${V}`;",
    "tags$",
  ),
  replacer: number(
    "let chars$ = 0.1;",
    '"abc".replace(/./g, (c) => { chars$ = mix(chars$, V); return c; });',
    "chars$",
  ),
  comparator: number(
    "let compared$ = 0.1;",
    "[3, 1, 2].toSorted((a, b) => { compared$ = mix(compared$, V); return a - b; });",
    "compared$",
  ),
  fromCallback: number(
    "let made$ = 0.1;",
    "Array.from({ length: 2 }, () => (made$ = mix(made$, V)));",
    "made$",
  ),
  jsonHook: number(
    "let reads$ = 0.1; const doc$ = { toJSON() { reads$ = mix(reads$, 0.4); return 1; } };",
    "JSON.stringify(doc$); reads$ = mix(reads$, V);",
    "reads$",
  ),
  symbolKey: number(
    'const sym$ = Symbol.for("k$"); const symbols$ = { [sym$]: 0.1 };',
    "symbols$[sym$] = mix(symbols$[sym$], V);",
    "symbols$[sym$]",
  ),
  sharedInner: number(
    "const core$ = { v: [0.1] }; let shallow$ = { ...core$ };",
    "core$.v[0] = mix(core$.v[0], V); if (V > 0.5) shallow$ = { ...core$, extra: V }; if (V < 0.2) core$.v = [...core$.v];",
    "core$.v[0]",
    "[core$, shallow$, shallow$.v === core$.v]",
  ),
  cycle: number(
    "const ring$ = { v: 0.1, next: null }; ring$.next = { v: 0.2, next: ring$ };",
    "ring$.next.v = mix(ring$.v, V); ring$.next.next.v = mix(ring$.v, ring$.next.v);",
    "ring$.v",
    "[ring$.v, ring$.next.v, ring$.next.next === ring$]",
  ),
  mapOfObjects: number(
    "const keyObj$ = { id: 1 }; const byKey$ = new Map([[keyObj$, { v: 0.1 }]]);",
    "byKey$.get(keyObj$).v = mix(byKey$.get(keyObj$).v, V);",
    "byKey$.get(keyObj$).v",
    "[...byKey$.values()]",
  ),
  closurePair: {
    module: "function makeCell$(v) { return { get: () => v, set: (x) => { v = mix(v, x); } }; }",
    ...number(
      "const cellA$ = makeCell$(0.1); const cellB$ = makeCell$(0.2);",
      "cellA$.set(V); if (V > 0.4) cellB$.set(cellA$.get());",
      "cellA$.get()",
      "[cellA$.get(), cellB$.get()]",
    ),
  },
  remadeClosure: {
    module: "function counter$() { let n = 0.1; return (x) => (n = mix(n, x)); }",
    ...number(
      "let tick$ = counter$(); let ticked$ = 0.1;",
      "ticked$ = tick$(V); if (ticked$ > 0.6) tick$ = counter$();",
      "ticked$",
    ),
  },
  memo: {
    module:
      "const memo$ = (() => { const known = new Map(); return (k, x) => { if (!known.has(k)) known.set(k, x); return known.get(k); }; })();",
    ...number("let memod$ = 0.1;", "memod$ = mix(memo$(Math.floor(V * 3), memod$), V);", "memod$"),
  },
  staticPrivate: {
    module:
      "class Vault$ { static #n = 0.1; static add(x) { Vault$.#n = mix(Vault$.#n, x); } static get n() { return Vault$.#n; } }",
    ...number("", "Vault$.add(V);", "Vault$.n"),
  },
  functionHeld: number(
    "let act$ = (x) => x; let acted$ = 0.1;",
    "acted$ = mix(act$(V), acted$); act$ = acted$ > 0.5 ? (x) => x * 0.5 : (x) => x;",
    "acted$",
  ),
  date: number(
    "const day$ = new Date(1000); let when$ = 0.1;",
    "day$.setTime(day$.getTime() + Math.floor(V * 1000)); when$ = frac(day$.getTime() / 977);",
    "when$",
    "[when$, day$.getTime()]",
  ),
  dataView: number(
    "const dv$ = new DataView(new ArrayBuffer(8)); dv$.setFloat64(0, 0.1);",
    "dv$.setFloat64(0, mix(dv$.getFloat64(0), V));",
    "dv$.getFloat64(0)",
  ),
  thrown: number(
    "let caught$ = 0.1;",
    "try { if (V > 0.3) throw new Error(String(V)); caught$ = mix(caught$, 0.2); } catch (error) { caught$ = mix(caught$, Number(error.message)); } finally { caught$ = mix(caught$, V); }",
    "caught$",
  ),
  argumentsObject: {
    module: "function viaArguments$() { arguments[0].v = mix(arguments[0].v, arguments[1]); }",
    ...number("const passed$ = { v: 0.1 };", "viaArguments$(passed$, V);", "passed$.v", "passed$"),
  },
  restParameter: {
    module: "function viaRest$(...all) { all[0].v = mix(all[0].v, all[1]); }",
    ...number("const rest$ = { v: 0.1 };", "viaRest$(...[rest$, V]);", "rest$.v", "rest$"),
  },
  defaultParameter: {
    module:
      "const fallback$ = { v: 0.1 }; function viaDefault$(x, to = fallback$) { to.v = mix(to.v, x); }",
    ...number("", "viaDefault$(V);", "fallback$.v", "fallback$"),
  },
  returned: {
    module: "const pool$ = [{ v: 0.1 }, { v: 0.2 }]; const pick$ = (x) => pool$[x > 0.5 ? 1 : 0];",
    ...number("", "pick$(V).v = mix(pick$(V).v, V);", "pool$[0].v", "pool$"),
  },
  computedKey: number(
    "const slots$ = { a: 0.1, b: 0.2 };",
    'slots$[V > 0.5 ? "a" : "b"] = mix(slots$.a, slots$.b + V);',
    "mix(slots$.a, slots$.b)",
    "slots$",
  ),
  stored: number(
    "const registry$ = new Map(); const model$ = { w: 0.1 }; registry$.set('m', { model: model$ });",
    "registry$.get('m').model.w = mix(model$.w, V);",
    "model$.w",
    "model$",
  ),
  asyncCallback: {
    ...number(
      "let parts$ = [0.1, 0.2];",
      "parts$ = await Promise.all(parts$.map(async (p) => { await null; return mix(p, V); }));",
      "parts$[0]",
      "parts$",
    ),
    awaits: true,
  },
  newPromise: {
    ...number(
      "let resolved$ = 0.1;",
      "await new Promise((ok) => { resolved$ = mix(resolved$, V); ok(); });",
      "resolved$",
    ),
    awaits: true,
  },
  timer: {
    ...number(
      "let timed$ = 0.1;",
      "await new Promise((ok) => setTimeout(() => { timed$ = mix(timed$, V); ok(); }, 0));",
      "timed$",
    ),
    awaits: true,
  },
};
