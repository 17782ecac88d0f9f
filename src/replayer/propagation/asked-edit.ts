/**
 * @file What the working tree has more than a run, as a question: the run's own source with what belongs
 * to the question in it is what is replayed. Where the blocks around a part only gained statements it
 * stands as in the working tree, whatever changed elsewhere.
 */
import type { Carried, Landing, Overlay, ProbePlace } from "../../format/index.ts";
import type { FileEdit, PieceReason } from "../../landing/index.ts";
import {
  addedRuns,
  differencesSeen,
  editBetween,
  keepPiece,
  landPiece,
  pieceFor,
  propertiesLacking,
} from "../../landing/index.ts";
import type { SourceLog, SourceModel, Statement } from "../../languages/index.ts";
import { withoutCarriedMarkers } from "../../languages/index.ts";
import { gapAt, gapName } from "./anchors.ts";
import { modelWithLogs } from "./asked-model.ts";
import type { ProgramEdits, Question, Questions } from "./asked-question.ts";
import { firstLine, readEdits, whyRefused } from "./asked-question.ts";
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

/** What is asked of a version: names that the working tree logs, and the questions behind them. */
export interface AskedOfVersion {
  readonly version: RecordedVersion;
  readonly now: ReadText;
  readonly edits: ProgramEdits;
  readonly asked: readonly AskedQuestion[];
}

interface AskedQuestion {
  readonly piece: Piece;
  readonly question: Question;
}

/** Whether the working tree has all that a version has, and perhaps more. */
export function isOnlyAdded({ whole, others }: ProgramEdits): boolean {
  const isGained = [...whole.values()].every(({ gaps }) =>
    gaps.every(({ lost }) => lost.length === 0),
  );
  return isGained && others.length === 0;
}

/** The questions behind names; undefined where one is none that was simply added. */
export function questionsOf(
  version: RecordedVersion,
  now: ReadText,
  pieces: readonly Piece[],
  questions: Questions,
): AskedOfVersion | undefined {
  const edits = readEdits(version, now);
  const asked = pieces.flatMap((piece) => {
    const question = questions.of(version.program, piece, edits);
    return question ? [{ piece, question }] : [];
  });
  return asked.length < pieces.length ? undefined : { version, now, edits, asked };
}

/** The source of a version with some of the names in it; undefined if it has what is asked. */
export function askEdit({
  version,
  now,
  edits,
  asked,
}: AskedOfVersion): EditedSource | NoQuestion | undefined {
  const pieces = asked.map(({ piece }) => piece);
  const refused = asked.find(({ question }) => question.refused !== undefined)?.question.refused;
  if (refused !== undefined) return { names: cannot(pieces, refused) };
  const question = unionOf(asked.map((one) => one.question));
  const put = putTogether({ version, now, edits }, question);
  if (put.size === 0) return undefined;
  const problem = [...put.values()].flatMap((one) => ("problem" in one ? [one.problem] : []))[0];
  if (problem !== undefined) return { names: cannot(pieces, problem) };
  const files = new Map([...put].flatMap(([file, one]) => ("edit" in one ? [[file, one]] : [])));
  const changed = [...files.values()].flatMap(({ edit }) => {
    const { intervention } = pieceFor(edit, [], addedStarts(edit));
    return intervention ? [whyRefused(edit, intervention)] : [];
  });
  if (changed[0] !== undefined) return { names: cannot(pieces, changed[0]) };
  return editedSource({ version, now, edits, asked }, files);
}

