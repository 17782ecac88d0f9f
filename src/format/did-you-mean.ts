/** @file The known name that a typo most likely meant. */

/** The nearest of `known` by edit distance, if it is near enough to be a typo. */
export function nearestName(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((name) => ({ name, distance: editDistance(foldName(word), foldName(name)) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.name : undefined;
}

/** Case and the choice of dash are not what makes names different. */
function foldName(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** Letters added, left out, changed, or swapped with the next one. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  let above: readonly number[] = [];
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const change = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swap = isSwap ? (above[j - 1] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    above = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
