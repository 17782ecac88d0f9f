/** @file Whether a part of a text computes, and changes nothing. */
import type { Anatomy, Shape } from "../../../languages/index.ts";
import { definitionsOf } from "./function-names.ts";
import { isListInBoth } from "./spread-lists.ts";
import type { Versions } from "./shapes.ts";

type Newer = Pick<Versions, "then" | "now" | "others">;
type Called = Extract<Anatomy, { kind: "call" }>;

export function onlyComputes(versions: Newer, shape: Shape): boolean {
  const { language } = versions.now;
  const anatomy = language.anatomyOf(shape);
  const spread = language.spreadBy(shape);
  if (spread) return isListInBoth(versions, spread) && onlyComputes(versions, spread);
  if (!anatomy && shape.parts.length > 0) return false;
  if (anatomy?.kind === "assignment") return false;
  if (anatomy?.kind === "call" && !isHarmless(versions, shape)) return false;
  return shape.parts.every((part) => onlyComputes(versions, part));
}

/** Whether a call is known to change nothing. */
export function isHarmless(versions: Newer, shape: Shape): boolean {
  const { now } = versions;
  const anatomy = now.language.anatomyOf(shape);
  const found = now.uses.calls.find(({ node }) => {
    return node.start === shape.start && node.end === shape.end;
  });
  if (anatomy?.kind !== "call" || !found || callsBack(versions, anatomy)) return false;
  const callee = now.language.anatomyOf(anatomy.callee);
  const isComputing =
    callee?.kind === "member" &&
    found.effect === "none" &&
    COMPUTES.test(callee.name) &&
    !isOfProgram(versions, callee.name);
  return found.byName === "none" || isComputing;
}

/** Names of methods and functions that give a value and change nothing, whatever package they are of. */
const COMPUTES = new RegExp(
  `^(?:${[
    "abs|all|any|arg(?:max|min)|ceil|cos|cosh|dot|exp|floor|hypot|log(?:2|10|1p)?|max|maximum|mean|median|min|minimum",
    "norm|numel|pow|prod|round|sign|sin|sinh|size|sqrt|square|std|sum|tan|tanh|trace|trunc|var",
    "array(?:Sync)?|astype|clone|copy|cpu|dataSync|detach|double|flatten|float|int|item|long|numpy|ravel|reshape|squeeze|tolist|unsqueeze|view",
    "at|concat|count|endswith|endsWith|get|has|includes|indexOf|items|join|keys|lower|slice|split|startswith|startsWith|strip",
    "toFixed|toLowerCase|toPrecision|toString|toUpperCase|trim|upper|values",
  ].join("|")})$`,
);

/** Whether a file of the program may have a function or method of that name. */
export function isOfProgram({ now, others }: Newer, name: string): boolean {
  // Also in an object that is written out, or as a value.
  const made = new RegExp(
    `\\b${name}\\s*(?:\\([^()]*\\)\\s*(?::[^{;]*)?\\{|[=:]\\s*(?:async\\b|function\\b|lambda\\b|\\(|\\w+\\s*=>))`,
  );
  const files = others.filesWith(name).map((file) => others.fileOf(file));
  return [now, ...files].some((file) => {
    return !file || definitionsOf(file, name).length > 0 || made.test(file.text);
  });
}

/** `max(xs, key=f)`, `map(f, xs)`: what `f` does is not known, unless it is `float` or the like. */
function callsBack({ now }: Newer, { callee, given }: Called): boolean {
  const { anatomyOf } = now.language;
  const own = anatomyOf(callee);
  const isCaller = own?.kind === "name" && /^(?:map|filter)$/.test(own.name);
  return given.some((one, at) => {
    const argument = anatomyOf(one);
    const value = argument?.kind === "named" ? argument.value : one;
    const isCalled =
      (argument?.kind === "named" && argument.name === "key") || (isCaller && at === 0);
    const isKnown = now.scopes.references.some(({ node, name, binding }) => {
      const isHere = node.start === value.start && node.end === value.end;
      return isHere && binding === null && /^(?:abs|bool|float|int|len|str)$/.test(name);
    });
    return isCalled && !isKnown;
  });
}
