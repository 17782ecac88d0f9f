/**
 * @file Source text with what a recording or a replay needs in it (semantics, "Captured state" b):
 * accessors to the names that a loop changes, marks of `break`, classes with their private fields,
 * and generators saved around probes. Everything is inserted on the line where it belongs, so
 * that lines stay the user's, but for second forms of functions (`plain-bodies.ts`).
 *
 * The inserted code finds the SDK through a symbol of the global object, and does nothing where
 * nobody has put it there.
 */
import type { PartCounter, ProbePlace, RunMode } from "../../../format/index.ts";
import { modeOf } from "../../../format/index.ts";
import type { SourceModel } from "../../source-model.ts";
import type {
  Binding,
  ClassSite,
  FileUnit,
  LogSite,
  LoopSite,
  Span,
  TimedSpan,
} from "../analysis/lowering/ir.ts";
import { functionOfLoop } from "../analysis/changes/loop-names.ts";
import { lowerFile } from "../analysis/lowering/lower-file.ts";
import type { AnalyzedFile, ProgramCallSite } from "../analyze.ts";
import { Edits } from "./text-edits.ts";
import { Lines } from "../../lines.ts";
import { IDLE_LOOP, rewriteLoop } from "./rewrite-loops.ts";
import { HEADER_END } from "../starting/source-files.ts";
import type { PartEffect } from "../analysis/changes/effect-of-part.ts";
import { copyPlainBodies } from "./plain-bodies.ts";
import { shadowCapturedLocals } from "./shadow-captured-locals.ts";
import { sourceMapComment } from "./source-map.ts";
import { wrapPart } from "./wrap-parts.ts";

/** The mode is the one in which the model was made. */
export interface RewriteOptions extends Partial<RunMode> {
  /** Statements that the run did not have: what they change is set back behind them. */
  readonly probes?: readonly ProbePlace[];
  /** Calls of the file whose results are recorded. */
  readonly calls?: readonly ProgramCallSite[];
  /** Calls of packages that are timed. */
  readonly timed?: readonly TimedSpan[];
  /** Functions have a second form, as they were written: loops may be given up. */
  readonly givesUp?: boolean;
  /** What statements that the run did not have may do to it; absent: only their own text tells. */
  readonly effectOfPart?: ((span: Span) => PartEffect) | undefined;
}

const IDLE = `{off:[],full:[],plain:[],alone(){},at:()=>(${IDLE_LOOP}),bind(){},cls(){},save(){},back(){},failed(){},counted:(k,v)=>v,got:(n,v)=>v,since(){},took:(s,v)=>v,says:(t,v)=>v}`;

/** Rewrites one file of a program whose model is known. Throws if it does not parse. */
export function rewriteSource(
  file: string,
  text: string,
  model: SourceModel,
  options: RewriteOptions = {},
): string {
  const mode = modeOf(options);
  const unit = lowerFile(file, text, mode);
  if (mode.handsFree) takeLoopsOfModel(unit, text, model);
  return rewriteUnit({ text, unit }, model, options);
}

/** Only loops that the model has are loops of their own, by its names. */
function takeLoopsOfModel(unit: FileUnit, text: string, model: SourceModel): void {
  const lines = new Lines(text);
  const known = unit.loops.filter((site) => {
    const { line, column } = lines.at(site.at);
    const loop = model.loops.find(
      (one) => one.file === unit.file && one.line === line && one.column === column,
    );
    if (loop) Object.assign(site, { name: loop.name, trivial: loop.trivial ?? false });
    return loop !== undefined;
  });
  const left = leftAloneByModel(unit, lines, model);
  unit.leftAlone.push(...left.values());
  unit.untouched.push(
    ...unit.loops.filter((site) => site.written && !known.includes(site) && !left.has(site)),
  );
  unit.loops.splice(0, unit.loops.length, ...known);
}

/** Loops that are none of their own for a reason that only the whole program shows. */
function leftAloneByModel(
  unit: FileUnit,
  lines: Lines,
  { leftAlone: left = [] }: SourceModel,
): Map<LoopSite, FileUnit["leftAlone"][number]> {
  const found = new Map<LoopSite, FileUnit["leftAlone"][number]>();
  for (const site of unit.loops) {
    const { line, column } = lines.at(site.at);
    const why = left.find((one) => {
      return one.file === unit.file && one.line === line && one.column === column;
    })?.why;
    if (why !== undefined) found.set(site, { at: site.at, why });
  }
  return found;
}

