/**
 * @file How many copies of the state fit into the memory that is free (Materializer §6): two, so that one is written
 * while the next is taken; one, and the next waits until it is written; none, and no checkpoint is taken, for the
 * system would end the training. Pure.
 */

/** One is persisted while the iteration end after it is copied (semantics, "Snapshot and persist"). */
export const SLOTS = 2;
/** Of what is free: the training grows, too. */
const FREE_SHARE = 0.9;
/** For less nobody is asked. */
export const SMALL_BYTES: number = 64 << 20;

export function slotsThatFit(slotBytes: number, freeBytes: number): number {
  return Math.min(SLOTS, Math.floor((FREE_SHARE * freeBytes) / Math.max(1, slotBytes)));
}

/** What is said where less than two fit. */
export function whyFewer(slotBytes: number, freeBytes: number): string {
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;
  return `a copy of the state takes ${gigabytes(slotBytes)}, and ${gigabytes(freeBytes)} of memory are free`;
}
