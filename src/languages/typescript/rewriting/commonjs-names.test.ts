/** Names of CommonJS are imported where a module uses them and has none of its own. */
import { expect, test } from "vitest";
import { importCommonJs } from "./commonjs-names.ts";

test.each([
  ["f(__dirname, __filename);", "__dirname,__filename"],
  ["if (require.main === module) f();", "require,module"],
  ["const require = createRequire(import.meta.url); require('a');", null],
  ["import module from 'node:module'; module.f();", null],
  ["import * as require from 'a';", null],
  ["const { __dirname } = paths; f(__dirname);", null],
  ["export function require() {}", null],
  ["export default class module {}", null],
  ["if (a) { for (var module of b) f(module); }", null],
  ["for (const module of b) f(module);", "module"],
  ["function f(module) { return module; }", "module"],
  ["f(1);", null],
])("%s", (text, names) => {
  const added = importCommonJs(text, "/a b/t.ts").slice(text.length);
  expect(added).toBe(
    names === null ? "" : `\nimport{${names}}from"afterlog-commonjs:%2Fa%20b%2Ft.ts";`,
  );
});
