/** @file The index of the project that a question is about. */
import type { Catalog } from "../catalog/index.ts";
import { readNamedRuns, useCatalog } from "../catalog/index.ts";
import type { CatalogUse, Ports } from "./ports.ts";
import { requireProject } from "./required-project.ts";

/** Lends the catalog of the project to `work`. */
export async function withCatalog<T>(
  ports: Ports,
  work: (catalog: Catalog) => Promise<T>,
  use: CatalogUse = {},
): Promise<T> {
  const { store } = requireProject(ports);
  const { learnNames, lendCatalog, notice, watchIndexing } = ports;
  const learning = async (catalog: Catalog): Promise<T> => {
    if (learnNames) learnNames(await readNamedRuns(catalog.connection));
    return work(catalog);
  };
  if (lendCatalog) return lendCatalog(store, learning, use);
  const told = {
    ...(notice === undefined ? {} : { notice }),
    ...(watchIndexing === undefined ? {} : { watchIndexing }),
  };
  return useCatalog(store, { ...told, ...use }, learning);
}
