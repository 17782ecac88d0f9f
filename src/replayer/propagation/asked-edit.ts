/**
 * @file What the working tree has more than a run, as a question: where it is the run's version with
 * statements added, the run's own source with what belongs to the question in it is what is replayed,
 * and nothing has to land.
 */
import type { Carried, Landing, Overlay, ProbePlace, Varying } from "../../format/index.ts";
import type {
  AskedText,
  FileEdit,
  FilePiece,
  ForeignName,
  Gap,
  Intervention,
  PieceReason,
} from "../../landing/index.ts";
import { addedRuns, editBetween, foreignName, keepPiece, pieceFor } from "../../landing/index.ts";
import type { SourceLog, SourceModel } from "../../languages/index.ts";
import {
  analyzeProgram,
  isSource,
  languageOf,
  withoutCarriedMarkers,
} from "../../languages/index.ts";
import type { Piece } from "./pieces.ts";
import { findStatements } from "./pieces.ts";
import type { NameLanding, RecordedVersion } from "./place.ts";
import { NO_LANDING, PRESENT, worstOf } from "./place.ts";
import type { ReadText } from "./version-texts.ts";

/** The source of a run with a question in it. */
export interface EditedSource {
  readonly names: readonly NameLanding[];
  readonly probes: readonly ProbePlace[];
  readonly overlays: readonly Overlay[];
  readonly text: ReadText;
  /** Where a log call stands in the run's text: the same whatever else is asked for. */
  readonly anchorOf: (log: SourceLog) => string;
  /** Of the run's own text, with the log calls of the question. */
  readonly model: SourceModel;
}

/** What is asked is no question about the run; the names say why. */
export type NoQuestion = Pick<EditedSource, "names">;

/** The question for names that the working tree logs; undefined where it is none that stands as it is. */
export function askEdit(
  version: RecordedVersion,
  now: ReadText,
  asked: readonly Piece[],
  newest: NewestEdit,
): EditedSource | NoQuestion | undefined {
  const edits = readEdits(version, now);
  if (!edits) return undefined;
  const offsets = askedOffsets(asked, edits);
  for (const [file, edit] of edits) {
    const foreign = foreignName(edit, offsets.get(file) ?? []);
    if (foreign) return { names: cannot(asked, notOfRun(edit, foreign)) };
  }
  if (!isOnlyAdded(edits) || !newest.isSame(version.program, edits)) return undefined;
  const pieces = new Map<string, FilePiece>();
  for (const [file, edit] of edits) {
    const piece = pieceFor(edit, offsets.get(file) ?? []);
    const { intervention } = piece;
    if (intervention) return { names: refused(asked, edit, intervention) };
    pieces.set(file, piece);
  }
  const isAsked = [...pieces.values()].some(({ statements }) => statements.length > 0);
  if (!isAsked) return undefined;
  const state = [...pieces.values()].flatMap((piece) => piece.state);
  const fields = [...pieces.values()].flatMap((piece) => piece.fields);
  const changing = [...edits].flatMap(([file, edit]) => {
    return (pieces.get(file)?.statements ?? [])
      .filter(({ statement, gap }) => !statement.isLog && !gap.shaped.has(statement))
      .filter(({ statement }) => /^(?:calls|changes)$/.test(statement.effect))
      .map(({ statement: { node } }) => firstLine(edit.now.text.slice(node.start, node.end)));
  });
  const overlays: Overlay[] = [];
  const probes: ProbePlace[] = [];
  const carried: Carried[] = [];
  const put = new Map<string, FileEdit>();
  for (const [file, edit] of edits) {
    const own = putIn(edit, pieces.get(file)?.statements ?? [], version.before);
    if (!own) return undefined;
    if ("problem" in own) return { names: cannot(asked, `${file}: ${own.problem}`) };
    const recorded = { text: own.edit.then.text, moved: own.edit.moved };
    overlays.push({ file, text: own.edit.now.text, recorded });
    probes.push(...own.probes);
    carried.push(...own.carried);
    put.set(file, own.edit);
  }
  const changed = new Map(overlays.map(({ file, text }) => [file, text]));
  const text: ReadText = (file) => changed.get(file) ?? version.before(file);
  const told = { state, fields, changing, probes };
  const model = modelWithLogs(version, text, told, (file, line, column) => {
    const edit = put.get(file);
    if (!edit) return { line, column };
    const offset = edit.startBefore(edit.now.lines.startOf(line) + column - 1);
    return offset === undefined ? undefined : edit.then.lines.at(offset);
  });
  const names = asked.map((piece) => {
    // What a name brings along does not depend on what else is asked for.
    const reasons = reasonsOf(edits, askedOffsets([piece], edits));
    const needed = carried.flatMap((one): Carried[] => {
      const why = reasons.get(one.text);
      return why === undefined ? [] : [{ ...one, why }];
    });
    return asName(piece, model, (log) =>
      gapAt(put, log) ? { ...ADDED, carried: needed } : PRESENT,
    );
  });
  const anchorOf = (log: SourceLog): string => gapName(gapAt(put, log));
  return { names, probes, overlays, text, model, anchorOf };
}

