/**
 * @file What a use case may know of the world. Whoever calls it says so: the command line from its
 * process, a server from its configuration, a test as it likes. Nothing in this room reads the
 * process, the terminal or the clock by itself.
 */
import type { Catalog, IndexingWatcher } from "../catalog/index.ts";
import type { Environment } from "../host/index.ts";
import type { ForeignRemote } from "../replayer/index.ts";

export interface Ports {
  /** The folder from which the project is looked for, and from which files are named. */
  readonly cwd: string;
  readonly env: Environment;
  /** The wall clock. */
  readonly now: () => Date;
  /** What the process that asks has taken of the processor so far, in milliseconds; 0 if it is not given. */
  readonly processorMs?: () => number;
  /** Told what happens behind the scenes, such as that the index is built again. */
  readonly notice?: (text: string) => void;
  /** Told the names of all named runs, whenever the index is opened. */
  readonly learnNames?: (named: Iterable<readonly [run: string, name: string]>) => void;
  /** Asked for a watcher when the index lacks something; each that it gives is told its end. */
  readonly watchIndexing?: () => IndexingWatcher;
  /** Whose code may be executed, besides what the user's configuration says (`trust.ts`). */
  readonly trust?: {
    /** Remotes that the user has just named. */
    readonly said: readonly string[];
    /** Asks; if it is not given, nobody can be asked. */
    readonly ask?: (remote: ForeignRemote) => Promise<boolean>;
  };
  /** Lends the index to `work`; if it is not given, the one of the store is opened and closed. */
  readonly lendCatalog?: LendCatalog;
}

/** Calls `work` with an index that holds what the store holds; may do so again if it was damaged. */
export type LendCatalog = <T>(
  store: string,
  work: (catalog: Catalog) => Promise<T>,
  options: CatalogUse,
) => Promise<T>;

export interface CatalogUse {
  /** Files that SQL may write; it reaches no other. */
  readonly allowed?: readonly string[];
  /** Whether `work` may be done again; true if it is not given. */
  readonly isRepeatable?: () => boolean;
}
