/**
 * @file What is asked, as it stands in a source: the piece of a name, which is a list of parts that
 * are put into another version together. It is taken from the newest version that has it, the working
 * tree before all others (FlorDB §5.3). A name that no longer stands there is found in the recorded
 * versions.
 */
import { posix } from "node:path";
import type { Landing, Manifest, RunMode } from "../../format/index.ts";
import { AfterlogError, isPrintedName, modeOf, nearestName } from "../../format/index.ts";
import type { SourceLog, SourceModel } from "../../languages/index.ts";
import { analyzeProgram, isSource, languageOf } from "../../languages/index.ts";
import type { AskedPlaces } from "./asked-calls.ts";
import { placeOf } from "./asked-calls.ts";
import { Memo } from "./memo.ts";
import type { ReadText, VersionTexts } from "./version-texts.ts";
import { loadedFiles } from "./version-texts.ts";
import type { WorkingTree } from "./working-tree.ts";

/** A program's source, as one version has it. */
export interface ProgramSource {
  readonly program: string;
  /** Commit of the version; null: the working tree. */
  readonly version: string | null;
  readonly model: SourceModel;
  readonly text: ReadText;
}

/** One log statement of a piece. */
export interface Part {
  readonly log: SourceLog;
  /** How it is written in the newest version. */
  readonly statement: string;
}

export interface Piece extends ProgramSource {
  readonly name: string;
  /** Each once, however many ways lead to it. */
  readonly parts: readonly Part[];
  /** It was put into this source, and this did not come with it; absent: it stands there by itself. */
  readonly leftOut?: readonly string[];
}

/** The piece of a name in a source; undefined if nothing logs it there. */
export function pieceIn(
  source: ProgramSource,
  name: string,
  statementOf: (log: SourceLog) => string = ({ text }) => text,
  landed: readonly Pick<Landing, "file" | "line" | "column">[] = [],
): Piece | undefined {
  const logs = findStatements(source.model, name, landed);
  const places = new Map(logs.map((log) => [placeOf(log), log]));
  const parts = [...places.values()].map((log) => ({ log, statement: statementOf(log) }));
  return parts.length === 0 ? undefined : { ...source, name, parts };
}

/**
 * The places that may log a name: those that say it, else those whose name is a template that fits,
 * else those whose name nobody can tell. `landed`: where its statements are, of which those that show no
 * name are written in the names of that version.
 */
export function findStatements(
  { logs }: SourceModel,
  name: string,
  landed: readonly Pick<Landing, "file" | "line" | "column">[] = [],
): readonly SourceLog[] {
  const literal = logs.filter((log) => log.name === name);
  if (literal.length > 0) return literal;
  const fits = ({ pattern }: SourceLog): boolean =>
    pattern !== undefined && new RegExp(pattern).test(name);
  const templates = logs.filter((log) => !isUnnamed(log) && fits(log));
  if (templates.length > 0) return templates;
  const there = logs.filter((log) => isUnnamed(log) && isAt(landed, log));
  return there.length > 0 ? there : logs.filter(fits);
}

/** It shows no name: it is asked for as its value is written, or by what it logs when it runs. */
export function isUnnamed({ name, pattern }: SourceLog): boolean {
  return name !== null && pattern !== undefined;
}

/** Whether a name is how the value of a call is written that shows none. */
export function isWritten(name: string, pieces: readonly Piece[]): boolean {
  const logs = pieces.flatMap(({ parts }) => parts.map(({ log }) => log));
  return logs.some((log) => log.name === name && isUnnamed(log));
}

function isAt(
  places: readonly Pick<Landing, "file" | "line" | "column">[],
  log: SourceLog,
): boolean {
  return places.some(({ file, line, column }) => {
    return file === log.file && line === log.line && column === log.column;
  });
}

/** Finds pieces; each text is analyzed once. */
export class PieceFinder {
  readonly #tree: WorkingTree;
  readonly #texts: VersionTexts;
  readonly #newestFirst: readonly Manifest[];
  readonly #places: AskedPlaces;
  readonly #programs: readonly string[];
  readonly #models = new Memo<SourceModel>();
  readonly #pieces = new Memo<readonly Piece[]>();

  /** `places`: where in the working tree names are asked that are not asked everywhere. */
  constructor(
    tree: WorkingTree,
    texts: VersionTexts,
    {
      newestFirst,
      places,
    }: { readonly newestFirst: readonly Manifest[]; readonly places: AskedPlaces },
  ) {
    this.#tree = tree;
    this.#texts = texts;
    this.#newestFirst = newestFirst;
    this.#places = places;
    this.#programs = [...new Set(newestFirst.map(({ program }) => program))];
  }

  /**
   * The pieces of a name for a run of a program: the likeliest first, empty if that program has
   * nothing to do with it.
   */
  of(run: Manifest, name: string): readonly Piece[] {
    const { program } = run;
    const mode = modeOf(run);
    return this.#pieces.get([program, name, mode], () => this.#search(program, name, mode));
  }