/**
 * What was added since the newest version: what only older ones lack is the work of other days, and no
 * part of a question. There its statements land one by one.
 */
export class NewestEdit {
  readonly #added = new Map<string, string>();

  isSame(program: string, edits: ReadonlyMap<string, FileEdit>): boolean {
    const added = [...edits].map(([file, { gaps }]) => {
      const starts = gaps.flatMap((gap) => gap.added.map(({ node }) => node.start));
      return [file, starts.toSorted((a, b) => a - b)] as const;
    });
    const text = JSON.stringify(added.filter(([, starts]) => starts.length > 0));
    const known = this.#added.get(program) ?? text;
    this.#added.set(program, known);
    return known === text;
  }
}

function isOnlyAdded(edits: ReadonlyMap<string, FileEdit>): boolean {
  return [...edits.values()].every(({ gaps }) => gaps.every(({ lost }) => lost.length === 0));
}

/** Both versions of every file in which they differ; undefined if one cannot be compared. */
function readEdits(
  { files, before: then }: RecordedVersion,
  now: ReadText,
): Map<string, FileEdit> | undefined {
  const edits = new Map<string, FileEdit>();
  for (const file of files) {
    const [before, after] = [then(file), now(file)];
    if (before === after) continue;
    if (before === undefined || after === undefined || !isSource(file)) return undefined;
    const [old, own] = [languageOf(file).read(file, before), languageOf(file).read(file, after)];
    if ("problem" in old || "problem" in own) return undefined;
    edits.set(file, editBetween(old, own));
  }
  return edits;
}

/** Where the asked log calls stand in the working tree, by file. */
function askedOffsets(
  asked: readonly Piece[],
  edits: ReadonlyMap<string, FileEdit>,
): Map<string, number[]> {
  const offsets = new Map<string, number[]>();
  for (const { parts } of asked) {
    for (const { file, line, column } of parts.map(({ log }) => log)) {
      const lines = edits.get(file)?.now.lines;
      if (!lines) continue;
      offsets.set(file, [...(offsets.get(file) ?? []), lines.startOf(line) + column - 1]);
    }
  }
  return offsets;
}

/** The statements of a question that are no log calls, as they are written, and why they belong to it. */
function reasonsOf(
  edits: ReadonlyMap<string, FileEdit>,
  offsets: ReadonlyMap<string, readonly number[]>,
): Map<string, PieceReason> {
  const reasons = [...edits].flatMap(([file, edit]) => {
    return pieceFor(edit, offsets.get(file) ?? [])
      .statements.filter(({ statement }) => !statement.isLog)
      .map(({ statement: { node }, reason }) => {
        return [edit.now.text.slice(node.start, node.end), reason] as const;
      });
  });
  return new Map(reasons);
}

