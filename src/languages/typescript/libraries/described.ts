/** @file Libraries that the project itself describes (docs/libraries.md), as the analysis needs them. */
import type { LibraryDescription, LibraryEntry } from "../../../format/index.ts";
import type { Effect, Source } from "./effect.ts";

/** What objects of a described library are called in the analysis. */
const KIND = "library:";

/** Whether an object is of a described library: nothing is said of going over or calling it. */
export function isDescribed(path: string): boolean {
  return path.startsWith(KIND);
}

/** Functions that it is given may be called with anything it has. */
const CALLED: readonly Source[] = ["arguments", "fields", "self"];

/** What a function or class of a described package does; undefined: nothing is said of it. */
export function describedCall(
  library: LibraryDescription,
  name: string,
  how: "call" | "new" | "super",
): Effect | undefined {
  const said = behaviourOf(library.functions.find(name.replace(/^default\./, "")));
  const isClass = library.classes.some(([one]) => one === name);
  // A class whose instances are described is one that can be made.
  const behaviour = said ?? (how === "new" && isClass ? "reads" : undefined);
  return behaviour && effectOf(library, behaviour, ["arguments", "fields"], ["arguments"]);
}

/** What a method of an object that a described package made does. */
export function describedMethod(
  libraries: readonly LibraryDescription[],
  kind: string,
  name: string,
): Effect | undefined {
  const library = libraries.find((one) => one.packages.some((name) => kind === KIND + name));
  if (!library) return undefined;
  const saving = library.classes.find(([, { save, load }]) => save === name || load === name)?.[1];
  const said = behaviourOf(library.methods.find(name));
  const behaviour = said ?? (saving && (saving.save === name ? "reads" : "changes"));
  const held: readonly Source[] = ["receiver", "content", "arguments", "fields"];
  return behaviour && effectOf(library, behaviour, held, ["receiver", "arguments"]);
}

type Behaviour = "computes" | "reads" | "changes";

function behaviourOf(entry: LibraryEntry | undefined): Behaviour | undefined {
  const words: readonly Behaviour[] = ["changes", "reads", "computes"];
  return words.find((word) => entry?.words.has(word));
}

function effectOf(
  library: LibraryDescription,
  behaviour: Behaviour,
  held: readonly Source[],
  changed: readonly Source[],
): Effect {
  const made = { makes: "opaque", path: `${KIND}${library.packages[0]}` } as const;
  const calls = [CALLED, CALLED, CALLED, CALLED];
  switch (behaviour) {
    case "computes":
      return { ...made, holds: ["self", "results"], calls };
    case "reads":
      return { ...made, holds: ["self", "results", ...held], calls, returns: held };
    case "changes":
      return { ...made, holds: ["self", "results", ...held], calls, returns: held, deep: changed };
  }
}
