/**
 * @file Log calls of the working tree that are asked for without a name: the one on a line, or all
 * that were added since the newest run of their program.
 */
import type { Manifest, SourcePlace } from "../../format/index.ts";
import { AfterlogError, isNameOfLoop, modeOf } from "../../format/index.ts";
import type { FileEdit } from "../../landing/index.ts";
import { addedText, editBetween, recognitionBetween } from "../../landing/index.ts";
import type { SourceLog, SourceLoop } from "../../languages/index.ts";
import { isSource, languageOf } from "../../languages/index.ts";
import type { VersionTexts } from "./version-texts.ts";
import type { WorkingTree } from "./working-tree.ts";

/** A line of the working tree, relative to the project's root. */
export interface AskedLine {
  readonly file: string;
  readonly line: number;
}

/** The calls of a name that are asked, by file and line; absent: all of them. */
export type AskedPlaces = ReadonlyMap<string, ReadonlySet<string>>;

export interface AskedCalls {
  readonly names: readonly string[];
  readonly places: AskedPlaces;
}

export interface SearchedTree {
  readonly tree: WorkingTree;
  readonly texts: VersionTexts;
  readonly newestFirst: readonly Manifest[];
  readonly filesOf: (manifest: Manifest) => readonly string[];
}

/** What is asked by names, by lines, or, if by neither, by what was added. Throws AL001, AL021. */
export function findCalls(
  asked: { readonly names: readonly string[]; readonly lines?: readonly AskedLine[] },
  searched: SearchedTree,
): AskedCalls {
  const { lines = [] } = asked;
  const points = searched.tree.asked;
  const given = points.flatMap((point) => ("name" in point ? [point.name] : []));
  const texts = points.flatMap((point) => ("logs" in point ? point.logs : []));
  const names = [...new Set([...asked.names, ...given])];
  for (const name of asked.names) refuseLoopName(name, searched);
  if (names.length > 0 && lines.length + texts.length === 0) return { names, places: new Map() };
  const programs = newestByProgram(searched);
  const logs =
    lines.length + texts.length > 0
      ? [
          ...lines.flatMap((line) => callsOn(line, programs, searched)),
          ...callsSaying(texts, programs, searched),
        ]
      : addedCalls(programs, searched);
  const places = new Map<string, Set<string>>();
  for (const log of logs) {
    const name = askedName(log);
    if (name === undefined || names.includes(name)) continue;
    places.set(name, (places.get(name) ?? new Set()).add(placeOf(log)));
  }
  return { names: [...new Set([...names, ...places.keys()])], places };
}

export function placeOf({ file, line, column }: SourcePlace): string {
  return `${file}:${line}:${column}`;
}

/** What a call logs, as it is asked for: `grad/*` for a template; undefined if only a run can tell. */
function askedName({ name, pattern }: SourceLog): string | undefined {
  if (name !== null || pattern === undefined) return name ?? undefined;
  const text = pattern.replace(/^\^/, "").replace(/\$$/, "");
  return text.replaceAll(/\\S\*/g, "*").replaceAll(/\\(.)/g, "$1");
}

/** The newest run of each program that is still there. */
function newestByProgram({ tree, newestFirst }: SearchedTree): Manifest[] {
  const newest = new Map<string, Manifest>();
  for (const manifest of newestFirst) {
    const { program } = manifest;
    if (tree.has(program) && !newest.has(program)) newest.set(program, manifest);
  }
  return [...newest.values()];
}

function callsOn(
  { file, line }: AskedLine,
  programs: readonly Manifest[],
  { tree }: SearchedTree,
): SourceLog[] {
  const isOn = (log: SourceLog): boolean => {
    const last = log.line + log.text.split("\n").length - 1;
    return log.file === file && log.line <= line && line <= last;
  };
  const models = programs.map((run) => tree.model(run.program, modeOf(run)));
  const found = models.flatMap(({ logs, loops }) => {
    return logs.filter((log) => isOn(log) && !isLoopName(log, loops));
  });
  if (found.length > 0) return found;
  const [left] = models.flatMap(({ handsFree, logs }) => (handsFree ? logs.filter(isOn) : []));
  if (left) throw loopNameError(left);
  const others = models.flatMap(({ logs }) => logs.filter((log) => log.file === file));
  const near = others.toSorted((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line))[0];
  throw new AfterlogError("AL021", `nothing is logged on line ${line} of ${file}`, {
    notes: near ? [`the nearest log call:  ${file}:${near.line}  ${near.text}`] : [],
    help: [`name what is to be computed there:  --at ${file}:${line} 'name = …'`],
  });
}

