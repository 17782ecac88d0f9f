import { Batch } from "./types";
import { Random } from "@core/random";

export function spirals(count: number, size: number): Batch[] {
  const random = new Random(5);
  const points = Array.from({ length: count }, (_, n) => {
    const label = n % 3;
    const radius = n / count;
    const angle = 4 * label + 4 * radius + 0.3 * (random.next() - 0.5);
    return { input: [radius * Math.sin(angle), radius * Math.cos(angle)], label };
  });
  const batches: Batch[] = [];
  for (let start = 0; start < count; start += size) {
    const part = points.slice(start, start + size);
    batches.push({ inputs: part.map((p) => p.input), labels: part.map((p) => p.label) });
  }
  return batches;
}
