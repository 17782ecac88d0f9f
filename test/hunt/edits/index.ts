/** @file Edits as people make them to see more, and some that are no question. */
import { ADDED } from "./added.ts";
import { CHANGED } from "./changed.ts";
import type { Edit } from "./edit.ts";
import { OLDER } from "./older.ts";
import { REFUSED } from "./refused.ts";
import { TORCH } from "./torch.ts";

export const EDITS: readonly Edit[] = [...ADDED, ...CHANGED, ...TORCH, ...OLDER, ...REFUSED];

export const DRAWN_EDITS: readonly Edit[] = EDITS.filter(
  ({ shortfall }) => shortfall === undefined,
);
