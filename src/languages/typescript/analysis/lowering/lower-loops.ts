/**
 * @file Loops, and the jumps out of them, to operations: those that `loop` of Afterlog makes, and, in a program that knows
 * nothing of it, all that it writes by itself (Flor §3.3).
 */
import type {
  BreakStatement,
  CallExpression,
  DoWhileStatement,
  Expression,
  ForInStatement,
  ForOfStatement,
  ForStatement,
  LabeledStatement,
  WhileStatement,
} from "oxc-parser";
import type { Builder } from "./builder.ts";
import { assignTo } from "./lower-expressions.ts";
import { hoistVariables } from "./hoist.ts";
import type { BindPoint, LoopSite, Region, Span, Var, WrittenLoop } from "./ir.ts";
import { writtenFor, writtenOf, writtenWhile } from "./loop-heads.ts";
import { afterlogName, constantText, unwrap } from "./syntax-names.ts";
import { lowerVariables } from "./lower-patterns.ts";

/** Labels of a loop, taken before anything of it is walked. */
interface Labelled {
  readonly text: string;
  readonly labels: readonly string[];
  readonly start: number;
}

function labelled(b: Builder, node: Span): Labelled {
  const start = b.labels?.start ?? node.start;
  return { text: b.text, labels: takeLabels(b), start };
}

/** The loops of what is logged are not the program's: a probe must change none of their numbers. */
function isProgramLoop(b: Builder): boolean {
  return b.unit.mode.handsFree && b.logged === 0;
}

/** A loop that is not recorded: what is in it runs any number of times. */
function repeat(b: Builder, node: Span, labels: readonly string[], run: () => void): void {
  b.lowered.repeated.push({ start: node.start, end: node.end });
  const target = { labels, isPlain: true, breaks: null };
  b.with("targets", [...b.targets, target], () => b.branch(run));
}

export function lowerForIn(b: Builder, node: ForInStatement): void {
  const { labels } = labelled(b, node);
  if (isProgramLoop(b)) b.unit.leftAlone.push({ at: node.start, why: "a for…in has no position" });
  b.walk.expression(b, node.right);
  b.inScope(node, () => {
    if (node.left.type === "VariableDeclaration") hoistVariables(b, node.left, null);
    else assignTo(b, node.left, null);
    repeat(b, node, labels, () => b.walk.statement(b, node.body));
  });
}

export function lowerWhile(b: Builder, node: WhileStatement | DoWhileStatement): void {
  const head = labelled(b, node);
  lowerPlain(b, node, head, isProgramLoop(b) ? writtenWhile(node, head) : null, {
    next: () => b.walk.expression(b, node.test),
    body: () => b.walk.statement(b, node.body),
  });
}

export function lowerFor(b: Builder, node: ForStatement): void {
  const head = labelled(b, node);
  b.inScope(node, () => {
    const { init, test, update } = node;
    if (init?.type === "VariableDeclaration") {
      if (init.kind !== "var") hoistVariables(b, init, null);
      lowerVariables(b, init);
    } else if (init) b.walk.expression(b, init);
    lowerPlain(b, node, head, isProgramLoop(b) ? writtenFor(node, head) : null, {
      next: () => {
        if (test) b.walk.expression(b, test);
        if (update) b.walk.expression(b, update);
      },
      body: () => b.walk.statement(b, node.body),
    });
  });
}

interface PlainParts {
  /** What runs between two iterations. */
  readonly next: () => unknown;
  readonly body: () => void;
}

/** `written`: null for a loop that is not looked for, undefined for one that was not understood. */
function lowerPlain(
  b: Builder,
  node: WhileStatement | DoWhileStatement | ForStatement,
  head: Labelled,
  written: WrittenLoop | null | undefined,
  parts: PlainParts,
): void {
  if (!written) {
    if (written === undefined) b.unit.leftAlone.push({ at: node.start, why: "an unusual head" });
    return repeat(b, node, head.labels, () => {
      parts.next();
      parts.body();
    });
  }
  const site = newSite(b, node, head, { form: "plain", at: node.start, written });
  inLoop(b, site, head.labels, (body, next) => {
    b.with("region", next, parts.next);
    b.with("region", body, parts.body);
  });
}

export function lowerForOf(b: Builder, node: ForOfStatement): void {
  const labels = labelled(b, node);
  const head = unwrap(node.right);
  if (head.type === "CallExpression" && afterlogName(b, head.callee) === "afterlog.loop") {
    return lowerRecorded(b, node, head, labels);
  }
  const source = b.walk.expression(b, node.right);
  if (!isProgramLoop(b)) {
    const walk = (): void => lowerItems(b, node, source);
    return b.inScope(node, () => repeat(b, node, labels.labels, walk));
  }
  const written = writtenOf(node, labels);
  const site = newSite(b, node, labels, { form: "for", at: node.start, written });
  lowerIterations(b, node, site, labels.labels, { source, literal: node.right });
}

