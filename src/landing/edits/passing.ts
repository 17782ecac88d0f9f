/** @file Functions that give back what they are given: a call of one is the value with a look at it. */
import type { ParsedFile, Shape, Statement } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Forms } from "./forms.ts";
import { nameOf } from "./function-names.ts";

/**
 * Whether the function of a name gives back its first argument as it is, wherever it returns, and does
 * nothing else than to compute and to log.
 */
export function givesBack(file: ParsedFile, forms: Forms, name: string): boolean {
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
    inside.every((one) => returnOf(one) !== undefined || onlyLooks(file, one)) &&
    keepsNames(file, own, parameter.name)
  );
}

/** Whether a statement computes or logs, and changes nothing. */
function onlyLooks({ uses }: ParsedFile, { node, effect, isLogOnly }: Statement): boolean {
  if (effect === "none" || effect === "clock") return true;
  const [, ...inner] = uses.calls.filter((call) => isInside(call.node, node));
  return isLogOnly && inner.every((call) => call.effect === "none" || call.effect === "clock");
}

/** Whether it gives no value to its argument, nor to a name from around it. */
function keepsNames({ scopes }: ParsedFile, { node }: Statement, parameter: string): boolean {
  const written = scopes.references.filter((one) => one.isWrite && isInside(one.node, node));
  const declared = [...scopes.bindingOf].filter(([at]) => isInside(at, node));
  const isAgain = declared.filter(([, { name }]) => name === parameter).length > 1;
  return (
    !isAgain &&
    written.every(({ name, binding }) => {
      return name !== parameter && binding !== null && isInside(binding.scope.node, node);
    })
  );
}
