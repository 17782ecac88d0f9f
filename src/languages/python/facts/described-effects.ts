/**
 * @file What functions and methods do when a definition that calls them is executed again, as the
 * descriptions of libraries say (docs/libraries.md). Python's analysis reads the same files; it has
 * values to go by, and here there are names alone.
 */
import type { LibraryDescription, LibraryEntry } from "../../../format/index.ts";
import type { Effect } from "../../parsed-file.ts";
import { descriptionsOf } from "../../libraries/descriptions.ts";

const BUILTINS = "builtins";
/** Packages whose names variables have, too. */
const ORDINARY =
  /^(?:arrow|copy|csv|enum|gc|glob|http|io|platform|resource|signal|string|struct|types|typing)$/;
const CHANGING = ["changes", "keeps", "mutates", "differentiates", "draws"];
/** They change the library or the process. */
const SETTING = ["settings", "scoped", "process", "hidden", "threads"];
const PURE = ["computes", "reads", "converts"];

interface Described {
  /** Descriptions by the names of their packages. */
  readonly packages: ReadonlyMap<string, readonly LibraryDescription[]>;
  readonly aliases: ReadonlyMap<string, string>;
  /** Python's own objects come first: of others nobody can tell a text or a list by its name. */
  readonly byName: readonly LibraryDescription[];
  readonly builtins: LibraryDescription;
  /** Classes of the standard library that programs import by their names. */
  readonly imported: ReadonlySet<string>;
}

let cached: Described | undefined;

function described(): Described {
  return (cached ??= indexDescriptions(descriptionsOf("python")));
}

function indexDescriptions(all: readonly LibraryDescription[]): Described {
  const packages = new Map<string, LibraryDescription[]>();
  const aliases = new Map<string, string>();
  for (const one of all) {
    for (const name of one.packages) packages.set(name, [...(packages.get(name) ?? []), one]);
    for (const alias of one.aliases) aliases.set(alias, one.packages[0] ?? "");
  }
  const [builtins, ...others] = [
    ...(packages.get(BUILTINS) ?? []),
    ...all.filter((one) => one.byName && !one.packages.includes(BUILTINS)),
  ];
  if (!builtins) throw new Error(`no description of ${BUILTINS}`);
  const modules = ["collections", "pathlib"].flatMap((name) => packages.get(name) ?? []);
  const imported = new Set(modules.flatMap(({ functions }) => [...functions.named.keys()]));
  return { packages, aliases, byName: [builtins, ...others], builtins, imported };
}

function saysAny({ words }: LibraryEntry, any: readonly string[]): boolean {
  return any.some((word) => words.has(word));
}

/** Whether a call gives an argument that the function would write to. */
function isGivenPlace({ detail }: LibraryEntry, positional: number): boolean {
  const { mutates } = detail;
  if (!Array.isArray(mutates) || "if" in detail || "unless" in detail) return false;
  return mutates.some((place) => typeof place === "number" && place < positional);
}

/** Whether Python gives the name to every program. */
export function isBuiltin(name: string): boolean {
  const { functions, constants } = described().builtins;
  return functions.named.has(name) || constants.includes(name);
}

/** Undefined: nothing is known of such a function. */
export function effectOfFunction(name: string): Effect | undefined {
  const entry = described().builtins.functions.named.get(name);
  if (!entry) return described().imported.has(name) ? "none" : undefined;
  if (entry.words.has("shows")) return undefined;
  const changes = saysAny(entry, [...CHANGING, "hidden", "outside"]) || isGivenPlace(entry, 1);
  if (changes) return "changes";
  return saysAny(entry, PURE) ? "none" : undefined;
}

