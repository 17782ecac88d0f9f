/**
 * @file Training programs by chance: loops of any nesting over any source, functions and classes
 * that hold loops, early exits, and state of many kinds; every number depends on all before it.
 *
 * A program has marks where a log statement can be added. `render` gives its files with some of
 * these statements, or none.
 */
import fc from "fast-check";
import type { Gadget } from "./gadgets.ts";
import { HELPERS, USUAL } from "./gadgets.ts";
import { RARE } from "./rare-gadgets.ts";
import type { Source } from "./sources.ts";
import { RARE_SOURCES, USUAL_SOURCES } from "./sources.ts";

/** Where a statement stands: decides what a replay for it may cost. */
export type ProbeKind =
  /** Before all loops; between top-level loops; after all; in a function called at top level. */
  | "prefix"
  | "between"
  | "suffix"
  | "function"
  /** In a loop that holds loops; in one that holds none; in a function called from both. */
  | "outer"
  | "inner"
  | "mixed";

export interface Probe {
  readonly name: string;
  kind: ProbeKind;
  readonly statement: string;
  /** Names of the loops around it, outermost first. */
  readonly loops: readonly string[];
}

export interface Program {
  readonly entry: string;
  /** Source with a line `//@name` at each mark. */
  readonly files: { readonly [name: string]: string };
  readonly probes: readonly Probe[];
  /** Has state, sources or exits that may cost a replay more. */
  readonly rare: boolean;
  readonly features: readonly string[];
}

/** The files with the statements of `asked` in them. */
export function render(
  { files, probes }: Program,
  asked: readonly string[],
): { [name: string]: string } {
  const statements = new Map(probes.map(({ name, statement }) => [name, statement]));
  const added = new Set(asked);
  const texts = Object.entries(files).map(([name, text]) => {
    const lines = text.split("\n").flatMap((line) => {
      const mark = /^(\s*)\/\/@(\w+)$/.exec(line);
      if (!mark) return [line];
      const [, indent = "", probe = ""] = mark;
      return added.has(probe) ? [indent + (statements.get(probe) ?? "")] : [];
    });
    return [name, lines.join("\n")] as const;
  });
  return Object.fromEntries(texts);
}

/** Programs by chance; `rare`: with state, sources and exits that are hard to follow. */
export function programs({ rare }: { readonly rare: boolean }): fc.Arbitrary<Program> {
  return fc.gen().map((g) => new Builder((below) => g(fc.nat, { max: below - 1 }), rare).build());
}

/** A piece of state that stands in a scope, with its number filled in. */
interface Placed {
  readonly update: string;
  readonly value: string;
  readonly read: string;
  readonly awaits: boolean;
}

interface LoopAround {
  readonly name: string;
  readonly label: string;
}

/** What can be used where a statement is written. */
interface Scope {
  readonly placed: readonly Placed[];
  /** Numbers of the loops around. */
  readonly items: readonly string[];
  readonly loops: readonly LoopAround[];
  /** Loops of the function that is being written: labels of others are out of reach. */
  readonly ownLoops: readonly LoopAround[];
  readonly inFunction: boolean;
  readonly awaits: boolean;
  readonly indent: string;
}

/** A function that can be called once more. */
interface Callable {
  readonly call: string;
  /** Loops in each other, at most. */
  readonly depth: number;
  readonly awaits: boolean;
  /** Statements in it, and in what was written for it. */
  readonly probes: readonly Probe[];
}

const LOOP_NAMES = [
  ["epoch", "phase"],
  ["step", "fold"],
  ["micro", "item"],
] as const;

class Builder {
  readonly #below: (n: number) => number;
  readonly #rare: boolean;
  readonly #modules: string[] = [];
  readonly #declarations: string[] = [];
  readonly #functions: string[] = [];
  readonly #files: { [name: string]: string } = {};
  readonly #probes: Probe[] = [];
  readonly #features = new Set<string>();
  /** Functions that can be called once more, by the number of loops inside. */
  readonly #callable: Callable[] = [];
  /** State of the module's top level: all that functions have in reach. */
  #topLevel: readonly Placed[] = [];
  #numbers = 0;
  #loopsLeft = 9;

  constructor(below: (n: number) => number, rare: boolean) {
    this.#below = below;
    this.#rare = rare;
  }

