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
    switch (record.k) {
      case "enter": {
        const { path, loop, entry, length, t } = record;
        this.#path = [...path, entry === 0 ? [loop, 0] : [loop, 0, entry]];
        this.#entered.set(loopKey(this.#path), { length: length ?? null, t });
        return;
      }
      case "exit":
      case "iter":
        this.#path = record.path;
        return;
      case "log":
        this.#path = record.path;
        this.#log(record.name, record.value);
        return;
      default:
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
    const tagged = value as { readonly $?: unknown; readonly v?: unknown } | null;
    const last =
      typeof value === "object" && tagged?.$ === "float" ? String(tagged.v) : (value as unknown);
    if (typeof last !== "number" && !(typeof last === "string" && typeof value === "object"))
      return;
    const before = this.#metrics.get(name);
    const points = before?.points ?? [];
    if (typeof last === "number") points.push(last);
    if (points.length > POINTS_MAX) points.shift();
    this.#metrics.set(name, { last, points });
  }
}

/** A loop by the iterations around it. */
function loopKey(path: LoopPath): string {
  return JSON.stringify([path.slice(0, -1), path.at(-1)?.[0], path.at(-1)?.[2] ?? 0]);
}