/** Log calls that a logpoint put in. */
function callsSaying(
  texts: readonly string[],
  programs: readonly Manifest[],
  { tree }: SearchedTree,
): SourceLog[] {
  const models = programs.map((run) => tree.model(run.program, modeOf(run)));
  return models.flatMap(({ logs }) => {
    return logs.filter(({ text }) => texts.includes(text.replace(/;$/, "")));
  });
}

function addedCalls(programs: readonly Manifest[], searched: SearchedTree): SourceLog[] {
  const { tree } = searched;
  const found = programs.flatMap((run) => {
    const isAdded = addedIn(run, searched);
    const { logs, loops } = tree.model(run.program, modeOf(run));
    return logs.filter((log) => isAdded(log) && !isLoopName(log, loops));
  });
  if (found.length > 0) return found;
  throw new AfterlogError("AL001", "no log call was added since the newest run", {
    help: [
      "add one to the program, then run this again",
      "or name a value that older runs lack:  afterlog replay NAME",
    ],
  });
}

/** Which iteration it is stands in the path: a printed number of a loop around is not logged. */
function isLoopName({ name, chain }: SourceLog, loops: readonly SourceLoop[]): boolean {
  return name !== null && chain.some((id) => isNameOfLoop(name, loops[id]?.name ?? ""));
}

/** Throws AL021 if all that a program prints under a name is the number of a loop. */
function refuseLoopName(name: string, searched: SearchedTree): void {
  const found = newestByProgram(searched).flatMap((run) => {
    const { handsFree = false, logs, loops } = searched.tree.model(run.program, modeOf(run));
    const own = logs.filter((log) => log.name === name);
    return own.map((log) => ({ log, isLeftOut: handsFree && isLoopName(log, loops) }));
  });
  const [first] = found;
  if (first && found.every(({ isLeftOut }) => isLeftOut)) throw loopNameError(first.log);
}

function loopNameError({ name, file, line }: SourceLog): AfterlogError {
  const place = `${file}:${line}`;
  return new AfterlogError("AL021", `${name} is the number of a loop around ${place}: not logged`, {
    notes: ["which iteration it is stands in the path of every record (docs/console.md)"],
    help: [`give it another name:  --at ${place} 'NAME = …'`],
  });
}

/**
 * Keys that were put into mappings since the newest runs, and are logged with those, become calls that
 * log them; those that only older runs lack if they are asked for.
 */
export function askKeys(names: readonly string[], searched: SearchedTree): void {
  const { tree, newestFirst, filesOf } = searched;
  const newest = newestByProgram(searched);
  for (const run of newestFirst.filter(({ program }) => tree.has(program))) {
    const { logs } = tree.model(run.program, modeOf(run));
    const unsaid = names.filter((name) => !logs.some((log) => log.name === name));
    const isNewest = newest.includes(run);
    if (!isNewest && unsaid.length === 0) continue;
    for (const file of filesOf(run).filter(isSource)) {
      const edit = editOf(run, file, searched, "recognised");
      if (edit) tree.askKeys(edit, modeOf(run), (key) => isNewest || unsaid.includes(key));
    }
  }
}

/** What became of a file since a run; undefined if nothing did, or one of both cannot be read. */
function editOf(
  run: Manifest,
  file: string,
  { tree, texts }: SearchedTree,
  how: "whole" | "recognised" = "whole",
): FileEdit | undefined {
  const [before, after] = [texts.textOf(run, file), tree.text(file)];
  if (before === after || before === undefined || after === undefined) return undefined;
  const [old, own] = [languageOf(file).read(file, before), languageOf(file).read(file, after)];
  if ("problem" in old || "problem" in own) return undefined;
  if (how === "whole") return editBetween(old, own);
  return editBetween(old, own, recognitionBetween(old, own, modeOf(run)));
}

/** Whether a log call of the working tree was added since a run. */
function addedIn(run: Manifest, searched: SearchedTree): (log: SourceLog) => boolean {
  const { tree, texts, filesOf } = searched;
  const added = new Map<string, (log: SourceLog) => boolean>();
  for (const file of filesOf(run).filter(isSource)) {
    if (texts.textOf(run, file) === undefined && tree.has(file)) added.set(file, () => true);
    const edit = editOf(run, file, searched);
    if (!edit) continue;
    const parts = addedText(edit);
    added.set(file, ({ line, column }) => {
      const offset = edit.now.lines.startOf(line) + column - 1;
      return parts.some(({ start, end }) => start <= offset && offset < end);
    });
  }
  return (log) => added.get(log.file)?.(log) ?? false;
}
