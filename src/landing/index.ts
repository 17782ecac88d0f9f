/** Statements of one version of the source, put into another. */
export { findStatement } from "./placing/find-statement.ts";
export { insertLog } from "./writing/insert-log.ts";
export { landStatements } from "./land-statements.ts";