/** The same for a file that was walked before. */
export function rewriteUnit(
  { text, unit }: AnalyzedFile,
  model: SourceModel,
  {
    probes = [],
    handsFree = false,
    calls = [],
    timed = [],
    givesUp = false,
    effectOfPart,
  }: RewriteOptions,
): string {
  const { file } = unit;
  const edits = new Edits(text);
  const own = ownName(text);
  const lines = new Lines(text);
  const loops = unit.loops.filter(({ form, model: fitted }) => {
    return form === "for" || form === "plain" || fitted !== undefined;
  });
  const changes = loops.map((site) => changesOfLoop(model, unit, site));
  const bound = boundKeys(model, file);
  const reached = new Set(unit.bindings.filter(({ key }) => bound.has(key)));
  for (const [index, site] of loops.entries()) {
    const captured = (changes[index] ?? []).filter(({ access }) => access === "name");
    const accessors = captured.map(({ key, name }) => {
      const binding = seenAt(site, name);
      if (binding) reached.add(binding);
      return { text: accessor(own, key, name, binding), binding };
    });
    const reads = readsOf(model, unit, site);
    for (const name of reads.names) {
      const binding = seenAt(site, name);
      if (binding) reached.add(binding);
    }
    const made = (lent: readonly string[]): string =>
      `(${own}.i?.off[${index}]??${own}().at(${index},()=>[${lent.join()}]${reads.text}))`;
    rewriteLoop(edits, unit, { site, own: `${own}${index}`, made, accessors });
  }
  if (loops.length > 0) shadowCapturedLocals(edits, unit, own, reached);
  bindVariables(edits, unit, own, bound);
  edits.isLasting = true;
  for (const known of unit.classes) lendFields(edits, own, known);
  const parts = wrapProbes(edits, { text, unit }, own, { probes, effectOfPart });
  const watched = watchCalls(edits, calls, parts, own);
  for (const [at, { start, end }] of timed.entries()) {
    edits.before(start, `${own}().took(${own}().since(${at}),`);
    edits.after(end, ")");
  }
  for (const { written } of handsFree ? unit.logs : []) if (written) tellTexts(edits, written, own);
  edits.isLasting = false;
  const plain = givesUp ? copyPlainBodies(edits, unit, loops, { own, bound, reached, text }) : [];
  if (edits.isEmpty && unit.leftAlone.length === 0) return text;
  const table = loops.map((site, index) => {
    const keys = (changes[index] ?? [])
      .filter(({ access }) => access === "name" || access === "bound")
      .map(({ key }) => key);
    return tableEntry(site, lines, keys, handsFree);
  });
  const left = handsFree ? leftAlone(unit, lines) : [];
  const results = watched.map((site) => callEntry(site, lines));
  const clocked = timed.map(({ start, name }) => [lines.at(start).line, name]);
  edits.first(unit.start, headerOf(own, [file, table, left, results, clocked, plain]));
  const applied = edits.apply(own);
  return handsFree ? applied.text + sourceMapComment(file, text, applied) : applied.text;
}

/** Has the run not notice what is asked; answers where that stands. */
function wrapProbes(
  edits: Edits,
  { text, unit }: AnalyzedFile,
  own: string,
  { probes = [], effectOfPart }: Pick<RewriteOptions, "probes" | "effectOfPart">,
): Span[] {
  const { file } = unit;
  const lines = new Lines(text);
  const offsetOf = (at: { readonly line: number; readonly column: number }): number =>
    lines.startOf(at.line) + at.column - 1;
  return probes
    .filter((one) => one.file === file)
    .map((probe) => {
      const start = offsetOf(probe);
      const logged = unit.logs.find(({ at }) => at === start);
      const end = probe.end ? offsetOf(probe.end) : (logged?.end ?? start);
      const counted = (probe.counters ?? []).map((one) => countedText(one, own)).join("");
      if (probe.end) wrapPart(edits, { file, text, start, end }, { own, counted, effectOfPart });
      else saveAround(edits, logged, { own, counted });
      return { start, end };
    });
}

/** Makes what the inserted code asks, of these tables of the file. */
export function headerOf(own: string, tables: readonly unknown[]): string {
  const given = tables.map((value) => quote(value)).join();
  const make = `globalThis[Symbol.for("afterlog.instrument")]?.(${given})`;
  // A declared function is there even for a file that calls into this one before it has run.
  return `function ${own}(){return ${own}.i??=${make}??${IDLE}}${own}();${HEADER_END}`;
}

/** What the SDK knows of a loop of a file. */
export function tableEntry(
  site: LoopSite,
  lines: Lines,
  keys: readonly string[],
  handsFree: boolean,
): readonly unknown[] {
  const start = lines.at(site.at);
  const end = lines.at(site.end);
  const entry = [start.line, start.column, end.line, end.column, keys];
  // A training is no statement: what drives it has its name from here.
  if (!handsFree && !site.model) return entry;
  const kind = site.model ? "fit" : !site.written ? "api" : site.form === "plain" ? "plain" : "of";
  return [...entry, site.name, kind, site.trivial ? 1 : 0, functionOfLoop(site)];
}

function leftAlone(unit: FileUnit, lines: Lines): (readonly [number, number, string])[] {
  return unit.leftAlone.map(({ at, why }) => {
    const { line, column } = lines.at(at);
    return [line, column, why];
  });
}

function quote(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\u2028\u2029]/g, (character) =>
    character === "\u2028" ? "\\u2028" : "\\u2029",
  );
}

/** A name that the file does not use, to begin all inserted names with. */
export function ownName(text: string): string {
  let name = "__al";
  for (let n = 0; text.includes(name); n++) name = `__al${n}_`;
  return name;
}

type SourceLoop = SourceModel["loops"][number];

