/**
 * @file Which loops are light: their bodies compute and call nothing but what is built in, and
 * functions of the program that are light themselves. A light loop that is only ever reached inside
 * two others (a matrix product in a training step) is left as it is, so that it costs nothing.
 *
 * Decided on the text alone, without what is logged: the text that is recorded and the text with a
 * probe in it must agree. An error costs time or a way to skip, never a value.
 */
import { isLightMethod, isLightNative, takesFunctions } from "../libraries/light.ts";
import { Binding } from "./ir.ts";
import type { CallOp, LoopSite, Op, Region, Template, Var } from "./ir.ts";
import type { Linked } from "./link.ts";
import { LIGHT_DEPTH } from "./order.ts";

/** What a call may enter; null: something that is not known. */
type Callees = ReadonlySet<Template> | null;

const NOTHING: ReadonlySet<Template> = new Set();

/** Marks light loops, and gives those that are loops of their own nowhere. */
export function findLightLoops(linked: Linked): LoopSite[] {
  const calls = new CallGraph(linked);
  const sites = [...linked.units.values()].flatMap(({ loops }) => loops);
  const heavy = calls.heavyTemplates();
  for (const site of sites) {
    site.light = site.written !== null && calls.isLight(site, heavy);
  }
  const depths = calls.depths();
  return sites.filter(({ light, template, region }) => {
    const around = (depths.get(template) ?? 0) + loopsAround(region?.parent ?? null);
    return light && around >= LIGHT_DEPTH;
  });
}

function loopsAround(region: Region | null): number {
  let count = 0;
  for (let at = region; at; at = at.parent) if (at.site) count++;
  return count;
}

/** Who calls whom, as far as names tell. */
class CallGraph {
  readonly #linked: Linked;
  readonly #templates: readonly Template[];
  /** How values came about, and what variables hold for certain. */
  readonly #made = new Map<Var, Op>();
  readonly #functions = new Map<Var, Template>();
  /** Functions that are fields of anything, by name. */
  readonly #methods = new Map<string, Set<Template>>();
  readonly #usesPackages: boolean;

  constructor(linked: Linked) {
    this.#linked = linked;
    this.#templates = [...linked.units.values()].flatMap(({ templates }) => templates);
    for (const { ops } of this.#templates) for (const op of ops) this.#note(op);
    for (const { ops } of this.#templates) for (const op of ops) this.#noteNames(op);
    for (const { exports } of linked.units.values()) {
      for (const [name, exported] of exports) {
        const made = "scope" in exported ? this.#functions.get(exported) : undefined;
        if (made) this.#addMethod(name, made);
      }
    }
    this.#usesPackages = this.#templates.some(({ ops }) =>
      ops.some((op) => !op.logged && operands(op).some((value) => this.#isPackage(value))),
    );
  }

  #note(op: Op): void {
    if (op.op === "closure" || op.op === "class") this.#functions.set(op.to, op.template);
    if ("to" in op && op.to && !(op.to instanceof Binding)) this.#made.set(op.to, op);
  }

  #noteNames(op: Op): void {
    if (op.op === "move" && op.to instanceof Binding && !op.to.settable) {
      const made = this.#functions.get(op.from);
      if (made) this.#functions.set(op.to, made);
    }
    if (op.op === "store" && op.from && op.field !== null) {
      const made = this.#functions.get(op.from);
      if (made) this.#addMethod(op.field, made);
    }
  }

  #addMethod(name: string, template: Template): void {
    this.#methods.set(name, (this.#methods.get(name) ?? new Set()).add(template));
  }

