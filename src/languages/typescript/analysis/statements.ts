/** @file Statements to operations, and the loops that Afterlog records. */
import type {
  BreakStatement,
  CallExpression,
  Class,
  ExportDefaultDeclaration,
  ExportNamedDeclaration,
  Expression,
  ForOfStatement,
  ForStatement,
  Function as FunctionNode,
  LabeledStatement,
  ModuleExportName,
  Statement,
  SwitchStatement,
  TryStatement,
  VariableDeclaration,
} from "oxc-parser";
import type { Builder } from "./builder.ts";
import { isAdded } from "./added.ts";
import { assignTo } from "./expressions.ts";
import { hoistBlock, hoistVariables, hoistVars } from "./hoist.ts";
import type { BindPoint, Binding, LoopSite, Region, Span, Var } from "./ir.ts";
import { afterlogName, constantText, namesIn, unwrap } from "./names.ts";

export function lowerStatements(b: Builder, nodes: readonly Statement[]): void {
  for (const node of nodes) lowerStatement(b, node);
}

export function lowerStatement(b: Builder, node: Statement): void {
  if (!isAdded(b.text, node)) return lowerOwn(b, node);
  // Braces that were put around a statement: it stays in the scope in which it was.
  if (node.type === "BlockStatement") return lowerStatements(b, node.body);
  b.with("logged", b.logged + 1, () => lowerOwn(b, node));
}

function lowerOwn(b: Builder, node: Statement): void {
  b.template.statements.push({ start: node.start, end: node.end });
  switch (node.type) {
    case "ExpressionStatement": {
      const inner = unwrap(node.expression);
      const expression = inner.type === "AwaitExpression" ? unwrap(inner.argument) : inner;
      b.whole = { expression, statement: node };
      b.walk.expression(b, node.expression);
      return;
    }
    case "VariableDeclaration":
      return lowerVariables(b, node);
    case "FunctionDeclaration":
      return lowerFunctionStatement(b, node);
    case "ClassDeclaration":
      return lowerClassStatement(b, node);
    case "ReturnStatement": {
      const { argument } = node;
      const from = argument && b.with("awaited", true, () => b.walk.expression(b, argument));
      if (from) b.emit(node.start, { op: "move", from, to: b.template.returned });
      return;
    }
    case "IfStatement":
      b.walk.expression(b, node.test);
      return b.branch(() => {
        lowerStatement(b, node.consequent);
        if (node.alternate) lowerStatement(b, node.alternate);
      });
    case "BlockStatement":
      return b.inScope(node, () => {
        hoistBlock(b, node.body);
        lowerStatements(b, node.body);
      });
    case "ForOfStatement":
      return lowerForOf(b, node);
    case "ForStatement":
      return lowerFor(b, node);
    case "LabeledStatement":
      return lowerLabeled(b, node);
    case "BreakStatement":
      return noteBreak(b, node);
    case "ThrowStatement": {
      const from = b.walk.expression(b, node.argument);
      if (from) b.emit(node.start, { op: "throw", from });
      return;
    }
    case "TryStatement":
      return lowerTry(b, node);
    case "SwitchStatement":
      return lowerSwitch(b, node);
    default:
      return lowerOther(b, node);
  }
}

function lowerOther(b: Builder, node: Statement): void {
  switch (node.type) {
    case "WhileStatement":
    case "DoWhileStatement":
      return repeat(b, node, () => {
        b.walk.expression(b, node.test);
        lowerStatement(b, node.body);
      });
    case "ForInStatement":
      b.walk.expression(b, node.right);
      return b.inScope(node, () => {
        if (node.left.type === "VariableDeclaration") hoistVariables(b, node.left, null);
        else assignTo(b, node.left, null);
        repeat(b, node, () => lowerStatement(b, node.body));
      });
    case "WithStatement":
      b.uncertain(node.start, "with");
      b.walk.expression(b, node.object);
      return lowerStatement(b, node.body);
    case "ExportNamedDeclaration":
      return lowerExport(b, node);
    case "ExportDefaultDeclaration":
      return lowerExportDefault(b, node);
    case "ExportAllDeclaration":
      if (node.exportKind === "type") return;
      b.emit(node.start, { op: "import", specifier: node.source.value, how: "static", to: null });
      if (!node.exported) b.unit.exportAll.push(node.source.value);
      else {
        const imported = { specifier: node.source.value, name: "*" };
        b.unit.exports.set(exportName(node.exported), imported);
      }
      return;
    case "ImportDeclaration":
      if (node.importKind === "type") return;
      b.emit(node.start, { op: "import", specifier: node.source.value, how: "static", to: null });
      return;
    case "TSExportAssignment": {
      const from = b.walk.expression(b, node.expression);
      const object = b.unit.moduleObject;
      b.emit(node.start, { op: "store", object, field: "exports", from, mutates: false });
      return;
    }
    case "TSEnumDeclaration": {
      const binding = b.resolve(node.id.name);
      if (binding) b.emit(node.start, { op: "new", kind: "plain", to: binding });
      return;
    }
    case "TSModuleDeclaration":
      if (node.body && !node.declare) b.uncertain(node.start, "a namespace");
      return;
    case "TSImportEqualsDeclaration":
      if (node.moduleReference.type === "TSExternalModuleReference") {
        const specifier = node.moduleReference.expression.value;
        const to = b.resolve(node.id.name) ?? null;
        b.emit(node.start, { op: "import", specifier, how: "require", to });
      }
      return;
    default:
  }
}

