/**
 * @file Which loops are trivial: their bodies compute and call nothing but what is built in, and
 * functions of the program that are trivial themselves. A trivial loop that is only ever reached inside
 * two others (a matrix product in a training step) is left as it is, so that it costs nothing.
 *
 * Decided on the text alone, without what is logged: the text that is recorded and the text with a
 * probe in it must agree. An error costs time or a way to skip, never a value.
 */
import { isTrivialMethod, isTrivialNative, takesFunctions } from "../../libraries/trivial-calls.ts";
import { Binding } from "../lowering/ir.ts";
import type { CallOp, LoopSite, Op, Region, LoweredFunction, Var } from "../lowering/ir.ts";
import type { Linked } from "../solving/link-files.ts";
import { TRIVIAL_DEPTH } from "./call-paths.ts";

/** What a call may enter; null: something that is not known. */
type Callees = ReadonlySet<LoweredFunction> | null;

const NOTHING: ReadonlySet<LoweredFunction> = new Set();

/** Marks trivial loops, and gives those that are loops of their own nowhere. */
export function findTrivialLoops(linked: Linked): LoopSite[] {
  const sites = [...linked.units.values()].flatMap(({ loops }) => loops);
  const calls = new CallGraph(linked);
  const heavy = calls.heavyLoops();
  for (const site of sites) site.trivial = site.written !== null && !heavy.has(site);
  if (!sites.some(({ trivial }) => trivial)) return [];
  const depths = calls.depths();
  return sites.filter(({ trivial, lowered, region }) => {
    const around = (depths.get(lowered) ?? 0) + loopsAround(region?.parent ?? null);
    return trivial && around >= TRIVIAL_DEPTH;
  });
}

function loopsAround(region: Region | null): number {
  let count = 0;
  for (let at = region; at; at = at.parent) if (at.site) count++;
  return count;
}

/** An operation that runs something. */
interface Entering {
  readonly lowered: LoweredFunction;
  readonly op: Op;
  readonly entered: Callees;
}

/** Who calls whom, as far as names tell. */
class CallGraph {
  readonly #linked: Linked;
  readonly #loweredFunctions: readonly LoweredFunction[];
  /** How values came about, and what variables hold for certain. */
  readonly #made = new Map<Var, Op>();
  readonly #functions = new Map<Var, LoweredFunction>();
  /** Values that got a name or became a field. */
  readonly #named = new Set<Var>();
  /** Functions that are fields of anything, by name. */
  readonly #methods = new Map<string, Set<LoweredFunction>>();
  #usesPackages: boolean | undefined;

  constructor(linked: Linked) {
    this.#linked = linked;
    this.#loweredFunctions = [...linked.units.values()].flatMap(
      ({ loweredFunctions }) => loweredFunctions,
    );
    for (const { ops } of this.#loweredFunctions) for (const op of ops) this.#noteFact(op);
    for (const { ops } of this.#loweredFunctions) for (const op of ops) this.#noteName(op);
    for (const { exports } of linked.units.values()) {
      for (const [name, exported] of exports) {
        const made = "scope" in exported ? this.#functions.get(exported) : undefined;
        if (made) this.#addMethod(name, made);
      }
    }
  }

  #noteFact(op: Op): void {
    if (op.op === "closure" || op.op === "class") this.#functions.set(op.to, op.lowered);
    const isSource = op.op === "load" || op.op === "native" || op.op === "import";
    if (isSource && op.to && !(op.to instanceof Binding)) this.#made.set(op.to, op);
  }

