/** @file A series of numbers as one line of blocks. */

const BLOCKS = "▁▂▃▄▅▆▇█";

/**
 * At most `width` blocks between the least and the greatest finite value. Of several values that
 * share a block, the one farthest from the mean is shown, so that a spike never vanishes; what
 * is not finite is `×`.
 */
export function sparkline(values: readonly number[], width = 10): string {
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((least, value) => Math.min(least, value), Infinity);
  const high = finite.reduce((most, value) => Math.max(most, value), -Infinity);
  // Each is divided first: the sum of the greatest doubles would overflow.
  const mean = finite.reduce((sum, value) => sum + value / finite.length, 0);
  const count = Math.min(width, values.length);
  let line = "";
  for (let at = 0; at < count; at++) {
    const from = Math.floor((at * values.length) / count);
    const to = Math.floor(((at + 1) * values.length) / count);
    line += block(farthest(values.slice(from, to), mean), low, high);
  }
  return line;
}

function farthest(values: readonly number[], mean: number): number {
  return values.reduce((most, value) =>
    Number.isFinite(most) && !(Math.abs(value - mean) <= Math.abs(most - mean)) ? value : most,
  );
}

function block(shown: number, low: number, high: number): string {
  if (!Number.isFinite(shown)) return "×";
  const share = high > low ? (shown / 2 - low / 2) / (high / 2 - low / 2) : 0;
  return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(share * BLOCKS.length))] ?? "";
}
