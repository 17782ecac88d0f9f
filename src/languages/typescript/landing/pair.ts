/** @file Two versions of a file, paired: everything that landing statements looks things up in. */
import type { Node } from "oxc-parser";
import type { RunMode } from "../../../format/index.ts";
import type { LinesAround, Mapping, Place, TreeNode } from "../../../tree/index.ts";
import { findPlace, Interner, LineEvidence, matchTrees } from "../../../tree/index.ts";
import { namedAnchors } from "./anchors.ts";
import type { Modules } from "./modules.ts";
import { Names } from "./names.ts";
import type { NeutralTree } from "./neutral-tree.ts";
import { neutralTree } from "./neutral-tree.ts";
import type { Scopes } from "./scopes.ts";
import { scopesOf } from "./scopes.ts";
import type { Source } from "./source.ts";
import type { Unit } from "./unit.ts";

/** One version of a file with what is known of it. */
export interface Side {
  readonly source: Source;
  readonly tree: NeutralTree;
  readonly scopes: Scopes;
}

/** A place in the old version, and what the lines say of it. */
export interface Target {
  readonly place: Place;
  readonly lines: LinesAround;
}

export interface PairRequest {
  readonly now: Source;
  readonly then: Source;
  /** The statements to be landed: the versions are paired as if they were not there. */
  readonly units: readonly Unit[];
  readonly isSameFile: boolean;
  readonly modules: Modules;
  readonly mode: RunMode;
}

export class VersionPair {
  readonly now: Side;
  readonly then: Side;
  readonly mapping: Mapping;
  readonly names: Names;
  readonly interner: Interner = new Interner();
  /** Not followed into another file. */
  readonly isSameFile: boolean;
  readonly modules: Modules;
  /** How both versions are understood. */
  readonly mode: RunMode;
  readonly #evidence: LineEvidence;

  constructor({ now, then, units, isSameFile, modules, mode }: PairRequest) {
    this.isSameFile = isSameFile;
    this.mode = mode;
    this.modules = modules;
    const without = new Set(units.map(({ node }) => node));
    this.now = this.#side(now, without);
    this.then = this.#side(then, new Set());
    const anchors = namedAnchors(
      { program: now.program, tree: this.now.tree },
      { program: then.program, tree: this.then.tree },
    );
    this.mapping = matchTrees(this.now.tree, this.then.tree, anchors);
    this.names = new Names(this.now, this.then, this.mapping);
    this.#evidence = new LineEvidence(
      { ...this.now.tree, text: now.text },
      { ...this.then.tree, text: then.text },
      [...without],
    );
  }

  #side(source: Source, without: ReadonlySet<Node>): Side {
    const tree = neutralTree(source.program, this.interner, without);
    return { source, tree, scopes: scopesOf(source) };
  }

  /** The block of the newer tree in which a statement stands. */
  blockOf({ owner }: Unit): TreeNode | undefined {
    return this.now.tree.nodeOf.get(owner);
  }

  /** Where a statement of the newer version goes; undefined if nothing around it is in the old one. */
  placeFor(unit: Unit): Target | undefined {
    const block = this.blockOf(unit);
    if (!block) return undefined;
    const index = block.children.filter(({ start }) => start < unit.node.start).length;
    const lines = this.#evidence.around(unit.node);
    const place = findPlace(this.mapping, { block, index }, lines, this.#preferred(unit.node));
    return place && { place, lines };
  }

  /** To which neighbour a statement belongs by the blank lines around it. */
  #preferred({ start, end }: Node): "before" | "after" {
    const { text } = this.now.source;
    const isApartBefore = /\n[ \t]*\r?\n[ \t]*$/.test(text.slice(0, start));
    const isApartAfter = /^[^\n]*\n[ \t]*\r?\n/.test(text.slice(end));
    return isApartBefore && !isApartAfter ? "after" : "before";
  }
}
