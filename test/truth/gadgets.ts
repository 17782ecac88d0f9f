/**
 * @file Kinds of state that training programs keep, as pieces of source: how each is declared,
 * changed and read. A generated program mixes several, so that one lost change shows in all.
 *
 * In the texts `$` is the number of the piece and `V` a number in [0, 1).
 */

export interface Gadget {
  readonly declare: string;
  /** Statements that change it. */
  readonly update: string;
  /** A number in it that `update` changes. */
  readonly value: string;
  /** All of it, as JSON has it. */
  readonly read: string;
  /** Declarations that must stand at the top of the module, before everything. */
  readonly module?: string;
  /** A second file that it needs. */
  readonly file?: readonly [name: string, text: string];
  /** `update` awaits. */
  readonly awaits?: true;
}

export const HELPERS = `function mix(a, b) {
  const x = a * 12.9898 + b * 78.233 + 0.5;
  if (Number.isNaN(x)) throw new Error("not a number");
  return x - Math.floor(x);
}
const frac = (x) => x - Math.floor(x);
const show = (...all) => JSON.stringify(all);`;

const number = (declare: string, update: string, value: string, read = value): Gadget => ({
  declare,
  update,
  value,
  read,
});

/** State that every scan must be able to skip. */
export const USUAL: { readonly [kind: string]: Gadget } = {
  accumulator: number("let total$ = 0.5;", "total$ = mix(total$, V);", "total$"),
  counter: number("let n$ = 0;", "n$++; if (n$ % 3 === 0) n$ += V;", "frac(n$)", "n$"),
  ema: number("let ema$ = 0.1;", "ema$ = 0.9 * ema$ + 0.1 * V;", "ema$"),
  pushed: number(
    "const hist$ = [0.25];",
    "hist$.push(mix(hist$.at(-1), V)); if (hist$.length > 5) hist$.shift();",
    "hist$.at(-1)",
    "hist$",
  ),
  nested: number(
    "const cfg$ = { lr: 0.1, inner: { list: [0.3], deep: { v: 0.2 } } };",
    "cfg$.inner.deep.v = mix(cfg$.inner.deep.v, V); cfg$.inner.list[0] += V; cfg$.lr *= 0.9;",
    "cfg$.inner.deep.v",
    "cfg$",
  ),
  map: number(
    'const seen$ = new Map([["a", 0.2]]);',
    'seen$.set("k" + Math.floor(V * 4), V); seen$.set("a", mix(seen$.get("a"), V)); if (V > 0.7) seen$.delete("k1");',
    'seen$.get("a")',
    "[...seen$]",
  ),
  set: number(
    "const marks$ = new Set([0.5]);",
    "marks$.add(mix(marks$.size, V)); if (marks$.size > 4) marks$.delete([...marks$][0]);",
    "[...marks$].at(-1)",
    "[...marks$]",
  ),
  instance: {
    module:
      "class Meter$ { constructor(v) { this.v = v; this.n = 0; this.log = []; } add(x) { this.v = mix(this.v, x); this.n++; this.log = [...this.log.slice(-2), x]; return this; } get mean() { return this.v / (this.n + 1); } }",
    ...number(
      "const meter$ = new Meter$(0.3);",
      "meter$.add(V);",
      "meter$.v",
      "[meter$, meter$.mean]",
    ),
  },
  heir: {
    module:
      "class Base$ { v = 0.1; bump(x) { this.v = mix(this.v, x); } }\nclass Heir$ extends Base$ { w = 0.2; bump(x) { super.bump(x); this.w += this.v; } }",
    ...number(
      "let heir$ = new Heir$();",
      "heir$.bump(V); if (heir$.w > 3) heir$ = new Heir$();",
      "heir$.v",
      "heir$",
    ),
  },
  schedule: {
    module:
      "function makeSchedule$(base) { let t = 0; let rate = base; return () => { t++; if (t % 2 === 0) rate = mix(rate, t); return rate; }; }",
    ...number(
      "const schedule$ = makeSchedule$(0.1); let rate$ = 0;",
      "rate$ = mix(schedule$(), V);",
      "rate$",
    ),
  },
  otherFile: {
    module: 'import { decay as decay$, table as table$, peek as peek$ } from "./lib$.mjs";',
    file: [
      "lib$.mjs",
      "let lr = 0.1;\nexport const table = { n: 0, list: [0.5] };\nconst m = (a, b) => { const x = a * 12.9898 + b * 78.233 + 0.5; return x - Math.floor(x); };\nexport function decay(v) {\n  lr = m(lr, v);\n  table.n++;\n  table.list = [...table.list.slice(-2), lr];\n}\nexport const peek = () => lr;\n",
    ],
    ...number("", "decay$(V);", "peek$()", "[peek$(), table$]"),
  },
  liveBinding: {
    module: 'import * as live$ from "./live$.mjs";',
    file: [
      "live$.mjs",
      "export let rate = 0.5;\nexport let best = { v: 0.1 };\nexport function set(v) {\n  rate = (rate * 7.13 + v) % 1;\n  if (rate > best.v) best = { v: rate };\n}\n",
    ],
    ...number("", "live$.set(V);", "live$.rate", "[live$.rate, live$.best]"),
  },
  best: number(
    "let best$ = { score: -1, w: null }; const weights$ = { a: 0.1, inner: [0.2] };",
    "weights$.a = mix(weights$.a, V); weights$.inner[0] = weights$.a; if (weights$.a > best$.score) best$ = { score: weights$.a, w: { ...weights$ } };",
    "weights$.a",
    "[best$, weights$]",
  ),
  swap: number(
    "let left$ = 0.1, right$ = 0.9;",
    "[left$, right$] = [right$, mix(left$, V)];",
    "left$",
    "[left$, right$]",
  ),
  destructured: number(
    "let mean$ = 0.1, spread$ = [0.2];",
    "({ m: mean$, s: [spread$[0]] } = { m: mix(mean$, V), s: [mix(spread$[0], mean$)] });",
    "mean$",
    "[mean$, spread$]",
  ),
  shuffled: {
    module:
      "function shuffle$(xs) { for (let i = xs.length - 1; i > 0; i--) { const j = Math.floor(Math.random() * (i + 1)); [xs[i], xs[j]] = [xs[j], xs[i]]; } return xs; }",
    ...number(
      "const order$ = [0, 1, 2, 3, 4, 5];",
      "shuffle$(order$); order$[0] = mix(order$[0], V);",
      "frac(order$[1])",
      "order$",
    ),
  },
  aliases: number(
    "const xs$ = [0.1, 0.2]; const ys$ = xs$; let zs$ = xs$;",
    "ys$[0] = mix(xs$[0], V); zs$[1] += V; if (V > 0.6) zs$ = [...xs$]; else if (V < 0.2) zs$ = ys$;",
    "xs$[0]",
    "[xs$, ys$, zs$, xs$ === ys$, zs$ === xs$]",
  ),
  declaredInPlace: number(
    "const st$ = al.checkpointing({ w: new Float64Array([0.1, 0.2]), o: { k: 0.3 }, m: new Map([[1, 0.5]]) });",
    "st$.w[0] = mix(st$.w[0], V); st$.w[1] += st$.w[0]; st$.o.k = mix(st$.o.k, V); st$.m.set(Math.floor(V * 3), V);",
    "st$.w[0]",
    "[[...st$.w], st$.o, [...st$.m]]",
  ),
  declaredRebound: number(
    "const sr$ = al.checkpointing({ w: new Float32Array([0.1, 0.2]), p: { k: 0.3 }, n: 1 });",
    "sr$.w = sr$.w.map((w) => mix(w, V)); sr$.p = { ...sr$.p, k: mix(sr$.p.k, V) }; sr$.n++;",
    "sr$.p.k",
    "[[...sr$.w], sr$.p, sr$.n]",
  ),
  declaredAlias: number(
    "const buf$ = new Float64Array(4).fill(0.5); const view$ = buf$.subarray(1, 3); al.checkpointing({ buf$ });",
    "view$[0] = mix(buf$[0], V); buf$[0] = mix(view$[0], view$[1]); view$[1] += V;",
    "buf$[0]",
    "[[...buf$], [...view$], view$.buffer === buf$.buffer]",
  ),
  views: number(
    "const raw$ = new ArrayBuffer(16); const f64$ = new Float64Array(raw$); const u8$ = new Uint8Array(raw$); f64$[0] = 0.4;",
    "f64$[0] = mix(f64$[0], V); u8$[9] = Math.floor(V * 256);",
    "f64$[0]",
    "[f64$[0], [...u8$]]",
  ),
  text: number(
    'let text$ = "";',
    "text$ = (text$ + V.toFixed(4)).slice(-12);",
    "frac(text$.length + Number(text$.slice(-2)) / 100)",
    "text$",
  ),
  big: number(
    "let big$ = 7n;",
    "big$ = (big$ * 31n + BigInt(Math.floor(V * 1e6))) % 1000003n;",
    "Number(big$) / 1000003",
    "String(big$)",
  ),
  list: number(
    "let head$ = null;",
    "head$ = { v: V, next: head$ && { ...head$, next: null } };",
    "(head$?.v ?? 0.1)",
    "head$",
  ),
  frozen: number(
    "let opts$ = Object.freeze({ lr: 0.1 });",
    "opts$ = Object.freeze({ ...opts$, lr: mix(opts$.lr, V) });",
    "opts$.lr",
    "opts$",
  ),
  method: number(
    "const acc$ = { v: 0.1, add(x) { this.v = mix(this.v, x); return this.v; } };",
    "acc$.add(V);",
    "acc$.v",
    "acc$",
  ),
  handlers: number(
    "let heard$ = 0.1; const handlers$ = [(v) => { heard$ = mix(heard$, v); }];",
    "handlers$.forEach((handler) => handler(V));",
    "heard$",
  ),
  logical: number(
    "let cache$ = null; let calls$ = 0.5;",
    "cache$ ??= { v: V }; calls$ &&= mix(calls$, V); if (calls$ > 0.8) cache$ = null;",
    "calls$",
    "[cache$, calls$]",
  ),
  truncated: number(
    "const queue$ = [0.1];",
    "queue$.push(V); queue$.reverse(); if (queue$.length > 3) queue$.length = 2; queue$[0] = mix(queue$[0], V);",
    "queue$[0]",
    "queue$",
  ),
  deleted: number(
    "const bag$ = { a: 0.1 };",
    'bag$["k" + Math.floor(V * 3)] = V; if (V > 0.5) delete bag$.k0; bag$.a = mix(bag$.a, V);',
    "bag$.a",
    "Object.entries(bag$)",
  ),
  assigned: number(
    "const target$ = { v: 0.1, n: 0 };",
    "Object.assign(target$, { v: mix(target$.v, V), n: target$.n + 1 });",
    "target$.v",
    "target$",
  ),
  parameter: {
    module: "function bump$(list, x) { const own = list; own[0] = mix(own[0], x); }",
    ...number("const held$ = { list: [0.3] };", "bump$(held$.list, V);", "held$.list[0]", "held$"),
  },
  forHead: number(
    "let last$ = 0.1; const spot$ = { x: 0.2 };",
    "for (last$ of [V, mix(last$, V)]); for (spot$.x of [mix(spot$.x, V)]);",
    "last$",
    "[last$, spot$]",
  ),
  awaited: {
    ...number(
      "let slow$ = 0.1;",
      "await Promise.resolve(V).then((v) => { slow$ = mix(slow$, v); });",
      "slow$",
    ),
    awaits: true,
  },
  asyncFunction: {
    module:
      "const box$ = { v: 0.2 }; async function later$(x) { await null; box$.v = mix(box$.v, x); return box$.v; }",
    ...number("let got$ = 0;", "got$ = await later$(V);", "got$", "[got$, box$]"),
    awaits: true,
  },
  varInFunction: {
    module: "var hoisted$ = 0.1; function touch$(x) { hoisted$ = mix(hoisted$, x); }",
    ...number("", "touch$(V);", "hoisted$"),
  },
};
