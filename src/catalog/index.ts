/** Runs -> DuckDB tables -> frame. `docs/sql.md` documents the tables. */
export { readAsked } from "./asked.ts";
export type { Asked, AskedQuestion } from "./asked.ts";
export { openCatalog, useCatalog } from "./catalog.ts";
export type { Catalog, CatalogOptions } from "./catalog.ts";
export type { Connection, Row } from "./database.ts";
export { planFrame, RUN_COLUMNS } from "./frame.ts";
export type { Frame, FrameRequest } from "./frame.ts";
export { readArgTypes, readLoggedNames, unknownName } from "./names.ts";
export { readProvenance } from "./provenance.ts";
export type { Provenance } from "./provenance.ts";
export { checkReadOnly, queryReadOnly } from "./query.ts";
export { cellToJson, parseJson, runQuery } from "./result.ts";
export type { Cell, ResultColumn } from "./result.ts";
export { readRunDetails } from "./run-details.ts";
export type { LoopSummary, Metric, RunDetails } from "./run-details.ts";
export { literal } from "./schema.ts";
export { refusingSql } from "./where.ts";
