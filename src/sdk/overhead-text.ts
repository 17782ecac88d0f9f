/** @file What recording took, in the one line that a program prints when nobody watches it. */
import type { Overhead } from "../format/index.ts";

/** What the ends of outermost loops cost is said from here on. */
const APART_MS_MIN = 100;

export function overheadText(run: string, overhead: Overhead): string {
  const share = (overhead.share * 100).toFixed(1);
  const { budget } = overhead;
  const limit = budget === null ? "no budget" : `budget ${(budget * 100).toFixed(1)} %`;
  const bytes = (overhead.bytes / 1e6).toFixed(1);
  const apartMs = overhead.outermostMs + overhead.endMs;
  const apart = apartMs < APART_MS_MIN ? "" : ` · ends of loops ${Math.round(apartMs)} ms apart`;
  return `run ${run} · ${overhead.checkpoints} checkpoints ${bytes} MB · overhead ${share} % (${limit})${apart}`;
}