/** The gap of the run's text in which a log call was put; undefined: the run has it. */
function gapAt(
  edits: ReadonlyMap<string, FileEdit>,
  { file, line, column }: SourceLog,
): Gap | undefined {
  const edit = edits.get(file);
  const offset = edit && edit.now.lines.startOf(line) + column - 1;
  return edit?.gaps.find(({ added }) => {
    return added.some(({ node }) => node.start <= Number(offset) && Number(offset) < node.end);
  });
}

/** By the block and the statement behind it. */
function gapName(gap: Gap | undefined): string {
  if (!gap) return "";
  const next = gap.then.statements[gap.thenAt]?.node.start;
  return `${gap.then.owner.start}:${next ?? "end"}`;
}

interface PutIn {
  /** From the run's text to that with a piece in it. */
  readonly edit: FileEdit;
  readonly probes: readonly ProbePlace[];
  readonly carried: readonly Carried[];
}

/** The run's text of a file with a piece in it, and where its parts stand. */
function putIn(
  whole: FileEdit,
  statements: FilePiece["statements"],
  textOf: ReadText,
): PutIn | { readonly problem: string } | undefined {
  const { then } = whole;
  const { language, file } = then;
  const kept = keepPiece(whole, statements);
  if (kept === undefined) return undefined;
  const loaded = language.keepModuleKind(then, marked(kept, language.addedMark), textOf);
  if ("problem" in loaded) return loaded;
  const result = language.read(file, loaded.text);
  if ("problem" in result) return undefined;
  const edit = editBetween(then, result);
  // A member of a class is executed where its class is, or where it is called.
  const gaps = edit.gaps.filter(({ now }) => !result.members.includes(now));
  const runs = addedRuns({ gaps });
  const probes = runs.map((added): ProbePlace => {
    const [first, last] = [added[0], added.at(-1)];
    const at = result.lines.at(first?.node.start ?? 0);
    const isLog = added.length === 1 && first?.isLog === true;
    return { file, ...at, ...(isLog ? {} : { end: result.lines.at(last?.node.end ?? 0) }) };
  });
  const carried = edit.gaps
    .flatMap(({ added }) => added)
    .filter(({ isLog }) => !isLog)
    .map(({ node: { start, end } }): Carried => {
      const text = withoutCarriedMarkers(result.text.slice(start, end));
      return { kind: "statement", name: firstLine(text), text, line: result.lines.at(start).line };
    });
  return { edit, probes, carried };
}

/** What is put in is marked, so that everything else keeps its number. */
function marked({ text, starts }: AskedText, mark: string): string {
  return starts
    .toSorted((a, b) => b - a)
    .reduce((all, start) => all.slice(0, start) + mark + all.slice(start), text);
}

function firstLine(text: string): string {
  return text.split(/\r?\n/)[0] ?? text;
}

/** The parts of a question, and what outlives them, or may. */
interface AskedParts {
  readonly probes: readonly ProbePlace[];
  /** Names and properties that other parts use. */
  readonly state: readonly string[];
  /** Properties that nothing of the run has: that a checkpoint lacks them is no difference. */
  readonly fields: readonly string[];
  /** Statements that may change the run. */
  readonly changing: readonly string[];
}

const NOTHING_VARIES: Varying = { logs: [], places: [], fields: [] };

