/**
 * @file What the names of a statement are called in the old version: by the partners of their
 * declarations and uses. A name that means nothing there, or something else, is never kept silently.
 */
import type { Mapping, Span, TreeNode } from "../../tree/index.ts";
import { ancestors, isInside } from "../../tree/index.ts";
import type { Binding, Reference, Scope, Scopes, Syntax } from "../../languages/index.ts";
import type { Side } from "./version-tree.ts";
import { enclosingStatement } from "./version-tree.ts";
import { isGivenBackFor, isHandedTo } from "./made-functions.ts";
import type { Versions } from "./given-alike.ts";
import { isGivenAlike } from "./given-alike.ts";
import type { VisibleName, ScopedOffset } from "./visible-name.ts";
import { resolveVisibleName } from "./visible-name.ts";

/** A name that a statement takes from around it. */
export interface FreeName {
  readonly name: string;
  readonly binding: Binding | null;
  readonly uses: readonly Reference[];
}

export type PairedName =
  | {
      readonly kind: "kept";
      /** Nothing shows that it means the same. */
      readonly isDoubtful: boolean;
      /** Neither version declares it, and nothing in the old one uses it. */
      readonly isUnknown?: boolean;
    }
  | {
      readonly kind: "renamed";
      readonly to: string;
      /** Uses that are paired with it, of all in statements that the old version has. */
      readonly uses: number;
      readonly of: number;
      readonly isDoubtful: boolean;
    }
  /** It exists, but has no value at the place yet. */
  | { readonly kind: "later"; readonly binding: Binding }
  | { readonly kind: "elsewhere" | "missing" };

/** The names that a part of a text uses and does not declare itself. */
export function freeNames(scopes: Scopes, part: Span): FreeName[] {
  const found = new Map<string, { binding: Binding | null; uses: Reference[] }>();
  for (const reference of scopes.references) {
    const { node, name, binding } = reference;
    if (!isInside(node, part)) continue;
    if (binding && binding.kind !== "type" && isInside(binding.scope.node, part)) continue;
    const known = found.get(name);
    if (known) known.uses.push(reference);
    else found.set(name, { binding, uses: [reference] });
  }
  return [...found].map(([name, { binding, uses }]) => ({ name, binding, uses }));
}

/** Whether a function or comprehension of a part, in which a free name of it is used, has its own of another word. */
export function isTakenInside({ uses }: FreeName, word: string, part: Span): boolean {
  return uses.some(({ scope }) => {
    for (let at: Scope | null = scope; at && isInside(at.node, part); at = at.parent) {
      if (at.bindings.has(word)) return true;
    }
    return false;
  });
}

/** Weight of a use in the function of the statement, and of the declaration. */
const NEAR_WEIGHT = 3;
/** Share of the weight of all uses that must speak for a new name. */
const RENAME_SHARE_MIN = 0.5;

interface Votes {
  readonly of: ReadonlyMap<Binding, { readonly weight: number; readonly count: number }>;
  readonly total: number;
  readonly count: number;
}

interface Candidate {
  readonly binding: Binding;
  readonly weight: number;
  readonly count: number;
}

/** Of a node whose two children are a name and the value that it is given. */
const DEFINITION = "Definition";

/** Finds names of the newer version in the older one. */
export class PairedNames {
  readonly #now: Side;
  readonly #then: Side;
  readonly #mapping: Mapping;

  constructor(now: Side, then: Side, mapping: Mapping) {
    this.#now = now;
    this.#then = then;
    this.#mapping = mapping;
  }

