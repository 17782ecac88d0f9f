/**
 * @file Bodies that got braces: the older version is looked at as if it had them too. That is the same
 * program, whichever bodies of the two are taken for one another.
 */
import type { BareBody, ParsedFile, Shape } from "../../../languages/index.ts";
import { Forms } from "../forms.ts";
import { alignedPairs } from "../sequences.ts";

/** A body, with or without braces. */
interface Body {
  /** What it is the body of, and which. */
  readonly of: string;
  /** The same number for the same, but for braces. */
  readonly said: number;
  /** What there is around it, and its statements. */
  readonly parts: ReadonlySet<number>;
  readonly bare: BareBody | undefined;
}

/** Bodies of the older version that have braces in the newer one. */
export function bodiesWithBraces(then: ParsedFile, now: ParsedFile): readonly BareBody[] {
  if (areAllBare(then, now)) return [];
  const numbers = new Map<string, number>();
  const [old, own] = [bodiesIn(then, numbers), bodiesIn(now, numbers)];
  const number = (text: string): number => {
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  };
  const compared = ({ of, said, bare }: Body): { whole: number; around: number } => {
    return { whole: number(`${of} ${said} ${bare === undefined}`), around: number(of) };
  };
  const pairs = alignedPairs(old.map(compared), own.map(compared), (i, j) => {
    return likeness(old[i]?.parts, own[j]?.parts);
  });
  return pairs.flatMap(([i, j]) => (own[j]?.bare ? [] : (old[i]?.bare ?? [])));
}

/** Whether each body without braces stands so in the newer version, as often as before: most files change elsewhere. */
function areAllBare(then: ParsedFile, now: ParsedFile): boolean {
  const textsIn = ({ text, bareBodies }: ParsedFile): string[] =>
    bareBodies.map(({ block: { start, end } }) => text.slice(start, end));
  const left = new Map<string, number>();
  for (const text of textsIn(now)) left.set(text, (left.get(text) ?? 0) + 1);
  return textsIn(then).every((text) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0;
  });
}

/** Files with braces, and what they are without them. */
const WRITTEN = new WeakMap<ParsedFile, ParsedFile>();

/** The file as it is written. */
export function asWritten(file: ParsedFile): ParsedFile {
  return WRITTEN.get(file) ?? file;
}

/** The file with braces around some of its bodies. */
export function withBraces(file: ParsedFile, bodies: readonly BareBody[]): ParsedFile {
  if (bodies.length === 0) return file;
  const blocks = new Map(bodies.map((one) => [keyOf(one.block), one.block]));
  const shaped = (shape: Shape): Shape => {
    const { label, parts, ...rest } = blocks.get(keyOf(shape)) ?? shape;
    // What stands in a block of one statement may begin and end with it.
    blocks.delete(keyOf(shape));
    return { ...rest, label, parts: parts.map(shaped) };
  };
  const lists = [...file.lists, ...bodies.map(({ list }) => list)].toSorted((one, other) => {
    const [a, b] = [one.owner, other.owner];
    return a.start - b.start || b.end - a.end;
  });
  const statements = lists.flatMap((list) => list.statements);
  const facts = { shape: shaped(file.shape), lists, statements };
  const braced = Object.create(file, Object.getOwnPropertyDescriptors(facts)) as ParsedFile;
  WRITTEN.set(braced, file);
  return braced;
}

function bodiesIn(file: ParsedFile, numbers: Map<string, number>): Body[] {
  const forms = new Forms(file, numbers);
  const bare = new Map(file.bareBodies.map((one) => [keyOf(one.block), one]));
  const found: Body[] = [];
  const visit = (shape: Shape): void => {
    for (const part of shape.parts) {
      const own = bare.get(keyOf(part));
      if (own || part.kind === "block") {
        const of = `${typeOf(shape)} ${part.field}`;
        const said = [shape, ...(own ? [part] : part.parts)].flatMap((one) => saidIn(one, forms));
        found.push({ of, said: forms.saidBy(shape) ?? -1, parts: new Set(said), bare: own });
      }
      visit(part);
    }
  };
  visit(file.shape);
  return found;
}

/** What a part of a text says, and its parts, but for blocks. */
function saidIn(shape: Shape, forms: Forms): number[] {
  if (shape.kind === "block") return [];
  return [forms.saidBy(shape) ?? -1, ...shape.parts.flatMap((part) => saidIn(part, forms))];
}

function likeness(
  then: ReadonlySet<number> = new Set(),
  now: ReadonlySet<number> = new Set(),
): number {
  const same = [...then].filter((one) => now.has(one)).length;
  return same / (Math.max(then.size, now.size) + 1);
}

/** No two parts that begin and end alike are the same to what is around them, unless one is a body. */
function keyOf({ start, end, field }: Shape): string {
  return `${start} ${end} ${field}`;
}

function typeOf({ label }: Shape): string {
  return /^\S*/.exec(label)?.[0] ?? "";
}
