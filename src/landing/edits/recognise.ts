/**
 * @file Statements of an older version in a newer one, though they were changed: by the pairing of the
 * two trees. What gives other names values, or calls something else, is not the same one: to take an
 * added statement for a changed one would leave it out.
 */
import type { RunMode } from "../../format/index.ts";
import type { ParsedFile, Statement, Syntax } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";
import type { Recognition } from "./align.ts";
import { isKnownAt } from "./names-at.ts";

/** Pairs two versions of a file; nothing is done before it is needed. */
export function recognitionBetween(then: ParsedFile, now: ParsedFile, mode: RunMode): Recognition {
  let known: Pairing | undefined;
  const pairing = (): Pairing => (known ??= new Pairing(then, now, mode));
  return {
    before: (own, gone) => (gone.length === 0 ? undefined : pairing().before(own, gone)),
    holdsOld: (own, gone) => gone.length > 0 && pairing().holdsOld(own, gone),
  };
}

class Pairing {
  readonly #then: Side;
  readonly #now: Side;
  readonly #mode: RunMode;
  readonly #partnerOf: (node: Syntax) => Syntax | undefined;

  constructor(then: ParsedFile, now: ParsedFile, mode: RunMode) {
    const none = (): undefined => undefined;
    const files = { now: { file: now.file, text: none }, then: { files: [], text: none } };
    const pair = new VersionPair({ now, then, statements: [], isSameFile: true, files, mode });
    this.#then = pair.then;
    this.#now = pair.now;
    this.#mode = mode;
    this.#partnerOf = (node) => {
      const own = pair.now.tree.nodeOf.get(node);
      const partner = own && pair.mapping.partnerOf(own);
      return partner && pair.then.tree.syntaxOf.get(partner);
    };
  }

  before(now: Statement, gone: readonly Statement[]): Statement | undefined {
    const partner = this.#partnerOf(now.bare.node) ?? this.#partnerOf(now.node);
    const old = gone.find((one) => one.node === partner || one.bare.node === partner);
    return old && this.#isSame(now, old) ? old : undefined;
  }

  holdsOld({ node }: Statement, gone: readonly Statement[]): boolean {
    const inner = this.#now.source.statements.filter((one) => {
      return one.node !== node && isInside(one.node, node);
    });
    return inner.some((one) => {
      const partner = this.#partnerOf(one.node);
      return partner !== undefined && gone.some((old) => isInside(partner, old.node));
    });
  }

  #isSame(now: Statement, old: Statement): boolean {
    if (now.node.type !== old.node.type) return false;
    const areRenamed = (words: readonly string[], others: readonly string[]): boolean =>
      this.#areRenamed(words, others, { now, old });
    const [key, keyBefore] = [this.#now, this.#then].map(({ source }, at) => {
      return source.logs(this.#mode).keyOf(at === 0 ? now.node : old.node);
    });
    // One that logs something else by the same name is another one.
    if (key !== undefined || keyBefore !== undefined) {
      const [own, before] = [wordsOf(this.#now, now), wordsOf(this.#then, old)];
      return key === keyBefore && own.length === before.length && areRenamed(own, before);
    }
    const [own, before] = [namesSetBy(this.#now, now), namesSetBy(this.#then, old)];
    if (own.length + before.length > 0) return areRenamed(own, before);
    const [called, calledBefore] = [calledBy(this.#now, now), calledBy(this.#then, old)];
    return areRenamed(called, calledBefore);
  }

  /** Whether each is the same word, or each of two words means something in its own version only. */
  #areRenamed(
    own: readonly string[],
    before: readonly string[],
    at: { readonly now: Statement; readonly old: Statement },
  ): boolean {
    if (own.length > before.length && before.length > 0) {
      return before.every((word) => own.includes(word));
    }
    if (own.length !== before.length) return false;
    return own.every((word, index) => {
      const old = before[index] ?? "";
      const [then, now] = [this.#then.source, this.#now.source];
      const isKnown =
        isKnownAt(then, at.old, { word, of: now }) ||
        isKnownAt(now, at.now, { word: old, of: then });
      return word === old || !isKnown;
    });
  }
}

function wordsOf({ source }: Side, { node }: Statement): string[] {
  return source.text.slice(node.start, node.end).match(/[\p{L}_$][\p{L}\p{N}_$]*|\S/gu) ?? [];
}

/** Names that a statement gives values to, apart from what stands in its blocks. */
function namesSetBy(side: Side, { node, owner }: Statement): string[] {
  const { scopes } = side;
  const isOwn = ownParts(side, node, owner);
  const declared = [...scopes.bindingOf].filter(([at, { scope }]) => {
    return isOwn(at) && !isInside(scope.node, node);
  });
  const written = scopes.references.filter((one) => one.isWrite && isOwn(one.node));
  const names = [
    ...declared.map(([at, { name }]) => [at.start, name] as const),
    ...written.map((one) => [one.node.start, one.name] as const),
  ];
  return [...new Map(names).values()];
}

/** The words of what a statement calls, apart from what stands in its blocks. */
function calledBy(side: Side, { node, owner }: Statement): string[] {
  const { text, uses } = side.source;
  const isOwn = ownParts(side, node, owner);
  const calls = uses.calls.filter(({ callee }) => isOwn(callee));
  return calls.flatMap(({ callee }) => text.slice(callee.start, callee.end).split(/\W+/));
}

function ownParts({ source }: Side, node: Syntax, owner: Syntax): (part: Syntax) => boolean {
  const blocks = source.lists.filter((list) => list.owner !== owner && isInside(list.owner, node));
  return (part) => isInside(part, node) && !blocks.some((block) => isInside(part, block.owner));
}
