/** @file A series of numbers as one line of blocks. */

const BLOCKS = "▁▂▃▄▅▆▇█";

/**
 * At most `width` blocks between the least and the greatest finite value. Of several values that
 * share a block, the one farthest from the middle is shown, so that a spike never vanishes; what
 * is not finite is `×`.
 */
export function sparkline(values: readonly number[], width = 10): string {
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((least, value) => Math.min(least, value), Infinity);
  const high = finite.reduce((most, value) => Math.max(most, value), -Infinity);
  const count = Math.min(width, values.length);
  let line = "";
  for (let at = 0; at < count; at++) {
    const from = Math.floor((at * values.length) / count);
    const to = Math.floor(((at + 1) * values.length) / count);
    line += block(values.slice(from, to), low, high);
  }
  return line;
}

function block(values: readonly number[], low: number, high: number): string {
  if (values.some((value) => !Number.isFinite(value))) return "×";
  const middle = low / 2 + high / 2;
  const [first = low] = values;
  const shown = values.reduce(
    (most, value) => (Math.abs(value - middle) > Math.abs(most - middle) ? value : most),
    first,
  );
  const share = high > low ? (shown / 2 - low / 2) / (high / 2 - low / 2) : 0;
  return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(share * BLOCKS.length))] ?? "";
}
