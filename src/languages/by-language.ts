/** @file One door for all languages: which of them a file is of, by its extension. */
import { extname } from "node:path";
import type { LandingRequest, Landings, RunMode } from "../format/index.ts";
import type { Grammar } from "./landing/grammar.ts";
import { landStatements as land } from "./landing/land.ts";
import type { FoundStatement } from "./landing/unit.ts";
import { findStatement as find } from "./landing/unit.ts";
import { analyzePython } from "./python/analyze.ts";
import { comparePython, compilesStill } from "./python/compare-sources.ts";
import { knowsAfterlog as knownInPython } from "./python/knows-afterlog.ts";
import { anchorOf as anchorInPython } from "./python/landing/anchor.ts";
import { PYTHON } from "./python/landing/grammar.ts";
import { insertLog as insertInPython } from "./python/landing/insert-log.ts";
import { preparePython } from "./python/landing/parser.ts";
import type { InsertedLog } from "./logpoint.ts";
import type { SourceModel } from "./source-model.ts";
import { analyzeProgram as analyzeTypeScript } from "./typescript/analyze.ts";
import { anchorOf as anchorInTypeScript } from "./typescript/anchor.ts";
import type { Allowed, InsertedSource } from "./typescript/compare-sources.ts";
import { compareInserted as compareTypeScript } from "./typescript/compare-sources.ts";
import { insertLog as insertInTypeScript } from "./typescript/insert-log.ts";
import { knowsAfterlog as knownInTypeScript } from "./typescript/knows-afterlog.ts";
import { TYPESCRIPT } from "./typescript/landing/grammar.ts";

function isPython(file: string): boolean {
  return extname(file) === ".py";
}

/** Files that are source, by their extension. */
export function isSource(file: string): boolean {
  return /\.(?:[cm]?[jt]sx?|py)$/.test(file);
}

/** Whether a program uses Afterlog by itself; one that does not is recorded hands-free. */
export function knowsAfterlog(program: string): boolean {
  return isPython(program) ? knownInPython(program) : knownInTypeScript(program);
}

/** The model of a program; never throws on what a source file says. */
export function analyzeProgram(
  entry: string,
  read: (file: string) => string | undefined,
  options?: RunMode,
): SourceModel {
  const analyze = isPython(entry) ? analyzePython : analyzeTypeScript;
  return analyze(entry, read, options);
}

/** A text with statements put into it, against the one that it was. */
export function compareInserted(
  before: string,
  after: string,
  file: string,
  allowed: Allowed,
): InsertedSource {
  if (isPython(file)) return comparePython(before, after, file, allowed);
  return compareTypeScript(before, after, file, allowed);
}

/** Whether a file that statements were put into can be executed, if it could before. */
export function isStillProgram(file: string, before: string, after: string): boolean {
  return !isPython(file) || compilesStill(before, after);
}

/** Where a log statement stands, said so that it stays the same when others are added around it. */
export function anchorOf(
  text: string,
  file: string,
  place: { readonly line: number; readonly column: number },
  model: Pick<SourceModel, "handsFree">,
): string {
  const anchor = isPython(file) ? anchorInPython : anchorInTypeScript;
  return anchor(text, file, place, model);
}

function grammarOf(file: string): Grammar {
  return isPython(file) ? PYTHON : TYPESCRIPT;
}

/** Loads what these files are parsed with. To be awaited before statements of them are landed. */
export async function prepareLanguages(files: readonly string[]): Promise<void> {
  if (files.some(isPython)) await preparePython();
}

/** Finds where statements of the newer version go in an older one, and puts them there. */
export function landStatements(request: LandingRequest): Landings {
  return land(grammarOf(request.now.file), request);
}

/** The statement that a person means by a line of a file, or the one that they may have meant. */
export function findStatement(file: string, text: string, line: number): FoundStatement {
  return find(grammarOf(file), { file, text, line });
}

/** Puts a log statement before the one at a line, in the innermost block that holds the line. */
export function insertLog(
  text: string,
  file: string,
  line: number,
  wanted: RunMode & { readonly assignment: string },
): InsertedLog {
  if (isPython(file)) return insertInPython(text, file, line, wanted.assignment);
  return insertInTypeScript(text, file, line, wanted);
}
