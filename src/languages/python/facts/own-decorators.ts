/** @file Functions of a program that are put around others as decorators, and what they do then. */
import type { Decorated, OwnDecorator } from "../../anatomy.ts";
import type { Shape } from "../../parsed-file.ts";
import { anatomyOf } from "./anatomy.ts";

/** `@show` or `@show("out")`, above `def step(x):`. */
export function decoratedBy({ label, parts }: Shape): Decorated | undefined {
  if (!label.startsWith("decorated_definition")) return undefined;
  const decorators = parts.slice(0, -1).flatMap((one) => one.parts[1] ?? []);
  const named = decorators.flatMap((one): Decorated["decorators"] => {
    const call = anatomyOf(one);
    const [by, given] = call?.kind === "call" ? [call.callee, call.given] : [one, undefined];
    return isName(by) ? [{ name: textOf(by), given }] : [];
  });
  const definition = parts.at(-1);
  const isAll = named.length === parts.length - 1;
  return definition && isAll ? { decorators: named, definition } : undefined;
}

/**
 * A function that gives back another one: that of its own which calls what it got, once, with all that
 * it is given itself, and says so (`functools.wraps`). Or one that gives back such a function.
 */
export function decoratorMadeBy(statement: Shape): OwnDecorator | undefined {
  const made = functionMadeBy(statement);
  if (!made) return undefined;
  const { name, parameters, inner } = made;
  if (!inner.label.startsWith("decorated_definition")) {
    const own = decoratorMadeBy(inner);
    const isTold = own && own.told === undefined && parameters.every((one) => isName(one));
    return isTold ? { ...own, name, told: parameters.map(textOf) } : undefined;
  }
  const [given, ...others] = parameters;
  const [mark, definition, ...more] = inner.parts;
  const own = definition && anatomyOf(definition);
  const wraps = mark?.parts[1] && anatomyOf(mark.parts[1]);
  if (!given || others.length > 0 || !isName(given) || more.length > 0) return undefined;
  if (own?.kind !== "function" || wraps?.kind !== "call") return undefined;
  const [wrapped, ...rest] = wraps.given;
  if (!wrapped || rest.length > 0 || !isName(wrapped, textOf(given))) return undefined;
  const taken = own.parameters.map(passedOn);
  if (taken.includes(undefined)) return undefined;
  return {
    name,
    told: undefined,
    function: textOf(given),
    marked: { by: wraps.callee, as: "functools.wraps" },
    body: own.body,
    taken: own.parameters.map((one) => textOf(one.parts.at(-1) ?? one)),
    isCall: (shape) => {
      const call = anatomyOf(shape);
      if (call?.kind !== "call" || !isName(call.callee, textOf(given))) return false;
      return (
        call.given.length === taken.length &&
        call.given.every((one, at) => passedOn(one) === taken[at])
      );
    },
  };
}

/** A function that does nothing but to give back one that it defines. */
function functionMadeBy(
  statement: Shape,
): { name: string; parameters: readonly Shape[]; inner: Shape } | undefined {
  const outer = anatomyOf(statement);
  if (outer?.kind !== "function") return undefined;
  const [inner, back, ...more] = outer.body.parts.filter(
    ({ label }) => !label.startsWith("expression_statement text"),
  );
  const definition = inner?.label.startsWith("decorated_definition") ? inner.parts.at(-1) : inner;
  const own = definition && anatomyOf(definition);
  const returned = back && anatomyOf(back);
  if (!inner || own?.kind !== "function" || more.length > 0) return undefined;
  const isGiven = returned?.kind === "return" && returned.value && isName(returned.value, own.name);
  return isGiven ? { name: outer.name, parameters: outer.parameters, inner } : undefined;
}

/** How something is taken and given: `x`, `*args`, `**kwargs`; undefined: otherwise. */
function passedOn(shape: Shape): string | undefined {
  if (isName(shape)) return textOf(shape);
  const args = splatOf(shape, "list_splat");
  const named = splatOf(shape, "dictionary_splat");
  return args !== undefined ? `*${args}` : named !== undefined ? `**${named}` : undefined;
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
