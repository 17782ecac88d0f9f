/**
 * @file What a question takes by number or by key, where the two versions give the parts of something in other places:
 * `return loss, acc` and `return acc, loss`, and the question reads `res[0]`.
 */
import type { ParsedFile, Shape, Statement, Syntax } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import { shapeOf } from "../pairing/statement-shape.ts";
import type { FileEdit, QuestionStarts } from "./align.ts";
import { namesSetBy } from "./differences.ts";

/** A line of the newer version that gives parts in other places than the older one. */
export interface ExchangedPlaces {
  readonly place: string;
  readonly file: string;
  readonly line: number;
}

export function exchangedPlaces(
  edits: ReadonlyMap<string, FileEdit>,
  question: QuestionStarts,
): ExchangedPlaces[] {
  const taken = [...edits].flatMap(([file, { now }]) => {
    const own = now.statements.filter(({ node }) => question.get(file)?.has(node.start));
    return own.flatMap(({ node }) => placesTaken(now, node));
  });
  const direct = [...edits].flatMap(([file, { now }]) => {
    const own = now.statements.filter(({ node }) => question.get(file)?.has(node.start));
    return own.flatMap(({ node }) => placesOfNames(now, node));
  });
  if (taken.length === 0) return [];
  const found = [...edits].flatMap(([file, edit]) => {
    const rewritten = [
      ...edit.gaps.map(({ gone, added }) => ({ old: gone, own: added })),
      ...edit.changed.map(({ then, now }) => ({ old: [then], own: [now] })),
    ];
    return rewritten.flatMap(({ old, own }) => {
      const held = old.flatMap(({ node }) => holdersIn(edit.then, node));
      return own.flatMap((statement) => {
        const { node } = statement;
        if (question.get(file)?.has(node.start)) return [];
        const holders = holdersIn(edit.now, node);
        const given = new Set(namesSetBy(edit.now, statement));
        const there = old.filter((one) =>
          namesSetBy(edit.then, one).some((name) => given.has(name)),
        );
        const place =
          taken.find((one) => {
            return holders.some((now) => held.some((then) => isElsewhere(one, then, now)));
          }) ??
          direct.find(({ place: one, name }) => {
            if (name !== undefined && !given.has(name)) return false;
            return there.some((then) => {
              const [theirs, ours] = [partsGiven(edit.then, then), partsGiven(edit.now, statement)];
              return isShifted(Number(one), theirs, ours);
            });
          })?.place;
        if (place === undefined) return [];
        return [{ place, file, line: edit.now.lines.at(node.start).line }];
      });
    });
  });
  return [...new Map(found.map((one) => [`${one.file}:${one.line}`, one])).values()];
}