  /** What a name is called at a place of the old text. */
  pairedNameAt({ name, binding, uses }: FreeName, scopedOffset: ScopedOffset): PairedName {
    const found = resolveVisibleName(this.#then.scopes, name, scopedOffset);
    if (!binding) return this.#global(name, uses, found);
    const votes = this.#votes(binding, uses);
    const best = this.#bestOf(votes, scopedOffset);
    const isOther = best !== undefined && best.binding.name !== name;
    const isStrong =
      isOther &&
      best.weight >= votes.total * RENAME_SHARE_MIN &&
      this.#isMutual(binding, best.binding);
    if (found.kind === "visible") {
      const own = found.binding ? (votes.of.get(found.binding)?.weight ?? 0) : 0;
      const isElsewhere = own === 0 && isFromElsewhere(binding, found.binding);
      const isTaken = found.binding !== null && this.#isOfOther(found.binding, binding);
      if (isStrong && (isElsewhere || isTaken) && own <= best.weight) {
        const renamed = this.#renamed(binding, best, votes.count);
        // Both names are used alike there: only a value that is written the same tells them apart.
        const isUnclear = own > 0 || (!isElsewhere && !this.#isSameValue(binding, best.binding));
        return isUnclear ? { ...renamed, isDoubtful: true } : renamed;
      }
      const isUnlike =
        votes.total > 0 &&
        own === 0 &&
        isVariable(binding) &&
        !this.#isDeclaredInSameBlock(binding, found.binding) &&
        !this.#isOfSameFunction(binding, found.binding);
      const isDoubtful =
        isElsewhere ||
        (isTaken && !this.#isGivenAlike(binding, found.binding)) ||
        (found.binding !== null && this.#isHandedOn(found.binding, binding)) ||
        this.#isUsedAsOther(binding, found.binding, uses) ||
        isUnlike ||
        this.#isDeclaredOtherwise(binding, found.binding);
      return { kind: "kept", isDoubtful };
    }
    if (isStrong) return this.#renamed(binding, best, votes.count);
    return found.kind === "later" ? found : { kind: found.kind };
  }

  #renamed(binding: Binding, best: Candidate, of: number): PairedName & { kind: "renamed" } {
    // One use alone proves little, unless it is a declaration with the same value.
    const isLone = best.count === 1 && !this.#isSameDefinition(binding, best.binding);
    const isDoubtful = isLone || !isGivenAlike(this.#versions(), binding, best.binding);
    return { kind: "renamed", to: best.binding.name, uses: best.count, of, isDoubtful };
  }

  #versions(): Versions {
    return {
      now: this.#now,
      then: this.#then,
      partnerOf: (node) => this.#mapping.partnerOf(node),
      bindingThen: (identifier) => this.#partnerOf(identifier),
    };
  }

  #isSameDefinition(binding: Binding, old: Binding): boolean {
    const ours = this.#now.tree.nodeOf.get(binding.declarations[0] as Syntax);
    const theirs = this.#then.tree.nodeOf.get(old.declarations[0] as Syntax);
    if (!ours?.parent || !theirs?.parent || ours.parent.type !== theirs.parent.type) return false;
    if (ours.parent.type === DEFINITION) return this.#isSameValue(binding, old);
    // Of several names at once the place tells which is which, if what gives them values is the same.
    return this.#isGivenBySame(enclosingStatement(ours), enclosingStatement(theirs));
  }

  /** Whether two statements call the same, and functions of the file that they call say the same. */
  #isGivenBySame(ours: TreeNode, theirs: TreeNode): boolean {
    const [own, old] = [calledIn(this.#now, ours), calledIn(this.#then, theirs)];
    return own.length === old.length && own.every((one, at) => one === old[at]);
  }

  /** Whether both are declared alone, with the same value. */
  #isSameValue(binding: Binding, old: Binding): boolean {
    const [ours, theirs] = [
      this.#now.tree.nodeOf.get(binding.declarations[0] as Syntax)?.parent,
      this.#then.tree.nodeOf.get(old.declarations[0] as Syntax)?.parent,
    ];
    if (ours?.type !== DEFINITION || theirs?.type !== ours.type) return false;
    return ours.children[1]?.hash === theirs.children[1]?.hash;
  }

  /**
   * Whether both get their one value by a call of the same, by which nothing that the old one's uses are paired with
   * gets its value: then a part of the call has got a name of its own since.
   */
  #isGivenAlike(binding: Binding, old: Binding | null): boolean {
    const callee = old && calleeOf(this.#then, old);
    if (!callee || calleeOf(this.#now, binding) !== callee) return false;
    return [...this.#pairedUses(old).keys()].every((other) => {
      return other === binding || calleeOf(this.#now, other) !== callee;
    });
  }

  /**
   * Whether all that uses the old one uses another name now, which has its value: that both versions have the word is no
   * sign then.
   */
  #isHandedOn(old: Binding, binding: Binding): boolean {
    if (this.#isSameValue(binding, old)) return false;
    const users = [...this.#pairedUses(old, 0)].filter(([, count]) => count > 0);
    return (
      users.length === 1 &&
      users.every(([other]) => other !== binding && this.#isSameValue(other, old))
    );
  }

  /** Whether all that uses a parameter uses another one in the older version: it may be given in another place. */
  #isUsedAsOther(binding: Binding, found: Binding | null, own: readonly Reference[]): boolean {
    if (binding.kind !== "parameter" || found?.kind !== "parameter") return false;
    const used = this.#now.scopes.references.flatMap((one) => {
      if (one.binding !== binding || own.includes(one)) return [];
      return this.#partnerOf(one.node) ?? [];
    });
    return used.length > 0 && used.every((old) => old !== found && old.scope === found.scope);
  }

  /** Whether the declaration is paired with that of another name than the one found. */
  #isDeclaredOtherwise(binding: Binding, found: Binding | null): boolean {
    const [declaration] = binding.declarations;
    const other = declaration && this.#partnerOf(declaration);
    if (!other || !found || other === found) return other !== found && other !== undefined;
    // Its lines were made a function, or put in the place of one.
    return !isHandedTo(this.#then, other, found) && !isGivenBackFor(this.#then, other, found);
  }

  /** Whether both are declared in blocks that are paired: then what gives them values was rewritten. */
  #isDeclaredInSameBlock(binding: Binding, found: Binding | null): boolean {
    const [ours, theirs] = [
      this.#now.tree.nodeOf.get(binding.declarations[0] as Syntax),
      this.#then.tree.nodeOf.get(found?.declarations[0] as Syntax),
    ];
    const block = ours && enclosingStatement(ours).parent;
    const old = theirs && enclosingStatement(theirs).parent;
    return block != null && old != null && this.#mapping.partnerOf(block) === old;
  }

  /** Whether one is a parameter of a function, and the other declared in the same function. */
  #isOfSameFunction(binding: Binding, found: Binding | null): boolean {
    if (binding.kind !== "parameter" && found?.kind !== "parameter") return false;
    const [ours, theirs] = [
      this.#now.tree.nodeOf.get(binding.declarations[0] as Syntax),
      this.#then.tree.nodeOf.get(found?.declarations[0] as Syntax),
    ].map((node) => node && bodyAround(node));
    return ours !== undefined && theirs !== undefined && this.#mapping.partnerOf(ours) === theirs;
  }

  /** A name that the newer file does not declare: a global, or one that an assignment makes. */
  #global(name: string, uses: readonly Reference[], found: VisibleName): PairedName {
    if (found.kind === "visible") {
      const isLocal = found.binding !== null && found.binding.scope.parent !== null;
      return { kind: "kept", isDoubtful: isLocal };
    }
    if (found.kind === "elsewhere" || found.kind === "later") return { kind: "elsewhere" };
    const others = this.#now.scopes.references.filter((one) => {
      return one.name === name && one.binding === null && !uses.includes(one);
    });
    if (others.some(({ isWrite }) => isWrite)) return { kind: "missing" };
    const { language, isOpen } = this.#then.source;
    const isPlatformName = language.isPlatformName(name);
    if (!isPlatformName && !isOpen) return { kind: "missing" };
    return { kind: "kept", isDoubtful: false, isUnknown: !isPlatformName };
  }

  /** Bindings of the old version that uses of a binding are paired with. */
  #votes(binding: Binding, own: readonly Reference[]): Votes {
    const votes = new Map<Binding, { weight: number; count: number }>();
    let [total, count] = [0, 0];
    for (const [node, weight] of this.#occurrences(binding, own)) {
      if (!this.#isInPairedStatement(node)) continue;
      total += weight;
      count += 1;
      const partner = this.#partnerOf(node);
      if (!partner) continue;
      const known = votes.get(partner) ?? { weight: 0, count: 0 };
      votes.set(partner, { weight: known.weight + weight, count: known.count + 1 });
    }
    return { of: votes, total, count };
  }

  /** A statement that the old version does not have says nothing about its names there. */
  #isInPairedStatement(node: Syntax): boolean {
    const own = this.#now.tree.nodeOf.get(node);
    return own !== undefined && this.#mapping.partnerOf(enclosingStatement(own)) !== undefined;
  }

  /** Where a binding is declared and used, without the statement's own uses. */
  *#occurrences(binding: Binding, own: readonly Reference[]): Generator<[Syntax, number]> {
    const home = own[0]?.scope.function;
    for (const node of binding.declarations) yield [node, NEAR_WEIGHT];
    for (const reference of this.#now.scopes.references) {
      if (reference.binding !== binding || own.includes(reference)) continue;
      yield [reference.node, reference.scope.function === home ? NEAR_WEIGHT : 1];
    }
  }

  /** The binding that the partner of an identifier of the newer version means. */
  #partnerOf(node: Syntax): Binding | undefined {
    const partnerOf = (own: TreeNode): TreeNode | undefined => this.#mapping.partnerOf(own);
    return bindingAcross(node, { from: this.#now, to: this.#then, partnerOf });
  }

  #bestOf({ of }: Votes, scopedOffset: ScopedOffset): Candidate | undefined {
    const usable = [...of].filter(([binding]) => {
      const found = resolveVisibleName(this.#then.scopes, binding.name, scopedOffset);
      return found.kind === "visible" && found.binding === binding;
    });
    usable.sort((one, other) => other[1].weight - one[1].weight);
    const [best] = usable;
    return best && { binding: best[0], ...best[1] };
  }

  /** Whether most uses of an old binding are paired with this one. */
  #isMutual(binding: Binding, old: Binding): boolean {
    const { own, others } = this.#backVotes(old, binding);
    return own > 0 && others <= own;
  }

  /**
   * Whether an old binding is paired with another binding of the newer version. What a function gives back as the
   * value of this one is none.
   */
  #isOfOther(old: Binding, binding: Binding): boolean {
    const { own, others } = this.#backVotes(old, binding, (other) => {
      return isGivenBackFor(this.#now, other, binding);
    });
    return others > own;
  }

  /**
   * Uses of an old binding that are paired with this one, and those with the strongest other. One of
   * the same name is none: what went into a function is its argument there, and has two bindings.
   */
  #backVotes(
    old: Binding,
    binding: Binding,
    isSame: (other: Binding) => boolean = () => false,
  ): { readonly own: number; readonly others: number } {
    const votes = this.#pairedUses(old);
    const own = votes.get(binding) ?? 0;
    const others = [...votes].filter(([other]) => {
      if (other === binding) return false;
      return own === 0 || (other.name !== binding.name && !isSame(other));
    });
    return { own, others: Math.max(0, ...others.map(([, count]) => count)) };
  }

  #pairedUses(old: Binding, ofDeclaration = NEAR_WEIGHT): ReadonlyMap<Binding, number> {
    const votes = new Map<Binding, number>();
    const uses = this.#then.scopes.references.filter((one) => one.binding === old);
    const occurrences = [
      ...old.declarations.map((node) => [node, ofDeclaration] as const),
      ...uses.map(({ node }) => [node, 1] as const),
    ];
    const partnerOf = (own: TreeNode): TreeNode | undefined => this.#mapping.sourceOf(own);
    for (const [node, weight] of occurrences) {
      const found = bindingAcross(node, { from: this.#then, to: this.#now, partnerOf });
      if (found) votes.set(found, (votes.get(found) ?? 0) + weight);
    }
    return votes;
  }
}

