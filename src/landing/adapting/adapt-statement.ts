/**
 * @file From a statement and a place to what has to be written there: names as the old version calls
 * them, what must be brought along, or why it cannot be. Definitions that are brought along are
 * adapted in the same way, a few levels deep.
 */
import type { Overlay } from "../../format/index.ts";
import type { Place } from "../../tree/index.ts";
import { isInside, isWithin, lastGap } from "../../tree/index.ts";
import type {
  Binding,
  Effect,
  ImportedName,
  ParsedFile,
  Reference,
  Statement,
  Syntax,
  StatementText,
} from "../../languages/index.ts";
import { canBeCarried, isMutatedAfterDefinition, standTogether } from "./definitions.ts";
import { importFate, importOf, sameImport } from "./import-fate.ts";
import { settledGap } from "./settle-gap.ts";
import { lackingSurroundings } from "./surroundings.ts";
import { isGivenBySame } from "../pairing/given-by-same.ts";
import type { FreeName } from "../pairing/paired-names.ts";
import { freeNames, isTakenInside } from "../pairing/paired-names.ts";
import type { ReceiverName } from "../pairing/receiver-names.ts";
import { receiverNames, withAttributes } from "../pairing/receiver-names.ts";
import type { Target, VersionPair } from "../pairing/version-pair.ts";
import { offsetOf } from "../pairing/version-pair.ts";
import type { VisibleName } from "../pairing/visible-name.ts";
import { gapAfterDefinition, resolveVisibleName } from "../pairing/visible-name.ts";
import { statementAround } from "../placing/statement-at.ts";

/** What a statement needs where it goes. */
interface Needs {
  readonly renaming: Map<Reference, string>;
  readonly renames: { readonly from: string; readonly to: string; readonly note: string }[];
  readonly imports: ImportedName[];
  /** Files that the imports need. */
  readonly files: Overlay[];
  /** Imports of which nobody knows whether they work there, or which call the model. */
  readonly unchecked: string[];
  /** Definitions that it needs, in the order of the newer text. */
  readonly definitions: CarriedDefinition[];
  /** Names that are kept though nothing shows that they mean the same. */
  readonly doubtful: string[];
  /** Names that neither version declares, and that nothing in the old one uses. */
  readonly unknown: string[];
}

/** A statement with a place and the names it has there. */
export interface AdaptedStatement extends Readonly<Needs> {
  readonly statement: Statement;
  readonly target: Target;
  /** It had to go further down, past what gives its names their values. */
  readonly isPushedDown: boolean;
  /** The text that it has instead of its own. */
  readonly fixed?: StatementText;
  /** All statements of the question that it is one of: they come together, and are set back. */
  readonly question?: readonly Statement[];
}

