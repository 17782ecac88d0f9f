/**
 * @file TypeScript to JavaScript without moving anything: types become blanks, so every line and
 * column of a stack trace is the user's. Only syntax that needs code (enums, namespaces, parameter
 * properties) is transformed, with a source map.
 */
import { transformSync } from "@swc/wasm-typescript";
import { AfterlogError } from "../../../format/index.ts";

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
  try {
    return transformSync(source, { mode: "strip-only", filename }).code;
  } catch (error) {
    if ((error as SyntaxProblem).code !== "UnsupportedSyntax") throw unparsable(error, filename);
  }
  try {
    const { code, map } = transformSync(source, { mode: "transform", sourceMap: true, filename });
    const encoded = Buffer.from(map ?? "").toString("base64");
    return `${code}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
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
