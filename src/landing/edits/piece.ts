/**
 * @file The question behind an added log call: of all that was added to a file, what the call needs,
 * what changes what it reads, and what undoes that. Followed by names until nothing more belongs to
 * it: to put in more of what somebody wrote than is needed is right, to leave out half of it is not.
 */
import type { Binding, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import type { FileEdit, Gap } from "./align.ts";
import type { Since } from "./carried-names.ts";
import { begunSince, carriedSince, changedOfRun, doneElsewhere } from "./carried-names.ts";
import type { Counter } from "./counters.ts";
import { counterOf } from "./counters.ts";
import type { Added, Described } from "./described.ts";
import { Additions, contains, holds, isBefore, isLog } from "./described.ts";
import type { Intervention } from "./interventions.ts";
import { interventionOf } from "./interventions.ts";
import { isVariable } from "../pairing/written-values.ts";
import { keptValues, readsNamesAsTexts } from "./kept-values.ts";
import { newTextOf } from "./changed-lines/shapes.ts";

/** Why an added statement belongs to a question. */
export type PieceReason = "asked" | "needed" | "changes what it reads" | "undoes it" | "same part";

export interface PieceStatement {
  readonly statement: Statement;
  readonly gap: Gap;
  readonly reason: PieceReason;
}

export interface FilePiece {
  /** In the order of the newer text; empty if no asked call was added. */
  readonly statements: readonly PieceStatement[];
  /** Then what is asked is no question about the run. */
  readonly intervention: Intervention | undefined;
  /** Names and properties that one part of it sets and another one uses: they are in no checkpoint. */
  readonly state: readonly string[];
  /** The same, where they begin anew in each iteration of a loop, or in each call of a function. */
  readonly gathered: readonly Gathered[];
  /** The same, where it is a number that only counts iterations. */
  readonly counters: readonly GatheredCounter[];
  /** Properties that only it gives to objects of the run. */
  readonly fields: readonly string[];
}

export interface Gathered {
  readonly name: string;
  /** The loop or function. */
  readonly within: Span;
}

export interface GatheredCounter extends Counter {
  /** The loop or function that begins it anew; undefined: it begins once. */
  readonly within: Span | undefined;
}

/** What is put in to evaluate log calls; `needed`: where statements begin that belong to it anyway. */
export function pieceFor(
  edit: FileEdit,
  asked: readonly number[],
  needed: readonly number[] = [],
): FilePiece {
  return new PieceChoice(edit).choose(asked, needed);
}

class PieceChoice {
  readonly #additions: Additions;
  readonly #chosen = new Map<Added, PieceReason>();

  constructor(edit: FileEdit) {
    this.#additions = new Additions(edit);
  }

  choose(asked: readonly number[], needed: readonly number[]): FilePiece {
    for (const one of this.#additions.all) {
      if (needed.includes(one.statement.node.start)) this.#chosen.set(one, "needed");
      const { isLog, node } = one.statement;
      const text = isLog ? [node] : newTextOf(one.statement, one.shaped);
      const isAsked = text.some((part) => asked.some((offset) => holds(part, offset)));
      if (isAsked) this.#chosen.set(one, "asked");
    }
    while (this.#chosen.size > 0 && this.#chooseMore());
    const chosen = [...this.#chosen.keys()];
    const statements = this.#additions.all.flatMap((one) => {
      const found = this.#chosen.get(one);
      if (!found) return [];
      return [{ statement: one.statement, gap: one.gap, reason: this.#reasonOf(one, found) }];
    });
    return {
      statements,
      intervention: interventionOf(this.#additions, new Set(chosen)),
      ...this.#state(),
      fields: this.#additions.newProperties(chosen),
    };
  }

  /** Why it belongs to the whole, for a person: by what stands before it and behind it. */
  #reasonOf(one: Added, found: PieceReason): PieceReason {
    if (found === "asked" || found === "needed") return found;
    const isShared = (other: Added): boolean =>
      [...one.changes].some((name) => other.names.has(name));
    const values = [...this.#chosen].filter(([, why]) => why === "asked" || why === "needed");
    if (values.some(([other]) => isBefore(one, other) && isShared(other))) {
      return "changes what it reads";
    }
    const others = [...this.#chosen.keys()].filter((other) => isBefore(other, one));
    const isUndo = others.some(({ changes }) => [...changes].some((name) => one.changes.has(name)));
    return isUndo ? "undoes it" : found;
  }

  /** Takes what belongs to what was taken; false if nothing does. */
  #chooseMore(): boolean {
    const before = this.#chosen.size;
    for (const one of this.#additions.all) {
      if (this.#chosen.has(one) || this.#isOtherQuestion(one)) continue;
      const reason = this.#reasonFor(one);
      if (reason) this.#chosen.set(one, reason);
    }
    return this.#chosen.size > before;
  }

  /** A log call of another name; `log = losses.append`, `log(1)` is none. */
  #isOtherQuestion(one: Added): boolean {
    if (!isLog(one) || one.statement.leaves || this.#printsInto(one)) return false;
    // What it stands around may log, for the run.
    if (one.shaped?.wraps) return false;
    const { calls } = this.#additions.edit.now.uses;
    const call = calls.find(({ node }) => node.start === one.statement.node.start);
    const references = this.#additions.references(one.statement.node);
    const logger = references.find(({ node }) => node === call?.callee)?.binding;
    return !logger || !isVariable(logger) || !this.#additions.isNew(logger);
  }

  /** `print(x, file=out)`, `with redirect_stdout(out): print(x)`: for who reads `out`. */
  #printsInto({ statement: { node } }: Added): boolean {
    const { text } = this.#additions.edit.now;
    const own = text.slice(node.start, node.end);
    const [head = ""] = /^with\b[^\n]*|\bfile\s*=[^=].*/.exec(own) ?? [];
    const from = node.start + own.indexOf(head);
    const span = { start: from, end: from + head.length };
    return this.#additions.references(span).some(({ binding }) => {
      return binding !== null && isVariable(binding) && this.#additions.isNew(binding);
    });
  }

  #reasonFor(one: Added): PieceReason | undefined {
    const chosen = [...this.#chosen.keys()];
    // Whoever reads it may do so by a text.
    if (one.shaped?.option !== undefined) return "needed";
    if (one.shaped && chosen.some(({ shaped }) => shaped?.group === one.shaped?.group)) {
      return "needed";
    }
    const { keys = [] } = one.shaped ?? {};
    if (keys.some((key) => chosen.some((taken) => this.#says(taken, key)))) return "needed";
    if (chosen.some((taken) => this.#isConnected(one, taken))) {
      if ([...one.changes].some((binding) => isDeclaredIn(binding, one.statement.node))) {
        return "needed";
      }
      const { start } = one.statement.node;
      const isAfter = chosen.every(({ statement }) => statement.node.start < start);
      return isAfter ? "undoes it" : "changes what it reads";
    }
    // What stood elsewhere is no addition, unless what was asked needs it.
    const isMoved = this.#additions.edit.displaced.has(one.statement);
    const isSamePart = !one.shaped && !isMoved && chosen.some(({ gap }) => gap === one.gap);
    return isSamePart && !this.#isIndependent(one) ? "same part" : undefined;
  }

  /**
   * Whether a statement changes what another one mentions, or hands over a function in which the other
   * one stands. What a call that nobody knows may change of the run is most often set back when its part
   * has been executed, so that counts only for what stands in the same part, or in or below the same block.
   */
  #isConnected(one: Added, taken: Added): boolean {
    const isNear = one.gap === taken.gap || contains(one.gap.now.owner, taken.statement.node);
    const isShared = [...one.changes].some((binding) => {
      const isLasting = one.alters.has(binding) || this.#additions.isNew(binding);
      return taken.names.has(binding) && (isNear || isLasting);
    });
    if (isShared || this.#sharesValue(one, taken) || this.#mayBeMeant(one, taken)) return true;
    const properties = [...this.#additions.newProperties([one]), ...this.#changedProperties(one)];
    if (properties.some((name) => taken.properties.has(name))) return true;
    const isFunction = taken.statement.parameters !== undefined || taken.statement.isDeclaration;
    return isFunction && [...taken.changes].some((binding) => one.names.has(binding));
  }

  /** `hist` of `this.hist.push(w)`: who reads it may call the object otherwise. */
  #changedProperties({ statement: { node, parameters } }: Added): string[] {
    if (parameters !== undefined) return [];
    const { calls, members } = this.#additions.edit.now.uses;
    const called = calls.filter((call) => contains(node, call.node) && call.effect !== "none");
    const holders = members.filter((one) => {
      return called.some(({ callee }) => {
        return callee.start === one.node.start && callee.end > one.node.end;
      });
    });
    return holders.map(({ name }) => name);
  }

  /** Whether both mention a value that only added statements have: who of them changes it, nobody knows. */
  #sharesValue(one: Added, taken: Added): boolean {
    const isShared = (binding: Binding): boolean =>
      (taken.names.has(binding) || taken.binds.has(binding)) &&
      isVariable(binding) &&
      this.#additions.isNew(binding);
    // `global n` mentions nothing.
    const text = this.#additions.edit.now.text.slice(
      one.statement.node.start,
      one.statement.node.end,
    );
    const [, listed] = /^(?:global|nonlocal)\s+(.*)$/.exec(text) ?? [];
    const declared = listed?.split(/\s*,\s*/) ?? [];
    return (
      [...one.names, ...one.binds].some(isShared) ||
      [...taken.names].some(({ name }) => declared.includes(name))
    );
  }

  /** Whether it sets a name that the other one may read by a text. */
  #mayBeMeant({ binds }: Added, { statement: { node } }: Added): boolean {
    const { text } = this.#additions.edit.now;
    return binds.size > 0 && readsNamesAsTexts(text.slice(node.start, node.end));
  }

  #says({ statement: { node } }: Added, word: string): boolean {
    const words = this.#additions.edit.now.text
      .slice(node.start, node.end)
      .split(/[^\p{L}\p{N}_$]+/u);
    return words.includes(word);
  }

  /** It gives values to names that only added statements have, and does nothing else. */
  #isIndependent({ statement, changes }: Added): boolean {
    const { effect, leaves } = statement;
    const isHarmless = (effect === "none" || effect === "clock") && !leaves;
    return isHarmless && [...changes].every((binding) => this.#additions.isNew(binding));
  }

  /** What only added statements write, and one uses that may be executed without those. */
  #state(): Pick<FilePiece, "state" | "gathered" | "counters"> {
    const chosen = [...this.#chosen.keys()];
    const { now } = this.#additions.edit;
    const since = new Map<Binding, Since | undefined>();
    const isUsedElsewhere = (one: Added, uses: (other: Added) => boolean): boolean =>
      chosen.some((other) => other.gap !== one.gap && uses(other));
    // A name of the run to which it gives values is as if it were its own.
    const isNew = (binding: Binding): boolean =>
      this.#additions.isNew(binding) || chosen.some(({ binds }) => binds.has(binding));
    for (const one of chosen) {
      for (const binding of one.sets) {
        const isShared = isUsedElsewhere(one, (other) => other.names.has(binding));
        if (isNew(binding) && isVariable(binding) && isShared)
          since.set(binding, carriedSince(binding, chosen, now));
      }
    }
    const kept = keptValues(chosen, now, isNew);
    for (const name of kept.names) {
      since.set(name, since.get(name) ?? begunSince(name, chosen, now));
    }
    const counted = new Map<Binding, GatheredCounter>();
    for (const [binding, at] of since) {
      const counter = at && counterOf(binding, chosen, now);
      if (!counter) continue;
      since.delete(binding);
      counted.set(binding, { ...counter, within: at === "start" ? undefined : at.node });
    }
    const counters = [...counted.values()];
    const fromStart = [...kept.names].filter((binding) => since.get(binding) === "start");
    const names = chosen.flatMap((one) => [
      ...[...one.sets].filter((name) => since.get(name) === "start").map(({ name }) => name),
      // A restored object has only what it had.
      ...(one.shaped?.option === undefined ? [] : [one.shaped.option]),
      ...(one.shaped?.keys ?? []),
      ...(one.shaped?.carried ?? []),
      ...[
        ...this.#additions.newProperties(isMethod(one) ? [] : [one]),
        ...this.#changedProperties(one),
      ].filter((name) => {
        return isUsedElsewhere(one, (other) => other.properties.has(name));
      }),
    ]);
    const older = [...fromStart.map(({ name }) => name), ...kept.globals];
    const carried = [...new Set([...names, ...older, ...changedOfRun(chosen, isNew)])];
    const begunAnew = [...since].flatMap(([binding, at]) => {
      return at === undefined || at === "start" ? [] : [{ binding, within: at.node }];
    });
    // What it does for names that begin anew is done again with them, if nothing of it is older.
    const isDoneAnew = ({ names: used }: Pick<Described, "names">): boolean => {
      const own = [...used].filter((binding) => {
        return isNew(binding) && isVariable(binding) && !counted.has(binding);
      });
      const makers = chosen.filter(({ binds }) => own.some((name) => binds.has(name)));
      return begunAnew.some(({ binding, within }) => {
        return (
          used.has(binding) && makers.every(({ statement }) => contains(within, statement.node))
        );
      });
    };
    const isKnown = (one: Pick<Described, "names" | "statement">): boolean =>
      isDoneAnew(one) || counters.some(({ counting }) => counting === one.statement.node);
    return {
      state: carried.length > 0 ? carried : doneElsewhere(chosen, now, isKnown),
      counters,
      gathered: begunAnew.map(({ binding: { name }, within }) => ({ name, within })),
    };
  }
}

function isMethod({ statement }: Described): boolean {
  return statement.member !== undefined && statement.parameters !== undefined;
}

function isDeclaredIn({ declarations }: Binding, node: Span): boolean {
  return declarations.every((declaration) => contains(node, declaration));
}