function lowerVariables(b: Builder, node: VariableDeclaration): void {
  if (node.declare) return;
  for (const { id, init } of node.declarations) {
    if (!init) continue;
    const value = b.walk.expression(b, init);
    // `var` has had a value before where the declaration runs again.
    b.walk.pattern(b, id, value, node.kind === "var");
    if (node.kind === "await using") b.template.waits = true;
    if (node.kind === "using" || node.kind === "await using") {
      if (value) disposeOf(b, value, node.start);
    }
  }
}

function disposeOf(b: Builder, receiver: Var, at: number): void {
  for (const method of ["@@dispose", "@@asyncDispose"]) {
    const callee = b.value(at, (to) => ({ op: "load", object: receiver, field: method, to }));
    const rest = { how: "call", awaited: true, known: false } as const;
    b.value(at, (to) => ({ op: "call", callee, receiver, method, args: [], to, ...rest }));
  }
}

function lowerFunctionStatement(b: Builder, node: FunctionNode): void {
  const to = node.id && b.resolve(node.id.name);
  if (to) b.emit(node.start, { op: "closure", template: b.walk.function(b, node), to });
}

function lowerClassStatement(b: Builder, node: Class): void {
  if (node.declare) return;
  const to = node.id && b.resolve(node.id.name);
  const from = b.walk.class(b, node);
  if (to) b.emit(node.start, { op: "move", from, to });
}

function lowerLabeled(b: Builder, node: LabeledStatement): void {
  const { names, start } = b.labels ?? { names: [], start: node.start };
  b.labels = { names: [...names, node.label.name], start };
  const { type } = node.body;
  if (LOOPS.has(type) || type === "LabeledStatement") return lowerStatement(b, node.body);
  const target = { labels: takeLabels(b), isPlain: false, breaks: null };
  b.with("targets", [...b.targets, target], () => lowerStatement(b, node.body));
}

const LOOPS: ReadonlySet<string> = new Set([
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
]);

function takeLabels(b: Builder): readonly string[] {
  const names = b.labels?.names ?? [];
  b.labels = null;
  return names;
}

/** A `break` that leaves a recorded loop is marked by the rewriting. */
function noteBreak(b: Builder, { label, start, end }: BreakStatement): void {
  const target = b.targets.findLast(({ labels, isPlain }) =>
    label ? labels.includes(label.name) : isPlain,
  );
  target?.breaks?.push({ start, end });
}

/** A plain loop: what is in it runs any number of times. */
function repeat(b: Builder, node: Span, run: () => void): void {
  b.template.repeated.push({ start: node.start, end: node.end });
  const target = { labels: takeLabels(b), isPlain: true, breaks: null };
  b.with("targets", [...b.targets, target], () => b.branch(run));
}

function lowerFor(b: Builder, node: ForStatement): void {
  b.inScope(node, () => {
    const { init, test, update } = node;
    if (init?.type === "VariableDeclaration") {
      if (init.kind !== "var") hoistVariables(b, init, null);
      lowerVariables(b, init);
    } else if (init) b.walk.expression(b, init);
    repeat(b, node, () => {
      if (test) b.walk.expression(b, test);
      if (update) b.walk.expression(b, update);
      lowerStatement(b, node.body);
    });
  });
}

function lowerForOf(b: Builder, node: ForOfStatement): void {
  const head = unwrap(node.right);
  if (head.type === "CallExpression" && afterlogName(b, head.callee) === "afterlog.loop") {
    return lowerRecorded(b, node, head);
  }
  const source = b.walk.expression(b, node.right);
  b.inScope(node, () => repeat(b, node, () => lowerItems(b, node, source)));
}

/** The item goes to what stands on the left, and the body runs. */
function lowerItems(b: Builder, node: ForOfStatement, source: Var | null, next?: Region): void {
  if (node.await) b.template.waits = true;
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
  lowerStatement(b, node.body);
}

function insideOf(node: ForOfStatement): BindPoint | null {
  const { type, start, end } = node.body;
  return type === "BlockStatement" ? { form: "body", start: start + 1, end } : null;
}

