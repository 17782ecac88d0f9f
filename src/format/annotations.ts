/**
 * @file What people say of runs afterwards: tags, a note, a name, that one is hidden. A run itself never
 * changes: these are lines of a file beside the runs (`docs/format.md`), and the last one by its time
 * counts, whatever order the lines are in. So the lines of two machines are merged by their union.
 */
import { isCondition } from "./alerts.ts";
import { tagProblem } from "./run-names.ts";

interface AnyAnnotation {
  readonly v: 1;
  readonly run: string;
  /** Milliseconds since 1970, above those of all lines that were there when it was written. */
  readonly at: number;
}

export type AnnotationChange =
  | { readonly k: "tag"; readonly tag: string; readonly on: boolean }
  /** null takes it away: of a name also the one that the run was recorded with. */
  | { readonly k: "note" | "name"; readonly text: string | null }
  | { readonly k: "hidden"; readonly on: boolean }
  /** The first place of the run where an armed alert held, and the values there. */
  | ({ readonly k: "alert" } & FiredAlert);

/** An alert that has fired in a run. */
export interface FiredAlert {
  readonly alert: string;
  readonly condition: string;
  /** As it is typed behind RUN@: `epoch=3`; empty: in no loop. */
  readonly path: string;
  readonly values: Readonly<{ [name: string]: AlertValue }>;
}

export type AlertValue = string | number | boolean | null;

export type Annotation = AnyAnnotation & AnnotationChange;

/** What counts of a run. */
export interface RunAnnotations {
  /** Undefined: nothing was said, and the name that the run was recorded with stays. */
  readonly name: string | null | undefined;
  readonly note: string | null;
  /** Sorted. */
  readonly tags: readonly string[];
  readonly hidden: boolean;
  /** By their names. */
  readonly alerts: readonly (FiredAlert & { readonly at: number })[];
}

/** A note is a paragraph or a page, not a file. */
export const NOTE_CHARACTERS_MAX = 10_000;

export function annotationToJson(annotation: Annotation): string {
  return JSON.stringify(annotation);
}

/** Undefined for a line that is no annotation, or one of a later version. */
export function annotationFromJson(line: string): Annotation | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { v, run, at, k, tag, on, text, ...more } = value as { readonly [key: string]: unknown };
  if (v !== 1 || typeof run !== "string" || run === "") return undefined;
  if (typeof at !== "number" || !Number.isSafeInteger(at) || at < 0) return undefined;
  const head = { v, run, at } as const;
  switch (k) {
    case "tag":
      if (typeof tag !== "string" || typeof on !== "boolean") return undefined;
      return tagProblem(tag) === undefined ? { ...head, k, tag, on } : undefined;
    case "hidden":
      return typeof on === "boolean" ? { ...head, k, on } : undefined;
    case "note":
    case "name":
      if (text !== null && typeof text !== "string") return undefined;
      if ((text?.length ?? 0) > NOTE_CHARACTERS_MAX) return undefined;
      return { ...head, k, text };
    case "alert": {
      const fired = firedAlert(more);
      return fired && { ...head, k, ...fired };
    }
    default:
      return undefined;
  }
}

const VALUES_MAX = 20;
const TEXT_MAX = 1000;

/** Lines come from other machines, too: nothing but a few short values. */
function firedAlert(fields: { readonly [key: string]: unknown }): FiredAlert | undefined {
  const { alert, condition, path, values } = fields;
  if (typeof alert !== "string" || tagProblem(alert) !== undefined) return undefined;
  if (!isCondition(condition) || !isCondition(path)) return undefined;
  if (typeof values !== "object" || values === null || Array.isArray(values)) return undefined;
  const entries = Object.entries(values);
  const isShort = (text: unknown): boolean => typeof text !== "string" || text.length <= TEXT_MAX;
  const isFine = ([name, one]: readonly [string, unknown]): boolean =>
    isShort(name) &&
    isShort(one) &&
    (one === null || ["string", "number", "boolean"].includes(typeof one));
  if (entries.length > VALUES_MAX || !entries.every(isFine)) return undefined;
  return { alert, condition, path, values: values as FiredAlert["values"] };
}

/** What counts, by run. The order of the annotations does not matter. */
export function foldAnnotations(
  annotations: Iterable<Annotation>,
): ReadonlyMap<string, RunAnnotations> {
  const last = new Map<string, Annotation>();
  for (const annotation of annotations) {
    const key = JSON.stringify([
      annotation.run,
      annotation.k,
      "tag" in annotation && annotation.tag,
      "alert" in annotation && annotation.alert,
    ]);
    const before = last.get(key);
    if (before === undefined || isLater(annotation, before)) last.set(key, annotation);
  }
  const runs = new Map<string, RunAnnotations>();
  for (const annotation of last.values()) {
    const before = runs.get(annotation.run) ?? NOTHING_SAID;
    runs.set(annotation.run, { ...before, ...told(annotation, before) });
  }
  return runs;
}

const NOTHING_SAID: RunAnnotations = {
  name: undefined,
  note: null,
  tags: [],
  hidden: false,
  alerts: [],
};

/** Of two at one moment one counts on every machine: which one does not matter. */
function isLater(one: Annotation, other: Annotation): boolean {
  if (one.at !== other.at) return one.at > other.at;
  return annotationToJson(one) > annotationToJson(other);
}

function told(annotation: Annotation, { tags, alerts }: RunAnnotations): Partial<RunAnnotations> {
  switch (annotation.k) {
    case "tag":
      return annotation.on ? { tags: [...tags, annotation.tag].toSorted() } : {};
    case "hidden":
      return { hidden: annotation.on };
    case "note":
      return { note: annotation.text };
    case "name":
      return { name: annotation.text };
    case "alert": {
      const { alert, condition, path, values, at } = annotation;
      const all = [...alerts, { alert, condition, path, values, at }];
      return { alerts: all.toSorted((a, b) => (a.alert < b.alert ? -1 : 1)) };
    }
  }
}
