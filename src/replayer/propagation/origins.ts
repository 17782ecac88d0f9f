/**
 * @file Where an asked statement is taken from: the newest version that has it, the working tree
 * before all others (FlorDB §5.3). A name that no longer stands there is found in the recorded
 * versions.
 */
import { posix } from "node:path";
import type { Manifest, RunMode } from "../../format/index.ts";
import { modeOf } from "../../format/index.ts";
import type { SourceLog, SourceModel } from "../../languages/index.ts";
import { analyzeProgram, isSource } from "../../languages/index.ts";
import { loadedFiles } from "./run-sources.ts";
import type { VersionTexts } from "./version-texts.ts";
import type { WorkingTree } from "./working-tree.ts";
import { findStatements, noStatement } from "./working-tree.ts";

/** A source text in which a name is logged, and the statements that do it. */
export interface Origin {
  readonly program: string;
  /** Commit of the version; null: the working tree. */
  readonly version: string | null;
  readonly model: SourceModel;
  readonly logs: readonly SourceLog[];
  readonly text: (file: string) => string | undefined;
  /** How a statement is written in the newest version; absent: as here. */
  readonly written?: (log: SourceLog) => string;
  /** What did not come with the statement into this source, when it was put there. */
  readonly leftOut?: readonly string[];
}

/** Finds statements; each text is analyzed once. */
export class Origins {
  readonly #tree: WorkingTree;
  readonly #texts: VersionTexts;
  /** Runs, the newest first. */
  readonly #runs: readonly Manifest[];
  readonly #programs: readonly string[];
  /** How each program is understood where its runs are not asked: as by the newest. */
  readonly #modes: ReadonlyMap<string, RunMode>;
  readonly #models = new Map<string, SourceModel>();
  readonly #found = new Map<string, readonly Origin[]>();

  constructor(tree: WorkingTree, texts: VersionTexts, runs: readonly Manifest[]) {
    this.#tree = tree;
    this.#texts = texts;
    this.#runs = runs.toSorted((a, b) => b.order - a.order);
    this.#programs = [...new Set(this.#runs.map(({ program }) => program))];
    const oldestFirst = this.#runs.toReversed();
    this.#modes = new Map(oldestFirst.map((manifest) => [manifest.program, modeOf(manifest)]));
  }

  /**
   * Where the name is logged, for a run of a program: the likeliest first, empty if that program has
   * nothing to do with it.
   */
  of(run: Manifest, name: string): readonly Origin[] {
    return this.#of(run.program, name, modeOf(run));
  }

  #of(program: string, name: string, mode: RunMode): readonly Origin[] {
    const key = `${program}\n${name}\n${JSON.stringify(mode)}`;
    let found = this.#found.get(key);
    if (!found) this.#found.set(key, (found = this.#search(program, name, mode)));
    return found;
  }

  /** All statements of a name, for the user. Throws AL021 if there is none. */
  all(name: string): readonly Origin[] {
    const found = this.#runs.flatMap((run) => this.of(run, name));
    if (found.length > 0) return [...new Set(found)];
    const here = this.#programs.filter((program) => this.#tree.has(program));
    throw noStatement(
      name,
      here.length > 0 ? here : this.#programs,
      here.map((program) => this.#tree.model(program, this.#modeOf(program))),
    );
  }

  /** A program that was never run is understood as the one that was run last. */
  #modeOf(program: string): RunMode {
    return this.#modes.get(program) ?? modeOf(this.#runs[0] ?? {});
  }

  #search(program: string, name: string, mode: RunMode): readonly Origin[] {
    if (this.#tree.has(program)) {
      const here = this.#inTree(program, name, mode);
      if (here) return [here];
      return this.#recorded(program, name);
    }
    // It was renamed or removed: what is there now may be the same program under another name.
    const others = this.#programs.flatMap((other) => {
      return this.#tree.has(other) ? (this.#inTree(other, name) ?? []) : [];
    });
    if (others.length > 0) return others;
    const unrecorded = this.#unrecorded(name);
    if (unrecorded.length > 0) return unrecorded;
    const own = this.#recorded(program, name);
    if (own.length > 0) return own;
    return this.#programs.flatMap((other) => this.#recorded(other, name));
  }

  #inTree(program: string, name: string, mode = this.#modeOf(program)): Origin | undefined {
    const model = this.#tree.model(program, mode);
    const logs = findStatements(model, name);
    const text = (file: string): string | undefined => this.#tree.text(file);
    return logs.length === 0 ? undefined : { program, version: null, model, logs, text };
  }

  /** Programs that were never run: beside those that were, or at the project's root. */
  #unrecorded(name: string): readonly Origin[] {
    const folders = [...new Set([".", ...this.#programs.map((program) => posix.dirname(program))])];
    return this.#tree
      .sourceFiles(folders)
      .filter((file) => !this.#programs.includes(file) && this.#tree.text(file)?.includes(name))
      .flatMap((file) => this.#inTree(file, name) ?? []);
  }

  /** The newest version of a program that logs the name. */
  #recorded(program: string, name: string): readonly Origin[] {
    const seen = new Set<string>();
    for (const manifest of this.#runs) {
      const { version } = manifest;
      if (manifest.program !== program || version === null || seen.has(version.commit)) continue;
      seen.add(version.commit);
      const text = (file: string): string | undefined => this.#texts.textOf(manifest, file);
      const files = loadedFiles(manifest).filter(isSource);
      // A quick look first: analyzing hundreds of versions takes a while.
      if (!files.some((file) => text(file)?.includes(name))) continue;
      const names = files.map((file) => this.#texts.nameOf(manifest, file));
      const model = this.#model(JSON.stringify([program, names]), manifest, text);
      const logs = findStatements(model, name);
      if (logs.length > 0) return [{ program, version: version.commit, model, logs, text }];
    }
    return [];
  }

  #model(names: string, run: Manifest, text: Origin["text"]): SourceModel {
    const mode = modeOf(run);
    const key = `${names}\n${JSON.stringify(mode)}`;
    let model = this.#models.get(key);
    if (!model) this.#models.set(key, (model = analyzeProgram(run.program, text, mode)));
    return model;
  }
}
