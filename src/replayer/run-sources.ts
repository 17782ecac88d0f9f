/**
 * @file What runs executed against what the working tree holds: which files a run is made of, and
 * whether the working tree differs from them by added log statements only. Then its text can stand in
 * for theirs. Runs that share a version share all the work.
 */
import { extname } from "node:path";
import type { Manifest, Overlay, SourcePlace } from "../format/index.ts";
import { modeOf } from "../format/index.ts";
import type { AnalyzeOptions, InsertedSource } from "../languages/index.ts";
import { compareInserted } from "../languages/index.ts";
import type { VersionTexts } from "./version-texts.ts";
import type { WorkingTree } from "./working-tree.ts";

/** Whether the working tree can stand in for the source of a run. */
export type Comparison =
  | {
      readonly kind: "fits";
      /** Statements that the run did not have, by their places in the working tree. */
      readonly probes: readonly SourcePlace[];
      readonly overlays: readonly Overlay[];
      /** By file, what the working tree has more. */
      readonly inserted: ReadonlyMap<string, Pick<InsertedSource, "before">>;
    }
  | { readonly kind: "differs"; readonly why: string };

const CODE = /^\.[cm]?[jt]sx?$/;

/** Whether a file holds source text that can be parsed. */
export function isCode(file: string): boolean {
  return CODE.test(extname(file));
}

/** The files of the project that a run loaded, its program among them. */
export function loadedFiles({ sources, program }: Manifest): string[] {
  const loaded = Object.keys(sources).map((file) => file.replaceAll("\\", "/"));
  return [...new Set([program, ...loaded])].sort();
}

interface FileDifference {
  readonly probes: readonly SourcePlace[];
  /** Why it is more than log statements; null: it is not. */
  readonly why: string | null;
  readonly inserted?: InsertedSource;
}

/** Compares runs with the working tree. */
export class RunSources {
  readonly #tree: WorkingTree;
  readonly #texts: VersionTexts;
  readonly #differences = new Map<string, FileDifference>();

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

  compare(manifest: Manifest): Comparison {
    const probes: SourcePlace[] = [];
    const overlays: Overlay[] = [];
    const inserted = new Map<string, InsertedSource>();
    for (const file of this.filesOf(manifest)) {
      const name = this.#texts.nameOf(manifest, file);
      const before = this.#texts.textOf(manifest, file);
      const difference = this.#difference(file, { name, before }, modeOf(manifest));
      if (difference.why !== null) return { kind: "differs", why: difference.why };
      probes.push(...difference.probes);
      if (difference.inserted) inserted.set(file, difference.inserted);
      const text = this.#tree.text(file);
      // Also where only comments moved: places are those of this text.
      if (text !== undefined && text !== before) overlays.push({ file, text });
    }
    return { kind: "fits", probes, overlays, inserted };
  }

  #difference(
    file: string,
    { name, before }: { readonly name: string | undefined; readonly before: string | undefined },
    mode: AnalyzeOptions,
  ): FileDifference {
    const key = `${file}\n${name ?? ""}\n${mode.handsFree}`;
    let found = this.#differences.get(key);
    if (!found) this.#differences.set(key, (found = this.#compareFile(file, before, mode)));
    return found;
  }

  #compareFile(file: string, before: string | undefined, mode: AnalyzeOptions): FileDifference {
    const after = this.#tree.text(file);
    const differs = (why: string): FileDifference => ({ probes: [], why });
    if (before === after) return { probes: [], why: null };
    if (before === undefined) return differs(`${file} is new since, or was not kept`);
    if (after === undefined) return differs(`${file} is gone from the working tree`);
    if (!isCode(file)) return differs(`${file} has changed since`);
    const inserted = compareInserted(before, after, file, { ...mode, also: [] });
    const { difference } = inserted;
    switch (difference.kind) {
      case "same":
        return { probes: [], why: null, inserted };
      case "logs":
        return { probes: difference.added.map(({ place }) => place), why: null, inserted };
      case "differs":
        return differs(`${file}:${difference.line} has changed since: ${difference.why}`);
    }
  }
}