  build(): Program {
    let scope: Scope = {
      placed: [],
      items: ["0.5"],
      loops: [],
      ownLoops: [],
      inFunction: false,
      awaits: true,
      indent: "",
    };
    const count = 2 + this.#below(3);
    for (let i = 0; i < count; i++) scope = this.#declare(scope, this.#declarations);
    this.#topLevel = scope.placed;
    const main = this.#main(scope);
    const entry = this.#pick(["train.mjs", "train.mjs", "train.ts"]);
    const lines = [
      'import * as al from "afterlog";',
      HELPERS,
      ...this.#modules,
      ...this.#declarations,
      ...this.#functions,
      ...main,
      'al.log("end", show("end"));',
      "",
    ];
    return {
      entry,
      files: { [entry]: lines.join("\n"), ...this.#files },
      probes: this.#probes,
      rare: this.#rare,
      features: [...this.#features],
    };
  }

  #main(scope: Scope): string[] {
    const lines = [...this.#updates(scope, 2), this.#probe(scope, "prefix")];
    const pieces = 1 + this.#below(3);
    for (let piece = 0; piece < pieces; piece++) {
      lines.push(...this.#piece(scope), ...this.#updates(scope, 1));
      lines.push(this.#probe(scope, piece === pieces - 1 ? "suffix" : "between"));
    }
    return lines;
  }

  // --- chance -----------------------------------------------------------------------------------

  #pick<T>(list: readonly T[]): T {
    const found = list[this.#below(list.length)];
    if (found === undefined) throw new Error("nothing to choose from");
    return found;
  }

  #maybe(percent: number): boolean {
    return this.#below(100) < percent;
  }

  /** One of a table; now and then, in a rare program, one that is hard. */
  #pickKind<T extends { awaits?: true }>(
    usual: { readonly [kind: string]: T },
    rare: { readonly [kind: string]: T },
    awaits: boolean,
  ): T {
    const table = this.#rare && this.#maybe(60) ? rare : usual;
    const kinds = Object.keys(table).filter((kind) => awaits || !table[kind]?.awaits);
    const kind = this.#pick(kinds);
    const found = table[kind];
    if (!found) throw new Error(`no kind ${kind}`);
    this.#features.add(kind);
    return found;
  }

  // --- state ------------------------------------------------------------------------------------

  /** A new piece of state in this scope; its declaration goes to `lines`. */
  #declare(scope: Scope, lines: string[]): Scope {
    const gadget: Gadget = this.#pickKind(USUAL, RARE, scope.awaits);
    const fill = this.#numbered();
    if (gadget.module !== undefined) this.#modules.push(fill(gadget.module));
    if (gadget.file) this.#files[fill(gadget.file[0])] = gadget.file[1];
    if (gadget.declare !== "") lines.push(scope.indent + fill(gadget.declare));
    const placed: Placed = {
      update: fill(gadget.update),
      value: fill(gadget.value),
      read: fill(gadget.read),
      awaits: gadget.awaits === true,
    };
    return { ...scope, placed: [...scope.placed, placed] };
  }

  #numbered(): (text: string) => string {
    const number = String(this.#numbers++);
    return (text) => text.replaceAll(/\$(?!\{)/g, number);
  }

  /** A number in [0, 1) of what is in reach. */
  #number({ placed, items }: Scope): string {
    const state = placed.length > 0 ? this.#pick(placed).value : "0.3";
    switch (this.#below(5)) {
      case 0:
        return `mix(${this.#pick(items)}, ${state})`;
      case 1:
        return "Math.random()";
      case 2:
        return `mix(${state}, ${this.#pick(items)})`;
      default:
        return `mix(${state}, ${placed.length > 0 ? this.#pick(placed).value : "0.7"})`;
    }
  }

  #updates(scope: Scope, most: number): string[] {
    const usable = scope.placed.filter(({ awaits }) => scope.awaits || !awaits);
    if (usable.length === 0) return [];
    return Array.from({ length: 1 + this.#below(most) }, () => {
      const { update } = this.#pick(usable);
      const v = this.#number(scope);
      return `${scope.indent}${this.#maybe(70) ? "" : `if (${this.#number(scope)} < 0.7) `}{ const v = ${v}; ${update.replaceAll(/\bV\b/g, "v")} }`;
    });
  }

  #probe(scope: Scope, kind: ProbeKind): string {
    const name = `p${this.#probes.length}`;
    const reads = [...scope.items, ...scope.placed.map(({ read }) => read)];
    const loops = scope.loops.map((loop) => loop.name);
    const statement = `al.log("${name}", show(${reads.join(", ")}));`;
    this.#probes.push({ name, kind, statement, loops });
    return `${scope.indent}//@${name}`;
  }

  // --- loops ------------------------------------------------------------------------------------

  /** Something with loops in it: a loop, in one of many wrappings, or a call. */
  #piece(scope: Scope): string[] {
    const deep = scope.loops.length;
    if (this.#loopsLeft <= 0 || deep >= 3) return this.#updates(scope, 1);
    const inner = { ...scope, indent: `${scope.indent}  ` };
    const { indent } = scope;
    switch (this.#below(this.#rare ? 10 : 9)) {
      case 0:
        return [`${indent}if (${this.#number(scope)} < 0.6) {`, ...this.#loop(inner), `${indent}}`];
      case 1:
        return this.#repeated(scope, inner);
      case 2:
        return [
          `${indent}try {`,
          ...this.#loop(inner),
          `${indent}} finally {`,
          ...this.#updates(inner, 1),
          `${indent}}`,
        ];
      case 3:
      case 4:
        return this.#call(scope);
      case 9:
        return this.#caught(scope, inner);
      default:
        return this.#loop(scope);
    }
  }

  /** The same loop entered twice under one parent. */
  #repeated({ indent }: Scope, inner: Scope): string[] {
    const n = `r${this.#numbers++}`;
    const scope = { ...inner, items: [...inner.items, n] };
    return [
      `${indent}for (let ${n} = 0; ${n} < 2; ${n}++) {`,
      ...this.#loop(scope),
      ...this.#updates(scope, 1),
      `${indent}}`,
    ];
  }

  /** A loop that an exception leaves. */
  #caught({ indent }: Scope, inner: Scope): string[] {
    this.#features.add("throw");
    const lines = this.#loop(inner, `if (${this.#number(inner)} > 0.75) throw new Error("left");`);
    return [
      `${indent}try {`,
      ...lines,
      `${indent}} catch (error) {`,
      ...this.#updates(inner, 1),
      `${indent}}`,
    ];
  }

