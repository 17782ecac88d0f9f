/**
 * @file Imports that a statement needs and the old file lacks: in the style of that file, after the
 * imports that it has, or into the one that names the same module.
 */
import { isBuiltin } from "node:module";
import type { Node, Program } from "oxc-parser";
import type { Language } from "../../language.ts";
import type { FileStyle, Insertion } from "../../text-layout.ts";
import type { Edit, ImportedName, ParsedFile } from "../../parsed-file.ts";
import { parseSource } from "../parse.ts";
import type { ModuleKind, TextOf } from "./module-kind.ts";
import { hasModuleSyntax, moduleKindOf } from "./module-kind.ts";

type ImportDeclaration = Extract<Node, { type: "ImportDeclaration" }>;

/** Everything that a file imports, or requires at top level. */
export function importedNames(program: Program): ImportedName[] {
  return program.body.flatMap((statement) => {
    if (statement.type === "ImportDeclaration") return fromImport(statement);
    if (statement.type !== "VariableDeclaration") return [];
    return statement.declarations.flatMap(({ id, init }) => {
      const module = init ? requiredModule(init) : undefined;
      return module === undefined ? [] : fromRequire(id, module);
    });
  });
}

function fromImport({ specifiers, source }: ImportDeclaration): ImportedName[] {
  return specifiers.map((specifier) => {
    const local = specifier.local.name;
    switch (specifier.type) {
      case "ImportSpecifier": {
        const { imported: name } = specifier;
        const imported = name.type === "Identifier" ? name.name : name.value;
        return importedAs(source.value, imported, local);
      }
      case "ImportDefaultSpecifier":
        return importedAs(source.value, "default", local);
      case "ImportNamespaceSpecifier":
        return importedAs(source.value, "*", local);
    }
  });
}

function requiredModule(node: Node): string | undefined {
  if (node.type !== "CallExpression" || node.callee.type !== "Identifier") return undefined;
  const [argument] = node.arguments;
  if (node.callee.name !== "require" || argument?.type !== "Literal") return undefined;
  return typeof argument.value === "string" ? argument.value : undefined;
}

function fromRequire(id: Node, module: string): ImportedName[] {
  if (id.type === "Identifier") return [importedAs(module, "require", id.name)];
  if (id.type !== "ObjectPattern") return [];
  return id.properties.flatMap((property) => {
    if (property.type !== "Property" || property.key.type !== "Identifier") return [];
    if (property.value.type !== "Identifier") return [];
    return [importedAs(module, property.key.name, property.value.name)];
  });
}

function importedAs(module: string, imported: string, local: string): ImportedName {
  return { module, imported, local, isWhole: /^(?:\*|default|require)$/.test(imported) };
}

function kindOf({ file, text, program }: ParsedFile, textOf: TextOf): ModuleKind {
  return moduleKindOf({ file, text, program: program as Program }, textOf);
}

/** The text that imports something, and where it goes. */
export function importInsertion(
  source: ParsedFile,
  wanted: ImportedName,
  style: FileStyle,
  textOf: TextOf,
): Insertion & { readonly shown: string } {
  const program = source.program as Program;
  const isRequired = kindOf(source, textOf) === "commonjs";
  const line = importLine(wanted, isRequired, source.text, style);
  const same = program.body.find(
    (statement): statement is ImportDeclaration =>
      statement.type === "ImportDeclaration" && canTakeMore(statement, wanted),
  );
  if (same) {
    const last = same.specifiers.at(-1);
    const { imported, local } = wanted;
    const name = imported === local ? local : `${imported} as ${local}`;
    return { offset: last?.end ?? same.end, text: `, ${name}`, shown: line };
  }
  const offset = headEnd(source, program);
  const isFirst = offset === 0;
  return { offset, text: isFirst ? line + style.eol : style.eol + line, shown: line };
}

/** Whether an import has braces into which a name of the same module can go. */
function canTakeMore(
  { source, specifiers, importKind }: ImportDeclaration,
  { module, isWhole }: ImportedName,
): boolean {
  if (source.value !== module || importKind === "type" || isWhole) {
    return false;
  }
  return specifiers.at(-1)?.type === "ImportSpecifier";
}