  /** All pieces of a name, for the user. Throws AL021 if there is none. */
  all(name: string): readonly Piece[] {
    const found = this.#newestFirst.flatMap((run) => this.of(run, name));
    if (found.length > 0) return [...new Set(found)];
    const here = this.#programs.filter((program) => this.#tree.has(program));
    throw noStatement(
      name,
      here.length > 0 ? here : this.#programs,
      here.map((program) => this.#tree.model(program, this.#modeOf(program))),
    );
  }

  /** As its newest run; a program that was never run is understood as the one that was run last. */
  #modeOf(program: string): RunMode {
    const own = this.#newestFirst.find((manifest) => manifest.program === program);
    return modeOf(own ?? this.#newestFirst[0] ?? {});
  }

  #search(program: string, name: string, mode: RunMode): readonly Piece[] {
    if (this.#tree.has(program)) {
      const here = this.#inTree(program, name, mode);
      const isElsewhere = this.#places.has(name);
      return here.length > 0 || isElsewhere ? here : this.#recorded(program, name);
    }
    // It was renamed or removed: what is there now may be the same program under another name.
    const others = this.#programs.filter((other) => this.#tree.has(other));
    const ways = [
      () => others.flatMap((other) => this.#inTree(other, name)),
      () => this.#unrecorded(name),
      () => this.#recorded(program, name),
      () => this.#programs.flatMap((other) => this.#recorded(other, name)),
    ];
    for (const way of ways) {
      const pieces = way();
      if (pieces.length > 0) return pieces;
    }
    return [];
  }

  #inTree(program: string, name: string, mode = this.#modeOf(program)): Piece[] {
    const model = this.#tree.model(program, mode);
    const piece = pieceIn({ program, version: null, model, text: this.#tree.text }, name);
    const places = this.#places.get(name);
    if (!piece || !places) return piece ? [piece] : [];
    const parts = piece.parts.filter(({ log }) => places.has(placeOf(log)));
    return parts.length === 0 ? [] : [{ ...piece, parts }];
  }

  /** Programs that were never run: beside those that were, or at the project's root. */
  #unrecorded(name: string): Piece[] {
    const folders = [...new Set([".", ...this.#programs.map((program) => posix.dirname(program))])];
    return this.#tree
      .sourceFiles(folders)
      .filter((file) => !this.#programs.includes(file) && this.#tree.text(file)?.includes(name))
      .flatMap((file) => this.#inTree(file, name));
  }

  /** In the newest version of a program that logs the name. */
  #recorded(program: string, name: string): Piece[] {
    const seen = new Set<string>();
    for (const manifest of this.#newestFirst) {
      const { version } = manifest;
      if (manifest.program !== program || version === null || seen.has(version.commit)) continue;
      seen.add(version.commit);
      const text: ReadText = (file) => this.#texts.textOf(manifest, file);
      const files = loadedFiles(manifest).filter(isSource);
      // A quick look first: analyzing hundreds of versions takes a while.
      if (!files.some((file) => text(file)?.includes(name))) continue;
      const texts = files.map((file) => this.#texts.nameOf(manifest, file));
      const mode = modeOf(manifest);
      const model = this.#models.get([program, texts, mode], () => {
        return analyzeProgram(program, text, mode);
      });
      const piece = pieceIn({ program, version: version.commit, model, text }, name);
      if (piece) return [piece];
    }
    return [];
  }
}

/** The error for a name that no statement of these programs logs. */
function noStatement(
  name: string,
  programs: readonly string[],
  models: readonly SourceModel[],
): AfterlogError {
  const logs = models.flatMap((model) => model.logs);
  const known = [...new Set(logs.flatMap((log) => log.name ?? []))];
  const close = nearestName(name, known);
  const near = logs.find((log) => log.name === close);
  const files = [...new Set(models.flatMap((model) => model.files))];
  const where = files.length > 6 ? `${files.slice(0, 6).join(", ")}, …` : files.join(", ");
  const [program = "the program"] = programs;
  const own = models.find((model) => model.files.includes(program)) ?? models[0];
  const isPrinted = own?.handsFree ?? false;
  const isUnprinted = isPrinted && !isPrintedName(name);
  const { printing } = languageOf(program);
  const call = isPrinted && !isUnprinted ? printing : "al.log";
  return new AfterlogError("AL021", `no log statement named ${JSON.stringify(name)}`, {
    notes: [
      `looked in the working tree: ${where || "none of the recorded programs is there any more"}`,
      ...(isUnprinted ? ["printed under this name it is not logged: see docs/console.md"] : []),
      ...(near ? [`did you mean ${close} (${near.file}:${near.line})?`] : []),
    ],
    help: [
      `add  ${call}(${JSON.stringify(name)}, …)  to ${program}, then run this again`,
      `or add it to the replay only:  --at ${program}:LINE '${name} = …'`,
    ],
    data: { name, close: close ?? null },
  });
}
