/** @file Two statements, compared part by part: whether one is the other with more to see. */
import type { Anatomy, Shape, Statement } from "../../../languages/index.ts";
import type { Span } from "../../../tree/index.ts";
import type { IsSame } from "./comparison.ts";
import { Comparison } from "./comparison.ts";
import { asksForResult, isTold } from "./described-calls.ts";
import { definitionOf } from "./function-names.ts";
import { areSameBranches, declaresMore, exportsMore } from "./match-lists.ts";
import { isSameLoop } from "./match-loops.ts";
import { logsMore } from "./match-logs.ts";
import {
  givesMore,
  givesSomething,
  placeIn,
  takenFrom,
  takesApart,
  takesMore,
} from "./match-results.ts";
import type { OldNames } from "./old-names.ts";
import { onlyShows } from "./own-decorators.ts";
import { givesBack } from "./passing.ts";
import type { Versions, Widened } from "./shapes.ts";

/** One statement of each version, compared. */
export class Match {
  readonly #own: Comparison;
  /** Statements before it that may name a part of it. */
  readonly #before: readonly Statement[];
  /** What the older version evaluates, and does nothing with. */
  #ignored: Shape | undefined;
  readonly #named: { readonly statement: Statement; readonly then: Shape }[] = [];

  constructor(
    versions: Versions,
    oldNames: OldNames,
    then: Statement,
    before: readonly Statement[],
  ) {
    this.#own = new Comparison(versions, oldNames, then);
    this.#before = before;
  }

  /** What was found. */
  get found(): Comparison {
    return this.#own;
  }

  /** Those that name a part of it. */
  get namings(): Statement[] {
    return this.#named.map(({ statement }) => statement);
  }

  statements(then: Shape, now: Shape): boolean {
    return this.#statement(then, now) && this.#isInOrder(then);
  }

