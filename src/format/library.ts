/**
 * @file What is said of a package (docs/libraries.md): which of its functions change something, what
 * answers otherwise each time, how its objects save themselves. Plain data, so that nothing is
 * executed to read it: the files that come with Afterlog (`languages/libraries` reads them), and what
 * a project says in its `package.json`, so that a version of the source brings its own.
 */

/** What is said of a function, a method or a class. */
export interface LibraryEntry {
  /** `computes`, `reads`, `changes` and the other words of docs/libraries.md. */
  readonly words: ReadonlySet<string>;
  /** The fields of an entry that is more than words. */
  readonly detail: { readonly [field: string]: unknown };
}

/** How instances of a class are captured: by the methods that it has for that. */
export interface SavingClass {
  readonly save: string;
  readonly load: string;
}

export interface LibraryDescription {
  /** As they are imported; `*` stands for anything. */
  readonly packages: readonly string[];
  /** Other names under which programs have it. */
  readonly aliases: readonly string[];
  /** What its methods do is known by their names alone, of whatever object. */
  readonly byName: boolean;
  readonly functions: LibraryTable;
  readonly methods: LibraryTable;
  /** Methods of the kinds of objects that it makes, where these differ. */
  readonly objects: ReadonlyMap<string, LibraryTable>;
  readonly attributes: LibraryTable;
  /** Methods that can be given something so that more is to be seen. */
  readonly shown: LibraryTable;
  readonly nondeterministic: LibraryTable;
  readonly constants: readonly string[];
  /** Functions and methods that log what they are given, by their last names. */
  readonly logs: readonly string[];
  readonly classes: readonly (readonly [name: string, saving: SavingClass])[];
}

export interface Libraries {
  readonly libraries: readonly LibraryDescription[];
  /** What is wrong with the descriptions, in words for the user; such a one is left out. */
  readonly problems: readonly string[];
}

/** Entries by names and patterns (`Sampler`, `stats.*`); the first that fits counts. */
export class LibraryTable {
  readonly all: readonly (readonly [names: string, entry: LibraryEntry])[];
  /** Without those that are found by a pattern. */
  readonly named: ReadonlyMap<string, LibraryEntry>;
  readonly #places = new Map<string, number>();
  readonly #found = new Map<string, LibraryEntry | undefined>();
  readonly #patterns: { place: number; pattern: RegExp; entry: LibraryEntry }[] = [];

  constructor(given: readonly (readonly [names: string, entry: LibraryEntry])[]) {
    this.all = given;
    const named = new Map<string, LibraryEntry>();
    for (const [place, [names, entry]] of given.entries()) {
      for (const name of listedNames(names)) {
        if (name.includes("*")) this.#patterns.push({ place, pattern: patternOf(name), entry });
        else if (!named.has(name)) {
          named.set(name, entry);
          this.#places.set(name, place);
        }
      }
    }
    this.named = named;
  }

  find(name: string): LibraryEntry | undefined {
    // The same few names are asked for again and again.
    if (!this.#found.has(name)) this.#found.set(name, this.#first(name));
    return this.#found.get(name);
  }

  #first(name: string): LibraryEntry | undefined {
    const limit = this.#places.get(name) ?? Infinity;
    const fits = this.#patterns.find(({ place, pattern }) => place < limit && pattern.test(name));
    return fits?.entry ?? this.named.get(name);
  }
}