/** The calls in the first line of a statement, as they are written, and the bodies of functions that they call. */
function calledIn({ source, scopes, tree }: Side, statement: TreeNode): string[] {
  const body = statement.children.find(({ role }) => role === "block");
  const head = { start: statement.start, end: body?.start ?? statement.end };
  return source.uses.calls
    .filter(({ node }) => isInside(node, head))
    .map(({ node, callee }) => {
      const binding = scopes.referenceOf.get(callee)?.binding;
      const made = source.statements.find((one) => {
        return (
          one.parameters !== undefined && binding?.declarations.some((at) => isInside(at, one.node))
        );
      });
      const inner = made && tree.nodeOf.get(made.node);
      return `${source.text.slice(node.start, node.end)} ${inner?.hash ?? ""}`;
    });
}

/** What is called for the one value of a binding, as it is written. */
function calleeOf(
  { source, tree }: Side,
  { definitions, declarations }: Binding,
): string | undefined {
  const [name] = declarations;
  const definition = name && tree.nodeOf.get(name)?.parent;
  if (definitions.length !== 1 || definition?.type !== DEFINITION) return undefined;
  const value = definition.children[1];
  const call = source.uses.calls.find(({ node }) => {
    return node.start === value?.start && node.end === value.end;
  });
  return call && source.text.slice(call.callee.start, call.callee.end);
}

