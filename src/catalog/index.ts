/** Runs -> DuckDB tables -> frame. `docs/sql.md` documents the tables. */
export { openCatalog } from "./catalog.ts";
export type { Catalog, CatalogOptions } from "./catalog.ts";
