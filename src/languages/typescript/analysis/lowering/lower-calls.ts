/** @file Calls to operations: of functions, methods and classes, and what Afterlog is asked for. */
import type { Argument as ArgumentNode, CallExpression, Expression } from "oxc-parser";
import type { ImportExpression, NewExpression, Node } from "oxc-parser";
import type { ConsoleNames } from "../../../../format/index.ts";
import { consoleLogOf, recordLogOf, unnamedTexts } from "../../console-calls.ts";
import type { Builder } from "./builder.ts";
import { fittedModel, HANDLERS, modelToFit, YIELD_HANDLER } from "./fit-calls.ts";
import type {
  Argument,
  Binding,
  CallOp,
  LogSite,
  LoopSite,
  Region,
  Span,
  TimedSpan,
} from "./ir.ts";
import { Var } from "./ir.ts";
import { afterlogName, constantText, noteEval, propertyName, unwrap } from "./syntax-names.ts";

export function lowerCall(b: Builder, node: CallExpression): Var | null {
  const name = afterlogName(b, node.callee);
  if (name?.startsWith("afterlog.")) return lowerAfterlog(b, node, name);
  const printed =
    b.unit.mode.handsFree && !b.resolve("console") ? consoleLogOf(node, b.unit.mode) : undefined;
  if (printed) addPrinted(b, node, printed);
  return b.with("logged", b.logged + (printed ? 1 : 0), () => lowerOther(b, node));
}

/** A call of anything but Afterlog. */
function lowerOther(b: Builder, node: CallExpression): Var | null {
  const callee = unwrap(node.callee);
  if (callee.type === "Identifier" && !b.resolve(callee.name)) {
    if (callee.name === "require") return lowerRequire(b, node);
    if (callee.name === "eval") noteEval(b, node.start);
    if (callee.name === "Function") b.uncertain(node.start, "new Function");
  }
  if (callee.type === "Super") {
    const superCall = { callee: b.superClass().value, receiver: b.thisBinding(), method: null };
    return emitCall(b, node, { ...superCall, how: "super" });
  }
  if (callee.type !== "MemberExpression") {
    return emitCall(b, node, {
      callee: b.walk.expression(b, callee),
      receiver: null,
      method: null,
    });
  }
  const method = propertyName(callee.property, callee.computed);
  if (method !== null && DEFINES.has(method) && !describesValue(node)) {
    b.uncertain(node.start, "an accessor that is defined by hand");
  }
  if (callee.object.type === "Super") {
    const value = b.walk.expression(b, callee);
    return emitCall(b, node, { callee: value, receiver: b.thisBinding(), method });
  }
  // A text has methods too, if it is no object.
  const receiver = b.walk.expression(b, callee.object) ?? new Var(b.lowered);
  const model = fittedModel(b, node);
  if (callee.computed && method === null) b.walk.expression(b, callee.property);
  const load = { op: "load", field: method, called: true } as const;
  const value = b.value(node.start, (to) => ({ ...load, object: receiver, to }));
  const called = { callee: value, receiver, method };
  return model ? emitFit(b, node, { ...called, known: false }, model) : emitCall(b, node, called);
}

const THEN = new Set(["then", "catch", "finally"]);

/** What is waited for, or returned: the calls that it consists of, one after the other. */
export function noteAlone(b: Builder, expression: Expression): void {
  const node = unwrap(expression);
  if (node.type === "ConditionalExpression") {
    noteAlone(b, node.consequent);
    return noteAlone(b, node.alternate);
  }
  if (node.type === "LogicalExpression") return noteAlone(b, node.right);
  if (node.type !== "CallExpression") return;
  b.alone.add(node);
  const callee = unwrap(node.callee);
  if (callee.type !== "MemberExpression" || callee.object.type === "Super") return;
  if (THEN.has(propertyName(callee.property, callee.computed) ?? "")) noteAlone(b, callee.object);
}