function editedSource(
  { version, now, edits, asked }: AskedOfVersion,
  files: ReadonlyMap<string, PutIn>,
): EditedSource {
  const put = new Map([...files].map(([file, { edit }]) => [file, edit]));
  const own = [...files].map(
    ([
      file,
      {
        edit: { now: text, then, moved },
      },
    ]): Overlay => {
      return { file, text: text.text, recorded: { text: then.text, moved } };
    },
  );
  const brought = [...files.values()].flatMap((one) => one.files);
  const overlays = [...own, ...brought, ...newFiles(version, now, [...put.values()])];
  const probes = [...files.values()].flatMap((one) => one.probes);
  const changed = new Map(overlays.map(({ file, text }) => [file, text]));
  const text: ReadText = (file) => changed.get(file) ?? version.before(file);
  const told = { ...outliving([...put.values()]), probes };
  const model = modelWithLogs(version, text, told, (file, line, column) => {
    const edit = put.get(file);
    if (!edit) return { line, column };
    const offset = edit.startBefore(edit.now.lines.startOf(line) + column - 1);
    return offset === undefined ? undefined : edit.then.lines.at(offset);
  });
  const hows = [...files.values()].map(({ how }) => how);
  const names = asked.map(({ piece, question: { starts, reasons } }) => {
    const how = {
      ...weakestOf(hows),
      warnings: [...hows.flatMap(({ warnings }) => warnings), ...differenceWarnings(edits, starts)],
      renames: hows.flatMap(({ renames }) => renames),
      carried: [...files].flatMap(([file, one]) => carriedFor(one, reasons.get(file))),
    };
    return asName(piece, model, (log) => (gapAt(put.get(log.file), log) ? how : PRESENT));
  });
  const anchorOf = (log: SourceLog): string => gapName(gapAt(put.get(log.file), log));
  return { names, probes, overlays: uniqueFiles(overlays), text, model, anchorOf };
}

function uniqueFiles(overlays: readonly Overlay[]): Overlay[] {
  return [...new Map(overlays.map((one) => [one.file, one])).values()];
}

/** What a name brings along does not depend on what else is asked for. */
function carriedFor(
  { carried }: PutIn,
  reasons: ReadonlyMap<number, PieceReason> | undefined,
): Carried[] {
  if (!reasons) return [];
  const own = carried.filter(({ start }) => start !== undefined && reasons.has(start));
  const text = own.map(({ statement }) => statement.text).join("\n");
  const isUsed = ({ names }: CarriedStatement): boolean =>
    names.some((name) => text.includes(name));
  return carried
    .filter((one) => own.includes(one) || (one.start === undefined && isUsed(one)))
    .map(({ start = -1, statement }) => ({ ...statement, why: reasons.get(start) ?? "needed" }));
}

type Starts = Question["starts"];

/** What several questions have, each statement once. */
function unionOf(questions: readonly Question[]): Pick<Question, "starts" | "shaped"> {
  const union = (all: readonly Starts[]): Starts => {
    const found = new Map<string, Set<number>>();
    for (const [file, starts] of all.flatMap((one) => [...one])) {
      found.set(file, new Set([...(found.get(file) ?? []), ...starts]));
    }
    return found;
  };
  return {
    starts: union(questions.map(({ starts }) => starts)),
    shaped: union(questions.map(({ shaped }) => shaped)),
  };
}

interface CarriedStatement {
  /** Where it begins in the working tree; undefined: it is there for what is. */
  readonly start: number | undefined;
  /** Names that it declares. */
  readonly names: readonly string[];
  readonly statement: Carried;
}

/** How sure it is that a question stands in a file where it belongs. */
type How = Pick<Landing, "verdict" | "reason" | "confidence" | "warnings" | "renames">;

interface PutIn {
  /** From the run's text to that with a piece in it. */
  readonly edit: FileEdit;
  readonly probes: readonly ProbePlace[];
  /** What is no log call. */
  readonly carried: readonly CarriedStatement[];
  readonly how: How;
  /** Files that come along. */
  readonly files: readonly Overlay[];
}

type Problem = { readonly problem: string };

type VersionAndTree = Pick<AskedOfVersion, "version" | "now" | "edits">;

/** By file, the run's text with a question in it. One file may need what another one gets. */
function putTogether(
  { version, now, edits }: VersionAndTree,
  { starts: all, shaped }: Pick<Question, "starts" | "shaped">,
): Map<string, PutIn | Problem> {
  const put = new Map<string, PutIn | Problem>();
  const text: ReadText = (file) => {
    const own = put.get(file);
    return own && "edit" in own ? own.edit.now.text : version.before(file);
  };
  const open = [...all].filter(([file]) => edits.whole.has(file));
  for (let left = open; left.length > 0;) {
    const own = { version: { ...version, before: text }, now, edits };
    const tried = left.map(([file, starts]) => {
      return [file, putInFile(own, file, { starts, shaped: shaped.get(file) })] as const;
    });
    for (const [file, one] of tried) if (one) put.set(file, one);
    const failed = left.filter(([file]) => "problem" in (put.get(file) ?? {}));
    if (failed.length === 0 || failed.length === left.length) return put;
    left = failed;
  }
  return put;
}

