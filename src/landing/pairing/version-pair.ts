/** @file Two versions of a file, paired: everything that landing statements looks things up in. */
import type { LandingRequest, RunMode } from "../../format/index.ts";
import type { LinesAround, Mapping, Place, TreeNode } from "../../tree/index.ts";
import { findPlaces, Interner, LineEvidence, matchTrees } from "../../tree/index.ts";
import type { Language, ParsedFile, Statement, Syntax } from "../../languages/index.ts";
import { namedAnchors } from "./named-anchors.ts";
import { freeNames, PairedNames } from "./paired-names.ts";
import { isVariable, pathsIn, valuesOf, writes } from "./written-values.ts";
import type { ScopedOffset } from "./visible-name.ts";
import type { Side } from "./version-tree.ts";
import { neutralTree } from "./version-tree.ts";

/** A place in the old version, and what the lines say of it. */
export interface Target {
  readonly place: Place;
  readonly lines: LinesAround;
}

export interface PairRequest {
  readonly now: ParsedFile;
  readonly then: ParsedFile;
  /** The statements to be landed: the versions are paired as if they were not there. */
  readonly statements: readonly Statement[];
  readonly isSameFile: boolean;
  readonly files: Pick<LandingRequest, "now" | "then">;
  readonly mode: RunMode;
  /** Statements known to be each other. */
  readonly same?: readonly (readonly [now: Statement, then: Statement])[];
}

export class VersionPair {
  readonly now: Side;
  readonly then: Side;
  readonly mapping: Mapping;
  readonly names: PairedNames;
  readonly interner: Interner = new Interner();
  /** Not followed into another file. */
  readonly isSameFile: boolean;
  readonly files: Pick<LandingRequest, "now" | "then">;
  /** How both versions are understood. */
  readonly mode: RunMode;
  readonly #evidence: LineEvidence;

