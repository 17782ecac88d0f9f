/** @file A version of a file as the neutral tree of `tree/`, and the way back to its syntax. */
import type { Interner, Tree, TreeDraft, TreeNode } from "../tree/index.ts";
import { makeTree } from "../tree/index.ts";
import type { ParsedFile, Syntax, SyntaxDraft } from "../languages/index.ts";

export interface NeutralTree extends Tree {
  /** Of a syntax node; absent where the neutral tree leaves it out. */
  readonly nodeOf: ReadonlyMap<Syntax, TreeNode>;
  /** The syntax node that a node stands for. A block that the text has no syntax for has none. */
  readonly syntaxOf: ReadonlyMap<TreeNode, Syntax>;
}

/** The tree of a program without some of its statements. */
export function neutralTree(
  source: Pick<ParsedFile, "tree">,
  interner: Interner,
  without: ReadonlySet<Syntax> = new Set(),
): NeutralTree {
  const nodeOf = new Map<Syntax, TreeNode>();
  const syntaxOf = new Map<TreeNode, Syntax>();
  const draft = changed(source.tree, (one) => one.syntax.some((node) => without.has(node)));
  const tree = makeTree(draft, interner, (from: TreeDraft, node) => {
    for (const one of (from as SyntaxDraft).syntax) {
      nodeOf.set(one, node);
      if (!syntaxOf.has(node)) syntaxOf.set(node, one);
    }
  });
  return { ...tree, nodeOf, syntaxOf };
}

/** A tree without some statements, and with other names; as it is where nothing changes. */
function changed(
  draft: SyntaxDraft,
  isLeftOut: (statement: SyntaxDraft) => boolean,
  nameOf: (node: Syntax | undefined) => string | undefined = () => undefined,
): SyntaxDraft {
  const kept =
    draft.role === "block" ? draft.children.filter((one) => !isLeftOut(one)) : draft.children;
  const children = kept.map((child) => changed(child, isLeftOut, nameOf));
  const isSame =
    children.length === draft.children.length &&
    children.every((child, at) => child === draft.children[at]);
  const name = draft.type === "Identifier" ? nameOf(draft.syntax[0]) : undefined;
  return isSame && name === undefined ? draft : { ...draft, children, label: name ?? draft.label };
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
  const draft = changed(
    own,
    () => false,
    (node) => node && names.get(node),
  );
  return makeTree(draft, interner).root.hash;
}

function draftOf(draft: SyntaxDraft, statement: Syntax): SyntaxDraft | undefined {
  if (draft.syntax.includes(statement)) return draft;
  for (const child of draft.children) {
    const isIn = child.start <= statement.start && statement.end <= child.end;
    const found = isIn ? draftOf(child, statement) : undefined;
    if (found) return found;
  }
  return undefined;
}
