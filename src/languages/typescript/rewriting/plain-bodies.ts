/**
 * @file Two forms of a function that has loops, and of a loop: as it is recorded, and as it was written, for when
 * all its loops have been given up. A variable that an accessor may reach lies in memory whether or not anybody
 * reads it, and a `for…of` that has gone through something of ours stays slow:
 *
 *     function f(n){;if(plain[3]){ …as it was… ;return}{let k=n;{let n=k; …rewritten… }}}
 *
 * Which form is taken is decided once for each call. What is lent of the rewritten form are variables of its
 * own: a parameter that a function inside uses would be made in memory at each call, of either form.
 *
 * A loop has them for itself where other loops of its function may still be recorded, as at the top of a file:
 *
 *     if(plain[4]){ …as it was, with variables of its own… }else{ …rewritten… }
 */
import type {
  Binding,
  FileUnit,
  LoopSite,
  LoweredFunction,
  Op,
  Span,
} from "../analysis/lowering/ir.ts";
import { shadowsOf } from "./shadow-captured-locals.ts";
import type { Edits } from "./text-edits.ts";

/** Of a longer body there is no copy: it is seldom what is called very often. */
const LENGTH_MAX = 10_000;

/** What runs code that stands elsewhere, as far as a text shows it: what an accessor or an iterator does is caught when it happens. */
const CALLING: ReadonlySet<Op["op"]> = new Set(["call", "import", "handle"]);

/**
 * What must be over before something runs as it was written: loops, by number, and keys of variables. Of what calls
 * others and has variables for itself: the loops around it, which alone may still be recorded.
 */
export type PlainBodyTuple = readonly [
  loops: readonly number[],
  keys: readonly string[],
  around?: readonly number[],
];

interface PlainBodyOptions {
  readonly own: string;
  /** Keys of variables that are registered. */
  readonly bound: ReadonlySet<string>;
  /** Variables that some accessor reaches. */
  readonly reached: ReadonlySet<Binding>;
  readonly text: string;
}

/** Puts the second form into functions and loops of a file; answers what each of them needs. */
export function copyPlainBodies(
  edits: Edits,
  unit: FileUnit,
  loops: readonly LoopSite[],
  options: PlainBodyOptions,
): PlainBodyTuple[] {
  // What `eval` declares or uses must be where it was.
  if (unit.evaluates) return [];
  const needs: PlainBodyTuple[] = [];
  const covered = new Set<string>();
  for (const lowered of unit.loweredFunctions) {
    const { body } = lowered;
    const need = needOf(unit, loops, options, {
      holds: (site) => isInside(site.lowered, lowered),
      declares: ({ owner }) => isInside(owner, lowered),
    });
    if (!body || !canCopy(unit, body) || need[0].length === 0) continue;
    copyBody(edits, unit, { lowered, body, number: needs.length }, options);
    covered.add(JSON.stringify(need));
    needs.push(need);
  }
  for (const site of loops) {
    const span = { start: site.labelled, end: site.end };
    const isOnce = site.lowered.kind === "module" && !loops.some((other) => isAround(other, site));
    if (!site.written || isOnce || !canCopy(unit, span)) continue;
    const need = needOf(unit, loops, options, {
      holds: ({ start, end }) => span.start <= start && end <= span.end,
      declares: ({ scope }) => span.start <= scope.start && scope.end <= span.end,
    });
    // While others run meanwhile nobody may look at what it has for itself; and its function does as well.
    const mayWait = /\b(?:await|yield)\b/.test(options.text.slice(span.start, span.end));
    if (mayWait || covered.has(JSON.stringify(need))) continue;
    copyLoop(edits, unit, { site, span, number: needs.length }, options);
    const around = [...loops.entries()].filter(([, other]) => isAround(other, site));
    needs.push(callsOthers(site) ? [need[0], need[1], around.map(([index]) => index)] : need);
  }
  return needs;
}

/** A tagged template that stands twice would be two to who knows it by its texts. */
function canCopy({ tagged }: FileUnit, { start, end }: Span): boolean {
  return end - start <= LENGTH_MAX && !tagged.some((at) => start <= at && at < end);
}

function isAround(outer: LoopSite, inner: LoopSite): boolean {
  return outer !== inner && outer.start <= inner.start && inner.end <= outer.end;
}

/** Whether it may get into functions, and so into loops elsewhere. */
function callsOthers({ lowered, start, end }: LoopSite): boolean {
  return lowered.ops.some(({ op, at }) => start <= at && at < end && CALLING.has(op));
}

/** Loops and registered variables of a part of a file. */
function needOf(
  unit: FileUnit,
  loops: readonly LoopSite[],
  { bound }: PlainBodyOptions,
  part: {
    readonly holds: (site: LoopSite) => boolean;
    readonly declares: (binding: Binding) => boolean;
  },
): PlainBodyTuple {
  const inside = [...loops.entries()].filter(([, site]) => part.holds(site));
  const declared = unit.bindings.filter((binding) => bound.has(binding.key));
  const keys = declared.filter((binding) => part.declares(binding)).map(({ key }) => key);
  return [inside.map(([index]) => index), keys];
}

function copyBody(
  edits: Edits,
  unit: FileUnit,
  form: { readonly lowered: LoweredFunction; readonly body: Span; readonly number: number },
  { own, text }: PlainBodyOptions,
): void {
  const { lowered, body, number } = form;
  const names = parametersOf(unit, lowered, text.slice(body.start, body.end));
  const kept = names.map((name, at) => `let ${own}a${at}=${name};`).join("");
  const again = names.map((name, at) => `let ${name}=${own}a${at};`).join("");
  const close = `;return}{${kept}{${again}`;
  edits.copyBehind(body, own, [`;if(${own}.i?.plain[${number}]){`, close]);
  edits.before(body.end, "}}");
}

function copyLoop(
  edits: Edits,
  unit: FileUnit,
  form: { readonly site: LoopSite; readonly span: Span; readonly number: number },
  { own, reached }: PlainBodyOptions,
): void {
  const shadows = shadowsOf(unit, form.site, own, reached);
  // What it has for itself is not where accessors look: they are told.
  const open = shadows ? `${own}.i.alone(1);try{${shadows.open}` : "";
  const close = shadows ? `${shadows.close}}finally{${own}.i.alone(-1)}` : "";
  const test = `if(${own}.i?.plain[${form.number}]){`;
  edits.copyBefore(form.span, own, [test + open, `${close}}else `]);
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