/** A definition that comes along. */
export interface CarriedDefinition extends AdaptedStatement {
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

/** Adapts a statement to a place; where the choice among gaps is free, what they mean decides. */
export function adaptStatement(
  pair: VersionPair,
  statement: Statement,
  target: Target,
  depth = 0,
): AdaptedStatement | Refusal {
  const adapted = adaptWithDefinitions(pair, statement, target, depth);
  if ("refusal" in adapted || depth > 0) return adapted;
  const whole = withDefinitions(pair, adapted);
  const index = settledGap(pair, whole.adapted, whole.names);
  const { place } = adapted.target;
  if (index === place.index) return adapted;
  const near = index > place.index ? "before" : "after";
  const settled: Place = { ...place, index, near, before: "other", after: "other" };
  const again = adaptWithDefinitions(pair, statement, { ...target, place: settled }, depth);
  if ("refusal" in again || again.isPushedDown) return adapted;
  return { ...again, isPushedDown: index > place.index };
}

/** Adapts a statement to a place, further down if a definition that it needs has to go there. */
function adaptWithDefinitions(
  pair: VersionPair,
  statement: Statement,
  target: Target,
  depth: number,
): AdaptedStatement | Refusal {
  let at = target;
  for (;;) {
    const adapted = adaptAt(pair, statement, at, depth);
    if ("refusal" in adapted) return adapted;
    const { place } = adapted.target;
    const further = adapted.definitions.find((one) => {
      return one.isPushedDown && offsetOf(one.target.place) > offsetOf(place);
    });
    if (!further) return { ...adapted, isPushedDown: at !== target || adapted.isPushedDown };
    if (further.target.place.block !== place.block) {
      const reason = `${further.name} has no value yet where the statement would go`;
      return { refusal: "use_before_def", reason };
    }
    at = further.target;
  }
}

/** A statement and the definitions that go to its gap, as one; and the names of them all. */
function withDefinitions(
  pair: VersionPair,
  adapted: AdaptedStatement,
): { readonly adapted: AdaptedStatement; readonly names: NameWhereItGoes[] } {
  const { statement, definitions } = adapted;
  const own = definitions.filter((one) => standTogether(pair, one.statement, statement));
  if (own.length === 0) return { adapted, names: namesWhereItGoes(pair, adapted) };
  const names = [...own, adapted].flatMap((one) => namesWhereItGoes(pair, one));
  const { type, end } = statement.node;
  const node = { type, start: Math.min(...own.map((one) => one.statement.node.start)), end };
  return {
    adapted: { ...adapted, statement: { ...statement, node } },
    names: names.filter(({ free: { binding } }) => {
      return !own.some((one) => isDeclaredByStatement(binding, one.statement.node));
    }),
  };
}

/** Names that come along with a question, under these names. */
export type BroughtNames = ReadonlyMap<Binding, string>;

/** Adapts a statement to a place and no other. `brought`: those of the question that it is one of. */
export function adaptAt(
  pair: VersionPair,
  statement: Statement,
  target: Target,
  depth: number,
  brought?: BroughtNames,
): AdaptedStatement | Refusal {
  const all = freeNames(pair.now.scopes, statement.node).filter(({ binding }) => {
    if (binding?.kind === "type" || (binding && brought?.has(binding))) return false;
    return !isDeclaredByStatement(binding, statement.node);
  });
  const receivers = receiverNames(pair, statement, all, target.place);
  const free = receivers ? all.filter(({ name }) => name !== receivers.word) : all;
  const moved = repairedTarget(pair, free, target, statement);
  if ("refusal" in moved) return moved;
  if (isInExpression(pair, statement, moved.place)) {
    const reason = "the function around it is an expression there, with no place for it";
    return { refusal: "missing_block", reason };
  }
  const other = brought ? undefined : declaredThere(pair, statement.node, moved.place);
  if (other) return other;
  const needs = receivers ? { ...statement.needs, hasThis: false } : statement.needs;
  const without = lackingSurroundings(pair, needs, moved.place);
  if (without) return without;
  const names = new StatementAdaptation(pair, statement, moved, depth);
  if (brought) names.bring(brought);
  for (const one of receivers?.names ?? []) names.replaceAttribute(one);
  const refusals = free.flatMap((name) => names.adaptName(name) ?? []);
  const [first] = refusals;
  if (first) return { ...first, reason: refusals.map(({ reason }) => reason).join("; ") };
  return names.adapted(moved.place.index !== target.place.index);
}

/** A name of a statement, as it is written where it goes, and what it means there. */
export interface NameWhereItGoes {
  readonly free: FreeName;
  readonly use: Reference;
  readonly written: string;
  readonly found: VisibleName;
}

/** The names of a statement as they are written where it goes, and what they mean there. */
export function namesWhereItGoes(
  pair: VersionPair,
  { statement, target, renaming }: AdaptedStatement,
): NameWhereItGoes[] {
  const scopedOffset = pair.scopedOffsetOf(target.place);
  const names = freeNames(pair.now.scopes, statement.node);
  return withAttributes(names, renaming).flatMap((free) => {
    const [use] = free.uses;
    if (!use) return [];
    const written = renaming.get(use) ?? free.name;
    const found = resolveVisibleName(pair.then.scopes, written, scopedOffset);
    return [{ free, use, written, found }];
  });
}

/** A name that the statement itself declares. */
function isDeclaredByStatement(binding: Binding | null, statement: Syntax): boolean {
  return binding?.declarations.every((node) => isInside(node, statement)) ?? false;
}

/** The place, further down if a name gets its value only there, further up if nothing is executed there. */
function repairedTarget(
  pair: VersionPair,
  free: readonly FreeName[],
  target: Target,
  { isHoisted }: Statement,
): Target | Refusal {
  const { block } = target.place;
  const last = lastGap(block);
  let index = Math.min(target.place.index, last);
  for (const name of free) {
    const named = pair.names.pairedNameAt(name, pair.scopedOffsetOf({ block, index }));
    if (named.kind !== "later") continue;
    const next = gapAfterDefinition(block, index, named.binding);
    if (next === undefined || next > last) {
      const reason = `${name.name} has no value yet where the statement would go`;
      return { refusal: "use_before_def", reason };
    }
    index = next;
  }
  if (index === target.place.index || isHoisted) return target;
  const place: Place = { ...target.place, index, near: "before", before: "other", after: "other" };
  return { ...target, place };
}

/**
 * Whether the place is the body of an arrow function that is an expression, and the statement stood
 * after something: then what it stood after is a part of that expression.
 */
function isInExpression(pair: VersionPair, statement: Statement, { block }: Place): boolean {
  if (pair.then.tree.syntaxOf.has(block) || block.parent?.role !== "function") return false;
  const own = pair.blockOf(statement)?.children[0];
  return own !== undefined && own.start < statement.node.start;
}

/** A name that the statement declares must be new where it goes. */
function declaredThere(pair: VersionPair, statement: Syntax, place: Place): Refusal | undefined {
  const own = [...pair.now.scopes.bindingOf].filter(([node, { scope }]) => {
    return isInside(node, statement) && !isInside(scope.node, statement);
  });
  const taken = own.find(([, { name }]) => {
    const found = resolveVisibleName(pair.then.scopes, name, pair.scopedOffsetOf(place));
    return (found.kind === "visible" && found.binding !== null) || found.kind === "later";
  });
  if (!taken) return undefined;
  return { refusal: "ambiguous", reason: `${taken[1].name} is declared there already` };
}

/** What adapting a statement finds out, before anything was. */
export function nothingNeeded(): Needs {
  return {
    renaming: new Map(),
    renames: [],
    imports: [],
    files: [],
    unchecked: [],
    definitions: [],
    doubtful: [],
    unknown: [],
  };
}

class StatementAdaptation {
  readonly #pair: VersionPair;
  readonly #statement: Statement;
  readonly #target: Target;
  readonly #depth: number;
  readonly #needs = nothingNeeded();

