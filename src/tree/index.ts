/** Trees of two versions of a file, paired (GumTree), and what follows from it. Knows no language. */
export { LineEvidence } from "./line-evidence.ts";
export type { CommentSigns, LinesAround } from "./line-evidence.ts";
export type { Mapping } from "./mapping.ts";
export { matchTrees } from "./match.ts";
export { MARGIN_MIN } from "./parameters.ts";
export { findPlaces, lastGap } from "./place.ts";
export type { Neighbour, Place } from "./place.ts";
export { ancestors, Interner, isInside, isLeaving, isLeft, isWithin, makeTree } from "./tree.ts";
export type { Role, Span, Tree, TreeDraft, TreeNode } from "./tree.ts";
