/**
 * @file What a loop becomes. One that `al.loop` makes, or a `for…of`, goes over what it is given;
 * any other asks before each test whether it shall go on (`L` is the loop at run time):
 *
 *     {const L=…;try{while((L.n-->0||L.next())&&(test)&&(L.m||L.go())||L.end())body}finally{…}}
 *
 * `n` is how many iterations may pass without a call, so that the way through costs next to nothing.
 * Between two iterations stands `next`, before the test: where the loop stands is then all in its
 * variables. Those of a `for` are declared before it, so that one accessor serves all iterations;
 * where a function uses them, each iteration has its own, and lends it by `see`.
 */
import type { Edits } from "./text-edits.ts";
import type { Binding, FileUnit, LoopSite, Span, WrittenLoop } from "../analysis/lowering/ir.ts";

/** What stands for a loop at run time where nobody records. */
export const IDLE_LOOP: string =
  "{n:Infinity,m:true,over:x=>x,of:x=>x,ofAwait:x=>x,on:x=>x,brk(){},see(){},next:()=>true,go:()=>true," +
  "end:()=>false,body:()=>true,leave(){}}";

/** A loop of the text, with what is inserted for it. */
export interface RewrittenLoop {
  readonly site: LoopSite;
  /** Its name in the inserted code. */
  readonly own: string;
  /** Makes it, given accessors. */
  readonly made: (accessors: readonly string[]) => string;
  /** Accessors to names that it changes; `binding`: the variable, undefined for `this`. */
  readonly accessors: readonly { readonly text: string; readonly binding: Binding | undefined }[];
}

export function rewriteLoop(edits: Edits, unit: FileUnit, loop: RewrittenLoop): void {
  const { site, own } = loop;
  const { written, model } = site;
  if (model && site.isInner) return lendBatches(edits, loop, model);
  if (model) return rewriteFit(edits, loop, model);
  if (site.form !== "plain" || !written?.test) goOver(edits, loop);
  else if (written.kind === "for") rewriteFor(edits, unit, loop, written);
  else rewriteWhile(edits, loop, written);
  for (const { start, end } of site.breaks) {
    edits.before(start, `{${own}.brk();`);
    edits.after(end, "}");
  }
}

/** What is called is looked at first: `L.on(model).fit(…)`. */
function rewriteFit(edits: Edits, { made, accessors }: RewrittenLoop, model: Span): void {
  edits.before(model.start, `${made(accessors.map(({ text }) => text))}.on(`);
  edits.after(model.end, ")");
}

/** The same with its inner loop: `L.on(model,()=>B).fit(…)`. */
function lendBatches(edits: Edits, { made, accessors }: RewrittenLoop, model: Span): void {
  edits.after(model.end, `,()=>${made(accessors.map(({ text }) => text))}`);
}

function goOver(edits: Edits, { site, own, made, accessors }: RewrittenLoop): void {
  edits.before(site.labelled, `{const ${own}=${made(accessors.map(({ text }) => text))};`);
  edits.after(site.end, "}");
  const method = site.awaits ? "ofAwait" : "of";
  // What stands there may be a sequence in parentheses, which are no part of it, or `of[1]`.
  const [open, close] = site.written ? [` ${own}.${method}((`, "))"] : [`${own}.over(`, ")"];
  edits.before(site.head.start, open);
  edits.after(site.head.end, close);
}

function rewriteWhile(edits: Edits, loop: RewrittenLoop, written: WrittenLoop): void {
  const { site, own, made, accessors } = loop;
  edits.before(site.labelled, `{const ${own}=${made(accessors.map(({ text }) => text))};try{`);
  edits.after(site.end, `}finally{${own}.leave()}}`);
  if (written.kind === "do") edits.before(site.bodyStart, ` if(${own}.body())`);
  rewriteTest(edits, written, own);
}

function rewriteFor(edits: Edits, unit: FileUnit, loop: RewrittenLoop, written: WrittenLoop): void {
  const { site, own, made, accessors } = loop;
  const { init, labels } = written;
  const heads = new Set(
    [...site.scope.bindings.values()].filter(({ scope }) => isHead(scope, site)),
  );
  const isCopied = [...heads].some(({ captured }) => captured || unit.evaluates);
  edits.after(site.end, `}finally{${own}.leave()}}`);
  if (!init || isCopied) {
    const lent = accessors.filter(({ binding }) => binding && heads.has(binding) && isCopied);
    const others = accessors.filter((accessor) => !lent.includes(accessor));
    edits.before(site.labelled, `{const ${own}=${made(others.map(({ text }) => text))};try{`);
    const see = isCopied ? `${own}.see(()=>[${lent.map(({ text }) => text).join()}]),` : "";
    return rewriteTest(edits, written, own, see);
  }
  // Out of the head: the labels, the keyword and the parenthesis come after it.
  edits.before(site.labelled, init.isDeclaration ? "{" : "{void(");
  edits.cut(site.labelled, init.start);
  if (!init.isDeclaration) edits.after(init.end, ")");
  const again = [...labels.map((label) => `${label}:`), "for(;"].join("");
  const start = `const ${own}=${made(accessors.map(({ text }) => text))};try{${again}`;
  rewriteTest(edits, written, own, "", start);
}

function isHead(scope: Binding["scope"], site: LoopSite): boolean {
  return scope.start === site.start && scope.end === site.end;
}

function rewriteTest(edits: Edits, { test }: WrittenLoop, own: string, see = "", start = ""): void {
  if (!test) return;
  const asks = `(${see}${own}.n-->0||${own}.next())&&`;
  const goes = `(${own}.m||${own}.go())||${own}.end()`;
  if (test.isEmpty) return edits.after(test.start, start + asks + goes);
  edits.after(test.start, `${start}${asks}(`);
  edits.after(test.end, `)&&${goes}`);
}
