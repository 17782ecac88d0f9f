/**
 * @file Two forms of a function that has loops: as it is recorded, and as it was written, for when all its
 * loops have been given up. A variable that an accessor may reach lies in memory whether or not anybody
 * reads it, and a `for…of` that has gone through something of ours stays slow:
 *
 *     function f(n){;if(plain[3]){ …as it was… ;return}{let k=n;{let n=k; …rewritten… }}}
 *
 * Which form is taken is decided once for each call. What is lent of the rewritten form are variables of its
 * own: a parameter that a function inside uses would be made in memory at each call, of either form.
 */
import type { FileUnit, LoopSite, LoweredFunction } from "../analysis/lowering/ir.ts";
import type { Edits } from "./text-edits.ts";

/** Of a longer body there is no copy: it is seldom what is called very often. */
const LENGTH_MAX = 10_000;

/** What must be over before a function runs as it was written: loops, by number, and keys of variables. */
export type PlainBodyTuple = readonly [loops: readonly number[], keys: readonly string[]];

interface PlainBodyOptions {
  readonly own: string;
  /** Keys of variables that are registered. */
  readonly bound: ReadonlySet<string>;
  readonly text: string;
}

/** Puts the second form into the functions of a file that have loops; answers what each of them needs. */
export function copyPlainBodies(
  edits: Edits,
  unit: FileUnit,
  loops: readonly LoopSite[],
  { own, bound, text }: PlainBodyOptions,
): PlainBodyTuple[] {
  // What `eval` declares or uses must be where it was.
  if (unit.evaluates) return [];
  const bodies = unit.loweredFunctions.flatMap((lowered) => {
    const { body } = lowered;
    const inside = [...loops.entries()].filter(([, site]) => isInside(site.lowered, lowered));
    const isShort = body && body.end - body.start <= LENGTH_MAX;
    return isShort && inside.length > 0 ? [{ lowered, body, inside }] : [];
  });
  return bodies.map(({ lowered, body, inside }, number) => {
    const names = parametersOf(unit, lowered, text.slice(body.start, body.end));
    const kept = names.map((name, at) => `let ${own}a${at}=${name};`).join("");
    const again = names.map((name, at) => `let ${name}=${own}a${at};`).join("");
    const close = `;return}{${kept}{${again}`;
    edits.copyBehind(body, own, [`;if(${own}.i?.plain[${number}]){`, close]);
    edits.before(body.end, "}}");
    const keys = unit.bindings
      .filter(({ key, owner }) => bound.has(key) && isInside(owner, lowered))
      .map(({ key }) => key);
    return [inside.map(([index]) => index), keys];
  });
}

/** Parameters that can be other variables in a block: nobody else sees what becomes of them. */
function parametersOf(unit: FileUnit, lowered: LoweredFunction, body: string): string[] {
  // `arguments` changes with its parameters, and a `var` may be one of them.
  if (lowered.usesArguments || /\bvar\b/.test(body)) return [];
  return unit.bindings
    .filter(({ kind, owner, captured }) => kind === "param" && owner === lowered && !captured)
    .map(({ name }) => name)
    .filter((name) => name !== "this" && name !== "let");
}

function isInside(inner: LoweredFunction, outer: LoweredFunction): boolean {
  for (let at: LoweredFunction | null = inner; at; at = at.parent) if (at === outer) return true;
  return false;
}
