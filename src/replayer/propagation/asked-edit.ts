/**
 * @file What the working tree has more than a run, as a question: the run's own source with what belongs
 * to the question in it is what is replayed. Where the blocks around a part only gained statements it
 * stands as in the working tree, whatever changed elsewhere.
 */
import type { Carried, Landing, Overlay, ProbePlace } from "../../format/index.ts";
import type { FileEdit, FilePiece, PieceReason } from "../../landing/index.ts";
import {
  differencesSeen,
  givenElsewhere,
  exchangedPlaces,
  handedWordsOf,
  joinedFunctions,
  otherMeanings,
  otherSources,
  partedLoops,
  pieceFor,
} from "../../landing/index.ts";
import type { SourceLog, SourceModel } from "../../languages/index.ts";
import { analyzeProgram, languageOf, withoutCarriedMarkers } from "../../languages/index.ts";
import { gapAt, gapName } from "./anchors.ts";
import { placeCounters, placeOf } from "./asked-counters.ts";
import type { AskedParts } from "./asked-model.ts";
import { modelWithLogs } from "./asked-model.ts";
import type { EditsSince, Question, Questions } from "./asked-question.ts";
import { canBring } from "./bring.ts";
import { firstLine, whyRefused } from "./asked-question.ts";
import { asName, cannot, logsOfPiece, placesOf } from "./landed-names.ts";
import type { Piece } from "./pieces.ts";
import { findStatements } from "./pieces.ts";
import type { NameLanding, PlacedPieces, RecordedVersion } from "./place.ts";
import { NO_LANDING, PRESENT, worstOf } from "./place.ts";
import type { CarriedStatement, DecidedPlace, How, PutIn, VersionAndTree } from "./put-in.ts";
import type { ProgramEdits } from "./program-edits.ts";
import { readEdits } from "./program-edits.ts";
import { addedStarts, partLacks, putIn, putTogether, SURE } from "./put-in.ts";
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
  readonly files: ReadonlyMap<string, PutIn>;
}

/** What is asked is no question about the run; the names say why. */
export type NoQuestion = Pick<EditedSource, "names">;

/** What is asked of a version: names that the working tree logs, and the questions behind them. */
export interface AskedOfVersion extends VersionAndTree {
  readonly asked: readonly AskedQuestion[];
}

export interface AskedQuestion {
  readonly piece: Piece;
  readonly question: Question;
  /** Where somebody put the part with its log call. */
  readonly decided?: DecidedPlace & { readonly file: string };
}

/** Whether the working tree has all that a version has, and perhaps more. */
export function isOnlyAdded({ whole, others }: ProgramEdits): boolean {
  const isGained = [...whole.values()].every(({ gaps }) =>
    gaps.every(({ lost }) => lost.length === 0),
  );
  return isGained && others.length === 0;
}

/** The questions behind names, as far as they are such that were simply added. */
export function questionsOf(
  version: RecordedVersion,
  now: ReadText,
  pieces: readonly Piece[],
  questions: Questions,
): AskedOfVersion {
  const edits = readEdits(version, now);
  const since: EditsSince = (texts) =>
    readEdits({ ...version, before: (file) => texts.get(file) ?? now(file) }, now);
  const asked = pieces.flatMap((piece) => {
    const question = questions.of(version.program, piece, edits, since);
    return question ? [{ piece, question }] : [];
  });
  return { version, now, edits, asked };
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
  const decided = new Map(
    asked.flatMap((one) => (one.decided ? [[one.decided.file, one.decided]] : [])),
  );
  const put = putTogether({ version, now, edits }, { ...question, decided });
  if (put.size === 0) return undefined;
  const problem = [...put.values()].flatMap((one) => ("problem" in one ? [one.problem] : []))[0];
  if (problem !== undefined) return { names: cannot(pieces, problem) };
  const files = new Map([...put].flatMap(([file, one]) => ("edit" in one ? [[file, one]] : [])));
  const [changed] = [...files.values()].flatMap(({ edit }) => interventionIn(edit) ?? []);
  if (changed !== undefined) return { names: cannot(pieces, changed) };
  const all = { version, now, edits, asked };
  const unloaded = notLoaded(all, files)[0];
  if (unloaded === undefined) return editedSource(all, files);
  const why = `does not load ${unloaded}`;
  const starts = question.starts.get(unloaded) ?? new Set();
  return { names: cannot(pieces, partLacks(now, unloaded, { starts, why })) };
}

