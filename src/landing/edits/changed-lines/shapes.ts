/**
 * @file Statements of a newer version that stand for one of the older and compute the same, with more
 * to see: a result bound to a name, a loop that counts, a part of an expression named before it. What
 * is new in them is said as parts of the text with what the older version has there.
 */
import type { Edit, ParsedFile, Shape, Statement } from "../../../languages/index.ts";
import type { Span } from "../../../tree/index.ts";
import { Comparison } from "./comparison.ts";
import type { Extended } from "./extended.ts";
import type { ObjectUses } from "./object-uses.ts";
import type { Forms } from "../forms.ts";
import { definitionOf, functionAround, givesValues, isOfBody } from "./function-names.ts";
import { ONLY } from "./match-results.ts";
import { Match } from "./match.ts";
import { OldNames } from "./old-names.ts";
import type { OtherFiles } from "./other-files.ts";
import type { Wrapped } from "./wrapped.ts";

/** A statement that the newer version has in place of one of the older. */
export interface Shaped {
  /** The one of the older version; undefined: it evaluates a part of another one before it. */
  readonly then: Statement | undefined;
  /** What differs, with what the older version says there. */
  readonly undo: readonly Edit[];
  /** The same for statements that are one change: all of them, or none. */
  readonly group: object;
  /** Parts of both versions that are the same though what is around them differs. */
  readonly same: readonly (readonly [then: Shape, now: Shape])[];
  /** It imports more: in another version, what is needed of that comes along. */
  readonly isImport?: true;
  /** It makes the program have an option that only what was added reads, by this name. */
  readonly option?: string;
  /** Names of the older version that it no longer sets, because nothing reads them. */
  readonly unset?: readonly string[];
  /** Statements of the older version stand in it: it was added around them. */
  readonly wraps?: Wrapped;
  /** It has functions take more. */
  readonly extended?: readonly Extended[];
  /** It gives more back, or takes more: only if all others of its function do. */
  readonly widened?: readonly Widened[];
  /** The function whose result it names, which was ignored. */
  readonly result?: string | undefined;
  /** Keys that a mapping has in addition, and nothing of the run reads. */
  readonly keys?: readonly string[];
  /** It is put around functions of the run: all of it is new. */
  readonly isDecorator?: true;
  /** Functions of the newer version that it has around it. */
  readonly decorators?: readonly string[];
  /** Names that it uses, whose values are known only if the whole run is executed. */
  readonly carried?: readonly string[];
}

/** What a function gives back, with more beside it. */
export interface Widened {
  readonly function: string;
  readonly is: "return" | "call";
  /** Where in it that is what was given before: a number, a key, or the first so many. */
  readonly place: string;
  /** Of how many, where that is known. */
  readonly count: number | undefined;
}

export interface Versions {
  readonly then: ParsedFile;
  readonly now: ParsedFile;
  readonly formsThen: Forms;
  readonly formsNow: Forms;
  readonly others: OtherFiles;
  /** Where things of the older version go. */
  readonly flow: ObjectUses;
}

/** The parts of an added statement that the older version does not have. */
export function newTextOf({ node }: Statement, shaped: Shaped | undefined): Span[] {
  if (shaped?.wraps) return [...shaped.undo];
  if (!shaped?.then) return [node];
  let parts: Span[] = [...shaped.undo];
  for (const [, { start, end }] of shaped.same) {
    parts = parts.flatMap((part) => {
      if (end <= part.start || part.end <= start) return [part];
      const rest = [
        { start: part.start, end: start },
        { start: end, end: part.end },
      ];
      return rest.filter((one) => one.start < one.end);
    });
  }
  return parts;
}

/** Where nothing that a function gives can be: it would leave what follows undone. */
const NOWHERE = "";

/** Finds such statements. */
export class Shapes {
  readonly #versions: Versions;
  readonly #oldNames: OldNames;

  constructor(versions: Versions) {
    this.#versions = versions;
    this.#oldNames = new OldNames(versions.then);
  }

  /** Of what stands between the same two neighbours: which of `added` stands for which of `gone`. */
  find(gone: readonly Statement[], added: readonly Statement[]): Map<Statement, Shaped> {
    const found = new Map<Statement, Shaped>();
    let next = 0;
    for (const old of gone) {
      for (let at = next; at < added.length; at++) {
        const own = added[at];
        const before = added.slice(next, at).filter((one) => !found.has(one));
        const shaped = own && this.#match(old, own, before);
        if (!shaped) continue;
        for (const [statement, shape] of shaped) found.set(statement, shape);
        next = at + 1;
        break;
      }
    }
    for (const one of added.filter((own) => !found.has(own))) {
      const widened = this.#returnOf(one);
      if (widened) found.set(one, { then: undefined, undo: [], group: {}, same: [], widened });
      const option = this.#optionOf(one);
      if (option === undefined) continue;
      found.set(one, { then: undefined, undo: [], group: {}, same: [], option });
    }
    return found;
  }

  /** The name of an option that the older version does not have. */
  #optionOf(statement: Statement): string | undefined {
    const { then, now, formsNow } = this.#versions;
    const option = now.language.optionOf(formsNow.of(statement).shape);
    return then.uses.members.some(({ name }) => name === option) ? undefined : option;
  }

  /** `return a` at the end of a function that gave nothing back. */
  #returnOf(statement: Statement): Widened[] | undefined {
    const { then, now, formsNow } = this.#versions;
    const { owner } = statement;
    const anatomy = now.language.anatomyOf(formsNow.of(statement).shape);
    const name = functionAround(now, statement);
    if (anatomy?.kind !== "return" || !anatomy.value || name === undefined) return undefined;
    const own = definitionOf(then, name);
    if (!own || givesValues(then, own)) return undefined;
    const isLast =
      isOfBody(now, statement) &&
      now.lists.some((one) => one.owner === owner && one.statements.at(-1) === statement);
    const comparison = new Comparison(this.#versions, this.#oldNames, statement);
    const isFree = isLast && comparison.onlyComputes(anatomy.value);
    return [{ function: name, is: "return", place: isFree ? ONLY : NOWHERE, count: undefined }];
  }

  #match(
    then: Statement,
    now: Statement,
    before: readonly Statement[],
  ): Map<Statement, Shaped> | undefined {
    const match = new Match(this.#versions, this.#oldNames, then, before);
    const [old, own] = [this.#versions.formsThen.of(then), this.#versions.formsNow.of(now)];
    if (!match.statements(old.shape, own.shape)) return undefined;
    const { namings } = match;
    const group = {};
    const shaped = new Map<Statement, Shaped>(
      namings.map((one) => [one, { then: undefined, undo: [], group, same: [] }]),
    );
    const { undo, same, unset, extended, widened, result, keys, carried, decorators } = match.found;
    const more = { unset, extended, widened, result, keys, carried, decorators };
    return shaped.set(now, { then, undo, group, same, ...more });
  }
}