const DEFINES = new Set([
  "defineProperty",
  "defineProperties",
  "__defineGetter__",
  "__defineSetter__",
]);

/** `Object.defineProperty(o, "x", { value })`, which runs no function when `o.x` is used. */
function describesValue({ arguments: args }: CallExpression): boolean {
  const [, , descriptor] = args;
  if (args.length !== 3 || !descriptor || descriptor.type !== "ObjectExpression") return false;
  return descriptor.properties.every((property) => {
    if (property.type === "SpreadElement") return false;
    const name = propertyName(property.key, property.computed);
    return name !== null && name !== "get" && name !== "set";
  });
}

export function lowerNew(b: Builder, node: NewExpression): Var {
  const inner = unwrap(node.callee);
  if (inner.type === "Identifier" && !b.resolve(inner.name)) {
    if (inner.name === "Function") b.uncertain(node.start, "new Function");
    // Its functions run wherever it is used, by no call that is written.
    if (inner.name === "Proxy") b.uncertain(node.start, "a proxy");
  }
  const callee = b.walk.expression(b, node.callee);
  return emitCall(b, node, { callee, receiver: null, method: null, how: "new" });
}

type Called = Pick<CallOp, "callee" | "receiver" | "method"> &
  Partial<Pick<CallOp, "how" | "known">>;

function emitCall(b: Builder, node: CallExpression | NewExpression, called: Called): Var {
  const args = lowerArguments(b, node.arguments);
  const { how = "call", known = false } = called;
  const rest = { args, how, known, awaited: b.awaited, alone: b.alone.has(node) } as const;
  const timed = timedSpan(b, node);
  const call = { op: "call", ...called, ...rest, ...(timed ? { timed } : {}) } as const;
  return b.value(node.start, (to) => ({ ...call, to }));
}

const CALLED_MAX = 60;

