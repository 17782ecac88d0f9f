/** @file A version of a file as the neutral tree of `tree/`, and the way back to its syntax. */
import type { Interner, Tree, TreeDraft, TreeNode } from "../../tree/index.ts";
import { isInside, makeTree } from "../../tree/index.ts";
import type { ParsedFile, Scopes, Syntax, SyntaxDraft } from "../../languages/index.ts";

export interface NeutralTree extends Tree {
  /** Of a syntax node; absent where the neutral tree leaves it out. */
  readonly nodeOf: ReadonlyMap<Syntax, TreeNode>;
  /** The syntax node that a node stands for. A block that the text has no syntax for has none. */
  readonly syntaxOf: ReadonlyMap<TreeNode, Syntax>;
}

/** One of the two versions of a file, with what is known of it. */
export interface Side {
  readonly source: ParsedFile;
  readonly tree: NeutralTree;
  readonly scopes: Scopes;
}

/** The tree of a program without some of its statements. */
export function neutralTree(
  source: Pick<ParsedFile, "tree">,
  interner: Interner,
  without: ReadonlySet<Syntax> = new Set(),
): NeutralTree {
  const nodeOf = new Map<Syntax, TreeNode>();
  const syntaxOf = new Map<TreeNode, Syntax>();
  const draft = changedTree(source.tree, [...without], { isLeftOut: (node) => without.has(node) });
  const tree = makeTree(draft, interner, (from: TreeDraft, node) => {
    for (const one of (from as SyntaxDraft).syntax) {
      nodeOf.set(one, node);
      if (!syntaxOf.has(node)) syntaxOf.set(node, one);
    }
  });
  return { ...tree, nodeOf, syntaxOf };
}

interface Change {
  readonly isLeftOut?: (statement: Syntax) => boolean;
  readonly nameOf?: (identifier: Syntax) => string | undefined;
}

/** A tree in which some nodes are changed; what holds none of them stays the same object. */
function changedTree(draft: SyntaxDraft, nodes: readonly Syntax[], change: Change): SyntaxDraft {
  const { isLeftOut = () => false, nameOf = () => undefined } = change;
  if (nodes.length === 0) return draft;
  const children = draft.children.flatMap((child) => {
    if (draft.role === "block" && child.syntax.some(isLeftOut)) return [];
    const own = nodes.filter((node) => isInside(node, child));
    return [changedTree(child, own, change)];
  });
  const [first] = draft.syntax;
  const name = draft.type === "Identifier" && first ? nameOf(first) : undefined;
  return { ...draft, children, label: name ?? draft.label };
}

/** Equal to the hash of an old statement exactly if that is this one with its new names. */
export function statementHash(
  { tree }: Pick<ParsedFile, "tree">,
  statement: Syntax,
  interner: Interner,
  names: ReadonlyMap<Syntax, string>,
): number | undefined {
  const own = draftOf(tree, statement);
  if (!own) return undefined;
  const draft = changedTree(own, [...names.keys()], { nameOf: (node) => names.get(node) });
  return makeTree(draft, interner).root.hash;
}

function draftOf(draft: SyntaxDraft, statement: Syntax): SyntaxDraft | undefined {
  if (draft.syntax.includes(statement)) return draft;
  for (const child of draft.children) {
    const found = isInside(statement, child) ? draftOf(child, statement) : undefined;
    if (found) return found;
  }
  return undefined;
}

/** The statement of a block around a node. */
export function enclosingStatement(node: TreeNode): TreeNode {
  let at = node;
  while (at.parent && at.parent.role !== "block") at = at.parent;
  return at;
}