/** The model of the text that ran, with the log calls of a question in the loops that it knows. */
function modelWithLogs(
  { program, mode, before }: RecordedVersion,
  text: ReadText,
  { state, fields, changing, probes }: AskedParts,
  placeBefore: (
    file: string,
    line: number,
    column: number,
  ) => { readonly line: number; readonly column: number } | undefined,
): SourceModel {
  const ran = analyzeProgram(program, before, mode);
  const asked = analyzeProgram(program, text, { ...mode, probes });
  const ids = asked.loops.map(({ file, line, column }) => {
    const place = placeBefore(file, line, column);
    return ran.loops.findIndex((loop) => {
      return loop.file === file && loop.line === place?.line && loop.column === place.column;
    });
  });
  const known = (chain: readonly number[]): number[] =>
    chain.map((id) => ids[id] ?? -1).filter((id) => id >= 0);
  const logs = asked.logs.map((log): SourceLog => {
    const { changes, ...others } = log;
    // What a part changes of the run is set back, or found by comparing the state behind it.
    const own = changes === undefined ? log : others;
    const carries = state[0] === undefined ? {} : { carries: state[0] };
    const [first = changes === undefined ? undefined : log.text] = changing;
    const mayChange = first === undefined ? {} : { mayChange: first };
    return { ...own, ...carries, ...mayChange, chain: known(log.chain), before: known(log.before) };
  });
  const withFields = (varying: Varying | undefined): Varying | undefined => {
    if (fields.length === 0) return varying;
    const { fields: others, ...rest } = varying ?? NOTHING_VARIES;
    return { ...rest, fields: [...others, ...fields] };
  };
  const varying = withFields(asked.varying);
  const varyingFresh = asked.varyingFresh && withFields(asked.varyingFresh);
  return {
    ...ran,
    logs,
    ...(varying ? { varying } : {}),
    ...(varyingFresh ? { varyingFresh } : {}),
  };
}

function asName(
  { name, parts }: Piece,
  model: SourceModel,
  howOf: (log: SourceLog) => Partial<Landing>,
): NameLanding {
  const places = new Map(
    findStatements(model, name).map((log) => [`${log.file}:${log.line}:${log.column}`, log]),
  );
  const landings = [...places.values()].map((log): Landing => {
    const { file, line, column, text } = log;
    return { ...NO_LANDING, file, line, column, text, confidence: 1, ...howOf(log) };
  });
  const carried = new Set(landings.flatMap((one) => one.carried.map(({ text }) => text)));
  return {
    name,
    verdict: worstOf(landings.map(({ verdict }) => verdict)),
    why: landings[0]?.reason ?? "",
    landings,
    statements: landings.map((_, at) => (parts[at] ?? parts[0])?.statement ?? ""),
    carried: [...carried],
    leftOut: [],
    isDecided: false,
  };
}

const ADDED = {
  verdict: "exact",
  reason: "only additions are new around it since this version",
} as const;

/** What is asked would have changed what the run computed: no replay of it can answer. */
function refused(
  asked: readonly Piece[],
  { now, then, startBefore }: FileEdit,
  { added, affected }: Intervention,
): NameLanding[] {
  const statement = firstLine(now.text.slice(added.node.start, added.node.end));
  const { line } = now.lines.at(added.node.start);
  const changed = then.lines.at(startBefore(affected.node.start) ?? 0).line;
  const text = now.text.slice(affected.node.start, affected.node.end);
  const [, callee] = text.includes("\n") ? [] : (/([\w.]+)\(/.exec(text) ?? []);
  const again = callee === undefined ? "Compute it" : `Call \`${callee}\``;
  const why =
    `\`${statement.replace(/;$/, "")}\` (${now.file}:${line}) changes what line ${changed} of the run ` +
    `computes. A question cannot. ${again} again in your edit, or train on with it: afterlog fork`;
  return cannot(asked, why);
}

/** What is asked comes from another program than the one that ran. */
function notOfRun({ now }: FileEdit, { name, from: { node } }: ForeignName): string {
  const { line } = now.lines.at(node.start);
  const text = firstLine(now.text.slice(node.start, node.end)).replace(/\s*[:{]\s*$/, "");
  return `\`${name}\` comes from your \`${text}\` (${now.file}:${line}); this run did not have it`;
}

function cannot(asked: readonly Piece[], why: string): NameLanding[] {
  return asked.map(({ name, parts }) => ({
    name,
    verdict: "cannot",
    why,
    landings: [],
    statements: parts.map(({ statement }) => statement),
    carried: [],
    leftOut: [],
    isDecided: false,
  }));
}
