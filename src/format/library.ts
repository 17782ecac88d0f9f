/**
 * @file What a project says of a package that nobody else knows (docs/libraries.md): which of its
 * functions change something, and how its objects save themselves. Plain data in `package.json`, so
 * that a version of the source brings its own, and nothing is executed to read it.
 */

/**
 * `computes`: changes nothing, and what it gives is new. `reads`: changes nothing; what it gives may
 * be, or hold, what it was called on or with. `changes`: that, and it may change it, all that is
 * reached from there included.
 */
export type Behaviour = "computes" | "reads" | "changes";

/** How instances of a class are captured: by the methods that it has for that. */
export interface SavingClass {
  readonly save: string;
  readonly load: string;
}

export interface LibraryDescription {
  /** As it is imported. */
  readonly package: string;
  /** By name (`Sampler`, `stats.mean`), where `*` stands for anything; the first that fits counts. */
  readonly functions: readonly (readonly [pattern: string, behaviour: Behaviour])[];
  readonly methods: readonly (readonly [pattern: string, behaviour: Behaviour])[];
  readonly classes: readonly (readonly [name: string, saving: SavingClass])[];
}

export interface Libraries {
  readonly libraries: readonly LibraryDescription[];
  /** What is wrong with the descriptions, in words for the user; such a one is left out. */
  readonly problems: readonly string[];
}

const NONE: Libraries = { libraries: [], problems: [] };
const BEHAVIOURS: readonly unknown[] = ["computes", "reads", "changes"] satisfies Behaviour[];

/** Reads `afterlog.libraries` of the project's `package.json`; never throws. */
export function readLibraries(read: (file: string) => string | undefined): Libraries {
  const text = read("package.json");
  if (text === undefined || !text.includes('"afterlog"')) return NONE;
  const listed = fieldOf(fieldOf(parse(text), "afterlog"), "libraries");
  if (listed === undefined) return NONE;
  if (!Array.isArray(listed)) {
    return { libraries: [], problems: ["package.json: afterlog.libraries is not a list"] };
  }
  const libraries: LibraryDescription[] = [];
  const problems: string[] = [];
  for (const one of listed as unknown[]) {
    const where = typeof one === "string" ? one.replace(/^\.\//, "") : "package.json";
    const described = typeof one === "string" ? parse(read(where) ?? "") : one;
    const library = describedLibrary(described);
    if (typeof library === "string") problems.push(`${where}: ${library}`);
    else libraries.push(library);
  }
  return { libraries, problems };
}

/** The description, or what is wrong with it. */
function describedLibrary(given: unknown): LibraryDescription | string {
  const name = fieldOf(given, "package");
  if (typeof name !== "string" || name === "") return "a library must name its package";
  const functions = entriesOf(fieldOf(given, "functions"));
  const methods = entriesOf(fieldOf(given, "methods"));
  for (const [pattern, behaviour] of [...functions, ...methods]) {
    if (BEHAVIOURS.includes(behaviour)) continue;
    return `${pattern} of ${name} is to be "computes", "reads" or "changes"`;
  }
  const classes = entriesOf(fieldOf(given, "classes"));
  for (const [one, saving] of classes) {
    const names = [fieldOf(saving, "save"), fieldOf(saving, "load")];
    if (names.some((method) => typeof method !== "string" || method === "")) {
      return `class ${one} of ${name} must name its methods to save and to load`;
    }
  }
  return {
    package: name,
    functions: functions as [string, Behaviour][],
    methods: methods as [string, Behaviour][],
    classes: classes as [string, SavingClass][],
  };
}

/** The behaviour of what is called `name`. */
export function behaviourOf(
  known: LibraryDescription["functions"],
  name: string,
): Behaviour | undefined {
  return known.find(([pattern]) => fits(pattern, name))?.[1];
}

function fits(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return pattern === name;
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

function parse(text: string): unknown {
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

function entriesOf(value: unknown): [name: string, value: unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
