/** @file Functions of a program that are put around others as decorators, and what they do then. */
import type { Decorated, OwnDecorator } from "../../anatomy.ts";
import type { Shape } from "../../parsed-file.ts";
import { anatomyOf } from "./anatomy.ts";

/** `@show`, above `def step(x):`; undefined: there is none, or one that is called. */
export function decoratedBy({ label, parts }: Shape): Decorated | undefined {
  if (!label.startsWith("decorated_definition")) return undefined;
  const decorators = parts.slice(0, -1).map((one) => one.parts[1]);
  const names = decorators.flatMap((one) => (one && isName(one) ? [textOf(one)] : []));
  const definition = parts.at(-1);
  return definition && names.length === parts.length - 1 ? { names, definition } : undefined;
}

/**
 * A function that gives back another one: that of its own which calls what it got, once, with all that
 * it is given itself, and says so (`functools.wraps`).
 */
export function decoratorMadeBy(statement: Shape): OwnDecorator | undefined {
  const outer = anatomyOf(statement);
  const [given, ...others] = outer?.kind === "function" ? outer.parameters : [];
  if (outer?.kind !== "function" || !given || others.length > 0 || !isName(given)) return undefined;
  const [inner, back, ...more] = outer.body.parts.filter(
    ({ label }) => !label.startsWith("expression_statement text"),
  );
  const [mark, definition] = inner?.label.startsWith("decorated_definition") ? inner.parts : [];
  const own = definition && anatomyOf(definition);
  const returned = back && anatomyOf(back);
  const wraps = mark?.parts[1] && anatomyOf(mark.parts[1]);
  if (own?.kind !== "function" || inner?.parts.length !== 2 || more.length > 0) return undefined;
  const isGiven = returned?.kind === "return" && returned.value && isName(returned.value, own.name);
  const isMarked = wraps?.kind === "call" && wraps.given.length === 1;
  if (wraps?.kind !== "call" || !isGiven || !isMarked) return undefined;
  const [wrapped] = wraps.given;
  if (!wrapped || !isName(wrapped, textOf(given))) return undefined;
  const [list, mapping, ...rest] = own.parameters;
  if (rest.length > 0 || !list || !mapping) return undefined;
  const [args, named] = [splatOf(list, "list_splat"), splatOf(mapping, "dictionary_splat")];
  if (args === undefined || named === undefined) return undefined;
  return {
    name: outer.name,
    function: textOf(given),
    marked: { by: wraps.callee, as: "functools.wraps" },
    body: own.body,
    taken: [args, named],
    isCall: (shape) => isCallWith(shape, textOf(given), [args, named]),
  };
}

/** `fn(*args, **kwargs)` */
function isCallWith(shape: Shape, name: string, [args, named]: readonly [string, string]): boolean {
  const call = anatomyOf(shape);
  if (call?.kind !== "call" || !isName(call.callee, name) || call.given.length !== 2) return false;
  const [first, second] = call.given;
  return (
    first !== undefined &&
    second !== undefined &&
    splatOf(first, "list_splat") === args &&
    splatOf(second, "dictionary_splat") === named
  );
}

/** The name behind `*` or `**`. */
function splatOf({ label, parts }: Shape, kind: string): string | undefined {
  const name = parts.at(-1);
  return label.startsWith(kind) && name && isName(name) ? textOf(name) : undefined;
}

function isName(shape: Shape, name?: string): boolean {
  const anatomy = anatomyOf(shape);
  return anatomy?.kind === "name" && (name === undefined || anatomy.name === name);
}

function textOf({ label }: Shape): string {
  return label.slice(label.indexOf(" ") + 1);
}
