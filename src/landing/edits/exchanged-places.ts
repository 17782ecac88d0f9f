/**
 * @file What a question takes by number or by key, where the two versions give the parts of something in other places:
 * `return loss, acc` and `return acc, loss`, and the question reads `res[0]`.
 */
import type { ParsedFile, Shape, Syntax } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import { shapeOf } from "../pairing/statement-shape.ts";
import type { FileEdit, QuestionStarts } from "./align.ts";

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
  if (taken.length === 0) return [];
  const found = [...edits].flatMap(([file, edit]) => {
    const rewritten = [
      ...edit.gaps.map(({ gone, added }) => ({ old: gone, own: added })),
      ...edit.changed.map(({ then, now }) => ({ old: [then], own: [now] })),
    ];
    return rewritten.flatMap(({ old, own }) => {
      const held = old.flatMap(({ node }) => holdersIn(edit.then, node));
      return own.flatMap(({ node }) => {
        if (question.get(file)?.has(node.start)) return [];
        const holders = holdersIn(edit.now, node);
        const place = taken.find((one) => {
          return holders.some((now) => held.some((then) => isElsewhere(one, then, now)));
        });
        if (place === undefined) return [];
        return [{ place, file, line: edit.now.lines.at(node.start).line }];
      });
    });
  });
  return [...new Map(found.map((one) => [`${one.file}:${one.line}`, one])).values()];
}

/** Numbers and keys of parts that a statement takes out of something. */
function placesTaken(source: ParsedFile, node: Syntax): string[] {
  const { language, text, uses } = source;
  const own = text.slice(node.start, node.end);
  const members = uses.members.filter((one) => isInside(one.node, node));
  const shape = shapeOf(source, node);
  const anatomy = shape && language.anatomyOf(shape);
  const isTakenApart = anatomy?.kind === "assignment" || anatomy?.kind === "loop";
  const target = isTakenApart ? language.anatomyOf(anatomy.target) : undefined;
  return [
    ...[...own.matchAll(/[\w)\]]\s*\[\s*(\d+|["']\w+["'])\s*\]/g)].map(([, key = ""]) => {
      return key.replaceAll(/["']/g, "");
    }),
    ...members.map(({ name }) => name),
    ...(target?.kind === "sequence" ? target.items.map((_, at) => `${at}`) : []),
  ];
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
