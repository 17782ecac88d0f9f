/**
 * @file Whether a checkpoint holds all that it must (semantics, "Complete"). Decided on the source
 * with the probes in it: everything that the loops may change which it stands for has to be captured,
 * whether later code reads it or not.
 */
import type { CheckpointRecord } from "../format/index.ts";
import type { ChangedName, SourceLoop, SourceModel } from "../languages/index.ts";

/** A changed name, as one of the active loops sees it. */
interface Needed {
  readonly changed: ChangedName;
  readonly depth: number;
  readonly loop: SourceLoop;
}

/** Keys of declared fields. */
const DECLARED = /^d\d+\./;

/** Keys of what a loader keeps from one pass to the next, or cuDNN or autocast, and no name holds. */
const HIDDEN = /^(?:loader|cudnn|autocast):/;

/** Why a checkpoint cannot stand for what it skips, in words for the user; undefined: it can. */
export type Incomplete = string | undefined;

export interface Completeness {
  readonly model: SourceModel;
  readonly rewritten: boolean;
  /** What follows is behind the innermost of the loops, and no iteration of it. */
  readonly isOver?: boolean;
  /**
   * The process has executed, or restored, all that is around the innermost loop before it enters that
   * one (Flor §2.2.1, pseudoresume): the checkpoint stands for the innermost loop alone.
   */
  readonly hasAround?: boolean;
}

/**
 * `active`: the loops around the checkpoint, outermost first, the ended one included at a loop
 * end; undefined for a loop that is not known in the source.
 */
export function whyIncomplete(
  checkpoint: CheckpointRecord,
  active: readonly (SourceLoop | undefined)[],
  { model, rewritten, isOver = false, hasAround = false }: Completeness,
): Incomplete {
  const [doubt] = model.uncertain;
  if (doubt !== undefined) return doubt;
  const known = active.filter((loop) => loop !== undefined);
  if (known.length < active.length) return "a loop around it is not found in the source";
  const held = new Set(checkpoint.places.map(({ key }) => key));
  const absent = new Map(checkpoint.absent.map(({ key, why }) => [key, why]));
  const innermost = known.length - 1;
  for (const needed of neededNames(known)) {
    if (hasAround && needed.depth < innermost) continue;
    if (isOver && needed.changed.inside === true && needed.depth === innermost) continue;
    const why = whyMissing(needed, held, absent, rewritten);
    if (why !== undefined) return why;
  }
  const [, lacking] = [...absent].find(([key]) => HIDDEN.test(key)) ?? [];
  return lacking === undefined
    ? undefined
    : `a loop continues with what was not captured: ${lacking}`;
}

/**
 * What each active loop changes, as that loop sees it: in a function that calls itself, the same
 * name is another variable at each depth.
 */
function* neededNames(active: readonly SourceLoop[]): Generator<Needed> {
  for (const [depth, loop] of active.entries()) {
    for (const changed of loop.changes) yield { changed, depth, loop };
  }
}

function whyMissing(
  { changed, depth, loop }: Needed,
  held: ReadonlySet<string>,
  absent: ReadonlyMap<string, string>,
  rewritten: boolean,
): Incomplete {
  const { key, name, access } = changed;
  const changes = `${name} (${loop.file}:${loop.line}) changes in loop "${loop.name ?? "?"}"`;
  switch (access) {
    case "out-of-reach":
      return `${changes} and cannot be captured`;
    case "declared": {
      const refused = [...absent].find(([place]) => DECLARED.test(place));
      if (refused) return `${changes} and could not be captured: ${refused[1]}`;
      const isHeld = [...held].some((place) => DECLARED.test(place));
      return isHeld ? undefined : `${changes} and no declared state was captured`;
    }
    case "name": {
      const place = `${key}#${depth}`;
      const why = absent.get(place);
      if (why !== undefined) return `${changes} and could not be captured: ${why}`;
      return held.has(place) ? undefined : notCaptured(changes, rewritten);
    }
    case "bound": {
      const prefix = `${key}@`;
      const refused = [...absent].find(([place]) => place.startsWith(prefix));
      if (refused) return `${changes} and could not be captured: ${refused[1]}`;
      // It was not there when the checkpoint was taken: whoever reads one later makes it first.
      const isUnborn = held.has(`${prefix}none`) && changed.hoisted !== true;
      const isOver = held.has(`${prefix}gone`) && changed.ofIteration === true;
      const isHeld = [...held].some(
        (place) => /^\d+$/.test(place.slice(prefix.length)) && place.startsWith(prefix),
      );
      return isHeld || isUnborn || isOver ? undefined : notCaptured(changes, rewritten);
    }
  }
}

function notCaptured(changes: string, rewritten: boolean): string {
  const advice = rewritten ? "" : "; record with afterlog run";
  return `${changes} and was not captured${advice}`;
}
