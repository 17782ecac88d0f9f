/** @file The variables of a scope, declared before anything in it is walked. */
import type {
  BindingPattern,
  Expression,
  ImportDeclaration,
  Statement,
  VariableDeclaration,
} from "oxc-parser";
import type { Builder } from "./builder.ts";
import type { BindPoint, BindingKind, Scope } from "./ir.ts";
import { afterlogName, memberOf, namesIn, propertyName } from "./syntax-names.ts";

/** Declares what the statements of a block declare in it. */
export function hoistBlock(b: Builder, statements: readonly Statement[]): void {
  for (const statement of statements) hoistStatement(b, statement, statement.end);
}

function hoistStatement(b: Builder, statement: Statement, end: number): void {
  const after: BindPoint = { form: "statement", start: end, end };
  switch (statement.type) {
    case "VariableDeclaration":
      if (statement.kind !== "var" && !statement.declare) hoistVariables(b, statement, after);
      return;
    case "FunctionDeclaration":
      if (statement.id) b.declare(statement.id.name, "function", after);
      return;
    case "ClassDeclaration":
      if (statement.id && !statement.declare) b.declare(statement.id.name, "class", after);
      return;
    case "ImportDeclaration":
      hoistImport(b, statement);
      return;
    case "ExportNamedDeclaration":
      if (statement.declaration) hoistStatement(b, statement.declaration, end);
      return;
    case "ExportDefaultDeclaration": {
      const { declaration } = statement;
      const isFunction = declaration.type === "FunctionDeclaration";
      if (isFunction || declaration.type === "ClassDeclaration") {
        const kind = isFunction ? "function" : "class";
        if (declaration.id) b.declare(declaration.id.name, kind, after);
      }
      return;
    }
    case "TSEnumDeclaration":
    case "TSImportEqualsDeclaration":
      b.declare(statement.id.name, "const", after);
      return;
    case "TSModuleDeclaration":
      if (statement.id.type === "Identifier") b.declare(statement.id.name, "const", after);
      return;
    default:
  }
}

function hoistImport(b: Builder, node: ImportDeclaration): void {
  if (node.importKind === "type") return;
  for (const specifier of node.specifiers) {
    if (specifier.type === "ImportSpecifier" && specifier.importKind === "type") continue;
    const name = importedName(specifier);
    const isWhole = name === "*" || name === "default";
    // Of a file of JSON there is no variable but this one.
    const isData = node.source.value.endsWith(".json") && name !== "*";
    const binding = b.declare(specifier.local.name, isData ? "const" : "import", null);
    if (node.source.value !== "afterlog") {
      b.unit.imports.set(binding, { specifier: node.source.value, name });
    } else binding.alias = isWhole ? "afterlog" : `afterlog.${name}`;
  }
}

export function importedName(specifier: ImportDeclaration["specifiers"][number]): string {
  if (specifier.type === "ImportNamespaceSpecifier") return "*";
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  const { imported } = specifier;
  return imported.type === "Literal" ? imported.value : imported.name;
}

/** Declares a `let`, `const` or `using` of the present scope. */
export function hoistVariables(
  b: Builder,
  node: VariableDeclaration,
  bindPoint: BindPoint | null,
): void {
  const kind: BindingKind = node.kind === "let" || node.kind === "var" ? node.kind : "const";
  for (const { id, init } of node.declarations) {
    for (const name of namesIn(id)) b.declare(name, kind, bindPoint);
    if (kind === "const" && init) noteAliases(b, id, init);
  }
}

/** `const { loop } = al` is `loop` of the package, and so on. */
function noteAliases(b: Builder, id: BindingPattern, init: Expression): void {
  if (id.type !== "Identifier" && id.type !== "ObjectPattern") return;
  const alias = afterlogName(b, init);
  if (alias === null) return;
  const noteFact = (name: string, path: string): void => {
    const binding = b.scope.bindings.get(name);
    if (binding) binding.alias = path;
  };
  if (id.type === "Identifier") return noteFact(id.name, alias);
  for (const property of id.properties) {
    if (property.type === "RestElement" || property.value.type !== "Identifier") continue;
    const name = propertyName(property.key, property.computed);
    if (name !== null) noteFact(property.value.name, memberOf(alias, name));
  }
}

/** Declares the `var`s of a function, wherever in it they stand. */
export function hoistVars(b: Builder, statements: readonly Statement[]): void {
  for (const statement of statements) hoistVar(b, statement, b.scope);
}

function hoistVar(b: Builder, node: Statement, scope: Scope, alone = false): void {
  // Nothing can be put after a statement that is the whole body of another.
  const into = (inner: Statement | null | undefined): void => {
    if (inner) hoistVar(b, inner, scope, true);
  };
  switch (node.type) {
    case "VariableDeclaration": {
      const after: BindPoint = { form: "statement", start: node.end, end: node.end };
      declareVars(b, node, alone ? null : after, scope);
      return;
    }
    case "ExportNamedDeclaration":
      if (node.declaration?.type === "VariableDeclaration") {
        const after: BindPoint = { form: "statement", start: node.end, end: node.end };
        declareVars(b, node.declaration, after, scope);
      }
      return;
    case "ForStatement":
      if (node.init?.type === "VariableDeclaration") declareVars(b, node.init, null, scope);
      return into(node.body);
    case "ForInStatement":
    case "ForOfStatement":
      if (node.left.type === "VariableDeclaration") declareVars(b, node.left, null, scope);
      return into(node.body);
    case "BlockStatement":
      for (const inner of node.body) hoistVar(b, inner, scope);
      return;
    case "IfStatement":
      into(node.consequent);
      return into(node.alternate);
    case "WhileStatement":
    case "DoWhileStatement":
    case "LabeledStatement":
    case "WithStatement":
      return into(node.body);
    case "SwitchStatement":
      for (const { consequent } of node.cases)
        for (const inner of consequent) hoistVar(b, inner, scope);
      return;
    case "TryStatement":
      into(node.block);
      into(node.handler?.body);
      return into(node.finalizer);
    default:
  }
}

function declareVars(
  b: Builder,
  node: VariableDeclaration,
  bindPoint: BindPoint | null,
  scope: Scope,
): void {
  if (node.kind !== "var" || node.declare) return;
  for (const { id } of node.declarations) {
    for (const name of namesIn(id)) b.declare(name, "var", bindPoint, scope);
  }
}
