/**
 * @file Names and numbers in a line of text: `epoch 3/10 loss=0.5 acc 97.3%`. The words before a
 * number are its name, back to the number or the mark before; they are joined by `_`.
 */

/** Stands in a text of the source for a value that only the run knows; a private character. */
export const HOLE = "\uE000";

/** Of a longer sentence the number is no value. */
const WORDS_MAX = 4;
/** Words between a name and its value: "the loss is 0.5". */
const FILLERS = new Set(["is", "are", "was", "were", "of"]);

/** What a clock or the machine says, by its name. */
const MEASURED =
  /(?:^|[_./-])(?:time|times|elapsed|took|takes|duration|eta|timestamp|ts|date|now|us|ms|msecs?|secs?|seconds?|mins?|minutes?|hours?|uptime|pid|heap|heapused|heaptotal|rss|mem|memory|fps|throughput)$|\/s(?:ec)?$/i;
const MEASURED_CAMEL = /[a-z](?:Time|Ms|Secs?|Seconds|Elapsed|Duration|Timestamp)$/;

/** Whether a name is one of what is measured: it differs in every execution. */
export function isMeasured(name: string): boolean {
  return MEASURED.test(name) || MEASURED_CAMEL.test(name);
}

/** Whether one of the words of a text, or of an expression, is a name of what is measured. */
export function saysClock(text: string): boolean {
  return text.split(/[^\p{L}\p{N}_]+/u).some((word) => word !== "" && isMeasured(word));
}

