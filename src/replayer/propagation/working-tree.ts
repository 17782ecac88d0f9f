/**
 * @file The source as it stands in the user's working tree, with the logpoints of the command line
 * put into it: where the statements that are asked for are found. Nothing is written there.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunMode, SourcePlace } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { AskedLogpoint, FileEdit } from "../../landing/index.ts";
import { insertLog, keysAsLogs } from "../../landing/index.ts";
import type { Edit, InsertedSource, SourceLog, SourceModel } from "../../languages/index.ts";
import { analyzeProgram, isSource, languageOf } from "../../languages/index.ts";
import type { Project } from "../../store/index.ts";
import { Memo } from "./memo.ts";
import type { ReadText } from "./version-texts.ts";
import { RewrittenFile } from "./rewritten-file.ts";

/** A statement that is put into the replay's tree only: `--at train.ts:57 'norm = l2(grads)'`. */
export interface Logpoint {
  /** Relative to the project's root. */
  readonly file: string;
  /** Of the working tree, counted from 1. */
  readonly line: number;
  /** `name = expression`, or several statements. */
  readonly assignment: string;
}

/** The working tree's files and what they mean; each is read once. */
export class WorkingTree {
  readonly #root: string;
  readonly #texts = new Map<string, string | undefined>();
  /** As they were read, before anything was put into them. */
  readonly #read = new Map<string, string | undefined>();
  #models = new Memo<SourceModel>();
  readonly #compared = new Memo<InsertedSource>();
  readonly #rewritten = new Map<string, RewrittenFile>();
  /** What the logpoints ask for. */
  readonly asked: AskedLogpoint[] = [];

  /** `mode`: of the runs that logpoints are for. Throws AL001 if a logpoint cannot be put where it is to be. */
  constructor(project: Project, logpoints: readonly Logpoint[], mode: RunMode) {
    this.#root = project.root;
    // From the end of a file on, so that the lines of the others stay.
    for (const logpoint of logpoints.toSorted((a, b) => b.line - a.line)) {
      this.#insert(logpoint, mode);
    }
  }

  /** The text of a file; undefined if there is none. */
  readonly text = (file: string): string | undefined => {
    if (!this.#texts.has(file)) {
      const text = readIfPresent(join(this.#root, file));
      this.#read.set(file, text);
      this.#texts.set(file, text);
    }
    return this.#texts.get(file);
  };

  /** Whether the files that were read are still what they were. */
  isUnchanged(): boolean {
    return [...this.#read].every(([file, text]) => readIfPresent(join(this.#root, file)) === text);
  }

  /** Keys that were put into what is logged are asked by their names: as calls that log them. */
  askKeys(edit: FileEdit, mode: RunMode, isWanted: (key: string) => boolean): void {
    const text = keysAsLogs(edit, mode, isWanted);
    if (text === undefined) return;
    this.#texts.set(edit.now.file, text);
    this.#models = new Memo();
  }

  /** Writes parts of files otherwise; log calls keep the names that their values show. */
  rewrite(edits: ReadonlyMap<string, readonly Edit[]>): void {
    for (const [file, own] of edits) {
      const rewritten = new RewrittenFile(file, this.text(file) ?? "", own);
      this.#rewritten.set(file, rewritten);
      this.#texts.set(file, rewritten.text);
    }
    this.#models = new Memo();
  }

  /** Where something of a file stands that was written otherwise. */
  placeNow<T extends SourcePlace>(place: T): T {
    return this.#rewritten.get(place.file)?.placeNow(place) ?? place;
  }

  /** Where it stands in the file that the user has. */
  placeBefore<T extends SourcePlace>(place: T): T {
    return this.#rewritten.get(place.file)?.placeBefore(place) ?? place;
  }

  has(file: string): boolean {
    return this.text(file) !== undefined;
  }

  /** Source files in these folders: one of them may be a program that was never run. */
  sourceFiles(folders: readonly string[]): string[] {
    return folders.flatMap((folder) =>
      listNames(join(this.#root, folder))
        .filter(isSource)
        .map((name) => (folder === "." ? name : `${folder}/${name}`)),
    );
  }

  /** The model of a program, as runs of that mode understand it. */
  model(program: string, mode: RunMode): SourceModel {
    return this.#models.get([program, mode], () => {
      const model = analyzeProgram(program, this.text, mode);
      if (this.#rewritten.size === 0) return model;
      const before: ReadText = (file) => this.#rewritten.get(file)?.before ?? this.text(file);
      return this.#withNames(model, analyzeProgram(program, before, mode));
    });
  }

  /** Calls that show no name are known by how their values are written in the file that the user has. */
  #withNames(model: SourceModel, before: SourceModel): SourceModel {
    const known = new Map(before.logs.map((log) => [placeKey(log), log.name]));
    const nameOf = (log: SourceLog): string | null =>
      known.get(placeKey(this.placeBefore(log))) ?? log.name;
    return { ...model, logs: model.logs.map((log) => ({ ...log, name: nameOf(log) })) };
  }

  /** A file against what it was in a version. */
  compare(file: string, before: string, mode: RunMode): InsertedSource {
    const after = this.text(file) ?? "";
    return this.#compared.get([file, before, mode], () => {
      const allowed = { ...mode, also: [], textOf: this.text };
      return languageOf(file).compareInserted(before, after, file, allowed);
    });
  }

  #insert({ file, line, assignment }: Logpoint, mode: RunMode): void {
    const text = this.text(file);
    if (text === undefined) {
      throw new AfterlogError("AL002", `there is no file ${file} in the project`, {
        help: ["name a file of the program, from here:  --at FILE:LINE 'grad_norm = l2(grads)'"],
      });
    }
    const inserted = insertLog(text, file, line, { assignment, textOf: this.text, ...mode });
    if ("problem" in inserted) {
      throw new AfterlogError("AL001", `--at ${file}:${line}: ${inserted.problem}`, {
        help: [inserted.help],
      });
    }
    this.#texts.set(file, inserted.text);
    this.asked.push(inserted.asked);
  }
}

function placeKey({ file, line, column }: SourcePlace): string {
  return `${file}:${line}:${column}`;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
