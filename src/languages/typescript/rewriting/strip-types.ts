/**
 * @file TypeScript to JavaScript without moving anything: types become blanks, so every line and
 * column of a stack trace is the user's. Only syntax that needs code (enums, namespaces, parameter
 * properties) is transformed, with a source map.
 */
import { transformSync } from "@swc/wasm-typescript";
import type { Node } from "oxc-parser";
import { AfterlogError } from "../../../format/index.ts";
import { Lines } from "../../lines.ts";
import { parseSource } from "../parse.ts";
import { childrenOf } from "../syntax.ts";
import { blankTypeImports } from "./blank-type-imports.ts";

/** What the parser throws: a plain object, not an Error. */
interface SyntaxProblem {
  readonly code: "UnsupportedSyntax" | "InvalidSyntax";
  readonly message: string;
  readonly snippet?: string;
  readonly startLine?: number;
  readonly startColumn?: number;
}

/** JavaScript of a TypeScript file. Throws AL002 with the place if it cannot be parsed. */
export function stripTypes(source: string, filename: string): string {
  const { code, map } = withoutTypes(source, filename);
  refuseDecorators(code, filename);
  const plain = blankTypeImports(code, filename);
  if (map === undefined) return plain;
  const encoded = Buffer.from(map).toString("base64");
  return `${plain}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}

/** Node has none, and blanks cannot take their place. */
function refuseDecorators(code: string, filename: string): void {
  if (!/^\s*(?:export\s+(?:default\s+)?)?@[\w$(]|[({,;]\s*@[\w$(]/m.test(code)) return;
  const found = decoratorIn(parseSource(`${filename}.mjs`, code).program);
  if (!found) return;
  const { line, column } = new Lines(code).at(found.start);
  throw new AfterlogError("AL002", `${filename}:${line}:${column}: a decorator`, {
    help: ["decorators are not supported: build the file first, or call the function instead"],
    data: { filename },
  });
}

function decoratorIn(node: Node): Node | undefined {
  if (node.type === "Decorator") return node;
  for (const child of childrenOf(node)) {
    const found = decoratorIn(child);
    if (found) return found;
  }
  return undefined;
}

function withoutTypes(source: string, filename: string): { code: string; map?: string } {
  try {
    return { code: transformSync(source, { mode: "strip-only", filename }).code };
  } catch (error) {
    if ((error as SyntaxProblem).code !== "UnsupportedSyntax") throw unparsable(error, filename);
  }
  try {
    return transformSync(source, { mode: "transform", sourceMap: true, filename });
  } catch (error) {
    throw unparsable(error, filename);
  }
}

function unparsable(error: unknown, filename: string): AfterlogError {
  const { message, snippet, startLine, startColumn } = error as SyntaxProblem;
  const place =
    startLine === undefined ? filename : `${filename}:${startLine}:${(startColumn ?? 0) + 1}`;
  // Blanks can take the place of types, but not of elements.
  const help = filename.endsWith(".tsx")
    ? "JSX is not supported: build the file first, or keep elements out of what is recorded"
    : "mend the syntax; the program was not started";
  return new AfterlogError("AL002", `${place}: ${message}`, {
    notes: snippet === undefined ? [] : snippet.trimEnd().split("\n"),
    help: [help],
    data: { filename },
  });
}
