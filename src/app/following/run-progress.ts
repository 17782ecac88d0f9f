/** @file How far a run is, from the records of its log: its loops now, and the last numbers. Pure. */
import type { LoopPath, LoopStatus, Record, StatusMetrics } from "../../format/index.ts";

/** Numbers of a series that are kept for a look at its course. */
const POINTS_MAX = 200;

interface EnteredLoop {
  readonly length: number | null;
  readonly t: number;
}

export class RunProgress {
  readonly #entered = new Map<string, EnteredLoop>();
  readonly #metrics = new Map<string, { last: number | string; points: number[] }>();
  #path: LoopPath = [];
  #t = 0;

  take(record: Record): void {
    if ("t" in record && typeof record.t === "number") this.#t = Math.max(this.#t, record.t);
    if (record.k === "enter") {
      const { path, loop, entry, length, t } = record;
      this.#path = [...path, entry === 0 ? [loop, 0] : [loop, 0, entry]];
      this.#entered.set(loopKey(this.#path), { length: length ?? null, t });
    } else if (record.k === "exit" || record.k === "iter" || record.k === "log") {
      this.#path = record.path;
      if (record.k === "log") this.#log(record.name, record.value);
    }
  }

  /** Outermost first. */
  get loops(): LoopStatus[] {
    return this.#path.map(([loop, index], depth) => {
      const entered = this.#entered.get(loopKey(this.#path.slice(0, depth + 1)));
      return {
        loop,
        index: index === "end" ? 0 : index,
        length: entered?.length ?? null,
        ms: entered === undefined ? 0 : (this.#t - entered.t) / 1000,
      };
    });
  }

  /** Those that were logged last, last. */
  get metrics(): StatusMetrics {
    return [...this.#metrics].map(([name, { last, points }]) => ({ name, last, points }));
  }

  #log(name: string, value: unknown): void {
    const last = numberIn(value);
    if (last === undefined) return;
    const before = this.#metrics.get(name);
    const points = before?.points ?? [];
    if (typeof last === "number") points.push(last);
    if (points.length > POINTS_MAX) points.shift();
    this.#metrics.set(name, { last, points });
  }
}

/** A number; NaN and the infinities by their names; nothing of other values. */
function numberIn(value: unknown): number | string | undefined {
  if (typeof value === "number") return value;
  const { $, v } = (value ?? {}) as { readonly $?: unknown; readonly v?: unknown };
  return $ === "float" ? String(v) : undefined;
}

/** A loop by the iterations around it. */
function loopKey(path: LoopPath): string {
  return JSON.stringify([path.slice(0, -1), path.at(-1)?.[0], path.at(-1)?.[2] ?? 0]);
}
