/** @file What functions and objects from outside do, by what the descriptions of their packages say. */
import type { LibraryDescription } from "../../../format/index.ts";
import type { CallEffect, How, EffectSource } from "./described-effect.ts";
import { behaviourOf, effectOfBehaviour, isKindOf, entryEffect } from "./described-effect.ts";
import {
  librariesDescribing,
  functionEntry,
  isPlatform,
  methodEntry,
} from "./javascript-descriptions.ts";

/** What the project says of packages of which nothing is said here. */
type Described = readonly LibraryDescription[];

/** What a function from outside does, by its path `root|member.member`. Undefined: anything. */
export function effectOfCall(path: string, how: How, described: Described): CallEffect | undefined {
  const [root = "", members = ""] = path.split("|");
  if (isKnownPackage(root)) {
    // `assert` is a function, `EventEmitter` a class: of the class nothing is said.
    if (isPlatform(root) && CLASS_ITSELF.has(members) && how !== "call") return undefined;
    const entry = functionEntry(root, members);
    return entry && entryEffect(entry, how);
  }
  const library = described.find(({ packages }) => packages.includes(root));
  return library && describedCall(library, members, how);
}

/** What a module of Node is, where it is no namespace. */
const CLASS_ITSELF = new Set(["", "default"]);

/** Whether it puts nothing into what it is given; of the platform and tensors all is named that does. */
export function leavesArguments(path: string, how: How): boolean {
  const [root = "", members = ""] = path.split("|");
  if (!isKnownPackage(root)) return false;
  const entry = functionEntry(root, members);
  if (!entry || entry.words.has("unknown")) return isPlatform(root);
  return entryEffect(entry, how)?.into !== "changed";
}

/** Whether a description here says what its functions do. */
export function isKnownPackage(name: string): boolean {
  return librariesDescribing(name).length > 0;
}

/**
 * Whose state a call may change that no checkpoint holds, if nobody knows what it keeps: of a known
 * package only the function, for others are described. `isSaid`: its description says that it keeps something.
 */
export function secretKeeper(
  path: string,
  described: Described,
  isSaid: boolean,
): string | undefined {
  const [root = "", members = ""] = path.split("|");
  const name = members.replace(/^default\.?/, "");
  if (isPlatform(root)) return isSaid ? `${root.replace("node:", "")}.${name}` : undefined;
  const isDescribed = described.some(({ packages }) => packages.includes(root));
  return (isKnownPackage(root) || isDescribed) && name !== "" ? `${root}.${name}` : root;
}

/** What a method of an object from outside does, by what the object is. */
export function effectOfMethod(
  kind: string,
  name: string,
  described: Described,
): CallEffect | undefined {
  const entry = methodEntry(kind, name);
  if (entry) return entryEffect(entry, "call");
  const library = described.find((one) => isKindOf(kind, one));
  return library && describedMethod(library, name);
}

/** What a function or class of a package does that the project describes. */
function describedCall(
  library: LibraryDescription,
  name: string,
  how: How,
): CallEffect | undefined {
  const said = behaviourOf(library.functions.find(name.replace(/^default\./, "")));
  const isClass = library.classes.some(([one]) => one === name);
  // A class whose instances are described is one that can be made.
  const behaviour = said ?? (how === "new" && isClass ? "reads" : undefined);
  const held: readonly EffectSource[] = ["arguments", "fields"];
  return behaviour && effectOfBehaviour(library, behaviour, held, ["arguments"]);
}

/** What a method of an object that such a package made does. */
function describedMethod(library: LibraryDescription, name: string): CallEffect | undefined {
  const saving = library.classes.find(([, { save, load }]) => save === name || load === name)?.[1];
  const said = behaviourOf(library.methods.find(name));
  const behaviour = said ?? (saving && (saving.save === name ? "reads" : "changes"));
  const held: readonly EffectSource[] = ["receiver", "content", "arguments", "fields"];
  return behaviour && effectOfBehaviour(library, behaviour, held, ["receiver", "arguments"]);
}
