/**
 * @file From a statement and a place to what has to be written there: names as the old version calls
 * them, what must be brought along, or why it cannot be. Definitions that are brought along are
 * settled in the same way, a few levels deep.
 */
import type { Effect, Grammar, ImportedName, Source, Syntax } from "./grammar.ts";
import type { Overlay } from "../../format/index.ts";
import type { Place } from "../../tree/index.ts";
import { isWithin, lastGap } from "../../tree/index.ts";
import { isFilledElsewhere } from "./filled.ts";
import type { Written } from "./layout.ts";
import type { FreeName } from "./names.ts";
import { freeNames } from "./names.ts";
import type { Target, VersionPair } from "./pair.ts";
import { offsetOf } from "./pair.ts";
import { gapAfterDefinition, reach } from "./reach.ts";
import type { Binding, Reference } from "./scope.ts";
import type { Unit } from "./unit.ts";
import { unitAround } from "./unit.ts";

/** A statement with a place and the names it has there. */
export interface Settled {
  readonly unit: Unit;
  readonly target: Target;
  readonly renaming: ReadonlyMap<Reference, string>;
  readonly renames: readonly {
    readonly from: string;
    readonly to: string;
    readonly note: string;
  }[];
  readonly imports: readonly ImportedName[];
  /** Files that the imports need. */
  readonly files: readonly Overlay[];
  /** Imports of which nobody knows whether they work there, or which call the model. */
  readonly unchecked: readonly string[];
  /** Definitions that it needs, in the order of the newer text. */
  readonly definitions: readonly Definition[];
  /** Names that are kept though nothing shows that they mean the same. */
  readonly doubtful: readonly string[];
  /** Names that neither version declares, and that nothing in the old one uses. */
  readonly unknown: readonly string[];
  /** It had to go further down, past what gives its names their values. */
  readonly isPushedDown: boolean;
  /** The text that it has instead of its own. */
  readonly fixed?: Written;
}

export interface Definition extends Settled {
  readonly name: string;
  readonly effect: Effect;
}

export interface Refusal {
  readonly refusal: string;
  readonly reason: string;
}

/** Levels of definitions that are brought along, and how many in all. */
const DEPTH_MAX = 3;
const DEFINITIONS_MAX = 5;

export function settle(
  pair: VersionPair,
  unit: Unit,
  target: Target,
  depth = 0,
): Settled | Refusal {
  const free = freeNames(pair.now.scopes, unit.node).filter(({ binding }) => {
    return binding?.kind !== "type" && !isOwn(binding, unit.node);
  });
  const moved = repaired(pair, free, target, unit.node);
  if ("refusal" in moved) return moved;
  if (isInExpression(pair, unit, moved.place)) {
    const reason = "the function around it is an expression there, with no place for it";
    return { refusal: "missing_block", reason };
  }
  const other = declaredThere(pair, unit.node, moved.place);
  if (other) return other;
  const lacking = pair.grammar.statements.lacking(pair, unit.node, moved.place);
  if (lacking) return lacking;
  const names = new Settling(pair, unit, moved, depth);
  const refusals = free.flatMap((name) => names.add(name) ?? []);
  const [first] = refusals;
  if (first) return { ...first, reason: refusals.map(({ reason }) => reason).join("; ") };
  return names.settled(moved.place.index !== target.place.index);
}

/** A name that the statement itself declares. */
function isOwn(binding: Binding | null, { start, end }: Syntax): boolean {
  return binding?.declarations.every((node) => start <= node.start && node.end <= end) ?? false;
}

/** The place, further down if a name gets its value only there, further up if nothing is executed there. */
function repaired(
  pair: VersionPair,
  free: readonly FreeName[],
  target: Target,
  node: Syntax,
): Target | Refusal {
  const { block } = target.place;
  const last = lastGap(block);
  let index = Math.min(target.place.index, last);
  for (const name of free) {
    const named = pair.names.at(name, pair.spotOf({ block, index }));
    if (named.kind !== "later") continue;
    const next = gapAfterDefinition(block, index, named.binding);
    if (next === undefined || next > last) {
      const reason = `${name.name} has no value yet where the statement would go`;
      return { refusal: "use_before_def", reason };
    }
    index = next;
  }
  const { isHoisted } = pair.grammar.statements;
  if (index === target.place.index || isHoisted(node)) return target;
  const place: Place = { ...target.place, index, near: "before", before: "other", after: "other" };
  return { ...target, place };
}

/**
 * Whether the place is the body of an arrow function that is an expression, and the statement stood
 * after something: then what it stood after is a part of that expression.
 */
function isInExpression(pair: VersionPair, unit: Unit, { block }: Place): boolean {
  if (pair.then.tree.syntaxOf.has(block) || block.parent?.role !== "function") return false;
  const own = pair.blockOf(unit)?.children[0];
  return own !== undefined && own.start < unit.node.start;
}

