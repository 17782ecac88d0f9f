/**
 * @file Which statements of the working tree are the question behind a name: decided once, against the
 * newest version that lacks its log call. What only older ones lack is the work of other days.
 */
import type {
  FileEdit,
  FilePiece,
  ForeignName,
  Intervention,
  PieceReason,
  PieceStatement,
} from "../../landing/index.ts";
import {
  becameLoop,
  givenOther,
  foreignName,
  isOnlyRenamed,
  otherChanges,
  otherSource,
  questionIn,
} from "../../landing/index.ts";
import type { Landing } from "../../format/index.ts";
import type { Statement } from "../../languages/index.ts";
import { handedOver } from "./handed-over.ts";
import { partElsewhere } from "./part-elsewhere.ts";
import type { Piece } from "./pieces.ts";
import type { ProgramEdits } from "./program-edits.ts";
import { printedElsewhere, refusedPlace } from "./refused-places.ts";

export interface Question {
  /** By file of the working tree, where its statements begin. */
  readonly starts: ReadonlyMap<string, ReadonlySet<number>>;
  /** Why they belong to it. */
  readonly reasons: ReadonlyMap<string, ReadonlyMap<number, PieceReason>>;
  /** Those of them that are a statement of the run with more to see. */
  readonly shaped: ReadonlyMap<string, ReadonlySet<number>>;
  /** Nothing but log calls. */
  readonly isBare: boolean;
  /** It does nothing but log and define what it logs. */
  readonly isPure: boolean;
  /** Why it is none; undefined: it is. */
  readonly refused: string | undefined;
  /** The same, where the log call itself stands at a place that has none in the loops. */
  readonly noPlace?: string | undefined;
  /** It is refused, whatever else was changed since. */
  readonly isFinal?: boolean;
  /** What it logs besides, and nobody sees. */
  readonly unseen: Landing["warnings"];
}

/** What the working tree has more than a version that has its texts, but for some files. */
export type EditsSince = (texts: ReadonlyMap<string, string>) => ProgramEdits;

/** The questions behind names; versions are to be shown from the newest to the oldest. */
export class Questions {
  readonly #known = new Map<string, Question | undefined>();

