/**
 * @file What tests draw at random: by which seed, and how much. `npm test` draws the same every
 * time, so that no change of a text turns it red; `npm run test:long` draws more, by seeds of its
 * own. `AFTERLOG_SEED=… npm test` draws by another seed (`vitest.config.ts` takes it out of the
 * environment, for the programs under test would take it for theirs).
 */

/** The seed of everything that is drawn. */
export const DRAW_SEED: number = Number(process.env["AFTERLOG_TEST_SEED"] ?? 1) >>> 0;

/** A number, or as many as are worth it. */
const COUNT = process.env["AFTERLOG_TEST_COUNT"];

/** Whether more is tried than every change can wait for, as `npm run test:long` does. */
export const IS_LONG: boolean = COUNT !== undefined;

/**
 * How many of something are tried: as many as every change can wait for; as many as are worth it
 * (AFTERLOG_TEST_COUNT=long); or just as many as are asked for (AFTERLOG_TEST_COUNT=1000).
 */
export function count(usual: number, { long }: { readonly long: number }): number {
  if (COUNT === undefined) return usual;
  return COUNT === "long" ? long : Number(COUNT);
}

/** A seeded generator (mulberry32): what failed once can be run again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Every so many of the rows of a table, or all: those in between cost more than they find. */
export function some<T>(rows: readonly T[], { every }: { readonly every: number }): T[] {
  return rows.filter((_, at) => IS_LONG || at % every === DRAW_SEED % every);
}
