/**
 * @file What functions give back, and what is done with it: returns that give more beside what they
 * gave, and calls that take it from its place.
 */
import type { Anatomy, Shape } from "../../../languages/index.ts";
import type { Comparison, IsSame } from "./comparison.ts";
import { functionAround } from "./function-names.ts";
import type { Widened } from "./shapes.ts";

type Assignment = Extract<Anatomy, { kind: "assignment" }>;

/** What a function gives back that gave nothing before. */
export const ONLY = "all";

/** What of something is what was there before, and what there is beside it. */
interface Wider extends Pick<Widened, "place" | "count"> {
  readonly pairs: readonly (readonly [then: Shape, now: Shape])[];
  readonly more: readonly Shape[];
}

/** `return a, b` for `return a`, and `return { k: a, b }`. */
export function givesMore(own: Comparison, isSame: IsSame, then: Shape, now: Shape): boolean {
  const name = functionAround(own.versions.then, own.then);
  const wider = widerSequence(own, then, now) ?? widerMapping(own, then, now);
  if (!wider || name === undefined) return false;
  const { place, count, pairs, more } = wider;
  own.widened.push({ function: name, is: "return", place, count });
  own.differs(then, now);
  return (
    pairs.every(([old, one]) => isSame(old, one)) && more.every((one) => own.onlyComputes(one))
  );
}

/** `return a` for `return`. */
export function givesSomething(
  own: Comparison,
  then: Shape,
  now: { readonly statement: Shape; readonly value: Shape },
): boolean {
  const name = functionAround(own.versions.then, own.then);
  if (name === undefined) return false;
  own.widened.push({ function: name, is: "return", place: ONLY, count: undefined });
  own.differs(then, now.statement);
  return own.onlyComputes(now.value);
}

/** `a, b = f()` for `a = f()`, and `const { a, b } = f()`. */
export function takesMore(own: Comparison, then: Assignment, now: Assignment): boolean {
  const { target } = now;
  const wider = widerSequence(own, then.target, target) ?? widerMapping(own, then.target, target);
  const call = own.calledIn(then.value);
  if (!wider || call === undefined) return false;
  const { place, count, pairs, more } = wider;
  own.widened.push({ function: call, is: "call", place, count });
  own.differs(then.target, target);
  return (
    pairs.every(([old, one]) => own.isSameTarget(old, one)) &&
    more.every((one) => isIgnored(own, one) || own.areNew(one))
  );
}

/**
 * Where `name` of a target comes from in what is taken apart: `a, b = f()`, `const { k: a, b } = f()`.
 * All others must be new.
 */
export function placeIn(
  own: Comparison,
  target: Shape,
  name: string,
): Pick<Widened, "place" | "count"> | undefined {
  const anatomy = own.anatomyNow(target);
  const isName = (one: Shape): boolean => {
    const named = own.anatomyNow(one);
    return named?.kind === "name" && named.name === name;
  };
  if (anatomy?.kind === "sequence") {
    const at = anatomy.items.findIndex(isName);
    const areNew = anatomy.items.every((one) => isIgnored(own, one) || own.areNew(one));
    return at >= 0 && areNew ? { place: `${at}`, count: anatomy.items.length } : undefined;
  }
  if (anatomy?.kind !== "mapping" || !own.areNew(target)) return undefined;
  const entries = anatomy.entries.map((one) => own.anatomyNow(one));
  const found = entries.find((one) => one?.kind === "named" && isName(one.value));
  return found?.kind === "named" ? { place: found.name, count: undefined } : undefined;
}

/** `f(x)[0]` for `f(x)`, and `f(x).k`: from where it is taken. */
export function takenFrom(
  own: Comparison,
  now: Shape,
): (Pick<Widened, "place" | "count"> & { readonly of: Shape }) | undefined {
  const anatomy = own.anatomyNow(now);
  if (anatomy?.kind === "item") return { place: anatomy.key, count: undefined, of: anatomy.object };
  if (anatomy?.kind === "member")
    return { place: anatomy.name, count: undefined, of: anatomy.object };
  if (anatomy?.kind === "place")
    return { place: anatomy.place, count: undefined, of: anatomy.object };
  return undefined;
}

/** `const { a, b } = f()` for `const { a } = f()`, and `[a, b]` of what is written out. */
export function takesApart(own: Comparison, then: Assignment, now: Assignment): boolean {
  const [old, target] = [own.anatomyThen(then.target), own.anatomyNow(now.target)];
  const isWrittenOut = own.anatomyThen(then.value)?.kind === "sequence";
  const [before, after] =
    old?.kind === "mapping" && target?.kind === "mapping"
      ? [old.entries, target.entries]
      : // OtherFiles may be gone through as they are made.
        old?.kind === "sequence" && target?.kind === "sequence" && isWrittenOut
        ? [old.items, target.items]
        : [];
  if (!before || !after || then.target.label !== now.target.label) return false;
  const more = after.slice(before.length);
  const isSame = before.every((one, at) => own.isSameTarget(one, after[at] ?? now.target));
  if (!isSame || more.length === 0) return false;
  own.differs(then.target, now.target);
  return more.every((one) => {
    const entry = own.anatomyNow(one);
    return own.areNew(entry?.kind === "named" ? entry.value : one);
  });
}

/** What of a sequence is what was there before: one of its items, or the first ones. */
function widerSequence(own: Comparison, then: Shape, now: Shape): Wider | undefined {
  const [old, sequence] = [own.anatomyThen(then), own.anatomyNow(now)];
  if (sequence?.kind !== "sequence") return undefined;
  const { items } = sequence;
  const count = items.length;
  if (old?.kind === "sequence") {
    const { length } = old.items;
    if (count <= length) return undefined;
    const pairs = items.slice(0, length).map((item, at) => [old.items[at] ?? then, item] as const);
    return { place: `first ${length}`, count, pairs, more: items.slice(length) };
  }
  const { formsThen, formsNow } = own.versions;
  const found = items.findIndex((one) => formsThen.saidBy(then) === formsNow.saidBy(one));
  const at = Math.max(found, 0);
  const item = items[at];
  if (!item) return undefined;
  const more = items.filter((one) => one !== item);
  return { place: `${at}`, count, pairs: [[then, item]], more };
}

/** Which value of a mapping is what was there before. */
function widerMapping(own: Comparison, then: Shape, now: Shape): Wider | undefined {
  const [old, mapping] = [own.anatomyThen(then), own.anatomyNow(now)];
  if (old?.kind === "mapping" || mapping?.kind !== "mapping") return undefined;
  const entries = mapping.entries.flatMap((one) => {
    const entry = own.anatomyNow(one);
    return entry?.kind === "named" ? [entry] : [];
  });
  const { formsThen, formsNow } = own.versions;
  const said = formsThen.saidBy(then);
  const entry = entries.find(({ value }) => formsNow.saidBy(value) === said) ?? entries[0];
  if (!entry || entries.length < mapping.entries.length) return undefined;
  const more = entries.filter((one) => one !== entry).map(({ value }) => value);
  return { place: entry.name, count: undefined, pairs: [[then, entry.value]], more };
}

function isIgnored(own: Comparison, one: Shape): boolean {
  const anatomy = own.anatomyNow(one);
  return anatomy?.kind === "name" && /^_+$/.test(anatomy.name);
}