  #resolve(value: Var): Var {
    return this.#linked.resolved.get(value) ?? value;
  }

  /** The function that a value certainly is. */
  #functionOf(value: Var): Template | undefined {
    return this.#functions.get(this.#resolve(value));
  }

  /** A name that a package gave. */
  #isPackage(value: Var): boolean {
    if (!(value instanceof Binding)) {
      const made = this.#made.get(value);
      const isImport = made?.op === "import" && !/^\.{0,2}\//.test(made.specifier);
      return isImport && !made.specifier.startsWith("node:");
    }
    if (value.kind !== "import" || this.#linked.resolved.has(value)) return false;
    const unit = this.#linked.units.get(value.owner.file);
    const specifier = unit?.imports.get(value)?.specifier;
    return specifier !== undefined && !/^(?:\.{0,2}\/|node:)/.test(specifier);
  }

  /** Functions that something in them makes heavy: itself, or one that it calls. */
  heavyTemplates(): Set<Template> {
    const callers = new Map<Template, Set<Template>>();
    const heavy = new Set<Template>();
    for (const template of this.#templates) {
      for (const op of template.ops) {
        const entered = this.#entered(op);
        if (entered === null) heavy.add(template);
        for (const callee of entered ?? []) {
          callers.set(callee, (callers.get(callee) ?? new Set()).add(template));
        }
      }
    }
    for (const template of heavy)
      for (const caller of callers.get(template) ?? []) heavy.add(caller);
    return heavy;
  }

  isLight(site: LoopSite, heavy: ReadonlySet<Template>): boolean {
    if (site.awaits) return false;
    return site.template.ops.every((op) => {
      if (!isIn(op.region, site)) return true;
      const entered = this.#entered(op);
      return entered !== null && [...entered].every((template) => !heavy.has(template));
    });
  }

  /** What an operation may run; null: what is not known, or takes its time. */
  #entered(op: Op): Callees {
    if (op.logged) return NOTHING;
    switch (op.op) {
      case "await":
      case "import":
        return op.op === "import" && op.how === "static" ? NOTHING : null;
      case "closure":
        // A function that has a name runs where it is called.
        return this.#isNamed(op.to) ? NOTHING : new Set([op.template]);
      case "call":
        return this.#called(op);
      default:
        return NOTHING;
    }
  }

  #isNamed(value: Var): boolean {
    return value instanceof Binding || this.#named.has(value);
  }

  get #named(): ReadonlySet<Var> {
    return (this.#namedValues ??= new Set(
      this.#templates.flatMap(({ ops }) => ops.flatMap((op) => namedBy(op))),
    ));
  }

  #namedValues: ReadonlySet<Var> | undefined;

  #called(op: CallOp): Callees {
    const callee = this.#calleeOf(op);
    if (callee === null) return null;
    const given = op.args.flatMap(({ value }) => (value && this.#functionOf(value)) ?? []);
    return new Set([...callee, ...given]);
  }

  #calleeOf(op: CallOp): Callees {
    if (!op.callee) return null;
    const known = this.#functionOf(op.callee);
    if (known) return new Set([known]);
    const made = this.#made.get(op.callee);
    if (made?.op === "native") return isLightNative(made.path) ? NOTHING : null;
    return made?.op === "load" && made.field !== null ? this.#method(op, made) : null;
  }

  #method(op: CallOp, { object, field }: Extract<Op, { op: "load" }>): Callees {
    const root = this.#rootOf(object);
    if (field === null || this.#isPackage(root)) return null;
    const made = this.#made.get(root);
    if (made?.op === "native") return isLightNative(`${made.path}.${field}`) ? NOTHING : null;
    const own = this.#methods.get(field);
    const isBuiltIn = isLightMethod(field, this.#usesPackages);
    if (!own && !isBuiltIn) return null;
    const [first] = op.args;
    const isGiven = !first?.value || this.#functionOf(first.value) !== undefined;
    if (!own && takesFunctions(field) && !isGiven) return null;
    return own ?? NOTHING;
  }

  #rootOf(value: Var): Var {
    let root = value;
    for (let made = this.#made.get(root); made?.op === "load"; made = this.#made.get(root)) {
      root = made.object;
    }
    return root;
  }

  /** The fewest loops around each function when it runs. */
  depths(): Map<Template, number> {
    const edges = this.#templates.flatMap((template) =>
      template.ops.flatMap((op) => this.#uses(op).map((to) => ({ template, op, to }))),
    );
    const depths = new Map<Template, number>();
    for (const template of this.#templates) {
      if (template.kind === "module") depths.set(template, 0);
    }
    for (;;) {
      spread(depths, edges);
      // Nobody is seen to use it: it may be called from anywhere.
      const unused = this.#templates.find((template) => !depths.has(template));
      if (!unused) return depths;
      depths.set(unused, 0);
    }
  }

  /** Functions that run where an operation stands, or are handed on there. */
  #uses(op: Op): Template[] {
    if (op.logged) return [];
    if (op.op === "closure") return this.#isNamed(op.to) ? [] : [op.template];
    const isDefinition = op.op === "move" && op.to instanceof Binding && !op.to.settable;
    const isField = op.op === "store" && op.field !== null;
    const handed = isDefinition || isField ? [] : operands(op);
    const functions = handed.flatMap((value) => this.#functionOf(value) ?? []);
    const made = op.op === "call" && op.callee ? this.#made.get(op.callee) : undefined;
    const field = made?.op === "load" ? made.field : null;
    return field === null ? functions : [...functions, ...(this.#methods.get(field) ?? [])];
  }
}

interface UseEdge {
  readonly template: Template;
  readonly op: Op;
  readonly to: Template;
}

function spread(depths: Map<Template, number>, edges: readonly UseEdge[]): void {
  for (let changed = true; changed;) {
    changed = false;
    for (const { template, op, to } of edges) {
      const from = depths.get(template);
      if (from === undefined) continue;
      const depth = from + loopsAround(op.region);
      if (depth >= (depths.get(to) ?? Infinity)) continue;
      depths.set(to, depth);
      changed = true;
    }
  }
}

function isIn(region: Region | null, site: LoopSite): boolean {
  for (let at = region; at; at = at.parent) if (at.site === site) return true;
  return false;
}

/** Values that an operation gives a name or a field. */
function namedBy(op: Op): Var[] {
  if (op.op === "move" && op.to instanceof Binding && !op.to.settable) return [op.from];
  return op.op === "store" && op.from && op.field !== null ? [op.from] : [];
}

/** Values that an operation uses. */
function operands(op: Op): Var[] {
  switch (op.op) {
    case "move":
    case "copy":
    case "await":
    case "coerce":
    case "throw":
      return [op.from];
    case "load":
      return [op.object];
    case "store":
      return [op.object, ...(op.from ? [op.from] : [])];
    case "global":
    case "yield":
      return op.from ? [op.from] : [];
    case "call":
      return [op.callee, op.receiver, ...op.args.map(({ value }) => value)].filter(
        (value) => value !== null,
      );
    case "iterate":
      return [op.source];
    case "compare":
      return [op.left, op.right];
    default:
      return [];
  }
}
