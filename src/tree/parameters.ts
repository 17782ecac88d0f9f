/**
 * @file Every number that matching and placing depend on. Those of GumTree have its names in the
 * comment; the others were chosen by trying on real histories.
 */

/** Height from which subtrees are paired top-down (`st_minprio`); a leaf has 0. */
export const TOP_DOWN_HEIGHT_MIN = 1;
/** Pairs of an ambiguous group above which only those near each other are weighed. */
export const AMBIGUOUS_PAIRS_MAX = 2500;
/** What is near: as a share of the tree. */
export const AMBIGUOUS_DISTANCE_MAX = 0.08;
/** Cells of a table that aligns two lists; longer lists are not aligned. */
export const ALIGNMENT_CELLS_MAX = 1_000_000;

/** Likeness that containers need, by their sizes (the default of `bu_minsim`). */
export function containerLikenessMin(descendants: number): number {
  return 1 / (1 + Math.log(Math.max(1, descendants)));
}

/** Likeness of words that two statements need to be paired as the only two of their kind. */
export const ONLY_OF_KIND_LIKENESS_MIN = 0.3;
/** Likeness of words from which two statements in paired blocks are taken for the same. */
export const STATEMENT_LIKENESS_MIN = 0.5;
/** Factor of the likeness of what stands before the blocks of two statements. */
export const HEADER = 0.9;
/** Factor of the likeness when the statements are of different kinds. */
export const OTHER_KIND = 0.8;

/** Likeness of what stands before the blocks from which an outer construct is the old one, */
export const NESTING_LIKENESS_MIN = 0.8;
/** and by how much it must be more like it than the inner one. */
export const NESTING_LEAD_MIN = 0.3;

/** Likeness from which two blocks that nothing else pairs are taken for the same. */
export const LEFTOVER_LIKENESS_MIN = 0.5;
/** Factor of that likeness where they lie in different constructs. */
export const NEARBY = 0.85;
/** Pairs of such blocks above which none are weighed: the file was written anew. */
export const LEFTOVER_PAIRS_MAX = 40_000;

/** Siblings of the statement that have a say in where it goes, on each side. */
export const SIBLINGS_MAX = 8;
/** Vote of the partner of the block in which the statement stands. */
export const OWN_BLOCK_VOTE = 0.75;
/** Vote of the nearest line that the line difference matches; the k-th has a k-th of it. */
export const LINE_VOTE = 0.6;
/** Lines that vote, on each side. */
export const LINES_MAX = 3;
/** Distance at which the edge of the block counts as a neighbour of the first and last statement. */
export const EDGE_DISTANCE = 2;
/** How much nearer a comment is than the statement beyond it. */
export const COMMENT_NEARER = 0.5;
/** Factor for a sibling that the old version does not have, but has what stands in it. */
export const UNWRAPPED = 0.5;
/** Factor for a sibling whose partner lies deeper in the block than it did. */
export const DEEPER = 0.5;
/** Factor for the two next to it if they still stand next to each other: it stood between them. */
export const STILL_NEXT = 2;
/** Factor for the statement that gave it a value that it logs: elsewhere it would log another one. */
export const GIVER = 4;
/** Lead over the second gap below which the place is doubtful. */
export const MARGIN_MIN = 0.2;
