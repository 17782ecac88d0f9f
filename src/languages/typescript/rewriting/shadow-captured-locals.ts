/**
 * @file Keeps loops that are left as they are as quick as they were. A variable that an accessor
 * reaches is no register any more, and a number in it is allocated anew each time it is set: a sum
 * over an array becomes many times slower. Nobody looks through an accessor while such a loop runs,
 * so it gets a variable of its own under the same name, and what that holds is put back after it:
 *
 *     {let k=sum;try{let sum=k;try{for(…)sum+=…}finally{k=sum}}finally{sum=k}}
 */
import type { Binding, FileUnit, LoopSite } from "../analysis/lowering/ir.ts";
import type { Edits } from "./text-edits.ts";

/** `reached`: variables that some accessor reaches; the others are as quick as they were. */
export function shadowCapturedLocals(
  edits: Edits,
  unit: FileUnit,
  own: string,
  reached: ReadonlySet<Binding>,
): void {
  // What `eval` sees must be where it was.
  if (unit.evaluates) return;
  for (const site of unit.untouched) {
    if (unit.untouched.some((other) => other !== site && holds(other, site))) continue;
    const shadows = shadowsOf(unit, site, own, reached);
    if (!shadows) continue;
    edits.before(site.labelled, shadows.open);
    edits.after(site.end, shadows.close);
  }
}

/** What stands around a loop that has variables of its own; undefined: there is nothing to keep. */
export function shadowsOf(
  unit: FileUnit,
  site: LoopSite,
  own: string,
  reached: ReadonlySet<Binding>,
): { readonly open: string; readonly close: string } | undefined {
  const set = [...setIn(site)].filter((one) => reached.has(one) && isItsOwn(unit, site, one));
  const names = set.map(({ name }, index) => [name, `${own}k${index}`] as const);
  if (names.length === 0) return undefined;
  const assign = (pairs: readonly (readonly [string, string])[], end: string): string =>
    pairs.map(([to, from]) => `${to}=${from}`).join(end);
  const back = names.map(([name, kept]) => [kept, name] as const);
  return {
    open: `{let ${assign(back, ",")};try{let ${assign(names, ",")};try{`,
    close: `}finally{${assign(back, ";")}}}finally{${assign(names, ";")}}}`,
  };
}

/** Variables that the loop sets. */
function setIn(site: LoopSite): Set<Binding> {
  const found = new Set<Binding>();
  for (const op of site.lowered.ops) {
    if (op.op === "assign" && op.at >= site.start && op.at < site.end) found.add(op.binding);
  }
  return found;
}

/** Whether it is a variable of the function around, is set by then, and nobody else sees it. */
function isItsOwn({ exports }: FileUnit, site: LoopSite, binding: Binding): boolean {
  const { kind, captured, owner, scope, bindPoint } = binding;
  if (kind !== "let" || captured || owner !== site.lowered) return false;
  const isOutside = scope.start < site.start || scope.end > site.end;
  // Read before its declaration has run it throws, though the loop may have nothing to do.
  const isSet = !scope.isSwitch && (bindPoint === null || bindPoint.start <= site.labelled);
  return isOutside && isSet && ![...exports.values()].includes(binding);
}

function holds(outer: LoopSite, inner: LoopSite): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