function lowerRecorded(b: Builder, node: ForOfStatement, call: CallExpression): void {
  const region: Region = { parent: b.region, site: null, part: "body" };
  const next: Region = { parent: b.region, site: null, part: "next" };
  const [name, iterated] = call.arguments;
  const site: LoopSite = {
    file: b.unit.file,
    form: "for",
    name: name && name.type !== "SpreadElement" ? constantText(name) : null,
    at: call.start,
    start: node.start,
    end: node.end,
    bodyStart: node.body.start,
    labelled: b.labels?.start ?? node.start,
    head: { start: node.right.start, end: node.right.end },
    breaks: [],
    template: b.template,
    scope: b.scope,
    region,
    literal: iterated && iterated.type !== "SpreadElement" ? literalKind(b, iterated) : null,
    awaits: node.await,
    iterable: null,
  };
  b.unit.loops.push(site);
  const target = { labels: takeLabels(b), isPlain: true, breaks: site.breaks };
  region.site = site;
  next.site = site;
  // The head runs once, before the loop: only what follows is inside.
  let source: Var | null = null;
  for (const [index, argument] of call.arguments.entries()) {
    const isSpread = argument.type === "SpreadElement";
    const value = b.walk.expression(b, isSpread ? argument.argument : argument);
    if (index === 1 && !isSpread) source = value;
    if (isSpread) b.uncertain(argument.start, "spread arguments of loop");
  }
  site.iterable = source;
  const walk = (): void => lowerItems(b, node, source, next);
  b.with("targets", [...b.targets, target], () =>
    b.inScope(node, () => b.branch(() => b.with("region", region, walk))),
  );
}

/** What is an array or a range by the looks of it. */
function literalKind(b: Builder, node: Expression): "index" | null {
  const inner = unwrap(node);
  if (inner.type === "ArrayExpression") return "index";
  if (constantText(inner) !== null) return "index";
  const isCall = inner.type === "CallExpression";
  return isCall && afterlogName(b, inner.callee) === "afterlog.range" ? "index" : null;
}

function lowerTry(b: Builder, node: TryStatement): void {
  b.branch(() => {
    lowerStatement(b, node.block);
    const { handler } = node;
    if (!handler) return;
    b.inScope(handler, () => {
      const { param, body } = handler;
      if (param) {
        const inside = { form: "body", start: body.start + 1, end: body.end } as const;
        for (const name of namesIn(param)) b.declare(name, "let", inside);
        const thrown = b.value(handler.start, (to) => ({ op: "catch", to }));
        b.walk.pattern(b, param, thrown, false);
      }
      lowerStatement(b, body);
    });
  });
  if (node.finalizer) lowerStatement(b, node.finalizer);
}

function lowerSwitch(b: Builder, node: SwitchStatement): void {
  b.walk.expression(b, node.discriminant);
  const target = { labels: takeLabels(b), isPlain: true, breaks: null };
  const walk = (): void =>
    b.branch(() => {
      for (const { consequent } of node.cases) hoistBlock(b, consequent);
      for (const { test, consequent } of node.cases) {
        if (test) b.walk.expression(b, test);
        lowerStatements(b, consequent);
      }
    });
  b.with("targets", [...b.targets, target], () => b.inScope(node, walk));
}

function lowerExport(b: Builder, node: ExportNamedDeclaration): void {
  if (node.exportKind === "type") return;
  const { source, declaration } = node;
  if (source) {
    b.emit(node.start, { op: "import", specifier: source.value, how: "static", to: null });
  }
  if (declaration) {
    lowerStatement(b, declaration);
    for (const name of declaredNames(declaration)) {
      const binding = b.scope.bindings.get(name);
      if (binding) b.unit.exports.set(name, binding);
    }
  }
  for (const { local, exported, exportKind } of node.specifiers) {
    if (exportKind === "type") continue;
    const name = exportName(exported);
    if (source) b.unit.exports.set(name, { specifier: source.value, name: exportName(local) });
    else exportBinding(b, name, b.resolve(exportName(local)));
  }
}

/** What is imported and exported again is the other file's own. */
function exportBinding(b: Builder, name: string, binding: Binding | undefined): void {
  if (!binding) return;
  b.unit.exports.set(name, b.unit.imports.get(binding) ?? b.use(binding));
}

function declaredNames(node: Statement): string[] {
  if (node.type === "VariableDeclaration") {
    return node.declarations.flatMap(({ id }) => namesIn(id));
  }
  return "id" in node && node.id?.type === "Identifier" ? [node.id.name] : [];
}

function exportName(node: ModuleExportName): string {
  return node.type === "Literal" ? node.value : node.name;
}

function lowerExportDefault(b: Builder, node: ExportDefaultDeclaration): void {
  const { declaration } = node;
  if (declaration.type === "TSInterfaceDeclaration") return;
  const isNamed = "id" in declaration && declaration.id?.type === "Identifier";
  const isStatement =
    declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration";
  if (isNamed && isStatement && declaration.id) {
    lowerStatement(b, declaration);
    return exportBinding(b, "default", b.resolve(declaration.id.name));
  }
  const binding = b.declare("*default*", "const", null);
  const from = b.walk.expression(b, declaration);
  if (from) b.emit(node.start, { op: "move", from, to: binding });
  const inner = isStatement ? null : unwrap(declaration);
  const named = inner?.type === "Identifier" ? b.resolve(inner.name) : undefined;
  exportBinding(b, "default", named ?? binding);
}

/** The body of a module. */
export function lowerModule(b: Builder, body: readonly Statement[]): void {
  hoistVars(b, body);
  hoistBlock(b, body);
  lowerStatements(b, body);
}
