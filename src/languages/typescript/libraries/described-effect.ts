/**
 * @file What a function from outside of the project does, as far as the analysis must know: what an
 * entry of a description says (docs/libraries.md), in its own fields or by its words. What has no
 * entry may change everything that it can reach.
 */
import type { LibraryDescription, LibraryEntry } from "../../../format/index.ts";
import type { HeapKind } from "../analysis/lowering/ir.ts";

/** Values of a call: what it is called on, an argument by number, all arguments, what they hold. */
export type EffectSource =
  | "receiver"
  /** Fields and elements of the receiver. */
  | "content"
  | "arguments"
  /** Items of the arguments when they are iterated. */
  | "elements"
  /** Fields and elements of the arguments. */
  | "fields"
  /** All that can be got from the arguments, they themselves too, but for functions. */
  | "reach"
  | "first"
  /** What the first argument inherits from. */
  | "prototype"
  /** What the functions among the arguments return. */
  | "results"
  /** The new object itself: what is in it is of the same kind. */
  | "self";

export interface CallEffect {
  /** Objects that it changes, without what they hold. */
  readonly mutates?: readonly EffectSource[];
  /** Objects that it may change with all that they reach. */
  readonly deep?: readonly EffectSource[];
  /** Objects that become a text or a number. */
  readonly converts?: readonly EffectSource[];
  /** What it puts into the receiver (`first`: its first argument; `changed`: what it changes). */
  readonly puts?: readonly EffectSource[];
  readonly into?: "receiver" | "first" | "changed";
  /** What the functions among its arguments are called with, by position. */
  readonly calls?: readonly (readonly EffectSource[])[];
  /** `later`: they run when the program does something else. */
  readonly when?: "now" | "settled" | "later";
  readonly returns?: readonly EffectSource[];
  /** A new object, and what it holds. `same`: of the kind that the receiver is. */
  readonly makes?: HeapKind | "same";
  readonly path?: string;
  readonly holds?: readonly EffectSource[];
  /** Changes every object that holds weights: who trains what is not told apart. */
  readonly trains?: boolean;
  /** Calls methods of the objects that it is given, by their names. */
  readonly dispatches?: boolean;
  /** Changes what only the package has, and no checkpoint holds. */
  readonly secret?: boolean;
  /** Looks for its first argument among what the receiver holds. */
  readonly compares?: boolean;
  /** Several new objects, one in the other: entries of a map. */
  readonly pairs?: boolean;
}

/** How a function is called. */
export type How = "call" | "new" | "super";

const NOTHING: CallEffect = {};

/** What is made of nothing but what it was given: plain data, or a function of it (`R.map(f)`). */
export const VALUES_KIND = "values";

/** What objects of plain data are called: nothing in them is a function. */
export const DATA_KIND = "data";

/** What objects of a package are called in the analysis of which words alone tell. */
const KIND = "library:";

/** Whether an object is of such a package: nothing is said of going over or calling it. */
export function isDescribed(path: string): boolean {
  return path.startsWith(KIND);
}

export function isKindOf(kind: string, { packages }: LibraryDescription): boolean {
  return packages.some((name) => kind === KIND + name);
}

/** Of an entry of a file that comes with Afterlog. Undefined: nothing is said. */
export function entryEffect({ words, detail }: LibraryEntry, how: How): CallEffect | undefined {
  const { new: made, ...effect } = detail;
  if (how === "new" && made !== undefined) return made as CallEffect;
  if (Object.keys(effect).length > 0) return effect;
  const said = wordsEffect(words);
  return said && { ...said, secret: words.has("secret"), dispatches: words.has("dispatches") };
}

/** What functions are called with that go over what they are given. */
const GONE_OVER: readonly EffectSource[] = ["arguments", "reach", "elements", "self", "results"];

/** It looks at what it is given, however deep, and calls functions that it finds. */
const LOOKS: CallEffect = {
  converts: ["reach"],
  calls: [GONE_OVER, GONE_OVER, GONE_OVER, GONE_OVER],
};

const VALUES: CallEffect = {
  ...LOOKS,
  makes: "opaque",
  path: VALUES_KIND,
  holds: GONE_OVER,
  returns: ["reach", "elements", "results"],
};

const FIRST: readonly EffectSource[] = ["first"];

/** Whether it does no more than look at what it is given. */
export function onlyLooks({ calls, deep, mutates, secret }: CallEffect): boolean {
  return calls === LOOKS.calls && !deep && !mutates && secret !== true;
}

function wordsEffect(words: ReadonlySet<string>): CallEffect | undefined {
  if (words.has("edits")) {
    const changed = words.has("deep") ? { deep: FIRST } : { mutates: FIRST };
    return { ...VALUES, ...changed, puts: ["self"], into: "changed" };
  }
  if (words.has("values")) return VALUES;
  if (!words.has("scalar")) return undefined;
  return words.has("reads") ? LOOKS : NOTHING;
}

export type Behaviour = "computes" | "reads" | "changes";

export function behaviourOf(entry: LibraryEntry | undefined): Behaviour | undefined {
  const words: readonly Behaviour[] = ["changes", "reads", "computes"];
  return words.find((word) => entry?.words.has(word));
}

/** Functions that it is given may be called with anything it has. */
const CALLED: readonly EffectSource[] = ["arguments", "fields", "self"];

/** What a word alone tells. */
export function effectOfBehaviour(
  library: LibraryDescription,
  behaviour: Behaviour,
  held: readonly EffectSource[],
  changed: readonly EffectSource[],
): CallEffect {
  const made = { makes: "opaque", path: `${KIND}${library.packages[0]}` } as const;
  const calls = [CALLED, CALLED, CALLED, CALLED];
  switch (behaviour) {
    case "computes":
      return { ...made, holds: ["self", "results"], calls };
    case "reads":
      return { ...made, holds: ["self", "results", ...held], calls, returns: held };
    case "changes":
      return {
        ...made,
        holds: ["self", "results", ...held],
        calls,
        returns: held,
        deep: changed,
        puts: ["self"],
        into: "changed",
      };
  }
}
