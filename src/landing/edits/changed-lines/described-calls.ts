/**
 * @file Calls of packages that are given more, and do the same: an argument that makes them give their result, an
 * option that has functions called on the way. Descriptions of libraries name them (docs/libraries.md).
 */
import type { Anatomy, Shape, ShownBy } from "../../../languages/index.ts";
import { isInside } from "../../../tree/index.ts";
import type { Comparison } from "./comparison.ts";
import type { Holder } from "./object-uses.ts";
import { isOfProgram } from "./only-computes.ts";
import { gatheredBy, isGathered } from "./passing.ts";

type Named = Extract<Anatomy, { kind: "named" }>;

/** `optimizer.minimize(f, true)` for `optimizer.minimize(f)`, whose result nobody had. */
export function asksForResult(own: Comparison, then: Shape, now: Shape): boolean {
  const [old, given] = [own.anatomyThen(then), own.anatomyNow(now)];
  if (old?.kind !== "call" || given?.kind !== "call") return false;
  const { result } = shownBy(own, given) ?? {};
  const [more, ...others] = given.given.slice(old.given.length);
  const isAsked = result !== undefined && old.given.length === result && more && !others.length;
  if (!isAsked || own.anatomyNow(more)?.kind !== "literal") return false;
  const areSame = [old.callee, ...old.given].every((one, at) => {
    return own.areEqual(one, [given.callee, ...given.given][at] ?? now);
  });
  if (areSame) own.isMore(given.given, result);
  return areSame;
}

/** `callbacks` in the options of `model.fit`, or one more of them. */
export function isTold(
  own: Comparison,
  { name, value }: Named,
  holder: Holder | undefined,
): boolean {
  const given = holder && own.anatomyThen(holder.call);
  const option = given?.kind === "call" ? shownBy(own, given)?.option : undefined;
  if (option === undefined) return false;
  return holder?.key === option
    ? isOwnFunction(own, value)
    : holder?.key === undefined && name === option && isOfFunctions(own, value);
}

/** Whether something is a mapping of functions that only the newer version has. */
function isOfFunctions(own: Comparison, value: Shape): boolean {
  const mapping = own.anatomyNow(value);
  if (mapping?.kind !== "mapping") return false;
  return mapping.entries.every((one) => {
    const entry = own.anatomyNow(one);
    return entry?.kind === "named" && isOwnFunction(own, entry.value);
  });
}

/** One that was added by itself, or is written there, and only computes and logs. */
function isOwnFunction(own: Comparison, value: Shape): boolean {
  const { now } = own.versions;
  // What it keeps is known only if all of its calls are executed.
  if (own.anatomyNow(value)?.kind === "name") return own.areNew(value) && own.carries(value);
  const isFunction = [...now.scopes.scopeOf.values()].some(({ kind, node }) => {
    return kind === "function" && node.start === value.start && node.end === value.end;
  });
  return isFunction && onlyLogs(own, value);
}

/**
 * Whether a function that a line of the run has now computes and logs, and else only gathers in what was added: what
 * it gathers is known only if all of its calls are executed.
 */
function onlyLogs(own: Comparison, made: Shape): boolean {
  const { now, then } = own.versions;
  const { uses, scopes, mutations, text } = now;
  const calls = uses.calls.filter(({ node }) => isInside(node, made));
  const isHarmless = calls.every(({ callee, effect }) => {
    const path = text.slice(callee.start, callee.end);
    const name = path.slice(path.lastIndexOf(".") + 1);
    if (name !== "log" && isOfProgram(own.versions, name)) return false;
    return effect === "none" || gatheredBy(`${path}(`) !== undefined;
  });
  const filled = calls.flatMap(({ callee, effect }) => (effect === "none" ? [] : [callee]));
  const changed = scopes.references.filter(({ node, isWrite, binding }) => {
    const isOwn = binding !== null && isInside(binding.scope.node, made);
    const isFilled = filled.some((callee) => isInside(node, callee));
    return isInside(node, made) && !isOwn && (isWrite || isFilled || mutations.mutated.has(node));
  });
  const names = new Set(changed.map(({ name }) => name));
  own.carried.push(...names);
  return isHarmless && [...names].every((name) => isGathered(now, name, then, made));
}

function shownBy(
  own: Comparison,
  { callee }: Extract<Anatomy, { kind: "call" }>,
): ShownBy | undefined {
  const { then, now } = own.versions;
  const called = own.anatomyNow(callee);
  if (called?.kind !== "member" || isOfProgram(own.versions, called.name)) return undefined;
  return now.language.shownBy(
    then.imports.map(({ module }) => module),
    called.name,
  );
}
