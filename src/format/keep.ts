/**
 * @file Which checkpoints of a run are kept, as a user says it: `--keep`, `--policy` and
 * `AFTERLOG_KEEP` (semantics, "Retention"). What follows from it is decided in `store/`.
 */

export type KeepPolicy =
  | { readonly kind: "all" }
  /** FlorDB §6.1.3: the best by a logged name, and the last. */
  | { readonly kind: "peak"; readonly name: string; readonly best: "max" | "min" }
  /** Of each loop that is not a step loop, the end of every n-th iteration, and the last. */
  | { readonly kind: "every"; readonly n: number }
  /** As many as fit; `of`: whether only the checkpoints of steps count and go, or all. */
  | { readonly kind: "bytes"; readonly bytes: number; readonly of: "all" | "steps" };

/** The forms of a policy, for help lines. */
export const KEEP_FORMS = "all, peak:accuracy, peak:loss:min, every:5, 20GB, steps:2GB";

const UNITS: Readonly<{ [unit: string]: number }> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** The policy that a text names; undefined if it names none. Only a logged name keeps its case. */
export function parseKeep(text: string): KeepPolicy | undefined {
  if (/^all$/i.test(text)) return { kind: "all" };
  const [, name, best = "max"] = /^peak:(.+?)(?::(min|max))?$/is.exec(text) ?? [];
  if (name !== undefined) return { kind: "peak", name, best: /min/i.test(best) ? "min" : "max" };
  const [, count] = /^every:([1-9]\d{0,8})$/i.exec(text) ?? [];
  if (count !== undefined) return { kind: "every", n: Number(count) };
  const [, steps, size = ""] = /^(steps:)?(.*)$/is.exec(text) ?? [];
  const bytes = parseBytes(size);
  if (bytes === undefined) return undefined;
  return { kind: "bytes", bytes, of: steps === undefined ? "all" : "steps" };
}

/** `20GB`, `1.5 GiB`, `500MB`: a unit must be named, for a bare number says too little. */
function parseBytes(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?) ?([kmgt]?i?b)$/i.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  return number === undefined || factor === undefined
    ? undefined
    : Math.round(Number(number) * factor);
}
