/** @file A version of a file as the neutral tree of `tree/`, and the way back to its syntax. */
import type { Interner, Tree, TreeNode } from "../../tree/index.ts";
import { makeTree } from "../../tree/index.ts";
import type { Grammar, Source, Syntax } from "./grammar.ts";

export interface NeutralTree extends Tree {
  /** Of a syntax node; absent where the neutral tree leaves it out. */
  readonly nodeOf: ReadonlyMap<Syntax, TreeNode>;
  /** The syntax node that a node stands for. A block that the text has no syntax for has none. */
  readonly syntaxOf: ReadonlyMap<TreeNode, Syntax>;
}

/** The tree of a program without some of its statements. */
export function neutralTree(
  { program, grammar }: Pick<Source, "program" | "grammar">,
  interner: Interner,
  without: ReadonlySet<Syntax> = new Set(),
): NeutralTree {
  const { draft, syntax } = grammar.trees.draftsOf(program, without, new Map());
  const nodeOf = new Map<Syntax, TreeNode>();
  const syntaxOf = new Map<TreeNode, Syntax>();
  const tree = makeTree(draft, interner, (from, node) => {
    for (const one of syntax.get(from) ?? []) {
      nodeOf.set(one, node);
      if (!syntaxOf.has(node)) syntaxOf.set(node, one);
    }
  });
  return { ...tree, nodeOf, syntaxOf };
}

/** Equal to the hash of an old statement exactly if that is this one with its new names. */
export function statementHash(
  { trees }: Grammar,
  statement: Syntax,
  interner: Interner,
  names: ReadonlyMap<Syntax, string>,
): number {
  return makeTree(trees.draftsOf(statement, new Set(), names).draft, interner).root.hash;
}
