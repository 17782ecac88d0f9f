/** @file Statements to operations. */
import type {
  Class,
  ExportDefaultDeclaration,
  ExportNamedDeclaration,
  ImportDeclaration,
  Function as FunctionNode,
  ModuleExportName,
  Statement,
  SwitchStatement,
  TryStatement,
} from "oxc-parser";
import type { Builder } from "./builder.ts";
import { isCarried } from "../../comparing/carried-marker.ts";
import { hoistBlock, hoistVars } from "./hoist.ts";
import type { Binding } from "./ir.ts";
import {
  lowerFor,
  lowerForIn,
  lowerForOf,
  lowerLabeled,
  lowerWhile,
  noteBreak,
  takeLabels,
} from "./lower-loops.ts";
import { namesIn, unwrap } from "./syntax-names.ts";
import { lowerVariables } from "./lower-patterns.ts";
import { noteAlone } from "./lower-calls.ts";

export function lowerStatements(b: Builder, nodes: readonly Statement[]): void {
  for (const node of nodes) lowerStatement(b, node);
}

export function lowerStatement(b: Builder, node: Statement): void {
  if (!isCarried(b.text, node)) return lowerOwn(b, node);
  // Braces that were put around a statement: it stays in the scope in which it was.
  if (node.type === "BlockStatement") return lowerStatements(b, node.body);
  b.with("logged", b.logged + 1, () => lowerOwn(b, node));
}

function lowerOwn(b: Builder, node: Statement): void {
  b.lowered.statements.push({ start: node.start, end: node.end });
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
      if (argument) noteAlone(b, argument);
      const from = argument && b.with("awaited", true, () => b.walk.expression(b, argument));
      if (from) b.emit(node.start, { op: "move", from, to: b.lowered.returned });
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
      return lowerWhile(b, node);
    case "ForInStatement":
      return lowerForIn(b, node);
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
      return lowerImport(b, node);
    case "TSExportAssignment": {
      const from = b.walk.expression(b, node.expression);
      const object = b.unit.moduleObject;
      b.emit(node.start, { op: "store", object, field: "exports", from, mutates: false });
      return;
    }
    case "TSEnumDeclaration": {
      const binding = b.resolve(node.id.name);
      if (binding) b.emit(node.start, { op: "new", kind: "plain", to: binding });
      for (const { initializer } of node.body.members) {
        if (initializer) b.walk.expression(b, initializer);
      }
      return;
    }
    case "TSModuleDeclaration":
      return lowerNamespace(b, node);
    case "TSImportEqualsDeclaration":
      if (node.moduleReference.type === "TSExternalModuleReference") {
        const specifier = node.moduleReference.expression.value;
        const to = b.resolve(node.id.name) ?? null;
        b.emit(node.start, { op: "import", specifier, how: "require", to });
      } else b.uncertain(node.start, "another name for a part of a namespace");
      return;
    default:
  }
}

type NamespaceNode = Extract<Statement, { type: "TSModuleDeclaration" }>;

/** A block that is executed once, and an object that has what it exports. */
function lowerNamespace(b: Builder, node: NamespaceNode): void {
  const { id, body } = node;
  if (!body || node.declare) return;
  const object = id.type === "Identifier" ? b.scope.bindings.get(id.name) : undefined;
  const isOnly = object?.kind === "const" && object.bindPoint?.start === node.end;
  const exported = body.body.flatMap((one) => {
    return one.type === "ExportNamedDeclaration" && one.declaration ? [one.declaration] : [];
  });
  // Such a variable is a property of the object, for whoever names it.
  const isProperty = exported.some(
    (one) => one.type === "VariableDeclaration" && one.kind !== "const",
  );
  if (!object || !isOnly || isProperty) return b.uncertain(node.start, "a namespace");
  b.emit(node.start, { op: "new", kind: "plain", to: object });
  b.inScope(body, () => {
    const own = body.body.map((one) =>
      one.type === "ExportNamedDeclaration" && one.declaration ? one.declaration : one,
    ) as Statement[];
    hoistVars(b, own);
    hoistBlock(b, own);
    lowerStatements(b, own);
    for (const field of exported.flatMap(declaredNames)) {
      const from = b.resolve(field);
      if (!from) continue;
      b.emit(node.start, { op: "store", object, field, from: b.use(from), mutates: false });
    }
  });
}

function lowerFunctionStatement(b: Builder, node: FunctionNode): void {
  const to = node.id && b.resolve(node.id.name);
  if (to) b.emit(node.start, { op: "closure", lowered: b.walk.function(b, node), to });
}

function lowerClassStatement(b: Builder, node: Class): void {
  if (node.declare) return;
  const to = node.id && b.resolve(node.id.name);
  const from = b.walk.class(b, node);
  if (to) b.emit(node.start, { op: "move", from, to });
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
      b.scope.isSwitch = true;
      for (const { consequent } of node.cases) hoistBlock(b, consequent);
      for (const { test, consequent } of node.cases) {
        if (test) b.walk.expression(b, test);
        lowerStatements(b, consequent);
      }
    });
  b.with("targets", [...b.targets, target], () => b.inScope(node, walk));
}

function lowerImport(b: Builder, node: ImportDeclaration): void {
  if (node.importKind === "type") return;
  const values = node.specifiers.filter(
    (one) => !("importKind" in one && one.importKind === "type"),
  );
  const names = values.flatMap(({ local }) => b.resolve(local.name) ?? []);
  const specifier = node.source.value;
  b.emit(node.start, { op: "import", specifier, how: "static", to: null, names });
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
  const used = b.use(binding);
  const imported = binding.kind === "import" ? b.unit.imports.get(binding) : undefined;
  b.unit.exports.set(name, imported ?? used);
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