/** Files that got parts of a question, and that neither the run nor the question has to do with. */
function notLoaded({ version }: VersionAndTree, files: ReadonlyMap<string, PutIn>): string[] {
  const others = [...files.keys()].filter((file) => !version.sources.includes(file));
  if (others.length === 0) return [];
  const text: ReadText = (file) => files.get(file)?.edit.now.text ?? version.before(file);
  const reached = new Set(analyzeProgram(version.program, text, version.mode).files);
  return others.filter((file) => !reached.has(file));
}

/** Why a text with a question in it would compute something else; undefined: it would not. */
function interventionIn(edit: FileEdit): string | undefined {
  const { intervention } = pieceFor(edit, [], addedStarts(edit));
  return intervention && whyRefused(edit, intervention);
}

function editedSource(all: AskedOfVersion, files: ReadonlyMap<string, PutIn>): EditedSource {
  const { edits, asked } = all;
  const source = sourceWith(all, files);
  const hows = [...files.values()].map(({ how }) => how);
  const names = asked.map(({ piece, question, decided }) => {
    const { starts, reasons } = question;
    const weakest = weakestOf(hows);
    const renames = hows.flatMap((one) => one.renames);
    // In a version with other changes the landing has said what is missing.
    const isStanding = hows.every(({ reason }) => reason === SURE.reason);
    const lacking = [
      ...(isStanding ? lackingWarnings(edits, starts) : []),
      ...otherMeaningWarnings(all, starts, renames),
    ];
    const how = {
      ...weakest,
      ...(lacking.length > 0 ? { verdict: "review" as const } : {}),
      ...(decided ? AS_DECIDED : {}),
      warnings: [
        ...hows.flatMap(({ warnings }) => warnings),
        ...lacking,
        ...differenceWarnings(all, question, renames),
      ],
      renames,
      carried: [...files].flatMap(([file, one]) => {
        return carriedFor(one, reasons.get(file)).map((own) => ({ ...own, file }));
      }),
    };
    const isNew = (log: SourceLog): boolean => gapAt(files.get(log.file)?.edit, log) !== undefined;
    const logs = logsOfPiece(piece, source.model, files, edits.whole);
    const named = asName(piece, logs, (log) => (isNew(log) ? how : PRESENT));
    return { ...named, isDecided: decided !== undefined };
  });
  return { ...source, names };
}

/** Who put a part somewhere has seen where the others go. */
const AS_DECIDED = { verdict: "moved", reason: "as decided", confidence: 1 } as const;

/** What is executed where files of a run have a question in them. */
function sourceWith(
  { version, now }: Pick<AskedOfVersion, "version" | "now">,
  files: ReadonlyMap<string, PutIn>,
): Omit<EditedSource, "names"> {
  const put = new Map([...files].map(([file, { edit }]) => [file, edit]));
  const own = [...put].map(
    ([
      file,
      {
        now: { text },
        then,
        moved,
      },
    ]): Overlay => {
      return { file, text, recorded: { text: then.text, moved } };
    },
  );
  const added = newFiles(version, now, [...put.values()]);
  const brought = [...[...files.values()].flatMap((one) => one.files), ...added];
  const overlays = [...own, ...brought];
  const parts = [...files.values()].flatMap((one) => one.probes);
  const told = outliving([...put.values()], brought, parts);
  const { probes } = told;
  const changed = new Map(overlays.map(({ file, text }) => [file, text]));
  const text: ReadText = (file) => changed.get(file) ?? version.before(file);
  const model = modelWithLogs(version, text, told, (file, line, column) => {
    const edit = put.get(file);
    if (!edit) return { line, column };
    const offset = edit.startBefore(edit.now.lines.startOf(line) + column - 1);
    return offset === undefined ? undefined : edit.then.lines.at(offset);
  });
  const anchorOf = (log: SourceLog): string => gapName(gapAt(put.get(log.file), log));
  return { probes, overlays: uniqueFiles(overlays), text, model, anchorOf, files };
}