/** A name that the statement declares must be new where it goes. */
function declaredThere(
  pair: VersionPair,
  { start, end }: Syntax,
  place: Place,
): Refusal | undefined {
  const own = [...pair.now.scopes.bindingOf].filter(([node, { scope }]) => {
    const isIn = start <= node.start && node.end <= end;
    return isIn && !(start <= scope.node.start && scope.node.end <= end);
  });
  const taken = own.find(([, { name }]) => {
    const found = reach(pair.then.scopes, name, pair.spotOf(place));
    return (found.kind === "reached" && found.binding !== null) || found.kind === "later";
  });
  if (!taken) return undefined;
  return { refusal: "ambiguous", reason: `${taken[1].name} is declared there already` };
}

class Settling {
  readonly #pair: VersionPair;
  readonly #unit: Unit;
  readonly #target: Target;
  readonly #depth: number;
  readonly #renaming = new Map<Reference, string>();
  readonly #renames: { from: string; to: string; note: string }[] = [];
  readonly #imports: ImportedName[] = [];
  readonly #files: Overlay[] = [];
  readonly #unchecked: string[] = [];
  readonly #definitions: Definition[] = [];
  readonly #doubtful: string[] = [];
  readonly #unknown: string[] = [];

  constructor(pair: VersionPair, unit: Unit, target: Target, depth: number) {
    this.#pair = pair;
    this.#unit = unit;
    this.#target = target;
    this.#depth = depth;
  }

