/**
 * @file What is built in and takes no time of its own: arithmetic, arrays, Maps and Sets, texts.
 * Which loops are worth a record is decided by it, never what a loop changes.
 */
import { entriesNamed, functionEntry, languageDescription } from "./javascript-descriptions.ts";

/** `path`: as the analysis names what is from outside, `global|Math.floor`. */
export function isTrivialNative(path: string): boolean {
  const [root = "", members = ""] = path.split("|");
  return root === "global" && functionEntry(root, members)?.words.has("trivial") === true;
}

/** Whether a method of that name is one of the language's own objects, as far as a name tells. */
export function isTrivialMethod(name: string, usesPackages: () => boolean): boolean {
  const said = entriesNamed(name);
  if (said.some(({ words }) => words.has("trivial"))) return true;
  // Tensors have methods of these names as well, which then compute.
  return said.some(({ words }) => words.has("trivial-alone")) && !usesPackages();
}

/** Whether such a method calls what it is given. */
export function takesFunctions(name: string): boolean {
  return languageDescription().methods.find(name)?.detail["calls"] !== undefined;
}
