/** @file Functions that give back what they are given: a call of one is the value with a look at it. */
import type { Call, ParsedFile, Shape, Statement, Syntax } from "../../../languages/index.ts";
import { isInside } from "../../../tree/index.ts";
import type { Forms } from "../forms.ts";
import { nameOf } from "./function-names.ts";

/**
 * Whether the function of a name gives back its first argument as it is, wherever it returns, and does
 * nothing else than to compute, to log, and to gather in what only the newer version has.
 */
export function givesBack(file: ParsedFile, forms: Forms, name: string, then: ParsedFile): boolean {
  const { anatomyOf } = file.language;
  const all = file.statements.filter((one) => {
    return one.parameters !== undefined && one.member === undefined && nameOf(file, one) === name;
  });
  const [own] = all;
  const shape = own && forms.of(own).shape;
  const definition = shape && anatomyOf(shape);
  if (!own || all.length > 1 || definition?.kind !== "function") return false;
  const [given] = definition.parameters;
  const parameter = given && anatomyOf(given);
  if (parameter?.kind !== "name") return false;
  const isGiven = (value: Shape | undefined): boolean => {
    const anatomy = value && anatomyOf(value);
    return anatomy?.kind === "name" && anatomy.name === parameter.name;
  };
  const inside = file.statements.filter((one) => isInside(one.node, definition.body));
  const last = inside.filter(({ owner }) => owner === inside[0]?.owner).at(-1);
  const returnOf = (one: Statement): Shape | null | undefined => {
    const anatomy = anatomyOf(forms.of(one).shape);
    return anatomy?.kind === "return" ? (anatomy.value ?? null) : undefined;
  };
  const returns = inside.map(returnOf).filter((value) => value !== undefined);
  return (
    last !== undefined &&
    returnOf(last) !== undefined &&
    returns.every((value) => value !== null && isGiven(value)) &&
    inside.every((one) => returnOf(one) !== undefined || onlyLooks(file, one, then)) &&
    keepsNames(file, own, { parameter: parameter.name, then }) &&
    addsToOwn(file, own, then)
  );
}

/** Whether a statement computes, logs or gathers, and changes nothing of the run. */
export function onlyLooks(file: ParsedFile, statement: Statement, then: ParsedFile): boolean {
  const { node, effect, isLogOnly } = statement;
  if (effect === "none" || effect === "clock" || isDeclaredElsewhere(file, node)) return true;
  const calls = file.uses.calls.filter((call) => isInside(call.node, node));
  const [outer, ...inner] = calls;
  const areHarmless = (all: readonly Call[]): boolean =>
    all.every((call) => call.effect === "none" || call.effect === "clock");
  if (isLogOnly) return areHarmless(inner);
  const filled = gatheredBy(headOf(file, outer));
  if (outer?.node.start === node.start && filled !== undefined) {
    return isGathered(file, filled, then) && areHarmless(inner);
  }
  const written = file.uses.writes.filter(({ target }) => isInside(target, node));
  const roots = written.map(({ target }) => /^\w+/.exec(file.text.slice(target.start))?.[0]);
  return (
    roots.length > 0 &&
    roots.every((root) => root !== undefined && isGathered(file, root, then)) &&
    areHarmless(calls)
  );
}

/** The name of what a call puts something into: `seen` of `seen.push(`. */
export function gatheredBy(head: string): string | undefined {
  const [, name, method] = /^(\w+)\.(\w+)\($/.exec(head) ?? [];
  return GATHERING.test(method ?? "") ? name : undefined;
}

/** Methods that put something into a list, a set or a mapping. */
const GATHERING = /^(?:append|appendleft|add|push|unshift|set)$/;

/** Values that nothing of the run has. */
const OWN_VALUE =
  /=\s*(?:-?[\d.]+|\[\]|\{\}|(?:set|dict|list|deque|defaultdict|Counter)\(\w*\)|new (?:Map|Set)(?:<[^;]*>)?\(\));?$/;

/** Whether a name is of the newer version only, and is given nothing of the run but in that function. */
export function isGathered(
  { scopes, statements, text }: ParsedFile,
  name: string,
  then: ParsedFile,
  by?: Shape,
): boolean {
  const known = [...then.scopes.references, ...then.scopes.bindingOf.values()];
  const [binding, ...others] = new Set(
    [...scopes.bindingOf.values()].filter((one) => one.name === name),
  );
  if (!binding || others.length > 0 || known.some((one) => one.name === name)) return false;
  const given = [...binding.declarations, ...binding.definitions.map(({ node }) => node)];
  const set = given.filter((at) => !by || !isInside(at, by));
  const all = statements.filter(({ node }) => set.some((at) => isInside(at, node)));
  const makers = all.filter(({ parent, parameters }) => !parent && parameters === undefined);
  return (
    makers.length === 1 &&
    makers.every(({ node }) => OWN_VALUE.test(text.slice(node.start, node.end)))
  );
}

/** `global n`, `nonlocal n` */
function isDeclaredElsewhere({ text }: ParsedFile, { start, end }: Syntax): boolean {
  return /^(?:global|nonlocal)\s[^\n]*$/.test(text.slice(start, end));
}

/** A call up to what it is given. */
function headOf({ text }: ParsedFile, call: Call | undefined): string {
  return call ? `${text.slice(call.callee.start, call.callee.end)}(` : "";
}

/** Whether it gives no value to its argument, nor to a name of the run from around it. */
function keepsNames(
  file: ParsedFile,
  { node }: Statement,
  { parameter, then }: { readonly parameter: string; readonly then: ParsedFile },
): boolean {
  const { scopes } = file;
  const written = scopes.references.filter((one) => one.isWrite && isInside(one.node, node));
  const declared = [...scopes.bindingOf].filter(([at]) => isInside(at, node));
  const isAgain = declared.filter(([, { name }]) => name === parameter).length > 1;
  return (
    !isAgain &&
    written.every(({ name, binding }) => {
      const isOwn = binding !== null && isInside(binding.scope.node, node);
      return name !== parameter && (isOwn || isGathered(file, name, then));
    })
  );
}

/** Whether it adds only to what is its own: `w += 1` may change what `w` was given. */
function addsToOwn(file: ParsedFile, { node }: Statement, then: ParsedFile): boolean {
  const { uses, scopes, statements, text } = file;
  const adding = uses.writes.filter((one) => one.accumulates && isInside(one.target, node));
  return adding.every(({ target }) => {
    const { start, end } = target;
    const use = scopes.references.find((one) => one.node.start === start && one.node.end === end);
    const { declarations = [], definitions = [] } = use?.binding ?? {};
    const makers = [...declarations, ...definitions.map((one) => one.node)]
      .filter((at) => !adding.some((one) => isInside(at, one.target)))
      .map((at) => statements.findLast((one) => isInside(at, one.node))?.node);
    const isOwn = makers.every((made) => {
      return made && isInside(made, node) && OWN_VALUE.test(text.slice(made.start, made.end));
    });
    const root = /^\w+/.exec(text.slice(start, end))?.[0] ?? "";
    return (makers.length > 0 && isOwn) || isGathered(file, root, then);
  });
}