/** Numbers and keys of parts that a statement takes out of something. */
function placesTaken(source: ParsedFile, node: Syntax): string[] {
  const { text, uses } = source;
  const own = text.slice(node.start, node.end);
  const members = uses.members.filter((one) => isInside(one.node, node));
  return [
    ...[...own.matchAll(/(?<=[\w)\]]\s*)\[\s*(\d+|["']\w+["'])\s*\]/g)].map(([, key = ""]) => {
      return key.replaceAll(/["']/g, "");
    }),
    ...members.map(({ name }) => name),
    ...(takenApart(source, node)?.places ?? []),
  ];
}

/** The places that a statement takes something apart into, and what it takes apart. */
function takenApart(
  source: ParsedFile,
  node: Syntax,
): { readonly places: readonly string[]; readonly from: Shape } | undefined {
  const { language } = source;
  const shape = shapeOf(source, node);
  const anatomy = shape && language.anatomyOf(shape);
  if (anatomy?.kind !== "assignment" && anatomy?.kind !== "loop") return undefined;
  const target = language.anatomyOf(anatomy.target);
  if (target?.kind !== "sequence") return undefined;
  const from = anatomy.kind === "loop" ? anatomy.over : anatomy.value;
  return { places: target.items.map((_, at) => `${at}`), from };
}

interface PlaceOfName {
  readonly place: string;
  /** Undefined: of what it goes over itself, `p` of `p[1] for p in pairs`. */
  readonly name: string | undefined;
}

/** Numbers of parts that a statement takes out of what a name holds. */
function placesOfNames(source: ParsedFile, node: Syntax): PlaceOfName[] {
  const apart = takenApart(source, node);
  const own = source.scopes.references.filter((one) => isInside(one.node, node));
  return own.flatMap(({ node: use, name, binding }) => {
    const [, place] = FIRST_PLACE.exec(source.text.slice(use.end)) ?? [];
    const isOwn = binding !== null && isInside(binding.scope.node, node);
    const places = [
      ...(place === undefined ? [] : [place]),
      ...(apart && isInside(use, apart.from) ? apart.places : []),
    ];
    return places.map((one) => ({ place: one, name: isOwn ? undefined : name }));
  });
}

/** `[0]`, `["groups"][0]` */
const FIRST_PLACE = /^(?:\s*\[\s*["']\w+["']\s*\])*\s*\[\s*(\d+)\s*\]/;

/** What is written out as a sequence, or handed over by position, for what a statement gives: the outermost first. */
function partsGiven(source: ParsedFile, { node }: Statement): Parts[] {
  const { language, text } = source;
  // Sizes and rates may change where they stand.
  const written = ({ start, end }: Shape): string =>
    text
      .slice(start, end)
      .replaceAll(/\s+/g, "")
      .replaceAll(/(?<![\w.])\d[\w.]*/g, "0");
  const found: Parts[] = [];
  const look = (shape: Shape): void => {
    const anatomy = language.anatomyOf(shape);
    if (anatomy?.kind === "sequence") {
      found.push({ callee: "", items: anatomy.items.map(written) });
    } else if (anatomy?.kind === "call") {
      const given = anatomy.given.filter((one) => language.anatomyOf(one)?.kind !== "named");
      found.push({ callee: written(anatomy.callee), items: given.map(written) });
    }
    shape.parts.forEach(look);
  };
  const whole = shapeOf(source, node);
  const anatomy = whole && language.anatomyOf(whole);
  const first = anatomy?.kind === "declarations" ? anatomy.items[0] : whole;
  const given = first && language.anatomyOf(first);
  const value = given?.kind === "assignment" ? given.value : undefined;
  if (value) look(value);
  return found;
}

interface Parts {
  readonly callee: string;
  readonly items: readonly string[];
}

/**
 * Whether a part has another place: as many stand in another order, or more or fewer of them are written out and those up to
 * the place are not the same.
 */
function isShifted(place: number, then: readonly Parts[], now: readonly Parts[]): boolean {
  const [old] = then;
  const [own] = now;
  if (old && own && old.callee === own.callee && old.items.length !== own.items.length) {
    const upTo = ({ items }: Parts): string => items.slice(0, place + 1).join();
    return upTo(old) !== upTo(own);
  }
  return now.some(({ callee, items }) => {
    return then.some((one) => {
      if (one.callee !== callee || one.items.length !== items.length) return false;
      const [was, is] = [one.items[place], items[place]];
      if (was === undefined || is === undefined || was === is) return false;
      return /\p{L}/u.test(was + is) && (items.includes(was) || one.items.includes(is));
    });
  });
}

/** What stands in the places of something that a statement writes out, as it is written; without its blocks. */
type Holder = ReadonlyMap<string, string>;

function holdersIn(source: ParsedFile, node: Syntax): Holder[] {
  const { language, text } = source;
  const written = ({ start, end }: Shape): string => text.slice(start, end).replaceAll(/\s+/g, "");
  // A block of one statement may be as long as that.
  const inner = source.lists.filter(({ owner }) => owner.end - owner.start < node.end - node.start);
  const blocks = new Set(inner.map(({ owner }) => `${owner.start}-${owner.end}`));
  const holders: Holder[] = [];
  const look = (shape: Shape): void => {
    const anatomy = language.anatomyOf(shape);
    if (anatomy?.kind === "sequence") {
      holders.push(new Map(anatomy.items.map((one, at) => [`${at}`, written(one)])));
    } else if (anatomy?.kind === "mapping") {
      const entries = anatomy.entries.flatMap((one) => {
        const entry = language.anatomyOf(one);
        return entry?.kind === "named" ? [[entry.name, written(entry.value)] as const] : [];
      });
      holders.push(new Map(entries));
    }
    for (const part of shape.parts) {
      if (!blocks.has(`${part.start}-${part.end}`)) look(part);
    }
  };
  const shape = shapeOf(source, node);
  if (shape) look(shape);
  return holders;
}

/** Whether what stands in a place in one version stands in another place in the other one. Numbers tell nothing. */
function isElsewhere(place: string, then: Holder, now: Holder): boolean {
  const [old, own] = [then.get(place), now.get(place)];
  if (old === undefined || own === undefined || old === own) return false;
  const isIn = (part: string, holder: Holder): boolean =>
    /\p{L}/u.test(part) && [...holder.values()].includes(part);
  return isIn(old, now) || isIn(own, then);
}
