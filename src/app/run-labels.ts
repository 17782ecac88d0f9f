/**
 * @file What runs are called on a screen: by the name that somebody gave them, where they have one. Names
 * come from the index where a command has opened it; else run directories are read, and only if one of
 * them is to be shown.
 */
import type { RunAnnotations } from "../format/index.ts";
import { runLabels } from "../format/index.ts";
import { listRunIds, readManifest, readRunAnnotations, storePaths } from "../store/index.ts";

/** A colour, or an id; not in a path or a ref, and not where it is said to be the id: `(id …)`. */
const ID =
  // oxlint-disable-next-line no-control-regex
  /\u001B\[[\d;]*[mK]|(?:(?<![\w./~-])|(?<=\u001B\[[\d;]*[mK]))(?<!\(id )\w[\w.-]{0,59}-\d{8}-\d{6}-[0-9a-z]{4}(?![\w/-]|\.\w)/g;

export class RunLabels {
  readonly #store: () => string;
  #labels: ReadonlyMap<string, string> | undefined;
  #said: ReadonlyMap<string, RunAnnotations> | undefined;

  /** `store` is asked for when a run is to be shown. */
  constructor(store: () => string) {
    this.#store = store;
  }

  /** The names of all named runs, as the index has them. */
  learn(named: Iterable<readonly [run: string, name: string]>): void {
    this.#labels = runLabels(named);
  }

  /** The text with names in the place of ids. */
  inText(text: string): string {
    return text.replaceAll(ID, (found) =>
      found.startsWith("\u001B") ? found : this.#labelOf(found),
    );
  }

  #labelOf(run: string): string {
    // Whether others have its name matters only if it has one.
    if (this.#labels === undefined && this.#nameOf(run) !== undefined) {
      const runs = listRunIds(this.#store());
      this.learn(
        runs.flatMap((one) => {
          const name = this.#nameOf(one);
          return name === undefined ? [] : [[one, name] as const];
        }),
      );
    }
    return this.#labels?.get(run) ?? run;
  }

  #nameOf(run: string): string | undefined {
    this.#said ??= readRunAnnotations(this.#store());
    return nameOf(this.#store(), run, this.#said.get(run));
  }
}

/** Undefined for a run that has no name, and for a replay: it is called by its id alone. */
function nameOf(
  store: string,
  run: string,
  annotations: RunAnnotations | undefined,
): string | undefined {
  const said = annotations?.name;
  try {
    const { name, kind } = readManifest(storePaths.run(store, run));
    return kind === "replay" ? undefined : ((said === undefined ? name : said) ?? undefined);
  } catch {
    // There is no such run here, or it cannot be read.
    return undefined;
  }
}
