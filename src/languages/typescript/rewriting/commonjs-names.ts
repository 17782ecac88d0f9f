/** @file Gives a module the names of CommonJS that it uses: by an import at its end, where it moves nothing. */
import type { Program } from "oxc-parser";
import { namesIn } from "../analysis/lowering/syntax-names.ts";
import { parseSource } from "../parse.ts";
import { COMMONJS_NAMES } from "../starting/made-modules.ts";

const NAMES = ["require", "module", "__dirname", "__filename"];

/** The text with an import of those names that it mentions and does not declare. */
export function importCommonJs(source: string, path: string): string {
  const declared = declaredIn(parseSource(`${path}.mjs`, source).program);
  const wanted = NAMES.filter((name) => {
    // A `var` belongs to the file, however deep in it.
    const isVar = new RegExp(`\\bvar\\s[^;]*\\b${name}\\b`).test(source);
    return new RegExp(`\\b${name}\\b`).test(source) && !declared.has(name) && !isVar;
  });
  if (wanted.length === 0) return source;
  const url = JSON.stringify(COMMONJS_NAMES + encodeURIComponent(path));
  return `${source}\nimport{${wanted.join()}}from${url};`;
}

/** Names of the outermost scope. */
function declaredIn({ body }: Program): Set<string> {
  const names = body.flatMap((statement): string[] => {
    const isExport = /^Export(?:Named|Default)Declaration$/.test(statement.type);
    const inner = isExport && "declaration" in statement ? statement.declaration : statement;
    switch (inner?.type) {
      case "ImportDeclaration":
        return inner.specifiers.map(({ local }) => local.name);
      case "VariableDeclaration":
        return inner.declarations.flatMap(({ id }) => namesIn(id));
      case "FunctionDeclaration":
      case "ClassDeclaration":
        return inner.id ? [inner.id.name] : [];
      default:
        return [];
    }
  });
  return new Set(names);
}
