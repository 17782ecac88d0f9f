/** Source languages: what the rest of the engine needs to know of them. */
export type { ChangedName, SourceLog, SourceLoop, SourceModel } from "./source-model.ts";
export { analyzeProgram } from "./typescript/analyze.ts";
export { knowsAfterlog } from "./typescript/knows-afterlog.ts";
export { rewriteSource } from "./typescript/rewrite.ts";
export { anchorOf } from "./typescript/anchor.ts";
export { compareInserted } from "./typescript/compare-sources.ts";
export type { InsertedSource } from "./typescript/compare-sources.ts";
export { withoutMarks } from "./typescript/analysis/added.ts";
export { insertLog } from "./typescript/insert-log.ts";
export { landStatements } from "./typescript/landing/land.ts";
export { findStatement } from "./typescript/landing/unit.ts";

/**
 * URLs of the modules that let Node 20 load TypeScript: hooks for `module.register`, and one whose
 * `installRequire` does it for CommonJS.
 */
export const TYPESCRIPT_LOADERS: { readonly hooks: string; readonly require: string } = {
  hooks: new URL("./typescript/hooks.js", import.meta.url).href,
  require: new URL("./typescript/require.js", import.meta.url).href,
};