  #statement(then: Shape, now: Shape): boolean {
    const [old, own] = [this.#own.anatomyThen(then), this.#own.anatomyNow(now)];
    if (old?.kind === "evaluation" && own?.kind === "assignment") {
      this.#own.differs(then, now);
      this.#own.result = this.#own.calledIn(old.value);
      this.#ignored = old.value;
      return this.#own.areNew(own.target) && this.#isInside(old.value, own.value);
    }
    if (old?.kind === "exported" && own?.kind === "exported") {
      return this.#statement(old.statement, own.statement);
    }
    if (own?.kind === "exported") {
      this.#own.undo.push({ start: now.start, end: own.statement.start, text: "" });
      return this.#isSameOrMore(then, own.statement);
    }
    if (old?.kind === "exported") {
      const text = this.#own.versions.then.text.slice(then.start, old.statement.start);
      this.#own.undo.push({ start: now.start, end: now.start, text });
      return this.#isSameOrMore(old.statement, now);
    }
    if (old?.kind === "exports" && own?.kind === "exports") return exportsMore(this.#own, old, own);
    if (own?.kind === "declarations") return declaresMore(this.#own, then, now);
    if (old?.kind === "function" && own?.kind === "function") return this.#takes(old, own);
    if (old?.kind === "function") return this.#isShown(then, now);
    if (old?.kind === "loop" && own?.kind === "loop") {
      // What a loop goes over may be changed in it, and a replay may leave the loop out.
      const isNamed: IsSame = (a, b) => this.#isNamed(a, b) && this.#own.carries(b);
      const targets: IsSame = (a, b) => this.#targets(a, b);
      return isSameLoop(this.#own, old, own, { targets, isNamed });
    }
    if (old?.kind === "branch" && own?.kind === "branch") {
      return areSameBranches(this.#own, old, own) && this.#expression(old.condition, own.condition);
    }
    if (old?.kind === "assignment" && own?.kind === "assignment") {
      const isSame =
        this.#targets(old.target, own.target) ||
        takesMore(this.#own, old, own) ||
        takesApart(this.#own, old, own);
      return isSame && this.#expression(old.value, own.value);
    }
    if (old?.kind === "return" && own?.kind === "return" && own.value) {
      if (!old.value) return givesSomething(this.#own, then, { statement: now, value: own.value });
      if (this.#tried(old.value, own.value)) return true;
      return givesMore(this.#own, this.#isSame, old.value, own.value);
    }
    if (old?.kind === "evaluation" && own?.kind === "evaluation" && this.#own.then.isLogOnly) {
      if (this.#tried(old.value, own.value)) return true;
      this.#own.differs(then, now);
      return logsMore(this.#own, this.#isSame, old.value, own.value);
    }
    return this.#expression(then, now);
  }

  /** Whether a definition is the same, but perhaps for what stands in its blocks. */
  #isSameOrMore(then: Shape, now: Shape): boolean {
    return this.#isSameAround(then, now) || this.#statement(then, now);
  }

  #isSameAround(then: Shape, now: Shape): boolean {
    const { formsThen, formsNow } = this.#own.versions;
    if (then.label !== now.label || then.parts.length !== now.parts.length) return false;
    return then.parts.every((part, at) => {
      const other = now.parts[at];
      return other && formsThen.aroundBy(part) === formsNow.aroundBy(other);
    });
  }

  /** As `#expression`, with nothing noted where it is not the same. */
  #tried(then: Shape, now: Shape): boolean {
    const { length } = this.#named;
    if (this.#own.tried(() => this.#expression(then, now))) return true;
    this.#named.splice(length);
    return false;
  }

  readonly #isSame = (then: Shape, now: Shape): boolean => this.#tried(then, now);

  /** Whether an expression is the same, or a part of another one that does nothing else. */
  #isInside(then: Shape, now: Shape): boolean {
    if (this.#tried(then, now)) return true;
    const anatomy = this.#own.anatomyNow(now);
    if (!anatomy || (anatomy.kind === "call" && !this.#own.isHarmless(now))) return false;
    return now.parts.some((part) => {
      const others = now.parts.filter((other) => other !== part);
      return this.#isInside(then, part) && others.every((other) => this.#own.onlyComputes(other));
    });
  }

  /** The same expression, but for what a statement before it has named. */
  #expression(then: Shape, now: Shape): boolean {
    const { formsThen, formsNow } = this.#own.versions;
    if (this.#own.areEqual(then, now)) return true;
    if (this.#isNamed(then, now) || this.#isLookedAt(then, now)) return true;
    if (this.#isTaken(then, now) || this.#hasMoreKeys(then, now)) return true;
    if (formsNow.isBlock(now)) return formsThen.isBlock(then);
    const isAlike = then.label === now.label && then.parts.length === now.parts.length;
    if (this.#givesMoreTo(then, now)) return true;
    if (then === this.#ignored && asksForResult(this.#own, then, now)) return true;
    // What may leave out a part of it, or evaluate one often, is the same or another.
    if (!isAlike || !this.#own.anatomyThen(then)) return false;
    return then.parts.every((part, at) => {
      const other = now.parts[at];
      return other !== undefined && this.#expression(part, other);
    });
  }

  /** `def f(a, tag=0)` for `def f(a)`: nothing of the run has such a name there. */
  #takes(then: DefinedFunction, now: DefinedFunction): boolean {
    const [old, own] = [then.parameters, now.parameters];
    const isOpen = old.some(({ label }) => /^(?:list_splat|dictionary_splat|Rest)/.test(label));
    if (then.name !== now.name || own.length <= old.length || isOpen) return false;
    const isSame = old.every((one, at) => this.#own.isSameTarget(one, own[at] ?? now.body));
    const more = own.slice(old.length).map((one) => this.#own.anatomyNow(one));
    const names = more.flatMap((one) => {
      const isLiteral =
        one?.kind === "named" && this.#own.anatomyNow(one.value)?.kind === "literal";
      return isLiteral && !this.#own.oldNames.has(one.name, then.body) ? [one.name] : [];
    });
    if (!isSame || names.length < more.length) return false;
    this.#own.isMore(own, old.length);
    this.#own.extended.push({
      is: "definition",
      function: then.name,
      before: old.filter(({ label }) => !/^identifier (?:self|cls)$/.test(label)).length,
      more: names,
    });
    return true;
  }

  /** `@show` above `def f(a)`, where `show` leaves functions as they are. */
  #isShown(then: Shape, now: Shape): boolean {
    const { versions } = this.#own;
    const decorated = versions.now.language.decoratedBy(now);
    if (!decorated?.decorators.every((one) => onlyShows(versions, one))) return false;
    const { definition } = decorated;
    this.#own.undo.push({ start: now.start, end: definition.start, text: "" });
    this.#own.decorators.push(...decorated.decorators.map(({ name }) => name));
    return this.#isSameAround(then, definition);
  }

  /** `f(x, tag=2)` for `f(x)`. */
  #givesMoreTo(then: Shape, now: Shape): boolean {
    const [old, own] = [this.#own.anatomyThen(then), this.#own.anatomyNow(now)];
    const called = this.#own.calledIn(then);
    if (old?.kind !== "call" || own?.kind !== "call" || called === undefined) return false;
    if (!definitionOf(this.#own.versions.then, called)) return false;
    const more = own.given.slice(old.given.length);
    if (more.length === 0 || !this.#expression(old.callee, own.callee)) return false;
    const isSame = old.given.every((one, at) => this.#expression(one, own.given[at] ?? now));
    if (!isSame || !more.every((one) => this.#own.onlyComputes(one))) return false;
    this.#own.isMore(own.given, old.given.length);
    const names = more.map((one) => {
      const anatomy = this.#own.anatomyNow(one);
      return anatomy?.kind === "named" ? anatomy.name : null;
    });
    const byPlace = old.given.filter((one) => this.#own.anatomyThen(one)?.kind !== "named").length;
    this.#own.extended.push({ is: "call", function: called, before: byPlace, more: names });
    return true;
  }

  /** `look(f(x))` for `f(x)`, where `look` gives back what it is given. */
  #isLookedAt(then: Shape, now: Shape): boolean {
    const own = this.#own.anatomyNow(now);
    const callee = own?.kind === "call" ? this.#own.anatomyNow(own.callee) : undefined;
    if (own?.kind !== "call" || callee?.kind !== "name") return false;
    const [first, ...others] = own.given;
    const { now: file, then: old, formsNow } = this.#own.versions;
    if (!first || this.#own.oldNames.has(callee.name, this.#own.then.node)) return false;
    if (!givesBack(file, formsNow, callee.name, old)) return false;
    const around = this.#own.undo.splice(0);
    const isSame = this.#expression(then, first);
    this.#own.undo.splice(0, this.#own.undo.length, ...around);
    if (!isSame || !others.every((one) => this.#own.onlyComputes(one))) return false;
    this.#own.differs(then, now);
    return true;
  }

  /** `{ a, b }` for `{ a }`, where nothing of the run would notice. */
  #hasMoreKeys(then: Shape, now: Shape): boolean {
    const [old, own] = [this.#own.anatomyThen(then), this.#own.anatomyNow(now)];
    if (old?.kind !== "mapping" || own?.kind !== "mapping") return false;
    if (then.label !== now.label || own.entries.length <= old.entries.length) return false;
    let next = 0;
    const keys: string[] = [];
    const told: string[] = [];
    const holder = this.#own.versions.flow.callWith(then);
    for (const one of own.entries) {
      const before = old.entries[next];
      const entry = this.#own.anatomyNow(one);
      if (before && this.#tried(before, one)) next += 1;
      else if (entry?.kind !== "named") return false;
      else if (isTold(this.#own, entry, holder)) told.push(entry.name);
      else if (this.#own.onlyComputes(entry.value)) keys.push(entry.name);
      else return false;
    }
    const known = old.entries.map((one) => this.#own.anatomyThen(one));
    const isNew = (key: string): boolean =>
      known.every((one) => one?.kind === "named" && one.name !== key);
    if (next < old.entries.length || ![...keys, ...told].every(isNew)) return false;
    const { flow } = this.#own.versions;
    if (keys.length > 0 && !flow.isReadByKeys(then, new Set(keys))) return false;
    this.#own.keys.push(...keys);
    this.#own.differs(then, now);
    return true;
  }

  /** `f(x)[0]` for `f(x)`, or `f(x).k`, where `f` gives more back. */
  #isTaken(then: Shape, now: Shape): boolean {
    const taken = takenFrom(this.#own, now);
    const called = this.#own.calledIn(then);
    // Of a result that nobody had, any part may be looked at.
    if (!taken || called === undefined || then === this.#ignored) return false;
    const { of, place, count } = taken;
    if (!this.#tried(then, of)) return false;
    this.#own.widened.push({ function: called, is: "call", place, count });
    this.#own.differs(then, now);
    return true;
  }

  /**
   * `loss(out)` for `loss(model(x))`, where `out = model(x)` stands before it; also where that takes it
   * from a wider result.
   */
  #isNamed(then: Shape, now: Shape): boolean {
    const own = this.#own.anatomyNow(now);
    if (own?.kind !== "name") return false;
    for (const statement of this.#before) {
      const given = this.#own.anatomyNow(this.#own.versions.formsNow.of(statement).shape);
      if (given?.kind !== "assignment" || this.namings.includes(statement)) continue;
      const target = this.#own.anatomyNow(given.target);
      const isWhole = target?.kind === "name" && target.name === own.name;
      const place = isWhole ? undefined : placeIn(this.#own, given.target, own.name);
      if (!isWhole && !place) continue;
      return this.#isNamedBy(then, now, { statement, given, place });
    }
    return false;
  }

  #isNamedBy(then: Shape, now: Shape, { statement, given, place }: Naming): boolean {
    const called = this.#own.calledIn(then);
    if (!this.#own.areNew(given.target) || (place && called === undefined)) return false;
    // Innermost first: that is how they are evaluated.
    const { undo } = this.#own;
    const around = undo.splice(0);
    const isSame = this.#expression(then, given.value);
    undo.splice(0, undo.length, ...around);
    this.#named.push({ statement, then });
    this.#own.differs(then, now);
    if (place && called !== undefined) {
      this.#own.widened.push({ function: called, is: "call", ...place });
    }
    return isSame;
  }

  /** Whether what was named is evaluated in the same order as before. */
  #isInOrder(then: Shape): boolean {
    const named = this.#named;
    const isInOrder = named.every(({ statement, then: { end } }, at) => {
      const before = named[at - 1];
      return (
        !before || (before.statement.node.start < statement.node.start && before.then.end <= end)
      );
    });
    const last = named.at(-1)?.then;
    const isNamed = ({ start, end }: Span): boolean =>
      named.some((one) => one.then.start <= start && end <= one.then.end);
    return isInOrder && (!last || this.#staysUntil(then, last, isNamed));
  }

  /** Whether all that is evaluated before a part of a statement stays the same meanwhile. */
  #staysUntil(shape: Shape, until: Shape, isNamed: (part: Span) => boolean): boolean {
    if (isNamed(shape) || shape.start >= until.end) return true;
    const anatomy = this.#own.anatomyThen(shape);
    // It sets its names when it has what it goes over.
    if (anatomy?.kind === "loop") return this.#staysUntil(anatomy.over, until, isNamed);
    const isAround = shape.start <= until.start && until.end <= shape.end;
    if (!anatomy) return shape.parts.length === 0;
    if (anatomy.kind === "assignment") {
      return (
        this.#own.oldNames.isOfFunction(anatomy.target, this.#own.then.node) &&
        this.#staysUntil(anatomy.value, until, isNamed)
      );
    }
    if (isAround) return shape.parts.every((part) => this.#staysUntil(part, until, isNamed));
    return this.#own.oldNames.isStable(shape, this.#own.then.node);
  }

  /** The same target, but for places that nothing reads, which have names now. */
  #targets(then: Shape, now: Shape): boolean {
    const [old, own] = [this.#own.anatomyThen(then), this.#own.anatomyNow(now)];
    if (old?.kind === "name" && own?.kind === "name" && old.name !== own.name) {
      const isIgnored = /^_+$/.test(old.name) && !this.#own.oldNames.isRead(old.name);
      if (isIgnored) {
        this.#own.differs(then, now);
        this.#own.unset.push(old.name);
      }
      return isIgnored && this.#own.areNew(now);
    }
    if (old?.kind === "sequence" && own?.kind === "sequence") {
      const isSame = then.label === now.label && then.parts.length === now.parts.length;
      return isSame && old.items.every((item, at) => this.#targets(item, own.items[at] ?? now));
    }
    return this.#expression(then, now);
  }
}

/** A statement that gives a name to something, or to a part of it. */
interface Naming {
  readonly statement: Statement;
  readonly given: Extract<Anatomy, { kind: "assignment" }>;
  readonly place: Pick<Widened, "place" | "count"> | undefined;
}

type DefinedFunction = Extract<Anatomy, { kind: "function" }>;
