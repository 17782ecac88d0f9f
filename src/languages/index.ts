/** Source languages: what the rest of the engine needs to know of them. */
export type { ChangedName, SourceLog, SourceLoop, SourceModel } from "./source-model.ts";
export {
  analyzeProgram,
  anchorOf,
  compareInserted,
  findStatement,
  insertLog,
  isSource,
  isStillProgram,
  knowsAfterlog,
  landStatements,
  prepareLanguages,
} from "./by-language.ts";
export { rewriteSource } from "./typescript/rewrite.ts";
export type { InsertedSource } from "./typescript/compare-sources.ts";
export { withoutMarks } from "./typescript/analysis/added.ts";
export { interpreterOfRun } from "./python/interpreter.ts";
export { PROGRAM_EXTENSIONS, startCommand } from "./start-program.ts";