function lowerRecorded(
  b: Builder,
  node: ForOfStatement,
  call: CallExpression,
  head: Labelled,
): void {
  const [name, iterated] = call.arguments;
  const site = newSite(b, node, head, { form: "for", at: call.start, written: null });
  site.name = name && name.type !== "SpreadElement" ? constantText(name) : null;
  // The head runs once, before the loop: only what follows is inside.
  let source: Var | null = null;
  for (const [index, argument] of call.arguments.entries()) {
    const isSpread = argument.type === "SpreadElement";
    const value = b.walk.expression(b, isSpread ? argument.argument : argument);
    if (index === 1 && !isSpread) source = value;
    if (isSpread) b.uncertain(argument.start, "spread arguments of loop");
  }
  const literal = iterated && iterated.type !== "SpreadElement" ? iterated : null;
  lowerIterations(b, node, site, head.labels, { source, literal });
}

function newSite(
  b: Builder,
  node: ForOfStatement | ForStatement | WhileStatement | DoWhileStatement,
  { start }: Labelled,
  known: Pick<LoopSite, "form" | "at" | "written">,
): LoopSite {
  const isOf = node.type === "ForOfStatement";
  const region: Region = { parent: b.region, site: null, part: "body" };
  const site = b.addLoop(node, {
    ...known,
    bodyStart: node.body.start,
    labelled: start,
    head: isOf ? { start: node.right.start, end: node.right.end } : node,
    region,
    ...(isOf ? { awaits: node.await } : {}),
  });
  region.site = site;
  return site;
}

function lowerIterations(
  b: Builder,
  node: ForOfStatement,
  site: LoopSite,
  labels: readonly string[],
  { source, literal }: { readonly source: Var | null; readonly literal: Expression | null },
): void {
  site.iterable = source;
  site.literal = literal && literalKind(b, literal);
  b.inScope(node, () =>
    inLoop(b, site, labels, (body, next) =>
      b.with("region", body, () => lowerItems(b, node, source, next)),
    ),
  );
}

/** Walks what runs in the iterations of a recorded loop. */
function inLoop(
  b: Builder,
  site: LoopSite,
  labels: readonly string[],
  walk: (body: Region | null, next: Region) => void,
): void {
  const { region } = site;
  const next: Region = { parent: b.region, site, part: "next" };
  if (region) b.unit.regions.push(region, next);
  const before = b.lowered.ops.length;
  const target = { labels, isPlain: true, breaks: site.breaks };
  b.with("targets", [...b.targets, target], () => b.branch(() => walk(region, next)));
  const isYielding = b.lowered.ops.slice(before).some(({ op }) => op === "yield");
  if (site.written && isYielding) {
    forget(b, site, [region, next]);
    b.unit.leftAlone.push({ at: site.at, why: "whoever takes its items runs in its iterations" });
  }
}

/** What was taken for a loop of its own is a part of what is around it. */
function forget(b: Builder, site: LoopSite, regions: readonly (Region | null)[]): void {
  for (const region of regions) if (region) region.site = null;
  b.unit.loops.splice(b.unit.loops.indexOf(site), 1);
  b.lowered.repeated.push({ start: site.start, end: site.end });
}

/** The item goes to what stands on the left, and the body runs. */
function lowerItems(b: Builder, node: ForOfStatement, source: Var | null, next?: Region): void {
  if (node.await) b.lowered.waits = true;
  const item = b.with("region", next ?? b.region, () => {
    const element =
      source && b.value(node.start, (to) => ({ op: "iterate", source, to, index: null }));
    if (!element || !node.await) return element;
    return b.value(node.start, (to) => ({ op: "await", from: element, to }));
  });
  const { left } = node;
  if (left.type === "VariableDeclaration") {
    const { kind } = left;
    if (kind !== "var") hoistVariables(b, left, insideOf(node));
    for (const { id } of left.declarations) b.walk.pattern(b, id, item, kind === "var");
  } else assignTo(b, left, item);
  b.walk.statement(b, node.body);
}

function insideOf(node: ForOfStatement): BindPoint | null {
  const { type, start, end } = node.body;
  return type === "BlockStatement" ? { form: "body", start: start + 1, end } : null;
}

/** What is an array or a range by the looks of it. */
function literalKind(b: Builder, node: Expression): "index" | null {
  const inner = unwrap(node);
  if (inner.type === "ArrayExpression") return "index";
  if (constantText(inner) !== null) return "index";
  const isCall = inner.type === "CallExpression";
  return isCall && afterlogName(b, inner.callee) === "afterlog.range" ? "index" : null;
}

export function lowerLabeled(b: Builder, node: LabeledStatement): void {
  const { names, start } = b.labels ?? { names: [], start: node.start };
  b.labels = { names: [...names, node.label.name], start };
  const { type } = node.body;
  if (LOOPS.has(type) || type === "LabeledStatement") return b.walk.statement(b, node.body);
  const target = { labels: takeLabels(b), isPlain: false, breaks: null };
  b.with("targets", [...b.targets, target], () => b.walk.statement(b, node.body));
}

const LOOPS: ReadonlySet<string> = new Set([
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
]);

export function takeLabels(b: Builder): readonly string[] {
  const names = b.labels?.names ?? [];
  b.labels = null;
  return names;
}

/** A `break` that leaves a recorded loop is marked by the rewriting. */
export function noteBreak(b: Builder, { label, start, end }: BreakStatement): void {
  const target = b.targets.findLast(({ labels, isPlain }) =>
    label ? labels.includes(label.name) : isPlain,
  );
  target?.breaks?.push({ start, end });
}
