/** @file A loop path in the words that a person uses for it. */
import type { LoopPath } from "../../format/index.ts";

/** `epoch 4, step 210`; the words a person uses for a path. */
export function pathText(path: LoopPath, byValue: readonly string[] = []): string {
  if (path.length === 0) return "top level";
  return path
    .map(([loop, index, entry]) => {
      const name = byValue.includes(loop) && index !== "end" ? `${loop}#` : loop;
      return `${name} ${index}${entry ? ` (entry ${entry + 1})` : ""}`;
    })
    .join(", ");
}