  /** Settles one name; answers why it cannot be. */
  add(name: FreeName): Refusal | undefined {
    const { names } = this.#pair;
    const named = names.at(name, this.#pair.spotOf(this.#target.place));
    switch (named.kind) {
      case "kept":
        if (this.#isCalledOtherwise(name)) return this.#bring(name, "missing");
        if (named.isDoubtful) this.#doubtful.push(name.name);
        if (named.isUnknown) this.#unknown.push(name.name);
        return undefined;
      case "renamed":
        // What is imported is known by its module, not by the shape of the import.
        if (name.binding && importOf(this.#pair.now.source, name.binding)) {
          return this.#bring(name, "missing");
        }
        this.#rename(name, named.to, `${named.uses} of ${named.of} uses matched`);
        if (named.isDoubtful) this.#doubtful.push(named.to);
        return undefined;
      case "later":
        return { refusal: "use_before_def", reason: `${name.name} is declared only later there` };
      case "elsewhere":
      case "missing":
        return this.#bring(name, named.kind);
    }
  }

  settled(isPushedDown: boolean): Settled {
    return {
      unit: this.#unit,
      target: this.#target,
      renaming: this.#renaming,
      renames: this.#renames,
      imports: this.#imports,
      files: this.#files,
      unchecked: this.#unchecked,
      definitions: this.#definitions,
      doubtful: this.#doubtful,
      unknown: this.#unknown,
      isPushedDown,
    };
  }

  #rename({ name, uses }: FreeName, to: string, note: string): void {
    for (const use of uses) this.#renaming.set(use, to);
    this.#renames.push({ from: name, to, note });
  }

  /** Whether that version imports the same under another word, and something else under this one. */
  #isCalledOtherwise({ name, binding }: FreeName): boolean {
    const { now, then, grammar } = this.#pair;
    const wanted = binding ? importOf(now.source, binding) : undefined;
    if (!wanted) return false;
    const own = grammar.imports.importedNames(then.source).find(({ local }) => local === name);
    const isOther = own?.module !== wanted.module || own.imported !== wanted.imported;
    return own !== undefined && isOther && sameImport(then.source, wanted) !== undefined;
  }

  /** Brings along what a name means, if it can be. */
  #bring(name: FreeName, why: "elsewhere" | "missing"): Refusal | undefined {
    const { binding } = name;
    if (!binding) return missing(name, why);
    const wanted = importOf(this.#pair.now.source, binding);
    if (wanted) {
      const same = sameImport(this.#pair.then.source, wanted);
      if (!same) return this.#import(wanted);
      this.#rename(name, same.local, `the same import of ${wanted.module}`);
      return undefined;
    }
    const definition = this.#define(binding);
    if (!definition) return missing(name, why);
    if ("refusal" in definition) {
      const { refusal, reason } = missing(name, why);
      const isHarmful = definition.refusal === "effectful_helper";
      return {
        refusal: isHarmful ? definition.refusal : refusal,
        reason: `${reason}, and cannot be brought along: ${definition.reason}`,
      };
    }
    this.#definitions.push(...definition.definitions, definition);
    this.#imports.push(...definition.imports);
    this.#files.push(...definition.files);
    this.#unchecked.push(...definition.unchecked);
    if (this.#definitions.length <= DEFINITIONS_MAX) return undefined;
    return {
      refusal: "missing_variable",
      reason: `${name.name} would need too much brought along`,
    };
  }

  #import(wanted: ImportedName): Refusal | undefined {
    const { files, then, grammar } = this.#pair;
    const fate = grammar.imports.fateOf(wanted, { ...files, importer: then.source.file });
    if (fate.kind === "missing") return { refusal: "missing_variable", reason: fate.reason };
    this.#imports.push(wanted);
    if (fate.kind === "file") this.#files.push(fate.overlay);
    const isSafe = fate.kind === "works" || (fate.kind === "file" && fate.effect !== "calls");
    if (!isSafe) this.#unchecked.push(wanted.local);
    return undefined;
  }

  /** The definition of a binding, settled at its own place; undefined if it is none to bring along. */
  #define(binding: Binding): Definition | Refusal | undefined {
    if (this.#depth >= DEPTH_MAX || binding.definitions.length !== 1) return undefined;
    const [declaration] = binding.declarations;
    const around = declaration && unitAround(this.#pair.now.source, declaration);
    const { bare, canBeBrought } = this.#pair.grammar.statements;
    const unit = around && { ...around, node: bare(around.node) };
    if (!unit || !canBeBrought(unit.node, binding)) return undefined;
    const target = this.#placeOf(unit);
    if (!target || declaredThere(this.#pair, unit.node, target.place)) return undefined;
    if (isFilledElsewhere(this.#pair.now, binding, unit.node, this.#unit.node)) {
      const reason = `${binding.name} is filled by statements that would not be there`;
      return { refusal: "missing_variable", reason };
    }
    const effect = this.#effectOf(unit.node);
    if (effect === "changes") {
      const reason = `${binding.name} is made by something that would change the training`;
      return { refusal: "effectful_helper", reason };
    }
    if (this.#callsUnknown(unit.node)) return undefined;
    const settled = settle(this.#pair, unit, target, this.#depth + 1);
    if ("refusal" in settled && settled.refusal === "ambiguous") return undefined;
    return "refusal" in settled ? settled : { ...settled, name: binding.name, effect };
  }

  /** What a definition does when it is executed, or called. */
  #effectOf(node: Syntax): Effect {
    const free = freeNames(this.#pair.now.scopes, node).filter(
      ({ binding }) => !isOwn(binding, node),
    );
    const writes = free.some(({ uses }) => uses.some(({ isWrite }) => isWrite));
    return writes ? "changes" : this.#pair.grammar.effects.effectOf(node);
  }

  /** Whether it calls a function of which nothing is known, not even where it comes from. */
  #callsUnknown(node: Syntax): boolean {
    const { grammar, now } = this.#pair;
    const { effectOfName } = grammar.effects;
    return [...callees(grammar, node)].some((callee) => {
      const isUnbound = now.scopes.referenceOf.get(callee)?.binding === null;
      return isUnbound && effectOfName(callee) !== "none";
    });
  }

  /** Its own place if the statement can see it from there, else the statement's. */
  #placeOf(unit: Unit): Target | undefined {
    const own = this.#pair.placeFor(unit);
    if (own && own.place.climbed.length === 0 && this.#isSeenFrom(own.place, unit.node)) return own;
    return unit.owner === this.#unit.owner ? this.#target : undefined;
  }

  #isSeenFrom({ block, index }: Place, node: Syntax): boolean {
    const { place } = this.#target;
    if (!isWithin(place.block, block)) return false;
    if (this.#pair.grammar.statements.isHoisted(node)) return true;
    return offsetOf({ block, index }) <= offsetOf(place);
  }
}

function missing({ name }: FreeName, why: "elsewhere" | "missing"): Refusal {
  return why === "missing"
    ? { refusal: "missing_variable", reason: `${name} does not exist in that version` }
    : { refusal: "out_of_scope", reason: `${name} is not visible where the statement would go` };
}

/** Names that are called in a node. */
function* callees(grammar: Grammar, node: Syntax): Generator<Syntax> {
  const callee = grammar.views.callOf(node)?.callee;
  if (callee && grammar.views.nameOf(callee) !== undefined) yield callee;
  for (const child of grammar.reading.childrenOf(node)) yield* callees(grammar, child);
}

/** What a binding of a file imports; undefined if it is no import. */
function importOf(source: Source, binding: Binding): ImportedName | undefined {
  if (binding.scope.parent !== null) return undefined;
  const names = source.grammar.imports.importedNames(source);
  const [first, ...others] = names.filter(({ local }) => local === binding.name);
  // Of several, as in `try: … except ImportError: …`, nobody knows which one it is.
  const isOne = others.every(({ module, imported }) => {
    return module === first?.module && imported === first.imported;
  });
  return isOne ? first : undefined;
}

/** A name that the old file has for the same thing. */
function sameImport(source: Source, wanted: ImportedName): ImportedName | undefined {
  const { importedNames, isWhole } = source.grammar.imports;
  return importedNames(source).find(({ module, imported }) => {
    if (module !== wanted.module) return false;
    return imported === wanted.imported || (isWhole(imported) && isWhole(wanted.imported));
  });
}
