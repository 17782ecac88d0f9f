/**
 * @file What functions and methods do when a definition that calls them is executed again, as the
 * descriptions of libraries say (docs/libraries.md). The analysis reads the same files; it has objects
 * to go by, and here there are names alone.
 */
import type { LibraryEntry } from "../../../format/index.ts";
import type { Effect } from "../../parsed-file.ts";
import { descriptionsOf } from "../../libraries/descriptions.ts";
import { functionEntry, languageDescription } from "../libraries/javascript-descriptions.ts";
import { draws, kindsOf } from "../libraries/nondeterministic-calls.ts";

/** Objects that are changed by nothing but methods that say so. */
const PURE_KINDS = ["text", "tensor", "jax"];
/** Objects of which another method may do anything: a model, an iterator. */
const OTHER_KINDS = ["iterator", "owner"];

/** Undefined: nothing is said that would do for not looking at it. */
function effectOfEntry({ words, detail }: LibraryEntry): Effect | undefined {
  const { mutates, deep, puts, trains, when } = detail;
  const isChange = [mutates, deep, puts, trains].some((one) => one !== undefined);
  const isOpen = ["soft", "shows", "outside", "sure"].some((word) => words.has(word));
  if (isOpen || when === "later") return undefined;
  if (isChange || words.has("changes")) return "changes";
  return words.has("scalar") || Object.keys(detail).length > 0 ? "none" : undefined;
}

/** Of a function that every program has, by its path: `Math.max`. Undefined: nothing is known. */
export function effectOfPath(path: string): Effect | undefined {
  if (draws(`global|${path}`)) return "changes";
  if (kindsOf(`global|${path}`).has("clock")) return "clock";
  const entry = functionEntry("global", path);
  return entry && effectOfEntry(entry);
}

/** Of a class that every program has. */
export function effectOfClass(name: string): Effect | undefined {
  if (name === "Date") return "clock";
  const entry = functionEntry("global", name);
  // What is called at once may do anything.
  return entry && entry.detail["calls"] === undefined ? effectOfEntry(entry) : undefined;
}

/** Of a method of whatever object; tensors come first. Undefined: nothing is known of it. */
export function effectOfMethod(name: string): Effect | undefined {
  if (clockMethods().has(name)) return "clock";
  const said = [
    languageDescription().methods.named.get(name),
    ...PURE_KINDS.map((kind) => methodNamed(kind, name)),
  ];
  const effects = said.map((entry) => entry && effectOfEntry(entry));
  if (effects.includes("none")) return "none";
  const others = [
    ...OTHER_KINDS.map((kind) => methodNamed(kind, name)),
    functionEntry("node:fs", name),
  ];
  const changes = others.some((entry) => entry && effectOfEntry(entry) === "changes");
  return changes || effects.includes("changes") ? "changes" : undefined;
}

/** Whether objects of the language are changed by a method of that name, whatever it does to others. */
export function fillsSome(name: string): boolean {
  const entry = languageDescription().methods.named.get(name);
  return entry !== undefined && effectOfEntry(entry) === "changes";
}

/** What is said of a method by its name, not by a pattern. */
function methodNamed(kind: string, name: string): LibraryEntry | undefined {
  const tables = descriptionsOf("javascript").flatMap(({ objects }) => objects.get(kind) ?? []);
  return tables.flatMap((table) => table.named.get(name) ?? [])[0];
}

let clocks: ReadonlySet<string> | undefined;

/** `now`, `hrtime`: of whatever object. */
function clockMethods(): ReadonlySet<string> {
  return (clocks ??= new Set(
    [...languageDescription().nondeterministic.named]
      .filter(([, { words }]) => words.has("clock"))
      .map(([name]) => name.slice(name.lastIndexOf(".") + 1)),
  ));
}

/** Whether a property is one that arrays, strings, numbers or tensors have. */
export function isKnownMethod(name: string): boolean {
  const isAttribute = descriptionsOf("javascript").some(({ attributes }) =>
    attributes.named.has(name),
  );
  return isAttribute || effectOfMethod(name) !== undefined;
}

let objects: ReadonlySet<string> | undefined;

/** Whether an object is one of the language or the platform. */
export function isKnownObject(name: string): boolean {
  objects ??= new Set(
    languageDescription().functions.all.flatMap(([names]) =>
      names.split(" ").map((path) => path.split(".")[0] ?? path),
    ),
  );
  return objects.has(name);
}
