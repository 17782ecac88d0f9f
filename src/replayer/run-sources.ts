/**
 * @file What runs executed against what the working tree holds: the source of each run's version,
 * and whether the working tree differs from it by added log statements only. Runs that share a
 * version share all the work.
 */
import { createHash } from "node:crypto";
import { extname } from "node:path";
import type { Manifest, Overlay, SourcePlace } from "../format/index.ts";
import { describeError } from "../format/index.ts";
import type { SourceModel } from "../languages/index.ts";
import { analyzeProgram, compareSources } from "../languages/index.ts";
import type { Project, WantedFile } from "../store/index.ts";
import { readVersionFiles } from "../store/index.ts";

/** The source of a run, as far as a plan needs it. */
export type RunSource =
  | {
      readonly kind: "usable";
      /** Of the text that ran. */
      readonly recorded: SourceModel;
      /** Statements that it did not have, by their places in the working tree. */
      readonly probes: readonly SourcePlace[];
      readonly overlays: readonly Overlay[];
    }
  | { readonly kind: "unusable"; readonly why: string };

/** The side that runs are compared with. */
export interface NewSource {
  text(file: string): string | undefined;
  model(program: string): SourceModel;
}

const CODE = /^\.[cm]?[jt]sx?$/;

interface FileDifference {
  readonly probes: readonly SourcePlace[];
  /** Why it is more than log statements; null: it is not. */
  readonly why: string | null;
}

/** Compares runs with the working tree. */
export class RunSources {
  readonly #project: Project;
  readonly #now: NewSource;
  /** Texts by what names them: `sha256` of the manifest, or git's name. */
  readonly #texts = new Map<string, string>();
  readonly #kept = new Map<string, string>();
  readonly #hashes = new Map<string, string | undefined>();
  readonly #differences = new Map<string, FileDifference>();
  readonly #results = new Map<string, RunSource>();
  readonly #problems = new Map<string, string>();

  constructor(project: Project, now: NewSource, runs: readonly Manifest[]) {
    this.#project = project;
    this.#now = now;
    this.#read(runs);
  }

  of(manifest: Manifest): RunSource {
    if (manifest.version === null) return { kind: "unusable", why: "its source was not kept" };
    const problem = this.#problems.get(manifest.run);
    if (problem !== undefined) return { kind: "unusable", why: problem };
    const files = this.#files(manifest).map(
      (file) => [file, this.#nameOf(manifest, file)] as const,
    );
    const key = JSON.stringify([manifest.program, files]);
    let result = this.#results.get(key);
    if (!result) this.#results.set(key, (result = this.#compare(manifest.program, new Map(files))));
    return result;
  }

  /** What the run loaded, and what the working tree's program is made of. */
  #files({ sources, program }: Manifest): string[] {
    const loaded = Object.keys(sources).map((file) => file.replaceAll("\\", "/"));
    return [...new Set([program, ...loaded, ...this.#now.model(program).files])].sort();
  }

  /** Reads all files that are not the same as in the working tree, with two processes of git. */
  #read(runs: readonly Manifest[]): void {
    const wanted = runs.flatMap((manifest): WantedFile[] => {
      const { run, version } = manifest;
      if (version === null) return [];
      const changed = this.#files(manifest).filter((file) => !this.#isSame(manifest, file));
      return changed.map((file) => ({ run, version, file }));
    });
    try {
      const found = readVersionFiles(this.#project, wanted);
      wanted.forEach(({ run, file }, at) => {
        const kept = found[at];
        if (!kept) return;
        this.#texts.set(kept.id, kept.text);
        this.#kept.set(`${run}:${file}`, kept.id);
      });
    } catch (error) {
      for (const { run } of wanted) this.#problems.set(run, describeError(error));
    }
  }

  /** By the hash that the recorder took when it loaded the file. */
  #isSame({ sources }: Manifest, file: string): boolean {
    return sources[file] !== undefined && sources[file] === this.#hashNow(file);
  }

  #hashNow(file: string): string | undefined {
    if (!this.#hashes.has(file)) {
      const text = this.#now.text(file);
      const hash = text === undefined ? undefined : sha256(text);
      this.#hashes.set(file, hash);
      if (text !== undefined && hash !== undefined) this.#texts.set(hash, text);
    }
    return this.#hashes.get(file);
  }

  /** Names the text that the run had; undefined if its version has no such file. */
  #nameOf(manifest: Manifest, file: string): string | undefined {
    if (this.#isSame(manifest, file)) return this.#hashNow(file);
    return this.#kept.get(`${manifest.run}:${file}`);
  }

  #compare(program: string, names: ReadonlyMap<string, string | undefined>): RunSource {
    const probes: SourcePlace[] = [];
    const overlays: Overlay[] = [];
    for (const [file, name] of names) {
      const difference = this.#difference(file, name);
      if (difference.why !== null) return { kind: "unusable", why: difference.why };
      probes.push(...difference.probes);
      const text = this.#now.text(file);
      // Also where only comments moved: places are those of this text.
      const isOther = name !== undefined && text !== this.#texts.get(name);
      if (text !== undefined && isOther) overlays.push({ file, text });
    }
    const recorded = analyzeProgram(program, (file) => {
      const name = names.get(file);
      return name === undefined ? undefined : this.#texts.get(name);
    });
    return { kind: "usable", recorded, probes, overlays };
  }

  #difference(file: string, name: string | undefined): FileDifference {
    const key = `${file}\n${name ?? ""}`;
    let found = this.#differences.get(key);
    if (!found) this.#differences.set(key, (found = this.#compareFile(file, name)));
    return found;
  }

  #compareFile(file: string, name: string | undefined): FileDifference {
    const before = name === undefined ? undefined : this.#texts.get(name);
    const after = this.#now.text(file);
    const differs = (why: string): FileDifference => ({ probes: [], why });
    if (before === after) return { probes: [], why: null };
    if (before === undefined) return differs(`${file} is new since, or was not kept`);
    if (after === undefined) return differs(`${file} is gone from the working tree`);
    if (!CODE.test(extname(file))) return differs(`${file} has changed since`);
    const result = compareSources(before, after, file);
    switch (result.kind) {
      case "same":
        return { probes: [], why: null };
      case "logs":
        return { probes: result.added.map(({ place }) => place), why: null };
      case "differs":
        return differs(`${file}:${result.line} has changed since: ${result.why}`);
    }
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