/** Of a function by its path from a module: `np.exp`. Undefined: nothing is known of it. */
export function effectOfPath(path: string, positional: number): Effect | undefined {
  const [root = "", ...members] = path.split(".");
  if (ORDINARY.test(root) || members.length === 0) return undefined;
  const parts = [...(described().aliases.get(root) ?? root).split("."), ...members];
  const chance = entryOfPath(parts, "nondeterministic");
  if (chance && saysAny(chance, ["draws", "seeds", "unseeded"])) return "changes";
  const entry = entryOfPath(parts, "functions");
  if (entry && (saysAny(entry, [...CHANGING, ...SETTING]) || isGivenPlace(entry, positional))) {
    return "changes";
  }
  if (tellsTime(parts[0] ?? "")) return "clock";
  return entry && saysAny(entry, PURE) && !entry.words.has("outside") ? "none" : undefined;
}

/** Whether statements in a `with` of something are left as they are. */
export function onlyWatches(path: string): boolean {
  const entry = entryOfPath(path.split("."), "functions");
  return entry?.words.has("watches") ?? false;
}

/** By the longest package that says anything. */
function entryOfPath(
  parts: readonly string[],
  table: "functions" | "nondeterministic",
): LibraryEntry | undefined {
  for (let length = parts.length - 1; length > 0; length--) {
    const name = parts.slice(length).join(".");
    for (const one of described().packages.get(parts.slice(0, length).join(".")) ?? []) {
      const entry = one[table].find(name);
      if (entry) return entry;
    }
  }
  return undefined;
}

function tellsTime(name: string): boolean {
  return (described().packages.get(name) ?? []).some(({ nondeterministic }) =>
    nondeterministic.all.some(([, { words }]) => words.has("clock")),
  );
}

/** Of a method of whatever object. Undefined: nothing is known of it. */
export function effectOfMethod(name: string, positional: number): Effect | undefined {
  if (clockMethods().has(name)) return "clock";
  const entry = methodEntry(name);
  if (!entry) return undefined;
  // Flags are put back around what is asked; what shows something keeps nothing of it.
  if (saysAny(entry, ["soft", "differentiable"])) return "calls";
  if (entry.words.has("shows") && !saysAny(entry, ["outside", "computes"])) return "calls";
  if (saysAny(entry, CHANGING) || isGivenPlace(entry, positional)) return "changes";
  return saysAny(entry, PURE) && !entry.words.has("outside") ? "none" : undefined;
}

function methodEntry(name: string): LibraryEntry | undefined {
  const { byName } = described();
  const exact = byName.flatMap(({ methods }) => methods.named.get(name) ?? []);
  return exact[0] ?? byName.flatMap(({ methods }) => methods.find(name) ?? [])[0];
}

let clocks: ReadonlySet<string> | undefined;

/** `now`, `today`, `perf_counter`: of whatever object. */
function clockMethods(): ReadonlySet<string> {
  return (clocks ??= new Set(
    descriptionsOf("python").flatMap(({ nondeterministic }) =>
      [...nondeterministic.named]
        .filter(([, { words }]) => words.has("clock"))
        .map(([name]) => name.slice(name.lastIndexOf(".") + 1)),
    ),
  ));
}

let logs: ReadonlySet<string> | undefined;

/** Whether a method of that name logs what it is given: `add_scalar`, `log`. */
export function logsByName(name: string): boolean {
  return (logs ??= new Set(descriptionsOf("python").flatMap((one) => one.logs))).has(name);
}

/** Whether a method changes what it does not name: an optimizer its model, a loss the gradients. */
export function trains(name: string): boolean {
  return methodEntry(name)?.words.has("trains") === true;
}

/** Whether a property is one that texts, lists, arrays or tensors have. */
export function isKnownMethod(name: string): boolean {
  const { byName } = described();
  if (/^__\w+__$/.test(name)) return true;
  const isAttribute = byName.some(({ attributes }) => attributes.named.has(name));
  const methods = byName.flatMap(({ methods: table }) => table.named.get(name) ?? []);
  return isAttribute || methods.some(({ words }) => !words.has("shows") || words.has("computes"));
}

/** Whether an object is a module that programs of this kind take their functions from. */
export function isKnownObject(name: string): boolean {
  const { packages, aliases } = described();
  const isModule = aliases.has(name) || (packages.has(name) && !ORDINARY.test(name));
  return (isModule && name !== BUILTINS) || name === "al";
}
