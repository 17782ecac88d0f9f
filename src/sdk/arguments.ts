/**
 * @file `arg`: values from the command line, `lr=0.01`, `--lr 0.01`, `--lr=0.01` or `--flag`.
 *
 * The type of the default decides how the text is read. Names match with `-` for `_`.
 */
import { AfterlogError, nearestName } from "../format/index.ts";

interface GivenArgument {
  readonly key: string;
  readonly text: string;
  /** The value came as `--name`, with the next word or none. */
  readonly next?: string;
  used: boolean;
}

/** The program's own arguments, and which of them nobody asked for. */
export class ProgramArguments {
  readonly #given: GivenArgument[];
  readonly #asked = new Set<string>();
  /** Words that were taken as the value of a `--name` before them. */
  readonly #taken = new Set<number>();

  constructor(argv: readonly string[]) {
    this.#given = argv.map((word, at) => parseWord(word, argv[at + 1]));
  }

  /** The value for `name`, the last one if given twice; `undefined` if it was not given. */
  take(name: string, fallback: unknown): unknown {
    this.#asked.add(name);
    let found: GivenArgument | undefined;
    for (const [at, given] of this.#given.entries()) {
      if (this.#taken.has(at) || normalizedArgumentName(given.key) !== normalizedArgumentName(name))
        continue;
      given.used = true;
      if (given.next !== undefined && takesNext(given, fallback)) this.#taken.add(at + 1);
      found = given;
    }
    return found && readArgumentAs(name, textFor(found, fallback), fallback);
  }

  /** The same in words for the user. */
  warnings(): string[] {
    return this.unused().map(({ word, nearest }) => {
      const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
      return `argument ${word} is not used by the program${hint}`;
    });
  }

  /**
   * Arguments that look like ours and that no `arg` has asked for, with the nearest name. A program
   * that asks for none reads its command line by itself.
   */
  unused(): { readonly word: string; readonly nearest: string | undefined }[] {
    if (this.#asked.size === 0) return [];
    return this.#given
      .filter(({ key, used }, at) => key !== "" && !used && !this.#taken.has(at))
      .map(({ key }) => ({ word: key, nearest: nearestName(key, [...this.#asked]) }));
  }
}

function parseWord(word: string, next: string | undefined): GivenArgument {
  const assigned = /^(?:--)?([A-Za-z_][\w.-]*)=(.*)$/s.exec(word);
  if (assigned) return { key: assigned[1] ?? "", text: assigned[2] ?? "", used: false };
  const flag = /^--([A-Za-z_][\w.-]*)$/.exec(word);
  if (!flag) return { key: "", text: word, used: false };
  const follows = next !== undefined && !next.startsWith("--") && !/^[A-Za-z_][\w.-]*=/.test(next);
  return { key: flag[1] ?? "", text: "", used: false, ...(follows ? { next } : {}) };
}

/** A boolean flag takes the next word only if it is a truth value. */
function takesNext({ next = "" }: GivenArgument, fallback: unknown): boolean {
  return typeof fallback !== "boolean" || next.toLowerCase() in TRUTH;
}

function textFor(given: GivenArgument, fallback: unknown): string {
  if (given.next !== undefined && takesNext(given, fallback)) return given.next;
  return given.text === "" && typeof fallback === "boolean" ? "true" : given.text;
}

const TRUTH: Readonly<{ [text: string]: boolean }> = {
  true: true,
  yes: true,
  on: true,
  "1": true,
  false: false,
  no: false,
  off: false,
  "0": false,
};

function normalizedArgumentName(name: string): string {
  return name.replaceAll("-", "_");
}

function readArgumentAs(name: string, text: string, fallback: unknown): unknown {
  switch (typeof fallback) {
    case "number":
      return readNumber(name, text, fallback);
    case "bigint":
      return /^-?\d+$/.test(text) ? BigInt(text) : refuseArgument(name, text, "a whole number");
    case "boolean":
      return TRUTH[text.toLowerCase()] ?? refuseArgument(name, text, "true or false");
    case "string":
      return text;
    case "object":
      return fallback === null ? guessArgumentValue(name, text) : readJson(name, text);
    case "undefined":
    case "function":
    case "symbol":
      return guessArgumentValue(name, text);
  }
}

/**
 * A loop up to infinity, of a number that was mistyped, would be recorded for ever. Where the
 * program itself says "no limit", the command line may.
 */
function readNumber(name: string, text: string, fallback = 0): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value)) return refuseArgument(name, text, "a number");
  if (Number.isFinite(value) || Math.abs(fallback) === Infinity) return value;
  return refuseArgument(name, text, "a finite number");
}

function readJson(name: string, text: string): unknown {
  let isFinite = true;
  const look = (_: string, value: unknown): unknown => {
    isFinite &&= typeof value !== "number" || Number.isFinite(value);
    return value;
  };
  let value: unknown;
  try {
    value = JSON.parse(text, look);
  } catch {
    return refuseArgument(name, text, "JSON, like its default");
  }
  return isFinite ? value : refuseArgument(name, text, "JSON of finite numbers");
}

/** The words of infinity and of what is no number are texts here: nobody said that a number is meant. */
function guessArgumentValue(name: string, text: string): unknown {
  if (text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  return /\d/.test(text) && !Number.isNaN(Number(text)) ? readNumber(name, text) : text;
}

function refuseArgument(name: string, text: string, wanted: string): never {
  throw new AfterlogError("AL005", `argument ${name}=${text} is not ${wanted}`, {
    help: [`give ${wanted}, or leave ${name} out to use its default`],
    data: { name, text },
  });
}
