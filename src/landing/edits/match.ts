/** @file Two statements, compared part by part: whether one is the other with more to see. */
import type { Anatomy, Edit, Shape, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import type { Extended } from "./extended.ts";
import { definitionsOf } from "./extended.ts";
import { functionAround } from "./function-names.ts";
import type { OldNames } from "./old-names.ts";
import { givesBack } from "./passing.ts";
import type { Versions, Widened } from "./shapes.ts";

/** One statement of each version, compared. */
export class Match {
  readonly #versions: Versions;
  readonly #oldNames: OldNames;
  readonly #then: Statement;
  /** Statements before it that may name a part of it. */
  readonly #before: readonly Statement[];
  readonly #named: { readonly statement: Statement; readonly then: Shape }[] = [];
  readonly undo: Edit[] = [];
  readonly same: (readonly [Shape, Shape])[] = [];
  /** Names that nothing reads, and that have others now. */
  readonly unset: string[] = [];
  readonly extended: Extended[] = [];
  widened: Widened | undefined;

  constructor(
    versions: Versions,
    oldNames: OldNames,
    then: Statement,
    before: readonly Statement[],
  ) {
    this.#versions = versions;
    this.#oldNames = oldNames;
    this.#then = then;
    this.#before = before;
  }

  /** Those that name a part of it. */
  get namings(): Statement[] {
    return this.#named.map(({ statement }) => statement);
  }

  statements(then: Shape, now: Shape): boolean {
    return this.#statement(then, now) && this.#isInOrder(then);
  }

  #statement(then: Shape, now: Shape): boolean {
    const [old, own] = [this.#anatomyThen(then), this.#anatomyNow(now)];
    if (old?.kind === "evaluation" && own?.kind === "assignment") {
      this.#differs(then, now);
      return this.#areNew(own.target) && this.#isInside(old.value, own.value);
    }
    if (old?.kind === "function" && own?.kind === "function") return this.#takes(old, own);
    if (old?.kind === "loop" && own?.kind === "loop") return this.#loop(old, own);
    if (old?.kind === "assignment" && own?.kind === "assignment") {
      const isSame =
        this.#targets(old.target, own.target) ||
        this.#takesMore(old, own) ||
        this.#takesApart(old, own);
      return isSame && this.#expression(old.value, own.value);
    }
    if (old?.kind === "return" && own?.kind === "return" && old.value && own.value) {
      return this.#tried(old.value, own.value) || this.#givesMore(old.value, own.value);
    }
    if (old?.kind === "evaluation" && own?.kind === "evaluation" && this.#then.isLogOnly) {
      if (this.#tried(old.value, own.value)) return true;
      this.#differs(then, now);
      return this.#logsMore(old.value, own.value);
    }
    return this.#expression(then, now);
  }

  /** As `#expression`, with nothing noted where it is not the same. */
  #tried(then: Shape, now: Shape): boolean {
    const lists = [this.undo, this.same, this.#named, this.unset, this.extended];
    const kept = lists.map((list) => [list, list.length] as const);
    if (this.#expression(then, now)) return true;
    for (const [list, length] of kept) list.splice(length);
    return false;
  }

  /** `return a, b` for `return a`. */
  #givesMore(then: Shape, now: Shape): boolean {
    const wider = this.#wider(then, now);
    const name = functionAround(this.#versions.then, this.#then);
    if (!wider || name === undefined) return false;
    this.widened = { function: name, is: "return", how: wider.how };
    this.#differs(then, now);
    const isSame = wider.pairs.every(([old, own]) => this.#expression(old, own));
    return isSame && wider.more.every((one) => this.#onlyComputes(one));
  }

  /** `a, b = f()` for `a = f()`. */
  #takesMore(then: Assignment, now: Assignment): boolean {
    const wider = this.#wider(then.target, now.target);
    const call = this.#calledIn(then.value);
    if (!wider || call === undefined) return false;
    this.widened = { function: call, is: "call", how: wider.how };
    this.#differs(then.target, now.target);
    const isIgnored = (one: Shape): boolean => {
      const anatomy = this.#anatomyNow(one);
      return anatomy?.kind === "name" && /^_+$/.test(anatomy.name);
    };
    const isSame = wider.pairs.every(([old, own]) => this.#isSameTarget(old, own));
    return isSame && wider.more.every((one) => isIgnored(one) || this.#areNew(one));
  }

  /** `const { a, b } = f()` for `const { a } = f()`, and `[a, b]` of what is written out. */
  #takesApart(then: Assignment, now: Assignment): boolean {
    const [old, own] = [this.#anatomyThen(then.target), this.#anatomyNow(now.target)];
    const [before, after] =
      old?.kind === "mapping" && own?.kind === "mapping"
        ? [old.entries, own.entries]
        : old?.kind === "sequence" && own?.kind === "sequence" && this.#isWrittenOut(then.value)
          ? [old.items, own.items]
          : [];
    if (!before || !after || then.target.label !== now.target.label) return false;
    const more = after.slice(before.length);
    const isSame = before.every((one, at) => this.#isSameTarget(one, after[at] ?? now.target));
    if (!isSame || more.length === 0) return false;
    this.#differs(then.target, now.target);
    return more.every((one) => {
      const entry = this.#anatomyNow(one);
      return this.#areNew(entry?.kind === "named" ? entry.value : one);
    });
  }

  /** Whether something is a list of the program's text: others may be gone through as they are made. */
  #isWrittenOut(value: Shape): boolean {
    return this.#anatomyThen(value)?.kind === "sequence";
  }

  /** What of a sequence is what was there before: one of its items, or the first ones. */
  #wider(then: Shape, now: Shape): Wider | undefined {
    const [old, own] = [this.#anatomyThen(then), this.#anatomyNow(now)];
    if (own?.kind !== "sequence") return undefined;
    const { items } = own;
    if (old?.kind === "sequence") {
      const { length } = old.items;
      if (items.length <= length) return undefined;
      const pairs = items
        .slice(0, length)
        .map((item, at) => [old.items[at] ?? then, item] as const);
      const how = `${length} of ${items.length}`;
      return { how, pairs, more: items.slice(length) };
    }
    const { formsThen, formsNow } = this.#versions;
    const found = items.findIndex((one) => formsThen.saidBy(then) === formsNow.saidBy(one));
    const at = Math.max(found, 0);
    const item = items[at];
    if (!item) return undefined;
    const more = items.filter((one) => one !== item);
    return { how: `number ${at} of ${items.length}`, pairs: [[then, item]], more };
  }

  /** The name of the function or method whose result an expression is. */
  #calledIn(value: Shape): string | undefined {
    const anatomy = this.#anatomyThen(value);
    if (anatomy?.kind === "plain" && /^await/i.test(value.label)) {
      return this.#calledIn(value.parts.at(-1) ?? value);
    }
    const callee = anatomy?.kind === "call" ? this.#anatomyThen(anatomy.callee) : undefined;
    return callee?.kind === "name" || callee?.kind === "member" ? callee.name : undefined;
  }

  /** The same log call with more in it. */
  #logsMore(then: Shape, now: Shape): boolean {
    const [old, own] = [this.#anatomyThen(then), this.#anatomyNow(now)];
    if (old?.kind !== "call" || own?.kind !== "call") return false;
    return this.#tried(old.callee, own.callee) && this.#hasAll(old.given, own.given);
  }

  /** Whether some parts are in a list of others, in their order, and all others only compute. */
  #hasAll(then: readonly Shape[], now: readonly Shape[]): boolean {
    let next = 0;
    for (const one of now) {
      const old = then[next];
      if (old && this.#isSameOrMore(old, one)) next += 1;
      else if (!this.#onlyComputes(one)) return false;
    }
    return next === then.length;
  }

  #isSameOrMore(then: Shape, now: Shape): boolean {
    if (this.#tried(then, now)) return true;
    const [old, own] = [this.#anatomyThen(then), this.#anatomyNow(now)];
    if (old?.kind === "mapping" && own?.kind === "mapping") {
      return this.#hasAll(old.entries, own.entries);
    }
    if (old?.kind !== "text" || own?.kind !== "text") return false;
    if (own.pieces.length < old.pieces.length) return false;
    return own.pieces.every((piece, at) => {
      const before = old.pieces[at];
      if (typeof piece === "string") {
        const isLast = at === old.pieces.length - 1;
        return before === undefined || before === piece || (isLast && isBegun(piece, before));
      }
      if (before === undefined || before === "") return this.#onlyComputes(piece);
      return typeof before !== "string" && this.#tried(before, piece);
    });
  }

  /** Whether an expression is the same, or a part of another one that does nothing else. */
  #isInside(then: Shape, now: Shape): boolean {
    if (this.#tried(then, now)) return true;
    const anatomy = this.#anatomyNow(now);
    if (!anatomy || (anatomy.kind === "call" && !this.#isHarmless(now))) return false;
    return now.parts.some((part) => {
      const others = now.parts.filter((other) => other !== part);
      return this.#isInside(then, part) && others.every((other) => this.#onlyComputes(other));
    });
  }

  #onlyComputes(shape: Shape): boolean {
    const anatomy = this.#anatomyNow(shape);
    if (!anatomy && shape.parts.length > 0) return false;
    if (anatomy?.kind === "assignment") return false;
    if (anatomy?.kind === "call" && !this.#isHarmless(shape)) return false;
    return shape.parts.every((part) => this.#onlyComputes(part));
  }

  /** Whether a call is known to change nothing. */
  #isHarmless({ start, end }: Shape): boolean {
    return this.#versions.now.uses.calls.some(({ node, byName }) => {
      return node.start === start && node.end === end && byName === "none";
    });
  }

  /** The same expression, but for what a statement before it has named. */
  #expression(then: Shape, now: Shape): boolean {
    const { formsThen, formsNow } = this.#versions;
    if (formsThen.saidBy(then) === formsNow.saidBy(now)) {
      this.same.push([then, now]);
      return true;
    }
    if (this.#isNamed(then, now) || this.#isLookedAt(then, now)) return true;
    if (formsNow.isBlock(now)) return formsThen.isBlock(then);
    const isAlike = then.label === now.label && then.parts.length === now.parts.length;
    if (this.#givesMoreTo(then, now)) return true;
    // What may leave out a part of it, or evaluate one often, is the same or another.
    if (!isAlike || !this.#anatomyThen(then)) return false;
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
    const isSame = old.every((one, at) => this.#isSameTarget(one, own[at] ?? now.body));
    const more = own.slice(old.length).map((one) => this.#anatomyNow(one));
    const names = more.flatMap((one) => {
      const isLiteral = one?.kind === "named" && this.#anatomyNow(one.value)?.kind === "literal";
      return isLiteral && !this.#oldNames.has(one.name, then.body) ? [one.name] : [];
    });
    if (!isSame || names.length < more.length) return false;
    this.#isMore(own, old.length);
    this.extended.push({
      is: "definition",
      function: then.name,
      before: old.filter(({ label }) => !/^identifier (?:self|cls)$/.test(label)).length,
      more: names,
    });
    return true;
  }

  /** `f(x, tag=2)` for `f(x)`. */
  #givesMoreTo(then: Shape, now: Shape): boolean {
    const [old, own] = [this.#anatomyThen(then), this.#anatomyNow(now)];
    const called = this.#calledIn(then);
    if (old?.kind !== "call" || own?.kind !== "call" || called === undefined) return false;
    if (definitionsOf(called, this.#versions.then) !== 1) return false;
    const more = own.given.slice(old.given.length);
    if (more.length === 0 || !this.#expression(old.callee, own.callee)) return false;
    const isSame = old.given.every((one, at) => this.#expression(one, own.given[at] ?? now));
    if (!isSame || !more.every((one) => this.#onlyComputes(one))) return false;
    this.#isMore(own.given, old.given.length);
    const names = more.map((one) => {
      const anatomy = this.#anatomyNow(one);
      return anatomy?.kind === "named" ? anatomy.name : null;
    });
    const byPlace = old.given.filter((one) => this.#anatomyThen(one)?.kind !== "named").length;
    this.extended.push({ is: "call", function: called, before: byPlace, more: names });
    return true;
  }

  /** Notes that a list has more than so many. */
  #isMore(list: readonly Shape[], before: number): void {
    const start = list[before - 1]?.end ?? list[before]?.start ?? 0;
    this.undo.push({ start, end: list.at(-1)?.end ?? start, text: "" });
  }

  /** `look(f(x))` for `f(x)`, where `look` gives back what it is given. */
  #isLookedAt(then: Shape, now: Shape): boolean {
    const own = this.#anatomyNow(now);
    const callee = own?.kind === "call" ? this.#anatomyNow(own.callee) : undefined;
    if (own?.kind !== "call" || callee?.kind !== "name") return false;
    const [first, ...others] = own.given;
    const { now: file, formsNow } = this.#versions;
    if (!first || this.#oldNames.has(callee.name, this.#then.node)) return false;
    if (!givesBack(file, formsNow, callee.name)) return false;
    const around = this.undo.splice(0);
    const isSame = this.#expression(then, first);
    this.undo.splice(0, this.undo.length, ...around);
    if (!isSame || !others.every((one) => this.#onlyComputes(one))) return false;
    this.#differs(then, now);
    return true;
  }

  /** `loss(out)` for `loss(model(x))`, where `out = model(x)` stands before it. */
  #isNamed(then: Shape, now: Shape): boolean {
    const own = this.#anatomyNow(now);
    if (own?.kind !== "name") return false;
    const statement = this.#before.find((one) => {
      const given = this.#anatomyNow(this.#versions.formsNow.of(one).shape);
      const target = given?.kind === "assignment" ? this.#anatomyNow(given.target) : undefined;
      return target?.kind === "name" && target.name === own.name;
    });
    if (!statement || this.namings.includes(statement)) return false;
    const given = this.#anatomyNow(this.#versions.formsNow.of(statement).shape);
    if (given?.kind !== "assignment" || !this.#areNew(given.target)) return false;
    // Innermost first: that is how they are evaluated.
    const { undo } = this;
    const around = undo.splice(0);
    const isSame = this.#expression(then, given.value);
    undo.splice(0, undo.length, ...around);
    this.#named.push({ statement, then });
    this.#differs(then, now);
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
    const anatomy = this.#anatomyThen(shape);
    const isAround = shape.start <= until.start && until.end <= shape.end;
    if (!anatomy) return shape.parts.length === 0;
    if (anatomy.kind === "assignment") {
      return (
        this.#oldNames.isOfFunction(anatomy.target, this.#then.node) &&
        this.#staysUntil(anatomy.value, until, isNamed)
      );
    }
    if (isAround) return shape.parts.every((part) => this.#staysUntil(part, until, isNamed));
    return this.#oldNames.isStable(shape, this.#then.node);
  }

  /** The same target, but for places that nothing reads, which have names now. */
  #targets(then: Shape, now: Shape): boolean {
    const [old, own] = [this.#anatomyThen(then), this.#anatomyNow(now)];
    if (old?.kind === "name" && own?.kind === "name" && old.name !== own.name) {
      const isIgnored = /^_+$/.test(old.name) && !this.#oldNames.isRead(old.name);
      if (isIgnored) {
        this.#differs(then, now);
        this.unset.push(old.name);
      }
      return isIgnored && this.#areNew(now);
    }
    if (old?.kind === "sequence" && own?.kind === "sequence") {
      const isSame = then.label === now.label && then.parts.length === now.parts.length;
      return isSame && old.items.every((item, at) => this.#targets(item, own.items[at] ?? now));
    }
    return this.#expression(then, now);
  }

  /** A loop over the same, that counts or shows how far it is. */
  #loop(then: Loop, now: Loop): boolean {
    const wrapped = this.#unwrapped(now.over);
    const { formsThen, formsNow } = this.#versions;
    if (formsThen.saidBy(then.over) !== formsNow.saidBy(wrapped.inner)) return false;
    this.same.push([then.over, wrapped.inner]);
    if (wrapped.inner !== now.over) this.#differs(then.over, now.over);
    if (!wrapped.isNumbered) return this.#targets(then.target, now.target);
    // A loop that names itself counts what it is given, wherever a replay begins.
    if (this.#isSdkLoop(then.over)) return false;
    const target = this.#anatomyNow(now.target);
    const [number, item, ...others] = target?.kind === "sequence" ? target.items : [];
    if (!number || !item || others.length > 0 || !this.#areNew(number)) return false;
    this.#differs(then.target, now.target);
    return this.#isSameTarget(then.target, item);
  }

  /** `a, b` and `(a, b)` are the same. */
  #isSameTarget(then: Shape, now: Shape): boolean {
    const { formsThen, formsNow } = this.#versions;
    if (formsThen.saidBy(then) === formsNow.saidBy(now)) {
      this.same.push([then, now]);
      return true;
    }
    const [old, own] = [this.#anatomyThen(then), this.#anatomyNow(now)];
    if (old?.kind !== "sequence" || own?.kind !== "sequence") return false;
    if (old.items.length !== own.items.length) return false;
    return old.items.every((item, at) => this.#isSameTarget(item, own.items[at] ?? now));
  }

  /** What `enumerate`, `entries` and the like go through. */
  #unwrapped(over: Shape): { readonly inner: Shape; readonly isNumbered: boolean } {
    const wrapper = this.#versions.now.language.iteratedBy(over);
    if (!wrapper?.callees.every((callee) => this.#isFromElsewhere(callee)))
      return { inner: over, isNumbered: false };
    const inside = this.#unwrapped(wrapper.inner);
    if (inside.isNumbered && wrapper.isNumbered) return { inner: over, isNumbered: false };
    return { inner: inside.inner, isNumbered: inside.isNumbered || wrapper.isNumbered };
  }

  /** Whether a name is of the language, or imported. */
  #isFromElsewhere({ start, end }: Shape): boolean {
    const used = this.#versions.now.scopes.references.filter(({ node }) => {
      return start <= node.start && node.end <= end;
    });
    return used.every(({ binding }) => !binding || binding.kind === "import");
  }

  #isSdkLoop(over: Shape): boolean {
    const call = this.#anatomyThen(over);
    const callee = call?.kind === "call" ? this.#anatomyThen(call.callee) : undefined;
    return (callee?.kind === "name" || callee?.kind === "member") && callee.name === "loop";
  }

  #differs(then: Shape, now: Shape): void {
    const { start, end } = now;
    this.undo.push({ start, end, text: this.#versions.then.text.slice(then.start, then.end) });
  }

  /** Whether a target sets names only, and none that the older version means something by there. */
  #areNew(target: Shape): boolean {
    const anatomy = this.#anatomyNow(target);
    if (anatomy?.kind === "name") return !this.#oldNames.has(anatomy.name, this.#then.node);
    const parts =
      anatomy?.kind === "sequence"
        ? anatomy.items
        : anatomy?.kind === "mapping"
          ? anatomy.entries.map((entry) => entry.parts.at(-1) ?? entry)
          : [];
    return parts.length > 0 && parts.every((part) => this.#areNew(part));
  }

  #anatomyThen(shape: Shape): Anatomy | undefined {
    return this.#versions.then.language.anatomyOf(shape);
  }

  #anatomyNow(shape: Shape): Anatomy | undefined {
    return this.#versions.now.language.anatomyOf(shape);
  }
}

type DefinedFunction = Extract<Anatomy, { kind: "function" }>;
type Loop = Extract<Anatomy, { kind: "loop" }>;
type Assignment = Extract<Anatomy, { kind: "assignment" }>;

interface Wider {
  readonly how: string;
  readonly pairs: readonly (readonly [then: Shape, now: Shape])[];
  readonly more: readonly Shape[];
}

function isBegun(text: string, by: string | Shape): boolean {
  return typeof by === "string" && text.startsWith(by);
}
