/**
 * @file What data from elsewhere must look like, as tables: each field with its type and its bounds.
 * A table is data, `problemOf` reads it. Fields that it does not name are let through, for a later
 * version may have written them, but bounded like anything else (`anything`).
 *
 * Problems name fields of ours only, never what was found in them: that is a stranger's text.
 */

/** What one value must be. */
export interface Shape {
  /** What is wrong, behind the name of the value: ` is no text`, `.pid is missing`; undefined: nothing. */
  readonly problem: (value: unknown) => string | undefined;
  /** A record may lack it. */
  readonly isOptional?: true;
}

/** A table that has a row for each field of a type: one that is added without a row does not compile. */
export type ShapesOf<T> = { readonly [K in keyof T]-?: Shape };

/** What is wrong with a value that should be of this shape, in words; undefined: nothing. */
export function problemOf(shape: Shape, value: unknown): string | undefined {
  return shape.problem(value)?.replace(/^\./, "");
}

/** A logged value nests 64 deep, and a map in it takes three levels of JSON for each. */
const DEPTH_MAX = 250;
const PARTS_MAX = 10_000_000;
const TEXT_MAX = 100_000;
const LIST_MAX = 1_000_000;
const INTEGER_MAX = 2 ** 31 - 1;

function shape(what: string, holds: (value: unknown) => boolean): Shape {
  return { problem: (value) => (holds(value) ? undefined : ` is not ${what}`) };
}

function isText(value: unknown, max: number): value is string {
  return typeof value === "string" && value.length <= max && value.isWellFormed();
}

/** A text of so many characters at most. */
export function text(max: number = TEXT_MAX): Shape {
  return shape(`a text of at most ${max} characters`, (value) => isText(value, max));
}

/** A text that becomes a word of a command line or of the file system. */
export function word(max: number = TEXT_MAX): Shape {
  return shape(`a text of at most ${max} characters without NUL`, (value) => {
    return isText(value, max) && !value.includes("\0");
  });
}

export function matching(pattern: RegExp, what: string): Shape {
  return shape(what, (value) => isText(value, 1000) && pattern.test(value));
}

export const number: Shape = shape("a finite number", Number.isFinite);

/** Of times and sums: as large as a double counts exactly. */
export const count: Shape = shape("a count", (value) => {
  return Number.isSafeInteger(value) && (value as number) >= 0;
});

/** Of what is counted one by one: iterations, lines, sites. */
export const small: Shape = shape(`a count of at most ${INTEGER_MAX}`, (value) => {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= INTEGER_MAX;
});

export const integer: Shape = shape("a whole number", (value) => {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= INTEGER_MAX;
});

export const flag: Shape = shape("true or false", (value) => typeof value === "boolean");

export const isTrue: Shape = shape("true", (value) => value === true);

export function oneOf(...words: readonly unknown[]): Shape {
  return shape(`one of ${words.join(", ")}`, (value) => words.includes(value));
}

/** A time of the wall clock in ISO form. */
export const isoTime: Shape = shape("a time", (value) => {
  return isText(value, 40) && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
});

/** Bounded in depth, parts and texts, and nothing else. */
export const anything: Shape = { problem: (value) => problemOfAny(value, { parts: 0 }, 0) };

function problemOfAny(value: unknown, seen: { parts: number }, depth: number): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : " is not Unicode";
  if (typeof value === "number") return Number.isFinite(value) ? undefined : " is beyond a double";
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= DEPTH_MAX) return ` is nested more than ${DEPTH_MAX} deep`;
  const parts = Array.isArray(value) ? (value as unknown[]) : namesAndParts(value);
  if ((seen.parts += parts.length) > PARTS_MAX) return ` has more than ${PARTS_MAX} parts`;
  for (const part of parts) {
    const problem = problemOfAny(part, seen, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function namesAndParts(value: object): unknown[] {
  return [...Object.keys(value), ...(Object.values(value) as unknown[])];
}

export function optional({ problem }: Shape): Shape {
  return { problem, isOptional: true };
}

export function nullable({ problem, ...rest }: Shape): Shape {
  return { ...rest, problem: (value) => (value === null ? undefined : problem(value)) };
}

/** The first of the shapes that fits; what the first of them says where none does. */
export function either(first: Shape, ...others: readonly Shape[]): Shape {
  return {
    problem: (value) => {
      const problem = first.problem(value);
      const fits = others.some((other) => other.problem(value) === undefined);
      return fits ? undefined : problem;
    },
  };
}

export function list(item: Shape, max: number = LIST_MAX): Shape {
  return {
    problem: (value) => {
      if (!Array.isArray(value)) return " is not a list";
      if (value.length > max) return ` has more than ${max} items`;
      for (const [at, one] of value.entries()) {
        const problem = item.problem(one);
        if (problem !== undefined) return `[${at}]${problem}`;
      }
      return undefined;
    },
  };
}

/** A list of certain items, the last of which may be left out if they are optional. */
export function tuple(...items: readonly Shape[]): Shape {
  return {
    problem: (value) => {
      if (!Array.isArray(value) || value.length > items.length) return " is not such a list";
      for (const [at, { problem, isOptional }] of items.entries()) {
        if (at >= value.length && isOptional) continue;
        const found = problem(value[at]);
        if (found !== undefined) return `[${at}]${found}`;
      }
      return undefined;
    },
  };
}

/** A record whose names are not known beforehand. */
export function mapOf(name: Shape, item: Shape, max: number = 100_000): Shape {
  return {
    problem: (value) => {
      if (!isRecord(value)) return " is not a record";
      const entries = Object.entries(value);
      if (entries.length > max) return ` has more than ${max} names`;
      for (const [at, [key, one]] of entries.entries()) {
        const problem = key === "__proto__" ? " is no name" : name.problem(key);
        if (problem !== undefined) return `: name ${at}${problem}`;
        const inside = item.problem(one);
        if (inside !== undefined) return `: what stands under name ${at}${inside}`;
      }
      return undefined;
    },
  };
}

/** A record with these fields; others are let through, bounded. */
export function record(fields: { readonly [name: string]: Shape }): Shape {
  const rows = Object.entries(fields);
  return {
    problem: (value) => {
      if (!isRecord(value)) return " is not a record";
      for (const [name, { problem, isOptional }] of rows) {
        if (!Object.hasOwn(value, name)) {
          if (isOptional) continue;
          return `.${name} is missing`;
        }
        const found = problem(value[name]);
        if (found !== undefined) return `.${name}${found}`;
      }
      const others = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
      if (others.length > 100) return " has more than 100 other fields";
      for (const name of others) {
        const found = name === "__proto__" ? " is no name" : anything.problem(value[name]);
        if (found !== undefined) return `: another field${found}`;
      }
      return undefined;
    },
  };
}

/** Records that are told apart by a field; one of another kind is let through, bounded. */
export function byKind(field: string, kinds: { readonly [kind: string]: Shape }): Shape {
  return {
    problem: (value) => {
      if (!isRecord(value)) return " is not a record";
      const kind = value[field];
      if (!isText(kind, 100)) return `.${field} is not the name of a kind`;
      const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
      const found = (known ?? anything).problem(value);
      return found === undefined || known === undefined ? found : ` (${kind})${found}`;
    },
  };
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