/** Where the blocks around it only gained, as it stands in the working tree; else where it belongs. */
function putInFile(
  { version, now, edits }: VersionAndTree,
  file: string,
  {
    starts,
    shaped,
  }: { readonly starts: ReadonlySet<number>; readonly shaped?: ReadonlySet<number> | undefined },
): PutIn | Problem | undefined {
  const [edit, recognised] = [edits.whole.get(file), edits.recognised.get(file)];
  if (!edit || !recognised) return undefined;
  const own = edit.gaps.flatMap((gap) => {
    const added = gap.added.filter(({ node }) => starts.has(node.start));
    return added.map((statement) => ({ statement, gap, reason: "asked" as const }));
  });
  const found = new Set(own.map(({ statement }) => statement.node.start));
  const left = [...starts].filter((start) => !found.has(start));
  if (left.every((start) => edit.startBefore(start) !== undefined)) {
    if (own.length === 0) return undefined;
    const kept = keepPiece(edit, own);
    const ordered = [...found].sort((a, b) => a - b);
    const result =
      kept &&
      putIn(edit.then, kept.text, version.before, (_, at) => ordered[at], {
        how: standingAs(
          edit,
          own.map(({ statement }) => statement),
        ),
        files: [],
      });
    if (result && (!("edit" in result) || isBound(result.edit, edit.now, own))) return result;
  }
  const isThere = [...starts].every((start) => recognised.startBefore(start) !== undefined);
  if (isThere) return undefined;
  const isSame = (start: number): boolean =>
    edit.startBefore(start) !== undefined &&
    !edit.gaps.some((gap) => gap.added.some(({ node }) => node.start === start));
  const other = [...(shaped ?? [])].find((start) => !isSame(start));
  if (other !== undefined) {
    const line = edit.now.text.slice(other).split(/\r?\n/)[0] ?? "";
    return { problem: `what \`${line}\` gives a name is another statement in that version` };
  }
  const landed = landPiece({
    edit: recognised,
    starts,
    files: { now: { file, text: now }, then: { files: version.sources, text: version.before } },
    mode: version.mode,
  });
  if ("refusal" in landed) return { problem: landed.reason };
  const { text, files, startNow, verdict, reason, confidence, warnings, renames } = landed;
  const how = { verdict, reason, confidence, warnings, renames };
  return (
    putIn(edit.then, text, version.before, (start) => startNow(start), { how, files }) ?? {
      problem: `${file} cannot be read with it`,
    }
  );
}

/** As it is in the working tree; what it reads may not be there all the same. */
function standingAs(edit: FileEdit, statements: readonly Statement[]): How {
  const lacking = propertiesLacking(edit, statements);
  const warnings = lacking.map((name) => {
    return { code: "missing_property", text: `nothing in that version has a property ${name}` };
  });
  const verdict = lacking.length > 0 ? "review" : "exact";
  const reason = "only additions are new around it since this version";
  return { verdict, reason, confidence: 1, warnings, renames: [] };
}

function weakestOf(hows: readonly How[]): How {
  const verdict = worstOf(hows.map((one) => one.verdict));
  const [weakest] = hows.filter((one) => one.verdict === verdict);
  const confidence = Math.min(...hows.map((one) => one.confidence));
  return { ...(weakest ?? NO_LANDING), confidence };
}

/** Whether every name of a question that the working tree declares is declared around it. */
function isBound(
  put: FileEdit,
  { scopes }: FileEdit["now"],
  own: readonly { readonly statement: Statement }[],
): boolean {
  const isIn = (statements: readonly Statement[], start: number): boolean =>
    statements.some(({ node }) => node.start <= start && start < node.end);
  const asked = own.map(({ statement }) => statement);
  const added = put.gaps.flatMap((gap) => gap.added);
  const declared = new Set(
    scopes.references
      .filter(({ node, binding }) => binding !== null && isIn(asked, node.start))
      .map(({ name }) => name),
  );
  return put.now.scopes.references.every(({ node, name, binding }) => {
    return binding !== null || !declared.has(name) || !isIn(added, node.start);
  });
}

