/**
 * @file Whether a text is another one with log statements added to it: then, and only then, a run
 * of the one can be asked what the other would have logged. Decided on the syntax trees, so that
 * comments and layout do not count. What a statement brought along from another version may be
 * added too, if its text is named.
 */
import type { Node, Program, Statement } from "oxc-parser";
import { modeOf } from "../../../format/index.ts";
import type { Allowed, InsertedSource, SourceDifference } from "../../inserted-source.ts";
import { consoleLogOf, recordLogOf } from "../console-calls.ts";
import type { SdkNames } from "../log-calls.ts";
import { isSdkImport, isSdkRequire, logCallOf, logCallsIn, sdkNames } from "../log-calls.ts";
import { hasModuleSyntax, moduleKindOf } from "../facts/module-kind.ts";
import { CARRIED_MARKER } from "./carried-marker.ts";
import { Lines } from "../../lines.ts";
import { parseSource } from "../parse.ts";
import { comparedFields, fieldOf, isEqual, isNode, isSamePlain } from "../syntax.ts";

/**
 * Compares two texts of a file. A log statement that was removed is a difference like any other.
 * `also`: texts of other statements that may be added. Log statements in them count.
 */
export function compareInserted(
  before: string,
  after: string,
  file: string,
  allowed: Allowed,
): InsertedSource {
  if (before === after) return { difference: { kind: "same" }, text: after, before: (at) => at };
  const first = compare({ before, after, file, ...allowed });
  const { others } = first.comparison;
  if (first.difference.kind === "differs" || others.length === 0) return inserted(before, first);
  let text = after;
  for (const offset of others.toSorted((a, b) => b - a)) {
    text = text.slice(0, offset) + CARRIED_MARKER + text.slice(offset);
  }
  return inserted(before, compare({ before, after: text, file, ...allowed }));
}

function inserted(before: string, { difference, comparison, after }: Compared): InsertedSource {
  const [then, now] = [new Lines(before), new Lines(after)];
  return {
    difference,
    text: after,
    before: ({ line, column }) => {
      const at = comparison.pairs.get(now.startOf(line) + column - 1);
      return at === undefined ? undefined : then.at(at);
    },
  };
}

interface Compared {
  readonly after: string;
  readonly difference: SourceDifference;
  readonly comparison: Comparison;
}

function compare(
  texts: Allowed & { readonly before: string; readonly after: string; readonly file: string },
): Compared {
  const { before, after, file } = texts;
  const [old, now] = [parseSource(file, before), parseSource(file, after)];
  const comparison = new Comparison(texts, now.program);
  const lines = new Lines(after);
  const differs = (line: number, why: string): Compared => {
    return { after, comparison, difference: { kind: "differs", line, why } };
  };
  if (now.problem) {
    const { line } = lines.at(now.problem.offset);
    return differs(line, `it cannot be parsed: ${now.problem.message}`);
  }
  if (old.problem) return differs(1, "the recorded text cannot be parsed");
  if (becomesModule({ text: before, ...old }, { text: after, ...now }, texts)) {
    return differs(1, "it would become a module, and was loaded as CommonJS");
  }
  const found = comparison.difference(old.program, now.program);
  if (found) return differs(lines.at(found.offset).line, found.why);
  const added = comparison.added.map(({ offset, name, text }) => {
    return { place: { file, ...lines.at(offset) }, name, text };
  });
  const difference =
    added.length === 0 ? { kind: "same" as const } : { kind: "logs" as const, added };
  return { after, comparison, difference };
}

interface ComparedText {
  readonly text: string;
  readonly program: Program;
}

/** Node loads a file in another way once it has an import, unless its name or its package says how. */
function becomesModule(
  old: ComparedText,
  now: ComparedText,
  { file, textOf = () => undefined }: Pick<Allowed, "textOf"> & { readonly file: string },
): boolean {
  if (!hasModuleSyntax(now.program, now.text)) return false;
  return moduleKindOf({ file, ...old }, textOf) === "commonjs";
}

interface Difference {
  /** In the newer text. */
  readonly offset: number;
  readonly why: string;
}

/** Longest piece of source in a message. */
const TEXT_MAX = 60;

class Comparison {
  readonly added: {
    readonly offset: number;
    readonly name: string | null;
    readonly text: string;
  }[] = [];
  /** Where nodes of the newer text begin to where they did in the older. */
  readonly pairs = new Map<number, number>();
  /** Where something begins that was added besides log statements. */
  readonly others: number[] = [];
  readonly #before: string;
  readonly #after: string;
  readonly #names: SdkNames;
  readonly #also: ReadonlySet<string>;

  constructor(texts: Allowed & { readonly before: string; readonly after: string }, now: Program) {
    const { before, after, also } = texts;
    this.#before = before;
    this.#after = after;
    this.#names = sdkNames(now, modeOf(texts));
    this.#also = new Set(also.map(bare));
  }

  /** The first difference that is more than an added log statement. */
  difference(old: Node, now: Node): Difference | undefined {
    if (old.type !== now.type) return this.#braced(old, now);
    this.pairs.set(now.start, old.start);
    for (const key of comparedFields(old, now)) {
      const found = this.#field(fieldOf(old, key), fieldOf(now, key), { old, now, key });
      if (found) return found;
    }
    return undefined;
  }