/** Where a call stands that a recording may time: something can be put around it. */
function timedSpan(b: Builder, node: CallExpression | NewExpression): TimedSpan | undefined {
  if (!b.unit.mode.handsFree || b.logged > 0 || isPartOfChain(node)) return undefined;
  const { text } = b;
  const name = text.slice(node.callee.start, node.callee.end);
  if (name.length > CALLED_MAX || name.includes("\n") || name === "super") return undefined;
  const before = /\bawait\s+$/.exec(text.slice(Math.max(0, node.start - 64), node.start));
  // `await f().x` waits for more than the call.
  const isWhole = before !== null && !/^\s*[.[(`!?]/.test(text.slice(node.end, node.end + 64));
  return { name, start: isWhole ? node.start - before[0].length : node.start, end: node.end };
}

/** Behind a `?.` it may not be executed: it cannot stand in a call of its own. */
function isPartOfChain(node: Node): boolean {
  if (node.type === "CallExpression") return node.optional || isPartOfChain(node.callee);
  return node.type === "MemberExpression" && (node.optional || isPartOfChain(node.object));
}

function lowerArguments(b: Builder, nodes: readonly ArgumentNode[]): Argument[] {
  return nodes.map((node) => {
    const spread = node.type === "SpreadElement";
    return { value: b.walk.expression(b, spread ? node.argument : node), spread };
  });
}

/** `loop`, `fit` and `log` have a place in the model; the others are calls like any. */
function lowerAfterlog(b: Builder, node: CallExpression, name: string): Var {
  const callee = b.value(node.start, (to) => ({ op: "native", path: name.replace(".", "|"), to }));
  const called = { callee, receiver: null, method: null, known: true };
  switch (name) {
    case "afterlog.loop":
      b.addLoop(node, { form: "other", name: firstText(node), region: null });
      return emitCall(b, node, called);
    case "afterlog.fitCallback":
      // Among the callbacks of a training it has no loops of its own.
      if (!b.trained) b.addLoop(node, { form: "other", name: firstText(node), region: null });
      return emitCall(b, node, called);
    case "afterlog.fit":
      return emitFit(b, node, called, modelToFit(b, node));
    case "afterlog.log":
      addLog(b, node);
      return b.with("logged", b.logged + 1, () => emitCall(b, node, called));
    case "afterlog.checkpointing": {
      const result = emitCall(b, node, called);
      addDeclaration(b, node, result);
      return result;
    }
    default:
      return emitCall(b, node, called);
  }
}

/** Epochs of a training: what the call does happens in them, its arguments are there before. */
function emitFit(
  b: Builder,
  node: CallExpression,
  called: Called & Pick<CallOp, "known">,
  model?: Span,
): Var {
  const args = b.with("trained", true, () => lowerArguments(b, node.arguments));
  const rest = { args, how: "call", awaited: b.awaited, alone: b.alone.has(node) } as const;
  const call = { op: "call", ...called, ...rest } as const;
  // They stand in one call: each needs a place of its own.
  const callee = unwrap(node.callee);
  const at =
    callee.type === "MemberExpression" ? callee.property.start : (model?.end ?? callee.end);
  const inner = { isInner: true, at } as const;
  if (!model) {
    const epochs = addFitLoop(b, node, "epoch");
    const batches = inRegion(b, epochs, () => addFitLoop(b, node, "batch", inner));
    return inRegion(b, batches, () => b.value(node.start, (to) => ({ ...call, to })));
  }
  const fitted = { model: { start: model.start, end: model.end } };
  const handled = called.known ? 3 : called.method === "fitDataset" ? 1 : 2;
  const dataset = handled === 1 ? (args[0]?.value ?? null) : null;
  const epochs = addFitLoop(b, node, "epoch", { ...fitted, iterable: dataset, awaits: false });
  const place = { ...fitted, ...inner };
  const batches = inRegion(b, epochs, () => addFitLoop(b, node, "batch", place));
  const options = args[handled]?.value;
  if (options) emitHandlers(b, node, options, { epochs, batches });
  if (dataset) {
    // It draws a seed for each epoch from a generator of its own, which loops around move on.
    if (mayShuffle(b.text)) b.emit(node.start, { op: "secret", keeper: "a shuffled dataset" });
    const next: Region = { parent: b.region, site: epochs.site, part: "next" };
    b.unit.regions.push(next);
    const given = b.value(node.start, (to) => ({ op: "new", kind: "plain", to }));
    const calls = { op: "handle", source: dataset, name: null, given } as const;
    inRegion(b, next, () => b.emit(node.start, calls));
  }
  return inRegion(b, batches, () => b.value(node.start, (to) => ({ ...call, handled, to })));
}

/** Whether the datasets of a file may be shuffled, as far as its text tells. */
function mayShuffle(text: string): boolean {
  return !/\bdata\.\w+\(/.test(text) || /\.shuffle\s*\(/.test(text);
}

function addFitLoop(b: Builder, node: Span, name: string, given: Partial<LoopSite> = {}): Region {
  const region: Region = { parent: b.region, site: null, part: "body" };
  region.site = b.addLoop(node, { form: "fit", name, region, ...given });
  b.unit.regions.push(region);
  return region;
}

function inRegion<T>(b: Builder, region: Region | null, run: () => T): T {
  return b.with("region", region, run);
}

/** Callbacks run in the loop of which they tell. */
function emitHandlers(
  b: Builder,
  { start }: CallExpression,
  options: Var,
  { epochs, batches }: { readonly epochs: Region; readonly batches: Region },
): void {
  const load = { op: "load", object: options, field: "callbacks" } as const;
  const source = b.value(start, (to) => ({ ...load, to }));
  const given = b.value(start, (to) => ({ op: "new", kind: "plain", to }));
  const regions = { training: b.region, epoch: epochs, batch: batches };
  for (const [loop, names] of Object.entries(HANDLERS)) {
    inRegion(b, regions[loop as keyof typeof HANDLERS], () => {
      for (const name of names) b.emit(start, { op: "handle", source, name, given });
    });
  }
  inRegion(b, batches, () => b.emit(start, { op: "handle", source, name: YIELD_HANDLER, given }));
}

function firstText(node: CallExpression): string | null {
  const [first] = node.arguments;
  return first && first.type !== "SpreadElement" ? constantText(first) : null;
}

function addLog(b: Builder, node: CallExpression): void {
  const record = recordLogOf(node);
  if (record) return addNames(b, node, record);
  const [first] = node.arguments;
  const pattern = first && first.type !== "SpreadElement" ? patternOf(first) : null;
  addLogSite(b, node, { name: firstText(node), pattern });
}

/** A line on the console may log several names. */
function addPrinted(b: Builder, node: CallExpression, shown: ConsoleNames): void {
  const texts = unnamedTexts(node, b.unit.mode, b.text);
  const last = node.arguments.at(-1);
  if (!texts || !last) return addNames(b, node, shown);
  const [pattern = null] = shown.patterns;
  addLogSite(b, node, { name: texts.at(-1) ?? null, pattern, written: { texts, last } });
}

function addNames(
  b: Builder,
  node: CallExpression,
  { names, patterns, isOpen }: ConsoleNames,
): void {
  const shown = isOpen ? { shown: names } : {};
  for (const name of names) addLogSite(b, node, { name, pattern: null, ...shown });
  for (const pattern of patterns) addLogSite(b, node, { name: null, pattern });
}

function addLogSite(
  b: Builder,
  node: CallExpression,
  logged: Pick<LogSite, "name" | "pattern" | "shown" | "written">,
): void {
  b.unit.logs.push({
    file: b.unit.file,
    at: node.start,
    end: node.end,
    ...logged,
    text: b.text.slice(node.start, node.end),
    statement: b.whole?.expression === node ? b.whole.statement : null,
    lowered: b.lowered,
    region: b.region,
  });
}

/** What a template may come to, as a regular expression. */
function patternOf(node: Expression): string | null {
  const inner = unwrap(node);
  if (inner.type !== "TemplateLiteral" || inner.expressions.length === 0) return null;
  const parts = inner.quasis.map(({ value }) =>
    (value.cooked ?? "").replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"),
  );
  return `^${parts.join("[\\s\\S]*")}$`;
}

/** Declared is only what is declared for certain: at the top of a function, not in a branch. */
function addDeclaration(b: Builder, node: CallExpression, record: Var): void {
  const [first] = node.arguments;
  if (!b.straight || !first || first.type === "SpreadElement") return;
  const literal = unwrap(first);
  const fields: { field: string; binding: Binding }[] = [];
  if (literal.type === "ObjectExpression") {
    for (const property of literal.properties) {
      if (property.type === "SpreadElement" || property.kind !== "init") continue;
      const field = propertyName(property.key, property.computed);
      const value = unwrap(property.value);
      const binding = value.type === "Identifier" ? b.resolve(value.name) : undefined;
      if (field !== null && binding) fields.push({ field, binding });
    }
  }
  b.unit.declarations.push({ at: node.start, lowered: b.lowered, record, fields });
}

function lowerRequire(b: Builder, node: CallExpression): Var {
  const [first] = node.arguments;
  const specifier = first && first.type !== "SpreadElement" ? constantText(first) : null;
  if (specifier === null) {
    b.uncertain(node.start, "require of a computed name");
    for (const { value } of lowerArguments(b, node.arguments)) void value;
    return b.value(node.start, (to) => ({ op: "new", kind: "opaque", to }));
  }
  return b.value(node.start, (to) => ({ op: "import", specifier, how: "require", to }));
}

export function lowerImport(b: Builder, node: ImportExpression): Var {
  const specifier = constantText(node.source);
  if (specifier === null) {
    b.walk.expression(b, node.source);
    b.uncertain(node.start, "import of a computed name");
    return b.value(node.start, (to) => ({ op: "new", kind: "opaque", to }));
  }
  return b.value(node.start, (to) => ({ op: "import", specifier, how: "dynamic", to }));
}
