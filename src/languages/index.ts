/** Source languages: what the rest of the engine needs to know of them. */
export type { ChangedName, SourceLog, SourceLoop, SourceModel } from "./source-model.ts";
export { analyzeProgram } from "./analyze.ts";
export { isSource, languageOf, prepareLanguages } from "./language.ts";
export { insertLog } from "./landing/insert-log.ts";
export { landStatements } from "./landing/land.ts";
export { findStatement } from "./landing/find-statement.ts";
export { rewriteSource } from "./typescript/rewrite.ts";
export type { InsertedSource } from "./typescript/compare-sources.ts";
export { withoutMarks } from "./typescript/analysis/added.ts";
export { interpreterOfRun } from "./python/interpreter.ts";
export { PROGRAM_EXTENSIONS, startCommand } from "./start-program.ts";