/** Colours of a terminal. */
// oxlint-disable-next-line no-control-regex -- it is what a terminal gets
const ANSI = /\u001B\[[\d;]*[A-Za-z]/g;

export function plainText(text: string): string {
  return text.includes("\u001B") ? text.replaceAll(ANSI, "") : text;
}

/** The number that a text is; undefined if it is not one. */
export function numberIn(text: string): number | undefined {
  NUMBER.lastIndex = 0;
  const isNumber = NUMBER.exec(text)?.[0] === text && !isDigitsOnly(text);
  return isNumber ? Number(text) : undefined;
}

/** Whether digits would not come back from the number: `0110`, or more of them than a double holds. */
function isDigitsOnly(text: string): boolean {
  return BEGINS_WITH_ZERO.test(text) || isTooLong(text);
}

function isTooLong(number: string): boolean {
  return /^[-+]?\d{16,}$/.test(number) && !Number.isSafeInteger(Number(number));
}

const WORD = "\\p{L}\\p{N}_\uE000";
/** A date, a time of day, a version, `1,234`: digits that are no number. */
const NO_NUMBER = /\d+(?:[:,-]\d+|\.\d+\.\d+)\S*/y;
/** Of an address, behind its first word. */
const ADDRESS = /:\/\/\S*/y;
const NUMBERS = new Set("0123456789+-.");
const HELD_NUMBER = /[-+.\d\uE000]*\uE000(?:[-+.\d\uE000]*[\d\uE000])?/y;
const NUMBER =
  /(?<![\p{L}\p{N}_])[-+]?(?:(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?|Infinity\b|NaN\b)/uy;
const NAME = new RegExp(`(?:\\uE000+_|[\\p{L}_])[${WORD}]*(?:[./+-][${WORD}]+)*`, "uy");
const NOTHING = new Set(["undefined", "null"]);
const DASHES = new Set("-=–—→");
const SEPARATOR = /[:=](?!>)\s*|(?:->|=>|[-–—→])(?=\s)\s*/y;
/** Between words: what follows is a part of an expression, and no name for its value. */
const OPERATOR = /[+*/](?=\s)/y;
const SPACE = /[^\S\n]+/y;
/** What may follow a number and belongs to it: `/10`, `of 10`, `±0.1`, `%`. */
const REST =
  /\s?(?:\/|of|±|\+\/-)\s?[-+]?(?:[\d.\uE000]*[\d\uE000](?:[eE][-+]?\d+)?)|%|\s?(?:[KMGT]i?B|bytes|epochs|steps|iterations|iters|samples|images|batches|items|points|rows|px|x)(?![-\w])/y;
const CLOCK =
  /\s?(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)(?![-\w])|\s?[\p{L}]*\/s(?:ec)?(?![-\w])/uy;
const TRUTH = /(?:true|false)\b/y;
/** Right behind a number, which then does not count as one: `3rd`, `2x4`, `10-fold`. */
const ADJACENT = /[-+.]?[\p{L}\p{N}_]\S*/uy;

/** No number is printed so with a unit; a digest may be: `1e5x`. */
const BARE_EXPONENT = /^[-+\d.]+[eE]\d+(?=[^,.])/;

/** Of a text by itself; in a line it is a counter that was padded: `epoch 003`. */
const BEGINS_WITH_ZERO = /^[-+]?0\d/;

/** Whether a text begins with a number, or a truth value, and says more than that: `3 apples`, `92!`. */
export function saysMoreThanNumber(text: string): boolean {
  const trimmed = plainText(text).trim();
  let at = 0;
  const eat = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(trimmed)?.[0];
    at += found?.length ?? 0;
    return found !== undefined;
  };
  if (!eat(NUMBER) && !eat(TRUTH)) return false;
  if (isDigitsOnly(trimmed.slice(0, at))) return true;
  if (!eat(CLOCK)) eat(REST);
  return BARE_EXPONENT.test(trimmed) || !/^[,.]?$/.test(trimmed.slice(at));
}

function isNumberWord(name: string): boolean {
  return name === "NaN" || name === "Infinity";
}

/** Reads one call's arguments from left to right. */
export class PhraseReader {
  readonly values: [name: string, value: unknown][] = [];
  /** Words that the next value may be called by. */
  #words: string[] = [];
  /** A separator, or the end of an argument, stands between them and what comes next. */
  #closed: "" | "separator" | "argument" = "";
  #hadColon = false;
  /** They are the end of an expression. */
  #isPartial = false;
  /** Nothing but words so far. */
  #isWhole = true;
  #text = "";
  #at = 0;

  /** What is called as a clock is, or has its unit, is read like any other. */
  readonly #withClocks: boolean;

  constructor(withClocks = false) {
    this.#withClocks = withClocks;
  }

  /** The name, if a text is a label and nothing else. */
  static label(text: string): string | undefined {
    const reader = new PhraseReader();
    reader.text(text);
    return reader.values.length === 0 && reader.#isWhole ? reader.#name() : undefined;
  }

  text(text: string): void {
    this.#text = plainText(text);
    this.#at = 0;
    while (this.#at < this.#text.length) this.#step();
    this.#closeArgument();
  }

  /** A value that is an argument of its own. */
  value(value: unknown): void {
    this.#found(value);
    this.#closeArgument();
  }

  /** An object: its own names, behind a label with a colon `label.name`. */
  entries(entries: readonly (readonly [name: string, value: unknown])[]): void {
    const label = this.#hadColon ? this.#name() : undefined;
    for (const [key, value] of entries) {
      const name = label === undefined ? key : `${label}.${key}`;
      if (this.#withClocks || !isMeasured(key)) this.values.push([name, value]);
    }
    this.end();
  }

  end(): void {
    this.#words = [];
    this.#closed = "";
    this.#hadColon = false;
    this.#isPartial = false;
    this.#isWhole = false;
  }

  #closeArgument(): void {
    if (this.#words.length > 0) this.#closed = "argument";
  }

  /** By the first character: a text is read on the training thread. */
  #step(): void {
    const isSpaced = this.#eat(SPACE) !== undefined || this.#at === 0;
    const character = this.#text[this.#at];
    if (character === undefined) return;
    if (character === ":" || character === "=" || (isSpaced && DASHES.has(character))) {
      if (this.#eat(SEPARATOR) !== undefined) return this.#separator();
    }
    if (!NUMBERS.has(character)) {
      const name = this.#eat(NAME);
      if (name !== undefined && !isNumberWord(name)) return this.#word(name);
      this.#at -= name?.length ?? 0;
    } else if (this.#eat(NO_NUMBER) !== undefined) return this.#endWithUnit();
    const held = this.#eat(HELD_NUMBER);
    const number = held ?? this.#eat(NUMBER);
    if (held === undefined && number !== undefined && isTooLong(number)) return this.#endWithUnit();
    if (number !== undefined) return this.#number(held === undefined ? Number(number) : HOLE);
    const isPartial = isSpaced && this.#words.length > 0 && this.#closed === "";
    const isOperator = this.#eat(OPERATOR) !== undefined;
    this.#at += isOperator ? 0 : 1;
    this.end();
    this.#isPartial = isOperator && isPartial;
  }

  #separator(): void {
    if (this.#words.length === 0) return this.end();
    this.#closed = "separator";
    this.#hadColon = true;
  }

  #word(name: string): void {
    if (this.#eat(ADDRESS) !== undefined || NOTHING.has(name)) return this.end();
    const isTruth = name === "true" || name === "false";
    if (isTruth) return this.#hadColon ? this.#found(name === "true") : this.end();
    if (this.#closed !== "") this.#words = [];
    this.#closed = "";
    this.#hadColon = false;
    this.#words.push(name);
  }

  /** A number in the text, with what follows it. */
  #number(value: unknown): void {
    const isClock = this.#eat(CLOCK) !== undefined;
    if (isClock && !this.#withClocks) return this.end();
    if (!isClock) this.#eat(REST);
    if (this.#eat(ADJACENT) !== undefined) return this.#endWithUnit();
    this.#found(value);
  }

  #endWithUnit(): void {
    if (this.#eat(CLOCK) === undefined) this.#eat(REST);
    this.end();
  }

  #found(value: unknown): void {
    const name = this.#name();
    this.end();
    if (name === undefined) return;
    if (this.#withClocks || !isMeasured(name)) this.values.push([name, value]);
  }

  #name(): string | undefined {
    const words = this.#isPartial ? [] : [...this.#words];
    while (words.length > 0 && FILLERS.has(words.at(-1) ?? "")) words.pop();
    return words.length === 0 || words.length > WORDS_MAX ? undefined : words.join("_");
  }

  #eat(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
