/**
 * @file Names that a loop of the newer version sets and that of the older did not, where both are not
 * the same program: nobody knows what their values would have been.
 */
import type { Shape, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import type { FileEdit } from "./align.ts";

export interface ForeignName {
  readonly name: string;
  /** The loop that sets it. */
  readonly from: Statement;
}

/** A name of that kind that is read where log calls stand in such a loop, by offsets of the newer text. */
export function foreignName(edit: FileEdit, asked: readonly number[]): ForeignName | undefined {
  const { statements, scopes } = edit.now;
  return changedLoops(edit).find(({ name, from }) => {
    const inside = statements.filter(({ node }) => node !== from.node && isInside(node, from.node));
    const around = asked.flatMap((offset) => {
      return inside.find(({ node }) => node.start <= offset && offset < node.end)?.node ?? [];
    });
    return scopes.references.some((use) => {
      return use.name === name && use.isRead && around.some((node) => isInside(use.node, node));
    });
  });
}

function isInside(inner: Span, outer: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** What loops set in addition, if they are not the same. */
function changedLoops({ gaps, then, now }: FileEdit): ForeignName[] {
  return gaps.flatMap(({ lost, added, shaped }) => {
    const old = lost.flatMap((one) => targetsOf(then.shape, one, then.language.anatomyOf) ?? []);
    const others = added.filter((one) => !shaped.has(one));
    const loops = others.flatMap((one) => {
      const names = targetsOf(now.shape, one, now.language.anatomyOf);
      return names ? [{ from: one, names }] : [];
    });
    // Where there are as many, some may have other names now.
    const isMore = loops.flatMap(({ names }) => names).length > old.length;
    if (old.length === 0 || !isMore) return [];
    return loops.flatMap(({ from, names }) => {
      return names.filter((name) => !old.includes(name)).map((name) => ({ name, from }));
    });
  });
}

type AnatomyOf = FileEdit["now"]["language"]["anatomyOf"];

/** Names that the head of a loop sets; undefined: it is none. */
function targetsOf(
  whole: Shape,
  { node }: Statement,
  anatomyOf: AnatomyOf,
): readonly string[] | undefined {
  const shape = find(whole, ({ start, end }) => start === node.start && end === node.end);
  const loop = shape && anatomyOf(shape);
  return loop?.kind === "loop" ? namesIn(loop.target, anatomyOf) : undefined;
}

function namesIn(shape: Shape, anatomyOf: AnatomyOf): string[] {
  const anatomy = anatomyOf(shape);
  if (anatomy?.kind === "name") return [anatomy.name];
  return shape.parts.flatMap((part) => namesIn(part, anatomyOf));
}

function find(shape: Shape, isWanted: (one: Shape) => boolean): Shape | undefined {
  if (isWanted(shape)) return shape;
  for (const part of shape.parts) {
    const found = find(part, isWanted);
    if (found) return found;
  }
  return undefined;
}