  /** Braces may have been put around a body, so that more than one statement can stand there. */
  #braced(old: Node, now: Node): Difference | undefined {
    if (now.type !== "BlockStatement" || this.#also.size === 0) return this.#changed(old, now);
    this.others.push(now.start);
    const own = now.body.filter((statement) => !this.#isCarried(statement, undefined));
    const [inner] = own;
    const value = inner?.type === "ReturnStatement" && !isStatement(old) ? inner.argument : inner;
    return own.length === 1 && value ? this.difference(old, value) : this.#changed(old, now);
  }

  #field(
    old: unknown,
    now: unknown,
    at: { readonly old: Node; readonly now: Node; readonly key: string },
  ): Difference | undefined {
    if (Array.isArray(old) && Array.isArray(now)) {
      if (isStatements(at.now, at.key)) {
        return this.#statements(old as Statement[], now as Statement[], at);
      }
      if (old.length !== now.length) return this.#changed(at.old, at.now);
      for (const [index, item] of old.entries()) {
        const found = this.#field(item, now[index], at);
        if (found) return found;
      }
      return undefined;
    }
    if (isNode(old) && isNode(now)) {
      const found = this.difference(old, now);
      // A statement says more than the one word in it that differs.
      return found && isSmall(now) && !isSmall(at.now) ? this.#changed(at.old, at.now) : found;
    }
    return isSamePlain(old, now) ? undefined : this.#changed(at.old, at.now);
  }

  #statements(
    old: readonly Statement[],
    now: readonly Statement[],
    around: { readonly now: Node },
  ): Difference | undefined {
    let next = 0;
    for (const statement of now) {
      const expected = old[next];
      if (this.#isCarried(statement, expected)) continue;
      if (!expected) {
        const why = `${this.#text(statement, this.#after)} is new`;
        return { offset: statement.start, why };
      }
      const found = this.#sameImport(expected, statement)
        ? undefined
        : this.difference(expected, statement);
      if (found) return found;
      next += 1;
    }
    const gone = old[next];
    if (!gone) return undefined;
    const offset = now.at(-1)?.end ?? around.now.start;
    return { offset, why: `${this.#text(gone, this.#before)} is gone` };
  }

  /** Whether a statement was added that may be; if so it is noted. */
  #isCarried(statement: Statement, expected: Statement | undefined): boolean {
    if (expected && isEqual(expected, statement)) return false;
    if (isSdkImport(statement)) return !expected || !isSdkImport(expected);
    if (isSdkRequire(statement)) return !expected || !isSdkRequire(expected);
    const call = logCallOf(statement, this.#names);
    if (call) this.#note(call);
    else if (!this.#also.has(bare(this.#after.slice(statement.start, statement.end)))) return false;
    else {
      this.others.push(statement.start);
      for (const one of logCallsIn(statement, this.#names)) this.#note(one);
    }
    return true;
  }

  #note(call: Extract<Node, { type: "CallExpression" }>): void {
    const { console } = this.#names;
    const printed = (console ? consoleLogOf(call, console) : undefined) ?? recordLogOf(call);
    const name = printed ? (printed.names[0] ?? null) : firstText(call);
    this.added.push({ offset: call.start, name, text: this.#after.slice(call.start, call.end) });
  }

  /** An import of the SDK may take more from it than before. */
  #sameImport(old: Statement, now: Statement): boolean {
    if (!isSdkImport(old) || !isSdkImport(now)) return false;
    return old.specifiers.every((one) => now.specifiers.some((other) => isEqual(one, other)));
  }

  #changed(old: Node, now: Node): Difference {
    const [was, is] = [this.#text(old, this.#before), this.#text(now, this.#after)];
    return { offset: now.start, why: was === is ? `${is} has changed` : `it was ${was}` };
  }

  #text({ start, end }: Node, text: string): string {
    const line = text.slice(start, end).split(/\r?\n/)[0] ?? "";
    return line.length > TEXT_MAX ? `${line.slice(0, TEXT_MAX - 1)}…` : line;
  }
}

/** The name that `log` gets, if it is written out. */
function firstText({
  arguments: [first],
}: Extract<Node, { type: "CallExpression" }>): string | null {
  return first?.type === "Literal" && typeof first.value === "string" ? first.value : null;
}

/** Lists of statements, into which log statements can be put. */
function isStatements({ type }: Node, key: string): boolean {
  switch (type) {
    case "Program":
    case "BlockStatement":
    case "StaticBlock":
    case "TSModuleBlock":
      return key === "body";
    case "SwitchCase":
      return key === "consequent";
    default:
      return false;
  }
}

function isStatement({ type }: Node): boolean {
  return /(?:Statement|Declaration)$/.test(type);
}

/** A statement as two texts of it are compared: the layout at its ends does not count. */
function bare(text: string): string {
  return text.trim().replace(/;$/, "");
}

function isSmall({ type }: Node): boolean {
  return !/Statement$|Declaration$|^Program$|^MethodDefinition$|^PropertyDefinition$/.test(type);
}