  /** The question of a name; undefined: its log call is not simply one that was added. */
  of(program: string, piece: Piece, edits: ProgramEdits, since: EditsSince): Question | undefined {
    const { recognised } = edits;
    const key = JSON.stringify([program, piece.name]);
    const asked = askedOffsets(piece, recognised);
    const isLacking = [...asked].some(([file, offsets]) => {
      return offsets.some((offset) => isAdded(recognised.get(file), offset));
    });
    if (!isLacking) return NOTHING_ADDED;
    if (this.#known.has(key)) return this.#known.get(key);
    const question = questionBeside(edits, asked, since);
    this.#known.set(key, question);
    return question;
  }
}

/** Whether a log call is new, or says more than it did. */
function isAdded(edit: FileEdit | undefined, offset: number): boolean {
  if (edit?.startBefore(offset) === undefined) return true;
  return edit.gaps.some(({ added }) => {
    return added.some(({ isLog, node }) => isLog && node.start <= offset && offset < node.end);
  });
}

/** The version has the log calls. */
const NOTHING_ADDED: Question = {
  starts: new Map(),
  reasons: new Map(),
  shaped: new Map(),
  isBare: true,
  isPure: true,
  refused: undefined,
  unseen: [],
};

/** Where the log calls of a piece stand, by those of its files that differ. */
function askedOffsets(
  { parts }: Piece,
  edits: ReadonlyMap<string, FileEdit>,
): Map<string, number[]> {
  const offsets = new Map<string, number[]>();
  for (const { file, line, column } of parts.map(({ log }) => log)) {
    const lines = edits.get(file)?.now.lines;
    if (!lines) continue;
    offsets.set(file, [...(offsets.get(file) ?? []), lines.startOf(line) + column - 1]);
  }
  return offsets;
}

/**
 * The question behind log calls. Where more of the program changed since the newest version, only that is one which was
 * added to it besides: as if the program had been recorded before anything was asked.
 */
function questionBeside(
  all: ProgramEdits,
  asked: ReadonlyMap<string, readonly number[]>,
  since: EditsSince,
): Question | undefined {
  const question = questionOf(all, asked);
  if (!question || question.isFinal === true) return question;
  const changes = [...all.recognised].map(([file, edit]) => {
    return [file, otherChanges(edit, asked.get(file) ?? [])] as const;
  });
  const isOfChanges = changes.some(([file, { statements }]) => {
    return [...statements].some(({ node }) => question.starts.get(file)?.has(node.start));
  });
  if (question.refused === undefined && !isOfChanges) return question;
  if (changes.some(([, { isShown }]) => isShown)) return question;
  const texts = changes.map(([file, { text }]) => [file, text] as const);
  const own = questionOf(since(new Map(texts)), asked);
  return own && own.refused === undefined ? own : question;
}

function questionOf(
  all: ProgramEdits,
  asked: ReadonlyMap<string, readonly number[]>,
): Question | undefined {
  const { whole, recognised: edits, withWorkers, elsewhere } = all;
  const foreign = [...whole].flatMap(([file, edit]) => {
    const found = foreignName(edit, asked.get(file) ?? []);
    const renamed = edits.get(file)?.changed.some(({ then, now }) => {
      return now.node.start === found?.from.node.start && isOnlyRenamed(edit, then, now);
    });
    return found && renamed !== true ? [notOfRun(edit, found)] : [];
  });
  const [noPlace] = [...edits].flatMap(([file, edit]) => {
    return refusedPlace(edit, asked.get(file) ?? [], { withWorkers, elsewhere }) ?? [];
  });
  if (noPlace !== undefined) foreign.unshift(noPlace);
  const pieces = questionIn(edits, asked);
  const handed = [...edits].flatMap(([file, edit]) => {
    const own = pieces.get(file)?.statements.map(({ statement }) => statement) ?? [];
    return handedOver(edit, own) ?? [];
  });
  const others = [...whole].flatMap(([file, edit]) => {
    const offsets = asked.get(file) ?? [];
    const around = edit.now.statements.filter(({ node, isLog }) => {
      return isLog && offsets.some((offset) => node.start <= offset && offset < node.end);
    });
    const own = pieces.get(file)?.statements.map(({ statement }) => statement) ?? [];
    return anotherProgram(edit, offsets, [...around, ...own]) ?? [];
  });
  const ofQuestion = others.filter(({ isOfChanges }) => !isOfChanges);
  foreign.push(...handed, ...ofQuestion.map(({ why }) => why));
  const [changed] = others.filter(({ isOfChanges }) => isOfChanges);
  const found = [...pieces].filter(([, { statements }]) => statements.length > 0);
  if (found.length === 0) {
    const refused = foreign[0] ?? changed?.why;
    if (refused === undefined) return undefined;
    return { ...NOTHING_ADDED, refused, noPlace, isFinal: foreign.length > 0 };
  }
  const own = found.flatMap(([, { statements }]) => statements);
  const interventions = [...pieces].flatMap(([file, { intervention }]) => {
    const edit = edits.get(file);
    if (!edit || !intervention) return [];
    // What stands around lines of the run now does something to them, and is no other program.
    const [own, line] = [intervention.added.node, intervention.affected.node];
    const isAround = own.start <= line.start && line.end <= own.end;
    return [{ why: whyRefused(edit, intervention), isAround }];
  });
  const around = interventions.find(({ isAround }) => isAround)?.why;
  const lacking = foreign[0] ?? partElsewhere(all, found) ?? around;
  const ofChanges = changed?.why ?? stoodElsewhere(edits, found) ?? interventions[0]?.why;
  const starts = new Map(found.map(([file, piece]) => [file, startsOf(piece.statements)]));
  return {
    starts,
    unseen: printedElsewhere(all, starts),
    reasons: new Map(
      found.map(([file, { statements }]) => {
        return [file, new Map(statements.map((one) => [one.statement.node.start, one.reason]))];
      }),
    ),
    shaped: new Map(
      found.map(([file, piece]) => [file, startsOf(piece.statements.filter(isShaped))]),
    ),
    isBare: own.every(isLog),
    isPure: own.every((one) => isLog(one) || isPure(one)),
    noPlace,
    refused: lacking ?? ofChanges,
    isFinal: lacking !== undefined,
  };
}

function isLog({ statement }: PieceStatement): boolean {
  return statement.isLog || statement.isLogOnly;
}

/** It defines something, and does nothing else. */
function isPure({ statement }: PieceStatement): boolean {
  const { effect, defines, isDeclaration, leaves } = statement;
  return isDeclaration || (defines !== undefined && /^(?:none|clock)$/.test(effect) && !leaves);
}

/** It stands for a statement of the run, or around some. */
function isShaped({ statement, gap }: PieceStatement): boolean {
  const own = gap.shaped.get(statement);
  return (own?.then ?? own?.wraps) !== undefined && own?.isImport !== true;
}

/** What the question needs, and the version seems to do elsewhere: to do it twice would be another program. */
function stoodElsewhere(
  edits: ProgramEdits["recognised"],
  pieces: readonly (readonly [string, FilePiece])[],
): string | undefined {
  for (const [file, { statements }] of pieces) {
    const edit = edits.get(file);
    const one = statements.find(({ statement }) => edit?.displaced.has(statement))?.statement;
    if (!edit || !one) continue;
    const { line } = edit.now.lines.at(one.node.start);
    const text = firstLine(edit.now.text.slice(one.node.start, one.node.end));
    return `\`${text}\` (${file}:${line}) stands elsewhere in that version: it would be executed twice`;
  }
  return undefined;
}

function startsOf(statements: readonly PieceStatement[]): ReadonlySet<number> {
  return new Set(statements.map(({ statement }) => statement.node.start));
}

/** What is asked would have changed what the run computed: no replay of it can answer. */
export function whyRefused(
  { now, then, startBefore }: FileEdit,
  { added, affected, undo, isUncertain }: Intervention,
): string {
  const statement = firstLine(now.text.slice(added.node.start, added.node.end));
  const { line } = now.lines.at(added.node.start);
  const changed = then.lines.at(startBefore(affected.node.start) ?? 0).line;
  const where = `\`${statement.replace(/;$/, "")}\` (${now.file}:${line})`;
  if (isUncertain === true) {
    return (
      `${where} is around line ${changed} of the run, and may do more there than look on: keep to a clock, log ` +
      `calls and what it keeps in itself, or train on with it: afterlog fork`
    );
  }
  if (undo) {
    const back = firstLine(now.text.slice(undo.node.start, undo.node.end)).replace(/;$/, "");
    return (
      `${where} changes what line ${changed} of the run computes: whether \`${back}\` gives back the very ` +
      `same is not known. Compute with a copy under another name in your edit, or train on with it: afterlog fork`
    );
  }
  const text = now.text.slice(affected.node.start, affected.node.end);
  const [, callee] = text.includes("\n") ? [] : (/([\w.]+)\(/.exec(text) ?? []);
  const again = callee === undefined ? "Compute it" : `Call \`${callee}\``;
  return (
    `${where} changes what line ${changed} of the run ` +
    `computes. A question cannot. ${again} again in your edit, or train on with it: afterlog fork`
  );
}

/** What is asked comes from another program than the one that ran. */
function notOfRun({ now }: FileEdit, { name, from: { node } }: ForeignName): string {
  const { line } = now.lines.at(node.start);
  const text = firstLine(now.text.slice(node.start, node.end)).replace(/\s*[:{]\s*$/, "");
  return `\`${name}\` comes from your \`${text}\` (${now.file}:${line}); this run did not have it`;
}

interface AnotherProgram {
  readonly why: string;
  /** What is asked may be asked of the run without it. */
  readonly isOfChanges: boolean;
}

/** Why a value is one of another program, by the statement of the run that is no more. */
function anotherProgram(
  edit: FileEdit,
  offsets: readonly number[],
  asked: readonly Statement[],
): AnotherProgram | undefined {
  const { then, now } = edit;
  if (offsets.length === 0) return undefined;
  const loop = becameLoop(edit, offsets);
  if (loop) {
    const { line } = then.lines.at(loop.then.node.start);
    const at = now.lines.at(loop.now.node.start).line;
    const look = now.file.endsWith(".py")
      ? "[look(step(b)) for b in dl]"
      : "dl.map((b) => look(step(b)))";
    const why =
      `line ${line} became a loop (${now.file}:${at}), which this run did not have; look inside ` +
      `instead, by a function that logs what it gets and gives it back: \`${look}\``;
    return { why, isOfChanges: false };
  }
  const given = givenOther(edit, offsets);
  if (given) {
    const { line } = then.lines.at(given.then.node.start);
    const at = now.lines.at(given.now.node.start).line;
    const why =
      `\`${given.callee}\` is given more here (${now.file}:${at}) than on line ${line} of the run, and not only what may look on. Leave ` +
      `the line as it was, but for callbacks that compute and log, or that are functions of their own, added before it`;
    return { why, isOfChanges: false };
  }
  const source = otherSource(edit, asked);
  if (!source) return undefined;
  const head = firstLine(now.text.slice(source.changed.node.start, source.changed.node.end));
  if (head.startsWith("@")) {
    const { line } = now.lines.at(source.changed.node.start);
    const why =
      `\`${head}\` (${now.file}:${line}) makes another \`${source.name}\` than the run had. A question may have one above a ` +
      `function or method: one that calls it once, with what it got, and gives back what it gives`;
    return { why, isOfChanges: false };
  }
  const { line } = now.lines.at(source.from.node.start);
  const where = `${now.file}:${line}`;
  const why = `\`${source.name}\` comes from your \`${source.word}\` (${where}); this run did not have it`;
  return { why, isOfChanges: !source.isAround };
}

export function firstLine(text: string): string {
  return text.split(/\r?\n/)[0] ?? text;
}