/** The body of the function around a node. */
function bodyAround(node: TreeNode): TreeNode | undefined {
  const around = [...ancestors(node)].find(({ role }) => role === "function");
  return around?.children.find(({ role }) => role === "block");
}

/** From one version to the other. */
interface Direction {
  readonly from: Side;
  readonly to: Side;
  readonly partnerOf: (node: TreeNode) => TreeNode | undefined;
}

/** The binding that the partner of an identifier means. */
function bindingAcross(identifier: Syntax, direction: Direction): Binding | undefined {
  const { from, to } = direction;
  const own = from.tree.nodeOf.get(identifier);
  const partner = own && identifierAcross(own, direction);
  const other = partner && to.tree.syntaxOf.get(partner);
  if (!other) return undefined;
  const { bindingOf, referenceOf } = to.scopes;
  return bindingOf.get(other) ?? referenceOf.get(other)?.binding ?? undefined;
}

/**
 * The partner of an identifier, if it stands in the partner of its statement: short heads such as
 * `const i` are alike in many loops. The variable of a loop is that of the loop's partner.
 */
function identifierAcross(own: TreeNode, { from, to, partnerOf }: Direction): TreeNode | undefined {
  const statement = enclosingStatement(own);
  const other = partnerOf(statement);
  if (!other) return undefined;
  if (own === loopVariable(from, statement)) return loopVariable(to, other);
  const partner = partnerOf(own);
  return partner && enclosingStatement(partner) === other ? partner : undefined;
}

/** The one variable that the head of a loop sets. */
function loopVariable({ source, tree }: Side, loop: TreeNode): TreeNode | undefined {
  const syntax = tree.syntaxOf.get(loop);
  const variable = syntax && source.loops.get(syntax)?.variable;
  return variable && tree.nodeOf.get(variable);
}

/** What is imported or defined is known by its name. */
function isVariable({ kind }: Binding): boolean {
  return !/^(?:import|function|class|type)$/.test(kind);
}

/** A local variable is not a global one of the same name, unless uses of the two are paired. */
function isFromElsewhere(binding: Binding, old: Binding | null): boolean {
  // A global; only what is imported may be the same one under its module's name (`process`).
  if (!old) return binding.kind !== "import";
  const isTop = (one: Binding): boolean => one.scope.parent === null;
  return isTop(binding) !== isTop(old);
}
