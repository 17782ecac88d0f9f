/** @file One source file to its unit: functions, variables, loops and log statements. */
import type { Program } from "oxc-parser";
import type { RunMode } from "../../../../format/index.ts";
import { parseSource } from "../../parse.ts";
import { isTypeScript } from "../../starting/find-import.ts";
import { noteUses } from "../../used-names.ts";
import { Builder, newLoweredFunction } from "./builder.ts";
import type { Walker } from "./builder.ts";
import { lowerExpression } from "./lower-expressions.ts";
import { lowerClass, lowerFunction } from "./lower-functions.ts";
import { Binding } from "./ir.ts";
import type { FileUnit } from "./ir.ts";
import { lowerPattern } from "./lower-patterns.ts";
import { lowerModule, lowerStatement, lowerStatements } from "./lower-statements.ts";

const WALKER: Walker = {
  expression: lowerExpression,
  statements: lowerStatements,
  statement: lowerStatement,
  pattern: lowerPattern,
  function: lowerFunction,
  class: lowerClass,
};

/** Walks a file. A text that does not parse gives what can be read, and is uncertain. */
export function lowerFile(
  file: string,
  text: string,
  mode: RunMode,
  isAside: boolean = false,
): FileUnit {
  const { program, problem } = parseSource(file, text);
  const module = newLoweredFunction(file, "", "module", null, {
    isAsync: false,
    isGenerator: false,
  });
  const isCommonJs =
    file.endsWith(".cjs") ||
    file.endsWith(".cts") ||
    !program.body.some(({ type }) => type.startsWith("Import") || type.startsWith("Export"));
  const first = program.body.find((node) => !("directive" in node && node.directive));
  const unit = {
    file,
    mode,
    module,
    start: first?.start ?? text.length,
    isCommonJs,
    loweredFunctions: [module],
    bindings: [],
    loops: [],
    regions: [],
    leftAlone: [],
    untouched: [],
    evaluates: false,
    tagged: [],
    logs: [],
    classes: [],
    declarations: [],
    imports: new Map(),
    exports: new Map(),
    exportAll: [],
    uncertain: problem ? [`${problem.offset}:a text that does not parse (${problem.message})`] : [],
    accessors: new Set<string>(),
  } as unknown as FileUnit;
  const b = new Builder(unit, text, WALKER);
  if (isAside && mode.handsFree) b.logged = 1;
  const moduleObject = new Binding("module", "const", b.scope, null);
  Object.assign(unit, { moduleObject });
  declareCommonJs(b, moduleObject);
  lowerModule(b, program.body);
  unit.loops.sort((a, z) => a.at - z.at);
  if (isTypeScript(file)) noteTypeImports(unit, program);
  return unit;
}

/** Which imports only types need. */
function noteTypeImports({ module }: FileUnit, program: Program): void {
  const imports = module.ops.filter((op) => op.op === "import");
  const unused = imports.filter(({ names = [] }) => {
    return names.length > 0 && names.every(({ references }) => references === 0);
  });
  if (unused.length === 0) return;
  const asked = new Set(unused.flatMap(({ names = [] }) => names.map(({ name }) => name)));
  // Once more by the whole tree: a part of it that nobody followed may use one.
  const used = new Set<string>();
  noteUses(program, asked, used);
  for (const op of unused) op.isForTypes = !op.names?.some(({ name }) => used.has(name));
}

/** `module` and `exports`, which every CommonJS file has. */
function declareCommonJs(b: Builder, moduleObject: Binding): void {
  b.emit(0, { op: "new", kind: "plain", to: moduleObject });
  if (!b.unit.isCommonJs) return;
  b.scope.bindings.set("module", moduleObject);
  const exports = b.declare("exports", "const", null);
  b.emit(0, { op: "new", kind: "plain", to: exports });
  const record = { object: moduleObject, field: "exports", from: exports, mutates: false } as const;
  b.emit(0, { op: "store", ...record });
}
