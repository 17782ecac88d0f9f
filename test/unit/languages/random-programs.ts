/**
 * Random programs for the soundness of the analysis: objects of one class that hold each other in
 * every way the language has, functions, closures, generators and accessors that change them, and
 * one recorded loop. Each runs with an observer that sees every variable before and after the loop.
 */

/** Draws that a seed decides. */
export class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  }

  pick<T>(items: readonly T[]): T {
    return items.at(this.below(items.length)) as T;
  }
}

const PRELUDE = `let ticks = 0;
function tick() { if (++ticks > 400) throw new Error("enough"); }
class Item {
  #p = null; #q = null; n = 0; in = null; list = []; map = new Map(); set = new Set(); cb = null;
  constructor(n) { this.n = n; }
  get own() { return this.#p; }
  set own(x) { this.#p = x; }
  get lazy() { return (this.#q ??= new Item(7)); }
  grow(x) { this.list.push(x); return this; }
  with(f) { f(this); return this.in; }
  *walk() { yield* this.list; if (this.in) yield this.in; }
  [Symbol.iterator]() { return this.list[Symbol.iterator](); }
  static peek(o) { return [o.#p, o.#q]; }
}
class Sub extends Item {
  extra = new Item(8);
  grow(x) { super.grow(x); this.extra.n++; return this.extra; }
}
class Bag extends Map { put(x) { this.set("k", x); return this; } }`;

/** Names that are in scope for what is being written. */
interface Scope {
  readonly objects: readonly string[];
  /** Of these, the ones that can be set. */
  readonly settable: readonly string[];
  readonly functions: number;
  readonly depth: number;
}

export interface RandomProgram {
  /** As it is analyzed. */
  readonly text: string;
  /** As it is run: with `__see(name, get)`, `__before()` and `__after()` in it. */
  readonly observed: string;
}