  constructor(pair: VersionPair, statement: Statement, target: Target, depth: number) {
    this.#pair = pair;
    this.#statement = statement;
    this.#target = target;
    this.#depth = depth;
  }

  /** Adapts one name; answers why it cannot be. */
  adaptName(name: FreeName): Refusal | undefined {
    const { names } = this.#pair;
    const named = names.pairedNameAt(name, this.#pair.scopedOffsetOf(this.#target.place));
    switch (named.kind) {
      case "kept":
        if (this.#isCalledOtherwise(name)) return this.#carry(name, "missing");
        if (named.isDoubtful && !this.#logs(name) && !this.#isGivenBySame(name))
          this.#needs.doubtful.push(name.name);
        if (named.isUnknown) this.#needs.unknown.push(name.name);
        return undefined;
      case "renamed":
        // What is imported is known by its module, not by the shape of the import; but what logs is no
        // value: a version has its own.
        if (name.binding && importOf(this.#pair.now.source, name.binding) && !this.#logs(name)) {
          return this.#carry(name, "missing");
        }
        if (isTakenInside(name, named.to, this.#statement.node)) {
          const reason = `${name.name} is called ${named.to} there, which your statement means something else by`;
          return { refusal: "ambiguous", reason };
        }
        this.#rename(name, named.to, `${named.uses} of ${named.of} uses matched`);
        if (named.isDoubtful) this.#needs.doubtful.push(named.to);
        return undefined;
      case "later":
        return { refusal: "use_before_def", reason: `${name.name} is declared only later there` };
      case "elsewhere":
      case "missing":
        return this.#carry(name, named.kind);
    }
  }

  /** An attribute is written as the variable that stands for it. */
  replaceAttribute({ free, to, isDoubtful }: ReceiverName): void {
    this.#rename(free, to, "it stands in the same lines");
    if (isDoubtful) this.#needs.doubtful.push(to);
  }

  /** What comes along is called as it is, or as it must be. */
  bring(brought: BroughtNames): void {
    const { node } = this.#statement;
    const { bindingOf, references } = this.#pair.now.scopes;
    const declared = [...bindingOf].map(([at, binding]): Use => ({ node: at, binding }));
    const used = references.map((one): Use => ({ ...one, reference: one }));
    for (const { node: at, binding, reference } of [...declared, ...used]) {
      const to = binding ? brought.get(binding) : undefined;
      if (!binding || to === undefined || to === binding.name || !isInside(at, node)) continue;
      const known = reference ?? this.#pair.now.scopes.referenceOf.get(at);
      this.#needs.renaming.set(known ?? declaration(this.#pair.now.source, at, binding), to);
    }
  }

  adapted(isPushedDown: boolean): AdaptedStatement {
    return { statement: this.#statement, target: this.#target, ...this.#needs, isPushedDown };
  }

  #rename({ name, uses }: FreeName, to: string, note: string): void {
    for (const use of uses) this.#needs.renaming.set(use, to);
    this.#needs.renames.push({ from: name, to, note });
  }

  /** Whether the same statements give a variable its value here and there. */
  #isGivenBySame({ name, binding }: FreeName): boolean {
    const [pair, { place }] = [this.#pair, this.#target];
    const block = pair.blockOf(this.#statement);
    const found = resolveVisibleName(pair.then.scopes, name, pair.scopedOffsetOf(place));
    if (!block || !binding || found.kind !== "visible" || !found.binding) return false;
    const index = block.children.filter(({ start }) => start < this.#statement.node.start).length;
    const ours = { binding, gap: { block, index } };
    return isGivenBySame(pair, ours, { binding: found.binding, gap: place });
  }

  /** Whether a name is what the statement logs with, and nothing else in it. */
  #logs({ uses }: FreeName): boolean {
    const { isLogOnly, node } = this.#statement;
    return isLogOnly && uses.every((use) => use.node.start === node.start);
  }

  /** Whether that version imports the same under another word, and something else under this one. */
  #isCalledOtherwise({ name, binding }: FreeName): boolean {
    const { now, then } = this.#pair;
    const wanted = binding ? importOf(now.source, binding) : undefined;
    if (!wanted) return false;
    const own = then.source.imports.find(({ local }) => local === name);
    const isOther = own?.module !== wanted.module || own.imported !== wanted.imported;
    return own !== undefined && isOther && sameImport(then.source, wanted) !== undefined;
  }

  /** Brings along what a name means, if it can be. */
  #carry(name: FreeName, why: "elsewhere" | "missing"): Refusal | undefined {
    const { binding } = name;
    if (!binding) return missingName(name, why);
    const wanted = importOf(this.#pair.now.source, binding);
    if (wanted) {
      const same = sameImport(this.#pair.then.source, wanted);
      if (!same) return this.#import(wanted);
      this.#rename(name, same.local, `the same import of ${wanted.module}`);
      return undefined;
    }
    const definition = this.#define(binding);
    if (!definition) return missingName(name, why);
    if ("refusal" in definition) {
      const { refusal, reason } = missingName(name, why);
      const isHarmful = definition.refusal === "effectful_helper";
      return {
        refusal: isHarmful ? definition.refusal : refusal,
        reason: `${reason}, and cannot be brought along: ${definition.reason}`,
      };
    }
    this.#needs.definitions.push(...definition.definitions, definition);
    this.#needs.imports.push(...definition.imports);
    this.#needs.files.push(...definition.files);
    this.#needs.unchecked.push(...definition.unchecked);
    if (this.#needs.definitions.length <= DEFINITIONS_MAX) return undefined;
    return {
      refusal: "missing_variable",
      reason: `${name.name} would need too much brought along`,
    };
  }

  #import(wanted: ImportedName): Refusal | undefined {
    const { files, then, language } = this.#pair;
    const fate = importFate(wanted, { ...files, language, importer: then.source.file });
    if (fate.kind === "missing") return { refusal: "missing_variable", reason: fate.reason };
    this.#needs.imports.push(wanted);
    if (fate.kind === "file") this.#needs.files.push(fate.overlay);
    const isSafe = fate.kind === "works" || (fate.kind === "file" && fate.effect !== "calls");
    if (!isSafe) this.#needs.unchecked.push(wanted.local);
    return undefined;
  }

  /** The definition of a binding, adapted to its own place; undefined if it is none to bring along. */
  #define(binding: Binding): CarriedDefinition | Refusal | undefined {
    if (this.#depth >= DEPTH_MAX || binding.definitions.length !== 1) return undefined;
    const [declaration] = binding.declarations;
    const statement = declaration && statementAround(this.#pair.now.source, declaration)?.bare;
    if (!statement || !canBeCarried(statement, binding)) return undefined;
    const target = this.#placeOf(statement);
    if (!target || declaredThere(this.#pair, statement.node, target.place)) return undefined;
    if (isMutatedAfterDefinition(this.#pair.now, binding, statement, this.#statement.node)) {
      const reason = `${binding.name} is filled by statements that would not be there`;
      return { refusal: "missing_variable", reason };
    }
    const effect = this.#effectOf(statement);
    if (effect === "changes") {
      const reason = `${binding.name} is made by something that would change the training`;
      return { refusal: "effectful_helper", reason };
    }
    if (this.#callsUnknown(statement.node)) return undefined;
    const adapted = adaptStatement(this.#pair, statement, target, this.#depth + 1);
    if ("refusal" in adapted && adapted.refusal === "ambiguous") return undefined;
    return "refusal" in adapted ? adapted : { ...adapted, name: binding.name, effect };
  }

  /** What a definition does when it is executed, or called. */
  #effectOf({ node, effect }: Statement): Effect {
    const free = freeNames(this.#pair.now.scopes, node).filter(
      ({ binding }) => !isDeclaredByStatement(binding, node),
    );
    const writes = free.some(({ uses }) => uses.some(({ isWrite }) => isWrite));
    return writes ? "changes" : effect;
  }

  /** Whether it calls a function of which nothing is known, not even where it comes from. */
  #callsUnknown(definition: Syntax): boolean {
    const { source, scopes } = this.#pair.now;
    return source.uses.calls.some(({ node, callee, byName = "none" }) => {
      const isUnbound = scopes.referenceOf.get(callee)?.binding === null;
      return isInside(node, definition) && isUnbound && byName !== "none";
    });
  }

  /** The statement's if they stood together; its own if the statement can see it from there, else the statement's. */
  #placeOf(statement: Statement): Target | undefined {
    if (standTogether(this.#pair, statement, this.#statement)) return this.#target;
    const own = this.#pair.placeFor(statement);
    if (own && own.place.climbed.length === 0 && this.#isSeenFrom(own.place, statement)) return own;
    return statement.owner === this.#statement.owner ? this.#target : undefined;
  }

  #isSeenFrom({ block, index }: Place, { isHoisted }: Statement): boolean {
    const { place } = this.#target;
    if (!isWithin(place.block, block)) return false;
    if (isHoisted) return true;
    return offsetOf({ block, index }) <= offsetOf(place);
  }
}

interface Use {
  readonly node: Syntax;
  readonly binding: Binding | null;
  readonly reference?: Reference;
}

/** A declaration as a use of what it declares: in a pattern, key and name may be one word. */
function declaration({ text }: ParsedFile, node: Syntax, binding: Binding): Reference {
  const before = text.slice(0, node.start);
  let depth = 0;
  let at = before.length - 1;
  for (; at >= 0 && depth <= 0; at -= 1) {
    if (/[)\]}]/.test(before[at] ?? "")) depth -= 1;
    if (/[([{]/.test(before[at] ?? "")) depth += 1;
  }
  const isInBraces = depth > 0 && before[at + 1] === "{" && /[{,]\s*$/.test(before);
  const isShorthand = isInBraces && /^\s*[,}=]/.test(text.slice(node.end));
  const { name, scope } = binding;
  return { node, name, scope, isWrite: true, isRead: false, isShorthand, binding };
}

function missingName({ name }: FreeName, why: "elsewhere" | "missing"): Refusal {
  return why === "missing"
    ? { refusal: "missing_variable", reason: `${name} does not exist in that version` }
    : { refusal: "out_of_scope", reason: `${name} is not visible where the statement would go` };
}
