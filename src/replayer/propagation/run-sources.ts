/**
 * @file What runs executed against what the working tree holds: which files a run is made of, and
 * whether the working tree differs from them by added log statements only. Then its text can stand in
 * for theirs. Runs that share a version share all the work.
 */
import type { Manifest, Overlay, RunMode, SourcePlace } from "../../format/index.ts";
import { modeOf } from "../../format/index.ts";
import type { InsertedSource } from "../../languages/index.ts";
import { isSource, languageOf } from "../../languages/index.ts";
import type { VersionTexts } from "./version-texts.ts";
import type { WorkingTree } from "./working-tree.ts";

/** A working tree that can stand in for the source of a run. */
export interface TreeFit {
  /** Statements that the run did not have, by their places in the working tree. */
  readonly probes: readonly SourcePlace[];
  readonly overlays: readonly Overlay[];
  /** By file, what the working tree has more. */
  readonly inserted: ReadonlyMap<string, Pick<InsertedSource, "before">>;
}

/** The files of the project that a run loaded, its program among them. */
export function loadedFiles({ sources, program }: Manifest): string[] {
  const loaded = Object.keys(sources).map((file) => file.replaceAll("\\", "/"));
  return [...new Set([program, ...loaded])].sort();
}

/** What the working tree has more in a file: log statements, and nothing else. */
interface FileFit {
  readonly probes: readonly SourcePlace[];
  readonly inserted?: InsertedSource;
}

/** Compares runs with the working tree. */
export class RunSources {
  readonly #tree: WorkingTree;
  readonly #texts: VersionTexts;
  readonly #fits = new Map<string, FileFit | undefined>();

  /** Reads what the runs loaded, and what the working tree's program is made of. */
  constructor(tree: WorkingTree, texts: VersionTexts, runs: readonly Manifest[]) {
    this.#tree = tree;
    this.#texts = texts;
    texts.read(runs.map((manifest) => ({ manifest, files: this.filesOf(manifest) })));
  }

  /** What the run loaded, and what the working tree's program is made of. */
  filesOf(manifest: Manifest): string[] {
    const { program } = manifest;
    const isThere = this.#tree.has(program);
    const now = isThere ? this.#tree.model(program, modeOf(manifest)).files : [];
    return [...new Set([...loadedFiles(manifest), ...now])].sort();
  }

  /** The same for runs whose files are the same. */
  keyOf(manifest: Manifest): string {
    const names = this.filesOf(manifest).map((file) => [file, this.#texts.nameOf(manifest, file)]);
    return JSON.stringify([manifest.program, modeOf(manifest), names]);
  }

  /** What the working tree has more than a run executed; undefined: it differs by more than that. */
  compare(manifest: Manifest): TreeFit | undefined {
    const probes: SourcePlace[] = [];
    const overlays: Overlay[] = [];
    const inserted = new Map<string, InsertedSource>();
    for (const file of this.filesOf(manifest)) {
      const name = this.#texts.nameOf(manifest, file);
      const before = this.#texts.textOf(manifest, file);
      const fit = this.#fit(file, { name, before }, modeOf(manifest));
      if (!fit) return undefined;
      probes.push(...fit.probes);
      if (fit.inserted) inserted.set(file, fit.inserted);
      const text = this.#tree.text(file);
      // Also where only comments moved: places are those of this text.
      if (text !== undefined && text !== before) overlays.push({ file, text });
    }
    return { probes, overlays, inserted };
  }

  #fit(
    file: string,
    { name, before }: { readonly name: string | undefined; readonly before: string | undefined },
    mode: RunMode,
  ): FileFit | undefined {
    const key = `${file}\n${name ?? ""}\n${JSON.stringify(mode)}`;
    if (!this.#fits.has(key)) this.#fits.set(key, this.#compareFile(file, before, mode));
    return this.#fits.get(key);
  }

  #compareFile(file: string, before: string | undefined, mode: RunMode): FileFit | undefined {
    const after = this.#tree.text(file);
    if (before === after) return { probes: [] };
    if (before === undefined || after === undefined || !isSource(file)) return undefined;
    const inserted = languageOf(file).compareInserted(before, after, file, { ...mode, also: [] });
    const { difference } = inserted;
    switch (difference.kind) {
      case "same":
        return { probes: [], inserted };
      case "logs":
        return { probes: difference.added.map(({ place }) => place), inserted };
      case "differs":
        return undefined;
    }
  }
}