/** The source with log calls in it that landed by themselves; undefined if that is no question any more. */
export function besideLanded(
  all: AskedOfVersion,
  source: EditedSource,
  placed: PlacedPieces,
): EditedSource | undefined {
  const files = new Map(source.files);
  const brought: Overlay[] = [];
  for (const { file, text } of placed.overlays) {
    const before = all.version.before(file);
    if (before === undefined) {
      brought.push({ file, text });
      continue;
    }
    const then = languageOf(file).read(file, before);
    const { how, files: others } = files.get(file) ?? { how: SURE, files: [] };
    const put =
      "problem" in then
        ? undefined
        : putIn(then, withoutCarriedMarkers(text), all.version.before, () => undefined, {
            how,
            files: others,
            beside: all.edits.beside,
          });
    if (!put || "problem" in put || interventionIn(put.edit) !== undefined) return undefined;
    files.set(file, { ...put, files: [...put.files, ...brought] });
  }
  const result = sourceWith(all, files);
  const names = [...source.names, ...placed.names];
  return { ...result, names: names.map((one) => whereItIs(one, result.model)) };
}

/** The landings of a name, with the places that its log calls have in a model. */
function whereItIs(one: NameLanding, model: SourceModel): NameLanding {
  const found = findStatements(model, one.name);
  const logs = [...placesOf(found.length > 0 ? found : model.logs).values()];
  const landings = one.landings.map((landing) => {
    const at = logs.findIndex(({ file, text }) => file === landing.file && text === landing.text);
    const [log] = at < 0 ? [] : logs.splice(at, 1);
    return log ? { ...landing, line: log.line, column: log.column } : landing;
  });
  return { ...one, landings };
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

function weakestOf(hows: readonly How[]): How {
  const verdict = worstOf(hows.map((one) => one.verdict));
  const [weakest] = hows.filter((one) => one.verdict === verdict);
  const confidence = Math.min(...hows.map((one) => one.confidence));
  return { ...(weakest ?? NO_LANDING), confidence };
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
function outliving(
  edits: readonly FileEdit[],
  brought: readonly Overlay[],
  parts: readonly ProbePlace[],
): AskedParts {
  const pieces = edits.map((edit) => {
    const piece = pieceFor(edit, [], addedStarts(edit));
    const changing = piece.statements
      .filter(({ statement, gap }) => !statement.isLog && !gap.shaped.has(statement))
      .filter(({ statement }) => /^(?:calls|changes)$/.test(statement.effect))
      .map(({ statement: { node } }) => {
        return firstLine(withoutCarriedMarkers(edit.now.text.slice(node.start, node.end)));
      });
    return { ...piece, edit, changing };
  });
  // What is done in one file of the run is seen in another one by ways that nobody follows.
  const doing = pieces.filter(({ statements }) => {
    return statements.some(({ statement: { isDeclaration, parameters } }) => {
      return !isDeclaration && parameters === undefined;
    });
  });
  const across = doing.length > 1 ? doing.flatMap(({ changing }) => changing) : [];
  const shared = pieces.flatMap(({ fields }, at) => {
    const others = pieces.filter((_, other) => other !== at);
    return fields.filter((name) => others.some((other) => mentions(other, name)));
  });
  const { carried, ...counting } = placeCounters(pieces, brought, parts);
  return {
    ...counting,
    state: [
      ...pieces.flatMap(({ state }) => state),
      ...carried.filter(({ within }) => !within).map(({ name }) => name),
      ...shared,
      ...brought.flatMap(keptBy),
      ...across,
    ],
    gathered: [
      ...pieces.flatMap(({ edit: { now }, gathered }) => gathered.map((one) => placeOf(one, now))),
      ...carried.flatMap(({ within }) => within ?? []),
    ],
    fields: pieces.flatMap(({ fields }) => fields),
    unset: edits.flatMap(({ gaps, now: { file } }) => {
      const shaped = gaps.flatMap((gap) => [...gap.shaped.values()]);
      return shaped.flatMap((one) => one.unset ?? []).map((name) => `${file}:*:${name}`);
    }),
    changing: pieces.flatMap(({ changing }) => changing),
  };
}

function mentions(
  { edit, statements }: Pick<FilePiece, "statements"> & { readonly edit: FileEdit },
  property: string,
): boolean {
  return edit.now.uses.members.some(({ name, node: { start } }) => {
    if (name !== property) return false;
    return statements.some(({ statement: { node } }) => node.start <= start && start < node.end);
  });
}

/** Names of a file that came along which its functions change: no checkpoint has them. */
function keptBy({ file, text }: Overlay): string[] {
  const parsed = languageOf(file).read(file, text);
  if ("problem" in parsed) return [];
  const { scopes, mutations } = parsed;
  const own = scopes.references.filter(({ node, scope, isWrite, binding }) => {
    const isChanged = isWrite || mutations.mutated.has(node);
    return isChanged && scope.parent !== null && binding?.scope.parent === null;
  });
  return own.map(({ name }) => name);
}

/** What the question mentions, and a change beside it gives that is not put in. */
export function lackingWarnings({ recognised }: ProgramEdits, starts: Starts): Landing["warnings"] {
  return givenElsewhere(recognised, starts).map(({ name, file, statement: { node } }) => {
    const { text = "", lines } = recognised.get(file)?.now ?? {};
    const own = firstLine(text.slice(node.start, node.end)).replace(/;$/, "");
    const line = lines?.at(node.start).line ?? 0;
    const why = `\`${name}\` comes from your \`${own}\` (${file}:${line}), which is not put in`;
    return { code: "not_put_in", text: why };
  });
}

const LOOPS = {
  now: ["another", "the same one"],
  then: ["the same", "another one"],
  twice: ["the same", "that and in another one"],
} as const;

/** What the question mentions, and that version means something else by. */
export function otherMeaningWarnings(
  { version, now, edits: { recognised } }: VersionAndTree,
  starts: Starts,
  renames: Landing["renames"],
): Landing["warnings"] {
  const texts = { now, then: version.before };
  const sources = otherSources({ edits: recognised, starts, renames, ...texts }).map((one) => {
    const text = `\`${one.name}\` is another one in that version: it comes from ${one.then} there, and from ${one.now} in yours`;
    return { code: "other_meaning", text };
  });
  const names = otherMeanings(recognised, starts).map(({ name, then }) => {
    const text =
      then === undefined
        ? `\`${name}\` of your question is another one in that version: give yours another name`
        : `\`${name}\` means something else there: what you call so may be \`${then}\``;
    return { code: "other_meaning", text };
  });
  const loops = partedLoops(recognised, starts).map(({ file, line, isParted }) => {
    const [yours, theirs] = LOOPS[isParted];
    const text = `what it reads is changed at ${file}:${line}, in ${yours} loop, and in that version in ${theirs}`;
    return { code: "other_loop", text };
  });
  const places = exchangedPlaces(recognised, starts).map(({ place, file, line }) => {
    const text = `what it takes from place \`${place}\` stands in another place in that version (${file}:${line})`;
    return { code: "other_meaning", text };
  });
  const handed = handedWordsOf(recognised, starts).map((text) => ({ code: "other_meaning", text }));
  const joined = joinedFunctions(recognised, starts).map(({ name, then, other }) => {
    const text = `\`${name}\` is called where that version calls \`${other}\`: it is asked in \`${then}\` alone there`;
    return { code: "other_meaning", text };
  });
  return [...names, ...places, ...joined, ...handed, ...sources, ...loops];
}

/** The most names of what differs that are told. */
const TOLD_MAX = 4;

/** What else changed and can be seen by the question: the version's own is used. */
export function differenceWarnings(
  all: VersionAndTree,
  question: Pick<Question, "starts" | "shaped" | "unseen">,
  renames: Landing["renames"],
): Landing["warnings"] {
  const { recognised, others } = all.edits;
  const seen = differencesSeen(recognised, question.starts, renames);
  const names = [...seen.map(({ name }) => name), ...others];
  if (names.length === 0) return question.unseen;
  const told = names.slice(0, TOLD_MAX).map((name) => `\`${name}\``);
  const more = names.length > TOLD_MAX ? [`${names.length - TOLD_MAX} more`] : [];
  const list = [...told, ...more].join(", ").replace(/, (?=[^,]*$)/, " and ");
  const ways = seen.map((one) => one.bring).filter((way) => way.length > 0);
  const bring = ways.find((way) => canBring(way, question, all)) ?? [];
  const words = bring.map((name) => `--bring ${name}`).join(" ");
  const help = bring.length === 0 ? "" : `; \`${words}\` uses yours`;
  const text =
    names.length === 1
      ? `${list} differs from yours: the version's own is used${help}`
      : `${list} differ from yours: the version's own are used${help}`;
  return [...question.unseen, { code: "differs", text }];
}
