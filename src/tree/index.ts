/** Trees of two versions of a file, paired (GumTree), and what follows from it. Knows no language. */
export { innermostStatement, LineEvidence } from "./line-evidence.ts";
export type { LinesAround, Span, TreeText } from "./line-evidence.ts";
export type { Mapping } from "./mapping.ts";
export { matchTrees } from "./match.ts";
export { findPlace } from "./place.ts";
export type { Neighbour, Place } from "./place.ts";
export { ancestors, Interner, isWithin, makeTree, subtree } from "./tree.ts";
export type { Role, Tree, TreeDraft, TreeNode } from "./tree.ts";