  #noteName(op: Op): void {
    if (op.op === "move" && isConstant(op.to)) {
      this.#named.add(op.from);
      const made = this.#functions.get(op.from);
      if (made) this.#functions.set(op.to, made);
    } else if (op.op === "store" && op.from && op.field !== null) {
      this.#named.add(op.from);
      const made = this.#functions.get(op.from);
      if (made) this.#addMethod(op.field, made);
    }
  }

  #addMethod(name: string, lowered: LoweredFunction): void {
    this.#methods.set(name, (this.#methods.get(name) ?? new Set()).add(lowered));
  }

  /** The function that a value certainly is. */
  #functionOf(value: Var): LoweredFunction | undefined {
    return this.#functions.get(this.#linked.resolved.get(value) ?? value);
  }

  /** A name that a package gave. */
  #isPackage(value: Var): boolean {
    if (!(value instanceof Binding)) {
      const made = this.#made.get(value);
      return made?.op === "import" && isPackageName(made.specifier);
    }
    if (value.kind !== "import" || this.#linked.resolved.has(value)) return false;
    const imported = this.#linked.units.get(value.owner.file)?.imports.get(value);
    return imported !== undefined && isPackageName(imported.specifier);
  }

  /** Whether anything but what is logged uses a package: then a name of a method may be its. */
  get usesPackages(): boolean {
    return (this.#usesPackages ??= this.#loweredFunctions.some(({ ops }) =>
      ops.some((op) => !op.logged && usedBy(op).some((value) => this.#isPackage(value))),
    ));
  }

  /** Loops in which something runs that is not known, or takes its time. */
  heavyLoops(): Set<LoopSite> {
    const entering = this.#loweredFunctions.flatMap((lowered) => this.#entering(lowered));
    const heavy = heavyFunctions(entering);
    const found = new Set<LoopSite>();
    for (const { op, entered } of entering) {
      if (entered && ![...entered].some((lowered) => heavy.has(lowered))) continue;
      for (let at = op.region; at; at = at.parent) if (at.site) found.add(at.site);
    }
    for (const { loops } of this.#linked.units.values()) {
      for (const site of loops) if (site.awaits) found.add(site);
    }
    return found;
  }

  #entering(lowered: LoweredFunction): Entering[] {
    const found: Entering[] = [];
    for (const op of lowered.ops) {
      if (op.logged) continue;
      const entered = this.#entered(op);
      if (entered !== NOTHING) found.push({ lowered, op, entered });
    }
    return found;
  }

  /** What an operation may run; null: what is not known, or takes its time. */
  #entered(op: Op): Callees {
    switch (op.op) {
      case "await":
        return null;
      case "import":
        return op.how === "static" ? NOTHING : null;
      case "closure":
        // A function that has a name runs where it is called.
        return this.#isNamed(op.to) ? NOTHING : new Set([op.lowered]);
      case "call":
        return this.#called(op);
      default:
        return NOTHING;
    }
  }

  #isNamed(value: Var): boolean {
    return value instanceof Binding || this.#named.has(value);
  }

  #called(op: CallOp): Callees {
    const callees = this.#calleesOf(op);
    if (callees === null) return null;
    const given = op.args.flatMap(({ value }) => (value && this.#functionOf(value)) ?? []);
    return given.length === 0 ? callees : new Set([...callees, ...given]);
  }

  #calleesOf(op: CallOp): Callees {
    if (!op.callee) return null;
    const known = this.#functionOf(op.callee);
    if (known) return new Set([known]);
    const made = this.#made.get(op.callee);
    if (made?.op === "native") return isTrivialNative(made.path) ? NOTHING : null;
    return made?.op === "load" && made.field !== null ? this.#method(op, made) : null;
  }

  #method(op: CallOp, { object, field }: Extract<Op, { op: "load" }>): Callees {
    const root = this.#rootOf(object);
    if (field === null || this.#isPackage(root)) return null;
    const made = this.#made.get(root);
    if (made?.op === "native") return isTrivialNative(made.path) ? NOTHING : null;
    const own = this.#methods.get(field);
    if (own) return own;
    if (!isTrivialMethod(field, () => this.usesPackages)) return null;
    const [first] = op.args;
    const isGiven = !first?.value || this.#functionOf(first.value) !== undefined;
    return takesFunctions(field) && !isGiven ? null : NOTHING;
  }

  #rootOf(value: Var): Var {
    let root = value;
    for (let made = this.#made.get(root); made?.op === "load"; made = this.#made.get(root)) {
      root = made.object;
    }
    return root;
  }

  /** The fewest loops around each function when it runs. */
  depths(): ReadonlyMap<LoweredFunction | string, number> {
    const uses = new UseGraph();
    for (const lowered of this.#loweredFunctions) {
      for (const op of lowered.ops) {
        if (op.logged) continue;
        for (const to of this.#uses(op)) uses.add(lowered, to, loopsAround(op.region));
        const method = this.#methodUsed(op);
        if (method !== null) uses.add(lowered, method, loopsAround(op.region));
      }
    }
    for (const [name, functions] of this.#methods) {
      for (const lowered of functions) uses.add(name, lowered, 0);
    }
    for (const lowered of this.#loweredFunctions) {
      if (lowered.kind === "module") uses.spread(lowered);
    }
    // Nobody is seen to use it: it may be called from anywhere. Last, those that use each other.
    for (const lowered of this.#loweredFunctions) {
      if (!uses.isUsed(lowered)) uses.spread(lowered);
    }
    for (const lowered of this.#loweredFunctions) uses.spread(lowered);
    return uses.depths;
  }

  /** Functions that run where an operation stands, or are handed on there. */
  #uses(op: Op): readonly LoweredFunction[] {
    if (op.op === "closure") return this.#isNamed(op.to) ? [] : [op.lowered];
    const isDefinition = op.op === "move" && isConstant(op.to);
    const isField = op.op === "store" && op.field !== null;
    if (op.op === "load" || op.op === "native" || isDefinition || isField) return [];
    return usedBy(op).flatMap((value) => this.#functionOf(value) ?? []);
  }

  /** The name of a method that an operation calls: any function that is a field of that name may run. */
  #methodUsed(op: Op): string | null {
    const made = op.op === "call" && op.callee ? this.#made.get(op.callee) : undefined;
    return made?.op === "load" ? made.field : null;
  }
}