/** The run's text of a file with a piece in it, and where its parts stand. */
function putIn(
  then: FileEdit["then"],
  text: string,
  textOf: ReadText,
  startNow: (start: number, at: number) => number | undefined,
  found: Pick<PutIn, "how" | "files">,
): PutIn | Problem | undefined {
  const { language, file } = then;
  const plain = language.read(file, text);
  if ("problem" in plain) return undefined;
  const plainEdit = editBetween(then, plain);
  const loaded = language.keepModuleKind(then, marked(plainEdit, language.addedMark), textOf);
  if ("problem" in loaded) return { problem: `${file}: ${loaded.problem}` };
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
  // Marks move what follows them, and change no order.
  const before = addedStarts(plainEdit);
  const starts = addedStarts(edit);
  const carried = edit.gaps
    .flatMap((gap) => gap.added)
    .filter(({ isLog }) => !isLog)
    .map(({ node: { start, end } }): CarriedStatement => {
      const at = starts.indexOf(start);
      const own = withoutCarriedMarkers(result.text.slice(start, end));
      const { line } = result.lines.at(start);
      const statement: Carried = { kind: "statement", name: firstLine(own), text: own, line };
      const declared = [...result.scopes.bindingOf].filter(([{ start: offset }]) => {
        return start <= offset && offset < end;
      });
      const names = declared.map(([, { name }]) => name);
      return { start: startNow(before[at] ?? -1, at), names, statement };
    });
  return { edit, probes, carried, ...found };
}

/** Where statements that were added begin, in their order. */
function addedStarts({ gaps }: FileEdit): number[] {
  return gaps.flatMap(({ added }) => added.map(({ node }) => node.start)).toSorted((a, b) => a - b);
}

/** What is put in is marked, so that everything else keeps its number. */
function marked({ gaps, now }: FileEdit, mark: string): string {
  return gaps
    .flatMap(({ added, shaped }) => added.filter((one) => !one.isLog && !shaped.has(one)))
    .map(({ node }) => node.start)
    .toSorted((a, b) => b - a)
    .reduce((all, start) => all.slice(0, start) + mark + all.slice(start), now.text);
}

/** Files that only the working tree has, and that what was put in imports. */
function newFiles(
  { before }: RecordedVersion,
  now: ReadText,
  edits: readonly FileEdit[],
): Overlay[] {
  const found = new Map<string, Overlay>();
  const open = edits.map((edit) => edit.now);
  for (const source of open) {
    const { language, file, imports } = source;
    for (const wanted of imports) {
      if (language.resolveImport(file, wanted, before)) continue;
      const own = language.resolveImport(file, wanted, now);
      if (!own || found.has(own.file) || before(own.file) !== undefined) continue;
      found.set(own.file, { file: own.file, text: own.text });
      const parsed = language.read(own.file, own.text);
      if (!("problem" in parsed)) open.push(parsed);
    }
  }
  return [...found.values()];
}

/** What outlives the parts of a question, or may. */
function outliving(edits: readonly FileEdit[]): {
  readonly state: readonly string[];
  readonly fields: readonly string[];
  readonly changing: readonly string[];
} {
  const pieces = edits.map((edit) => ({ edit, ...pieceFor(edit, [], addedStarts(edit)) }));
  return {
    state: pieces.flatMap((piece) => piece.state),
    fields: pieces.flatMap((piece) => piece.fields),
    changing: pieces.flatMap(({ edit, statements }) => {
      return statements
        .filter(({ statement, gap }) => !statement.isLog && !gap.shaped.has(statement))
        .filter(({ statement }) => /^(?:calls|changes)$/.test(statement.effect))
        .map(({ statement: { node } }) => {
          return firstLine(withoutCarriedMarkers(edit.now.text.slice(node.start, node.end)));
        });
    }),
  };
}

/** The most names of what differs that are told. */
const TOLD_MAX = 4;

/** What else changed and can be seen by the question: the version's own is used. */
export function differenceWarnings(
  { recognised, others }: ProgramEdits,
  starts: Starts,
): Landing["warnings"] {
  const names = [...differencesSeen(recognised, starts), ...others];
  if (names.length === 0) return [];
  const told = names.slice(0, TOLD_MAX).map((name) => `\`${name}\``);
  const more = names.length > TOLD_MAX ? [`${names.length - TOLD_MAX} more`] : [];
  const list = [...told, ...more].join(", ").replace(/, (?=[^,]*$)/, " and ");
  const text =
    names.length === 1
      ? `${list} differs from yours: the version's own is used`
      : `${list} differ from yours: the version's own are used`;
  return [{ code: "differs", text }];
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