  #loop(scope: Scope, leave?: string): string[] {
    this.#loopsLeft--;
    const source: Source = this.#pickKind(USUAL_SOURCES, RARE_SOURCES, scope.awaits);
    const fill = this.#numbered();
    if (source.module !== undefined) this.#modules.push(fill(source.module));
    const depth = scope.loops.length;
    const name = this.#pick(LOOP_NAMES[depth] ?? ["more"]);
    const label = `L${this.#numbers++}`;
    const n = String(this.#maybe(8) ? 0 : 2 + this.#below(depth === 0 ? 3 : 2));
    const state = (): string => (scope.placed.length > 0 ? this.#pick(scope.placed).value : "0.4");
    const text = (piece: string): string =>
      fill(piece).replaceAll(/\bN\b/g, n).replaceAll(/\bG\b/g, state());
    // A function of its own has another `this`.
    const from = text(source.from);
    const over = from.includes("this.") ? from.replace(/\}\)\(\)$/, "}).call(this)") : from;
    const around = { name, label };
    const body: Scope = {
      ...scope,
      indent: `${scope.indent}  `,
      items: [...scope.items, fill(source.value)],
      loops: [...scope.loops, around],
      ownLoops: [...scope.ownLoops, around],
    };
    const head = source.awaits || (scope.awaits && this.#maybe(10)) ? "for await" : "for";
    const extra = [source.body === undefined ? "" : text(source.body), leave ?? ""];
    return [
      `${scope.indent}${this.#rare ? `${label}: ` : ""}${head} (const ${fill(source.item)} of al.loop("${name}", ${over})) {`,
      ...this.#body(body, extra.filter(Boolean)),
      `${scope.indent}}`,
    ];
  }