export function changesOfLoop(
  model: SourceModel,
  unit: FileUnit,
  site: LoopSite,
): SourceLoop["changes"] {
  return loopOf(model, unit, site)?.changes ?? [];
}

/** What the loop only reads, lent to the audit: a second function, or nothing. */
function readsOf(
  model: SourceModel,
  unit: FileUnit,
  site: LoopSite,
): { readonly names: readonly string[]; readonly text: string } {
  const reads = loopOf(model, unit, site)?.reads ?? [];
  const names = reads.map(({ name }) => name);
  if (reads.length === 0) return { names, text: "" };
  const text = `,()=>[${reads.map(({ key, name }) => `[${quote(key)},${quote(name)},()=>${name}]`).join()}]`;
  return { names, text };
}

function loopOf(model: SourceModel, unit: FileUnit, site: LoopSite): SourceLoop | undefined {
  const ordinal = unit.loops.indexOf(site);
  return model.loops.find((loop) => loop.file === unit.file && loop.ordinal === ordinal);
}

/** The variable that a name means where the loop stands. */
export function seenAt(site: LoopSite, name: string): Binding | undefined {
  for (let scope: LoopSite["scope"] | null = site.scope; scope; scope = scope.parent) {
    const binding = scope.bindings.get(name);
    if (binding) return binding;
  }
  return undefined;
}

export function accessor(
  own: string,
  key: string,
  name: string,
  binding: Binding | undefined,
): string {
  const setter = binding?.settable ? `,${own}v=>{${name}=${own}v}` : "";
  return `[${quote(key)},()=>${name}${setter}]`;
}

function boundKeys(model: SourceModel, file: string): Set<string> {
  const bound = model.loops.flatMap(({ changes }) =>
    changes.filter(({ access }) => access === "bound").map(({ key }) => key),
  );
  return new Set(bound.filter((key) => key.startsWith(`${file}:`)));
}

/** Registers variables where they are declared. */
function bindVariables(edits: Edits, unit: FileUnit, own: string, keys: Set<string>): void {
  for (const [number, binding] of unit.bindings.entries()) {
    const { key, name, bindPoint } = binding;
    if (!bindPoint || !keys.has(key)) continue;
    const lent = accessor(own, key, name, binding).slice(1, -1);
    const call = `${own}.i?.full[${number}]||${own}().bind(${number},${lent})`;
    const { form, start, end } = bindPoint;
    if (form === "expression") {
      edits.before(start, `(${call},`);
      edits.after(end, ")");
    } else edits.after(start, `;${call};`);
  }
}

/** Only code inside a class reaches its private fields. */
function lendFields(edits: Edits, own: string, { key, at, privateFields }: ClassSite): void {
  const fields = privateFields.map(
    (name) => `[${quote(name)},o=>${name} in o,o=>o.${name},(o,v)=>{o.${name}=v}]`,
  );
  edits.after(at, `;static{${own}().cls(${quote(key)},this,[${fields.join()}])}`);
}

/** Gives a counter what went by without it; where it begins, nothing before counts. */
function countedText({ name, key, begins }: PartCounter, own: string): string {
  const call = `${own}().counted(${quote(key)}`;
  return begins ? `${call});` : `${name}=${call},${name});`;
}

function saveAround(
  edits: Edits,
  log: LogSite | undefined,
  { own, counted }: { readonly own: string; readonly counted: string },
): void {
  const statement = log?.statement;
  if (!statement) return;
  edits.before(
    statement.start,
    `{const ${own}s=${own}().save(0,${statement.start});try{${counted}`,
  );
  edits.after(
    statement.end,
    `;}catch(${own}e){${own}().failed(${own}e)}finally{${own}().back(${own}s)}}`,
  );
}

/** Has the console know how what it prints is written: the last argument passes through the SDK. */
function tellTexts(
  edits: Edits,
  { texts, last }: NonNullable<LogSite["written"]>,
  own: string,
): void {
  edits.before(last.start, `${own}().says(${quote(texts)},`);
  edits.after(last.end, ")");
}

interface WatchedCall extends ProgramCallSite {
  /** The run had it. */
  readonly isOfRun: boolean;
}

/** Has the results of calls pass through the SDK, which gives them back or others in their place. */
function watchCalls(
  edits: Edits,
  calls: readonly ProgramCallSite[],
  parts: readonly Span[],
  own: string,
): WatchedCall[] {
  return calls.map((site, at) => {
    const { start, end, isAdded, isConcurrent } = site;
    const isAsked = parts.some((part) => part.start <= start && end <= part.end);
    if (!isConcurrent) {
      edits.before(start, `${own}().got(${at},`);
      edits.after(end, ")");
    }
    return { ...site, isOfRun: !isAsked && !isAdded };
  });
}

/** What the SDK knows of a call: nothing of what it is where the run did not have it. */
function callEntry(site: WatchedCall, lines: Lines): unknown[] {
  const { start, path, isOfRun, isClock, isConcurrent } = site;
  const { line, column } = lines.at(start);
  return [line, column, isOfRun ? path : null, (isClock ? 1 : 0) + (isConcurrent ? 2 : 0)];
}