function importLine(
  { module, imported, local, isWhole }: ImportedName,
  isRequired: boolean,
  text: string,
  { semicolons }: Pick<FileStyle, "semicolons">,
): string {
  const isSingle = (text.match(/'/g)?.length ?? 0) > (text.match(/"/g)?.length ?? 0);
  const quote = isSingle ? "'" : '"';
  const from = `${quote}${module}${quote}`;
  const end = semicolons ? ";" : "";
  if (isRequired) {
    if (imported === "*" || imported === "require") {
      return `const ${local} = require(${from})${end}`;
    }
    if (imported === "default") return `const ${local} = ${defaultOf(module, from)}${end}`;
    const name = imported === local ? local : `${imported}: ${local}`;
    return `const { ${name} } = require(${from})${end}`;
  }
  if (imported === "*") return `import * as ${local} from ${from}${end}`;
  if (isWhole) return `import ${local} from ${from}${end}`;
  const name = imported === local ? local : `${imported} as ${local}`;
  return `import { ${name} } from ${from}${end}`;
}

/** What `import x from` gives: all that a file of CommonJS exports, or a module's default. */
function defaultOf(module: string, from: string): string {
  if (isBuiltin(module)) return `require(${from})`;
  return `((m) => (m[Symbol.toStringTag] === "Module" ? m.default : m))(require(${from}))`;
}

/** Imports become `require` where the file is CommonJS. */
export const keepModuleKind: Language["keepModuleKind"] = (before, after, textOf) => {
  const { program, problem } = parseSource(before.file, after);
  if (problem || !hasModuleSyntax(program, after)) return { text: after };
  if (kindOf(before, textOf) === "module") return { text: after };
  const edits = program.body.flatMap((statement): Edit[] => {
    if (statement.type !== "ImportDeclaration" || statement.importKind === "type") return [];
    const { start, end } = statement;
    return [{ start, end, text: requiresFor(statement, after) }];
  });
  const text = edits.reduceRight((all, { start, end, text: own }) => {
    return all.slice(0, start) + own + all.slice(end);
  }, after);
  const result = parseSource(before.file, text);
  const isKept = !result.problem && !hasModuleSyntax(result.program, text);
  return isKept ? { text } : { problem: MODULE_ONLY };
};

const MODULE_ONLY =
  "what was added makes it a module (`await` outside of functions, `export`, `import.meta`), and the run " +
  "loaded it as CommonJS";

function requiresFor(statement: ImportDeclaration, text: string): string {
  const { value: module } = statement.source;
  const names = fromImport({
    ...statement,
    specifiers: statement.specifiers.filter((one) => {
      return one.type !== "ImportSpecifier" || one.importKind !== "type";
    }),
  });
  if (names.length === 0) return `require(${JSON.stringify(module)});`;
  return names.map((name) => importLine(name, true, text, { semicolons: true })).join(" ");
}

/** End of the line after the last import, or after the directives; 0 if there are neither. */
function headEnd({ text, lines }: ParsedFile, program: Program): number {
  const isHead = (statement: Node): boolean => {
    if (statement.type === "ImportDeclaration" || statement.type === "TSImportEqualsDeclaration") {
      return true;
    }
    if (statement.type === "ExpressionStatement") return Boolean(statement.directive);
    if (statement.type !== "VariableDeclaration") return false;
    return statement.declarations.every(({ init }) => init && requiredModule(init) !== undefined);
  };
  const end = program.body.findIndex((statement) => !isHead(statement));
  const last = program.body[(end === -1 ? program.body.length : end) - 1];
  if (last) {
    const rest = /^[^\r\n]*/.exec(text.slice(last.end))?.[0] ?? "";
    return /^\s*(?:\/\/.*)?$/.test(rest) ? last.end + rest.length : last.end;
  }
  // A first line for the shell stays the first.
  return text.startsWith("#!") ? lines.startOf(2) - 1 : 0;
}
