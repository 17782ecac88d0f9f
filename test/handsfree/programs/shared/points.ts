/** @file Points on a plane in two classes, for the programs that need something to learn. */

export interface Point {
  x: number[];
  label: number;
}

export function gaussian(): number {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

/** Two clouds that overlap a little; each point has a constant 1 as its last input. */
export function makePoints(count: number): Point[] {
  const points: Point[] = [];
  for (let i = 0; i < count; i++) {
    const label = i % 2;
    const centre = label === 0 ? -1 : 1;
    points.push({ x: [centre + gaussian(), centre / 2 + gaussian(), 1], label });
  }
  return points;
}

export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

export function sigmoid(z: number): number {
  return 1 / (1 + Math.exp(-z));
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((sum, value, i) => sum + value * b[i], 0);
}

export function norm(a: ArrayLike<number>): number {
  return Math.sqrt(dot(a, a));
}