  #body(outer: Scope, extra: readonly string[]): string[] {
    const { indent } = outer;
    const lines: string[] = [];
    // Whether it holds loops is known only at the end.
    const probes = [this.#probes.length];
    lines.push(this.#probe(outer, "inner"));
    let scope = outer;
    if (this.#maybe(35)) scope = this.#declare(scope, lines);
    lines.push(...this.#updates(scope, 2));
    const depth = scope.loops.length;
    const left = this.#loopsLeft;
    const pieces = depth >= 3 ? 0 : this.#below(depth === 1 ? 3 : 2);
    for (let piece = 0; piece < pieces; piece++) {
      lines.push(...this.#piece(scope));
      if (this.#maybe(50)) lines.push(...this.#updates(scope, 1));
      if (piece < pieces - 1) {
        probes.push(this.#probes.length);
        lines.push(this.#probe(scope, "inner"));
      }
    }
    const holdsLoops = this.#loopsLeft < left;
    for (const statement of extra) lines.push(indent + statement);
    if (this.#maybe(60)) lines.push(`${indent}al.log("loss", ${this.#number(scope)});`);
    if (this.#maybe(25)) lines.push(...this.#exit(scope));
    lines.push(...this.#updates(scope, 2));
    probes.push(this.#probes.length);
    lines.push(this.#probe(scope, "inner"));
    for (const at of probes) {
      const probe = this.#probes[at];
      if (probe && holdsLoops) probe.kind = "outer";
    }
    return lines;
  }

  #exit(scope: Scope): string[] {
    const outer = scope.ownLoops.at(-2);
    const ways = ["break;", "continue;", "break;"];
    if (this.#rare && outer) ways.push(`continue ${outer.label};`, `break ${outer.label};`);
    if (this.#rare && scope.inFunction) ways.push(`return ${this.#number(scope)};`);
    const way = this.#pick(ways);
    this.#features.add(way.split(" ")[0] ?? way);
    return [`${scope.indent}if (${this.#number(scope)} > 0.75) ${way}`];
  }

  // --- functions --------------------------------------------------------------------------------

  #call(scope: Scope): string[] {
    const known = this.#callable.filter(({ depth, awaits }) => {
      return depth + scope.loops.length <= 3 && (scope.awaits || !awaits);
    });
    const { call } =
      known.length > 0 && this.#maybe(40) ? this.#again(known) : this.#function(scope);
    const result = `r${this.#numbers++}`;
    const [placed] = scope.placed;
    const used = placed
      ? [`{ const v = frac(${result}); ${placed.update.replaceAll(/\bV\b/g, "v")} }`]
      : [];
    const line = `const ${result} = ${call.replace("ARG", this.#number(scope))};`;
    const awaiting = scope.awaits || !placed?.awaits;
    return [scope.indent + line, ...(awaiting ? used.map((text) => scope.indent + text) : [])];
  }

  /** A function that is called from elsewhere too: its statements run in more than one place. */
  #again(known: readonly Callable[]): Callable {
    const again = this.#pick(known);
    for (const probe of again.probes) probe.kind = "mixed";
    return again;
  }

  #function(scope: Scope): Callable {
    const number = this.#numbers++;
    const form = this.#pick(["function", "arrow", "class", "lasting class"] as const);
    this.#features.add(form);
    const awaits = scope.awaits && this.#maybe(40);
    const isClass = form === "class" || form === "lasting class";
    const indent = isClass ? "    " : "  ";
    const globals = this.#topLevel;
    const own: Placed = {
      update:
        "this.w = mix(this.w, V); this.hist.push(V); if (this.hist.length > 3) this.hist.shift();",
      value: "this.w",
      read: "[this.w, this.hist]",
      awaits: false,
    };
    const inside: Scope = {
      placed: isClass ? [...globals, own, own] : globals,
      items: ["seed"],
      loops: scope.loops,
      ownLoops: [],
      inFunction: true,
      awaits,
      indent,
    };
    const first = this.#probes.length;
    const depth = this.#write(inside, { number, form, awaits });
    const made = form === "class" ? `new Trainer${number}()` : `trainer${number}`;
    const plain = isClass ? `${made}.fit(ARG)` : `work${number}(ARG)`;
    const call = {
      call: awaits ? `await ${plain}` : plain,
      depth,
      awaits,
      probes: this.#probes.slice(first),
    };
    this.#callable.push(call);
    return call;
  }

  /** Writes the function, and gives how many loops are in each other in it. */
  #write(
    inside: Scope,
    { number, form, awaits }: { number: number; form: string; awaits: boolean },
  ): number {
    const body: string[] = [];
    const local = this.#maybe(60) ? this.#declare(inside, body) : inside;
    const kind = inside.loops.length === 0 ? "function" : "outer";
    body.push(this.#probe(local, kind), ...this.#loop(local));
    if (this.#maybe(30)) body.push(...this.#piece(local));
    body.push(this.#probe(local, kind), `${inside.indent}return ${this.#number(local)};`);
    const start = awaits ? "async " : "";
    const text = body.join("\n");
    if (form === "function")
      this.#functions.push(`${start}function work${number}(seed) {\n${text}\n}`);
    else if (form === "arrow")
      this.#functions.push(`const work${number} = ${start}(seed) => {\n${text}\n};`);
    else {
      const fields = "  w = 0.1;\n  hist = [];";
      const method = `  ${start}fit(seed) {\n${text}\n  }`;
      this.#functions.push(`class Trainer${number} {\n${fields}\n${method}\n}`);
      if (form === "lasting class")
        this.#functions.push(`const trainer${number} = new Trainer${number}();`);
    }
    return 3 - inside.loops.length;
  }
}
