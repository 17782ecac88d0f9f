/** Statements of one version of the source, put into another. */
export { findStatement } from "./find-statement.ts";
export { insertLog } from "./insert-log.ts";
export { landStatements } from "./land.ts";