/** A program that is the same for the same seed. */
export function randomProgram(seed: number): RandomProgram {
  const draws = new Draws(seed);
  const writer = new Writer(draws);
  const lines = writer.program();
  const text = lines.join("\n");
  return {
    text: text.replaceAll(/\/\*(?:see \w+|before|after)\*\//g, ""),
    observed: text
      .replaceAll(/\/\*see (\w+)\*\//g, '__see("$1", () => $1);')
      .replaceAll("/*before*/", "__before();")
      .replaceAll("/*after*/", "__after();"),
  };
}

class Writer {
  readonly #draws: Draws;
  #names = 0;

  constructor(draws: Draws) {
    this.#draws = draws;
  }

  program(): string[] {
    const lets = ["v0", "v1", "v2"];
    const consts = ["k0", "k1", "k2"];
    const scope: Scope = { objects: [...lets, ...consts], settable: lets, functions: 0, depth: 2 };
    const lines = [PRELUDE, "/*see ticks*/"];
    for (const name of lets) lines.push(`let ${name} = new Item(1); /*see ${name}*/`);
    lines.push(`const k0 = new Item(2); /*see k0*/ const k1 = new Sub(3); /*see k1*/`);
    lines.push(`const k2 = [new Item(4), new Item(5)].at(-1); /*see k2*/`);
    lines.push("let num = 0; /*see num*/ const bag = new Bag(); /*see bag*/");
    lines.push("const box = { x: null, list: [] }; /*see box*/");
    for (let i = 0; i < 5; i++) lines.push(...this.function(i, scope));
    lines.push(...this.maker(scope), ...this.generator(scope));
    lines.push("const c0 = maker(k0); /*see c0*/ let c1 = maker(v1); /*see c1*/");
    const all: Scope = { ...scope, functions: 5, depth: 3 };
    for (let i = 0; i < 6; i++) lines.push(this.guarded(all));
    lines.push(...this.train(all));
    return lines;
  }

  /** The loop stands at the top, or in a function with variables of its own and a caller's. */
  train(scope: Scope): string[] {
    const isNested = this.#draws.below(3) > 0;
    if (!isNested) return ["/*before*/", ...this.loop(scope), "/*after*/"];
    const inner: Scope = {
      ...scope,
      objects: [...scope.objects, "p0", "p1", "l0", "l1"],
      settable: [...scope.settable, "p0", "l0"],
    };
    return [
      "async function train(p0, { in: p1 }) {",
      `  /*see p0*/ /*see p1*/ let l0 = ${this.object(scope)}; /*see l0*/`,
      `  const l1 = new Item(6); /*see l1*/`,
      "  const inc = () => { l0 = l1; l1.n++; };",
      `  ${this.guarded(inner)}`,
      "  /*before*/",
      ...this.loop(inner),
      "  /*after*/",
      "}",
      "async function main() {",
      `  const m0 = ${this.object(scope)}; /*see m0*/`,
      `  const m1 = new Item(9); /*see m1*/ m1.in = ${this.object(scope)};`,
      `  let m2 = new Item(10); /*see m2*/ const set = (x) => { m2 = x; m2.n++; };`,
      "  box.x = { set };",
      "  await train(m0, m1);",
      "}",
      "await main();",
    ];
  }

  loop(scope: Scope): string[] {
    const lines: string[] = [];
    const source = this.#draws.pick([
      "al.range(2)",
      "[1, 2]",
      "k0.list.slice(0, 2)",
      "gen(k1)",
      "[...k0.walk()].slice(0, 2)",
      "c0.items()",
    ]);
    lines.push(`for (const item of al.loop("step", ${source})) {`);
    const inner: Scope = { ...scope, objects: [...scope.objects, "fresh"] };
    lines.push(`  const fresh = ${this.object(scope)};`);
    for (let i = 0; i < 1 + this.#draws.below(4); i++) lines.push(`  ${this.guarded(inner)}`);
    lines.push("}");
    return lines;
  }

  function(index: number, outer: Scope): string[] {
    const scope: Scope = {
      objects: [...outer.objects, "a", "b"],
      settable: [...outer.settable, "a"],
      functions: index,
      depth: 2,
    };
    const params = this.#draws.pick([
      "a, b",
      "a, b = k1",
      "...[a, b]",
      "{ in: a }, b",
      "a, ...[b]",
    ]);
    const lines = [`function f${index}(${params}) {`, "  tick();"];
    for (let i = 0; i < this.#draws.below(3); i++) lines.push(`  ${this.statement(scope)}`);
    return [...lines, `  return ${this.object(scope)};`, "}"];
  }

  /** An object of closures over variables of its own. */
  maker(outer: Scope): string[] {
    const scope: Scope = {
      objects: [...outer.objects, "t0", "given"],
      settable: [...outer.settable, "t0"],
      functions: 3,
      depth: 2,
    };
    return [
      "function maker(given) {",
      "  let t0 = new Item(11); /*see t0*/ let t1 = 0; /*see t1*/ /*see given*/",
      "  return {",
      `    go() { tick(); t1++; ${this.statement(scope)} return t0; },`,
      `    set: (x) => { tick(); ${this.statement({ ...scope, objects: [...scope.objects, "x"] })} },`,
      `    *items() { yield 1; ${this.statement(scope)} yield 2; },`,
      "    get now() { t1 += 2; return t0; }, who: () => given,",
      "  };",
      "}",
    ];
  }

  generator(outer: Scope): string[] {
    const scope = { ...outer, objects: [...outer.objects, "g"], functions: 2, depth: 2 };
    return [
      "function* gen(g) {",
      `  ${this.statement(scope)}`,
      `  yield ${this.object(scope)};`,
      `  yield g;`,
      "}",
    ];
  }

  guarded(scope: Scope): string {
    return `try { ${this.statement(scope)} } catch (error) { void error; }`;
  }

  /** An expression that is an object, or fails. */
  object(scope: Scope): string {
    const { objects, functions, depth } = scope;
    if (depth <= 0 || this.#draws.below(3) === 0) return this.#draws.pick(objects);
    const less: Scope = { ...scope, depth: depth - 1 };
    const one = (): string => this.object(less);
    const f = (): string => `f${this.#draws.below(functions)}`;
    const forms: (() => string)[] = [
      () => `(${one()}.in ?? ${one()})`,
      () => `(${one()}.list[0] ?? k0)`,
      () => `(${one()}.list.at(-1) ?? v0)`,
      () => `(${one()}.map.get("k") ?? k1)`,
      () => `([...${one()}.set][0] ?? v1)`,
      () => `new ${this.#draws.pick(["Item", "Sub"])}(1)`,
      () => `Object.assign(new Item(1), ${one()})`,
      () => `({ ...new Item(1), ...${one()} })`,
      () => `[${one()}, ${one()}][num % 2]`,
      () => `(num > 1 ? ${one()} : ${one()})`,
      () => `(${one()}.own ?? k2)`,
      () => `${one()}.lazy`,
      () => `([...${one()}.walk()][0] ?? k0)`,
      () => `([...${one()}][0] ?? k0)`,
      () => `(${one()}.list.map((x) => x)[0] ?? k1)`,
      () => `(${one()}.list.find(() => true) ?? k2)`,
      () => `(${one()}.list.filter((x) => x.n >= 0).concat(${one()})[0])`,
      () => `((x) => x)(${one()})`,
      () => `Object.values({ a: ${one()} })[0]`,
      () => `${one()}.grow(${one()})`,
      () => `(await Promise.resolve(${one()}))`,
      () => `c0.now`,
      () => `(bag.put(${one()}).get("k"))`,
      () => `(box.x?.n === undefined ? k0 : box.x)`,
      () => `(${one()}.list.reduce((a, x) => x ?? a, ${one()}))`,
      () => `([...gen(${one()})].at(0) ?? k0)`,
      () => `new Map([["k", ${one()}]]).get("k")`,
      () => `(([x, ...[y]]) => y ?? x)([${one()}, ${one()}])`,
      () => `(({ a, ...r }) => r.b)({ a: ${one()}, b: ${one()} })`,
      () => `Array.from([${one()}], (x) => x)[0]`,
    ];
    if (functions > 0) {
      forms.push(
        () => `${f()}(${one()}, ${one()})`,
        () => `${f()}(...[${one()}, ${one()}])`,
        () => `${f()}.call(null, ${one()}, ${one()})`,
        () => `${f()}.bind(null, ${one()})(${one()})`,
      );
    }
    if (functions > 3)
      forms.push(
        () => "c0.go()",
        () => "c1.go()",
      );
    const made = this.#draws.pick(forms)();
    return made.includes("await") && functions < 5 ? this.#draws.pick(objects) : made;
  }

  statement(scope: Scope): string {
    const { settable, functions, depth } = scope;
    const less: Scope = { ...scope, depth: depth - 1 };
    const one = (): string => this.object(less);
    const name = (): string => this.#draws.pick(settable);
    const inner = (extra: string): string => {
      const deeper = {
        ...less,
        objects: [...scope.objects, extra],
        functions: Math.min(functions, 4),
      };
      return depth > 0 ? this.statement(deeper) : `${extra}.n++;`;
    };
    const fresh = `x${this.#names++}`;
    const forms: (() => string)[] = [
      () => `${one()}.n++;`,
      () => `${one()}.n = ${this.#draws.below(9)};`,
      () => `${one()}.in = ${one()};`,
      () => `${one()}.list.push(${one()});`,
      () => `${one()}.list[0] = ${one()};`,
      () => `${one()}.list.splice(0, 1, ${one()});`,
      () => `${one()}.list.reverse();`,
      () => `${one()}.list.sort((a, b) => a.n - b.n);`,
      () => `${one()}.list.length = 0;`,
      () => `${one()}.map.set("k", ${one()});`,
      () => `${one()}.set.add(${one()});`,
      () => `${one()}.map.delete("k");`,
      () => `delete ${one()}.in;`,
      () => `${one()}.own = ${one()};`,
      () => `${name()} = ${one()};`,
      () => `[${name()}, ${name()}] = [${one()}, ${one()}];`,
      () => `({ in: ${name()} = k0 } = ${one()});`,
      () => `num += ${one()}.n;`,
      () => `num++;`,
      () => `Object.assign(${one()}, { in: ${one()} });`,
      () => `box.x = ${one()};`,
      () => `box.list.push(${one()}, ...${one()}.list.slice(0, 2));`,
      () => `${one()}["i" + "n"] = ${one()};`,
      () => `if (num % 2) { ${inner("k0")} } else { ${inner("v0")} }`,
      () => `${one()}.list.slice(0, 2).forEach((${fresh}) => { ${inner(fresh)} });`,
      () => `for (const ${fresh} of ${one()}.list.slice(0, 2)) { ${inner(fresh)} }`,
      () => `for (const ${fresh} of [...${one()}.walk()].slice(0, 2)) { ${inner(fresh)} }`,
      () => `try { throw ${one()}; } catch (${fresh}) { ${inner(fresh)} }`,
      () => `${one()}.with((${fresh}) => { ${inner(fresh)} });`,
      () => `${one()}.cb = (${fresh} = k1) => { tick(); ${inner(fresh)} };`,
      () => `${one()}.cb?.(${one()});`,
      () => `{ const { list: [${fresh} = k0] } = ${one()}; ${inner(fresh)} }`,
      () => `${one()}.map.forEach((${fresh}) => { ${inner(fresh)} });`,
      () => `box.x?.set?.(${one()});`,
      () => `{ const ${fresh} = new WeakRef(${one()}).deref(); ${inner(fresh)} }`,
    ];
    if (functions > 0) forms.push(() => `f${this.#draws.below(functions)}(${one()}, ${one()});`);
    if (functions > 3) {
      forms.push(
        () => "c0.go();",
        () => `c1.set(${one()});`,
        () => "c1 = maker(k1);",
        () => "[...c0.items()];",
        () => "void c1.now;",
      );
    }
    return this.#draws.pick(forms)();
  }
}