/** `*` stands for anything, `[A-Z]` for a capital letter. */
function patternOf(name: string): RegExp {
  const escaped = name.replaceAll(/[\\^$.+?()[\]{}|/]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("\\[A-Z\\]", "[A-Z]").replaceAll("*", ".*")}$`);
}

const NONE: Libraries = { libraries: [], problems: [] };
const BEHAVIOURS: readonly string[] = ["computes", "reads", "changes"];

/** Reads `afterlog.libraries` of the project's `package.json`; never throws. */
export function readLibraries(read: (file: string) => string | undefined): Libraries {
  const text = read("package.json");
  if (text === undefined || !text.includes('"afterlog"')) return NONE;
  const given = fieldOf(fieldOf(parseDescription(text), "afterlog"), "libraries");
  if (given === undefined) return NONE;
  if (!Array.isArray(given)) {
    return { libraries: [], problems: ["package.json: afterlog.libraries is not a list"] };
  }
  const libraries: LibraryDescription[] = [];
  const problems: string[] = [];
  for (const item of given as unknown[]) {
    const where = typeof item === "string" ? item.replace(/^\.\//, "") : "package.json";
    const described = typeof item === "string" ? parseDescription(read(where) ?? "") : item;
    const library = describedLibrary(described);
    const problem = typeof library === "string" ? library : withoutBehaviour(library);
    if (problem !== undefined) problems.push(`${where}: ${problem}`);
    else libraries.push(library as LibraryDescription);
  }
  return { libraries, problems };
}

/** Of a function that a project names it must say what it does. */
function withoutBehaviour({
  packages,
  functions,
  methods,
}: LibraryDescription): string | undefined {
  const named = [functions, methods].flatMap((table) => table.all);
  const wrong = named.find(([, { words }]) => !BEHAVIOURS.some((word) => words.has(word)));
  return wrong && `${wrong[0]} of ${packages.join(" ")} is to be "computes", "reads" or "changes"`;
}

/** The description, or what is wrong with it. */
export function describedLibrary(given: unknown): LibraryDescription | string {
  const packages = listedNames(fieldOf(given, "package"));
  const name = packages.join(" ");
  if (name === "") return "a library must name its package";
  // Of a class that Afterlog itself knows how to capture, words say what it is.
  const classes = descriptionEntries(fieldOf(given, "classes")).filter(
    ([, how]) => typeof how !== "string" && fieldOf(how, "is") === undefined,
  );
  for (const [className, saving] of classes) {
    const names = [fieldOf(saving, "save"), fieldOf(saving, "load")];
    if (names.some((method) => typeof method !== "string" || method === "")) {
      return `class ${className} of ${name} must name its methods to save and to load`;
    }
  }
  const effects = new Map(descriptionEntries(fieldOf(given, "effects")));
  const tableOf = (entries: unknown): LibraryTable =>
    new LibraryTable(
      descriptionEntries(entries).map(([names, entry]) => [names, entryOf(entry, effects)]),
    );
  const table = (field: string): LibraryTable => tableOf(fieldOf(given, field));
  return {
    packages,
    aliases: listedNames(fieldOf(given, "aliases")),
    byName: fieldOf(given, "byName") === true,
    functions: table("functions"),
    methods: table("methods"),
    objects: new Map(
      descriptionEntries(fieldOf(given, "objects")).map(([kind, methods]) => [
        kind,
        tableOf(methods),
      ]),
    ),
    attributes: table("attributes"),
    shown: table("shown"),
    nondeterministic: table("nondeterministic"),
    constants: listedNames(fieldOf(given, "constants")),
    logs: descriptionEntries(fieldOf(given, "logs")).map(([path]) =>
      path.slice(path.search(/[^.:]+$/)),
    ),
    classes: classes as [string, SavingClass][],
  };
}

/** `effects`: those that have names of their own, which are used like words. */
function entryOf(value: unknown, effects: ReadonlyMap<string, unknown>): LibraryEntry {
  const given = typeof value === "string" ? { is: value } : value;
  const { is, ...own } = Object.fromEntries(descriptionEntries(given));
  const words = listedNames(is);
  const named = words.flatMap((word) => descriptionEntries(effects.get(word)));
  return { words: new Set(words), detail: { ...Object.fromEntries(named), ...own } };
}

/** Names stand beside each other in one text. */
function listedNames(value: unknown): string[] {
  return typeof value === "string" ? value.split(" ").filter(Boolean) : [];
}

function parseDescription(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as { [field: string]: unknown })[name]
    : undefined;
}

function descriptionEntries(value: unknown): [name: string, value: unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