/** Functions that something in them makes heavy: itself, or one that it runs. */
function heavyFunctions(entering: readonly Entering[]): Set<LoweredFunction> {
  const callers = new Map<LoweredFunction, Set<LoweredFunction>>();
  const heavy = new Set<LoweredFunction>();
  for (const { lowered, entered } of entering) {
    if (entered === null) heavy.add(lowered);
    for (const callee of entered ?? []) {
      callers.set(callee, (callers.get(callee) ?? new Set()).add(lowered));
    }
  }
  // Grows while it is gone through.
  for (const lowered of heavy) for (const caller of callers.get(lowered) ?? []) heavy.add(caller);
  return heavy;
}

function isPackageName(specifier: string): boolean {
  return !/^(?:\.{0,2}\/|\.{1,2}$|node:)/.test(specifier);
}

function isConstant(value: Var): boolean {
  return value instanceof Binding && !value.settable;
}

/** A function, or the name of methods. */
type User = LoweredFunction | string;

/**
 * Who uses whom, inside how many loops. Methods are used through their names, so that a name that many classes
 * have costs as much as it is written, and not as often as it is written for each of them.
 */
class UseGraph {
  /** The fewest loops around each. */
  readonly depths: Map<User, number> = new Map();
  readonly #uses = new Map<User, { readonly to: User; readonly loops: number }[]>();
  /** Who uses each; of a name two tell as much as all of them. */
  readonly #users = new Map<User, Set<User>>();

  add(from: User, to: User, loops: number): void {
    const known = this.#uses.get(from);
    if (known) known.push({ to, loops });
    else this.#uses.set(from, [{ to, loops }]);
    const users = this.#users.get(to) ?? new Set();
    this.#users.set(to, users);
    if (typeof to !== "string" || users.size < 2) users.add(from);
  }

  /** Whether another function uses it, by itself or by its name. */
  isUsed(lowered: LoweredFunction): boolean {
    const isOther = (user: User): boolean =>
      typeof user === "string"
        ? [...(this.#users.get(user) ?? [])].some((one) => one !== lowered)
        : user !== lowered;
    return [...(this.#users.get(lowered) ?? [])].some(isOther);
  }

  /** It may run outside of all loops, if nothing is known of it yet; then what it uses may run where it does so. */
  spread(start: User): void {
    if (this.depths.has(start)) return;
    this.depths.set(start, 0);
    const waiting = [start];
    // Grows while it is gone through.
    for (const from of waiting) {
      const depth = this.depths.get(from) ?? 0;
      for (const { to, loops } of this.#uses.get(from) ?? []) {
        if (depth + loops >= (this.depths.get(to) ?? Infinity)) continue;
        this.depths.set(to, depth + loops);
        waiting.push(to);
      }
    }
  }
}

/** Values of an operation that may be functions. */
function usedBy(op: Op): readonly Var[] {
  switch (op.op) {
    case "move":
      return [op.from];
    case "load":
      return [op.object];
    case "store":
    case "global":
    case "yield":
      return op.from ? [op.from] : [];
    case "call":
      return [op.callee, ...op.args.map(({ value }) => value)].filter((value) => value !== null);
    default:
      return [];
  }
}