  constructor({ now, then, statements, isSameFile, files, mode, same = [] }: PairRequest) {
    this.isSameFile = isSameFile;
    this.mode = mode;
    this.files = files;
    const without = new Set([...statements.map(({ node }) => node), ...newLogs(now, then, mode)]);
    this.now = this.#side(now, without);
    this.then = this.#side(then, new Set());
    const anchors = [
      ...this.#nodesOf(same),
      ...namedAnchors(this.now, this.then),
      ...this.#loggedAnchors(),
    ];
    this.mapping = matchTrees(this.now.tree, this.then.tree, anchors);
    this.names = new PairedNames(this.now, this.then, this.mapping);
    this.#evidence = new LineEvidence(
      { ...this.now.tree, text: now.text },
      { ...this.then.tree, text: then.text },
      [...without],
      then.language.layout.comments,
    );
  }

  #side(source: ParsedFile, without: ReadonlySet<Syntax>): Side {
    const tree = neutralTree(source, this.interner, without);
    return { source, tree, scopes: source.scopes };
  }

  *#nodesOf(pairs: Iterable<readonly [Statement, Statement]>): Generator<[TreeNode, TreeNode]> {
    for (const [own, old] of pairs) {
      const a = this.now.tree.nodeOf.get(own.node);
      const b = this.then.tree.nodeOf.get(old.node);
      if (a && b && a.type === b.type) yield [a, b];
    }
  }

  /** Statements that log a name which each version logs once. */
  *#loggedAnchors(): Generator<readonly [TreeNode, TreeNode]> {
    const [now, then] = [this.now, this.then].map(({ source }) => logsOf(source, this.mode));
    const only = (logs: typeof now, key: string): Syntax | undefined => {
      const own = logs?.filter((log) => log.key === key) ?? [];
      return own.length === 1 ? own[0]?.node : undefined;
    };
    for (const { key } of now ?? []) {
      const [own, old] = [only(now, key), only(then, key)];
      const a = own && this.now.tree.nodeOf.get(own);
      const b = old && this.then.tree.nodeOf.get(old);
      if (a && b && a.type === b.type) yield [a, b];
    }
  }

  /** The language of the old version. */
  get language(): Language {
    return this.then.source.language;
  }

  /** A gap of the old version as a place at which names have meanings. */
  scopedOffsetOf(place: Gap): ScopedOffset {
    const { scopes, tree } = this.then;
    for (let at: TreeNode | null = place.block; at; at = at.parent) {
      const syntax = tree.syntaxOf.get(at);
      const scope = syntax && scopes.scopeOf.get(syntax);
      if (scope) return { scope, offset: offsetOf(place) };
    }
    return { scope: scopes.root, offset: offsetOf(place) };
  }

  /** The statement of the newer version that a node stands for. */
  statementOf(node: TreeNode): Statement | undefined {
    return statementFor(this.now, node);
  }

  /** The block of the newer tree in which a statement stands. */
  blockOf({ owner }: Statement): TreeNode | undefined {
    return this.now.tree.nodeOf.get(owner);
  }

  /** Where a statement of the newer version goes; undefined if nothing around it is in the old one. */
  placeFor(statement: Statement): Target | undefined {
    return this.placesFor(statement)[0];
  }

  /** That, and places in other blocks that something around it is paired with, the likeliest first. */
  placesFor(statement: Statement): Target[] {
    const block = this.blockOf(statement);
    if (!block) return [];
    const index = block.children.filter(({ start }) => start < statement.node.start).length;
    const lines = this.#evidence.around(statement.node);
    const preferred = this.#preferred(statement.node);
    const givers = this.#giversOf(statement, block.children.slice(0, index));
    const places = findPlaces(this.mapping, { block, index, givers }, lines, preferred);
    return places.map((place) => ({ place, lines }));
  }

  /** Of what stands before a statement, what gave each value that it reads last. */
  #giversOf({ node }: Statement, before: readonly TreeNode[]): ReadonlySet<TreeNode> {
    const { now } = this;
    const variables = freeNames(now.scopes, node).filter(({ binding }) => isVariable(binding));
    const values = [
      ...variables.map(({ binding }) => valuesOf([binding], [])),
      ...pathsIn(now, node).map((path) => valuesOf([], [path])),
    ];
    return new Set(
      values.flatMap((value) => before.findLast((one) => writes(now, one, value)) ?? []),
    );
  }

  /** To which neighbour a statement belongs by the blank lines around it. */
  #preferred({ start, end }: Syntax): "before" | "after" {
    const { text } = this.now.source;
    const isApartBefore = /\n[ \t]*\r?\n[ \t]*$/.test(text.slice(0, start));
    const isApartAfter = /^[^\n]*\n[ \t]*\r?\n/.test(text.slice(end));
    return isApartBefore && !isApartAfter ? "after" : "before";
  }
}

/**
 * Statements that log a name which the old version does not log at all: it has none that they could be
 * paired with, and those that are like them are others.
 */
function newLogs(now: ParsedFile, then: ParsedFile, mode: RunMode): Syntax[] {
  const old = new Set(logsOf(then, mode).map(({ key }) => key));
  return logsOf(now, mode).flatMap(({ node, key }) => (old.has(key) ? [] : [node]));
}

function logsOf(
  { statements, logs }: ParsedFile,
  mode: RunMode,
): { readonly node: Syntax; readonly key: string }[] {
  const { keyOf } = logs(mode);
  return statements.flatMap(({ node }) => {
    const key = keyOf(node);
    return key === undefined ? [] : [{ node, key }];
  });
}

type Gap = Pick<Place, "block" | "index">;

/** The statement that a node of a tree stands for. */
export function statementFor({ tree, source }: Side, node: TreeNode): Statement | undefined {
  const syntax = tree.syntaxOf.get(node);
  return syntax && source.describe(syntax);
}

/** The offset of the old text at which a gap lies. */
export function offsetOf({ block, index }: Gap): number {
  const after = block.children[index];
  if (after) return after.start;
  const last = block.children.at(-1);
  return last ? last.end : block.start + 1;
}
