/**
 * @file The text of a run's file with a question in it: as the working tree has it where the blocks
 * around only gained, else where it belongs.
 */
import type { Carried, Landing, Overlay, ProbePlace } from "../../format/index.ts";
import type { FileEdit, OtherFiles } from "../../landing/index.ts";
import {
  addedRuns,
  chooseFile,
  editBetween,
  givenOtherwiseStanding,
  keepBesideChanges,
  keepPiece,
  landPiece,
  propertiesLacking,
  recognitionBetween,
  shapeAsNow,
} from "../../landing/index.ts";
import type { Statement } from "../../languages/index.ts";
import { withoutCarriedMarkers } from "../../languages/index.ts";
import type { Question } from "./asked-question.ts";
import { firstLine } from "./asked-question.ts";
import type { RecordedVersion } from "./place.ts";
import type { ProgramEdits } from "./program-edits.ts";
import type { ReadText } from "./version-texts.ts";

export interface CarriedStatement {
  /** Where it begins in the working tree; undefined: it is there for what is. */
  readonly start: number | undefined;
  /** Names that it declares. */
  readonly names: readonly string[];
  readonly statement: Carried;
}

/** How sure it is that a question stands in a file where it belongs. */
export type How = Pick<Landing, "verdict" | "reason" | "confidence" | "warnings" | "renames">;

export interface PutIn {
  /** From the run's text to that with a piece in it. */
  readonly edit: FileEdit;
  readonly probes: readonly ProbePlace[];
  /** What is no log call. */
  readonly carried: readonly CarriedStatement[];
  readonly how: How;
  /** Files that come along. */
  readonly files: readonly Overlay[];
  /** Where statements begin that were added, and where they do in the working tree. */
  readonly starts: ReadonlyMap<number, number>;
}

type Problem = { readonly problem: string };

/** A version, the working tree, and what they differ in. */
export interface VersionAndTree {
  readonly version: RecordedVersion;
  readonly now: ReadText;
  readonly edits: ProgramEdits;
}

/** What is put in. */
interface PutTogether extends Pick<Question, "starts" | "shaped"> {
  /** By file, where somebody put a part of it. */
  readonly decided?: ReadonlyMap<string, DecidedPlace>;
}

/** The part with the statement that begins at `start` in the working tree stands before a line. */
export interface DecidedPlace {
  readonly start: number;
  readonly line: number;
}

/** By file, the run's text with a question in it. One file may need what another one gets. */
export function putTogether(
  { version, now, edits }: VersionAndTree,
  { starts: all, shaped, decided = new Map() }: PutTogether,
): Map<string, PutIn | Problem> {
  const put = new Map<string, PutIn | Problem>(notReached({ version, now, edits }, all));
  const text: ReadText = (file) => {
    const own = put.get(file);
    return own && "edit" in own ? own.edit.now.text : version.before(file);
  };
  const open = [...all].filter(([file]) => edits.whole.has(file));
  for (let left = open; left.length > 0;) {
    const own = { version: { ...version, before: text }, now, edits };
    const tried = left.map(([file, starts]) => {
      const how = { starts, shaped: shaped.get(file), decided: decided.get(file) };
      return [file, putInFile(own, file, how)] as const;
    });
    for (const [file, one] of tried) if (one) put.set(file, one);
    const failed = left.filter(([file]) => "problem" in (put.get(file) ?? {}));
    if (failed.length === 0 || failed.length === left.length) return put;
    left = failed;
  }
  return put;
}

/** Parts of a question in files that a version lacks: without them it is another question. */
function notReached(
  { version, now, edits }: VersionAndTree,
  all: Question["starts"],
): (readonly [file: string, Problem])[] {
  return [...all].flatMap(([file, starts]) => {
    const before = version.before(file);
    if (edits.whole.has(file) || before === now(file)) return [];
    const why = before === undefined ? `has no ${file}` : `has another ${file}, which is not read`;
    return [[file, { problem: partLacks(now, file, { starts, why }) }] as const];
  });
}

/** Why the first of some parts cannot land in a version that `why` tells of. */
export function partLacks(
  now: ReadText,
  file: string,
  { starts, why }: { readonly starts: ReadonlySet<number>; readonly why: string },
): string {
  const text = now(file) ?? "";
  const first = Math.min(...starts);
  const line = text.slice(0, first).split("\n").length;
  const part = firstLine(text.slice(first)).replace(/;$/, "");
  return `\`${part}\` (${file}:${line}) belongs to what is asked, and that version ${why}`;
}

/** Where the blocks around it only gained, as it stands in the working tree; else where it belongs. */
function putInFile(
  { version, now, edits }: VersionAndTree,
  file: string,
  { starts, shaped, decided }: PutInFile,
): PutIn | Problem | undefined {
  const [edit, recognised] = [edits.whole.get(file), edits.recognised.get(file)];
  const { beside } = edits;
  if (!edit || !recognised) return undefined;
  const wanted = { then: edit.then, edit: recognised, starts };
  if (decided) return landIn({ version, now, edits }, { ...wanted, decided });
  const asNow = { version, now, beside, keep: keepPiece, reason: SURE.reason };
  const gained = standingIn(edit, starts, asNow);
  if (gained) return gained;
  const elsewhere = stoodIn({ version, now }, edit, starts);
  if (elsewhere !== undefined) {
    const why = `has its function in ${elsewhere}`;
    return { problem: partLacks(now, file, { starts, why }) };
  }
  const isSame = (start: number): boolean =>
    edit.startBefore(start) !== undefined &&
    !edit.gaps.some((gap) => gap.added.some(({ node }) => node.start === start));
  const shown = new Set([...(shaped ?? [])].filter((start) => !isSame(start)));
  const besideChanges = { version, now, beside, keep: keepBesideChanges, reason: BESIDE };
  // A changed statement that is found again is the version's own: it does not show more there.
  const isKept = [...shown].every((start) => addedStarts(recognised).includes(start));
  const standing = isKept ? standingIn(recognised, starts, besideChanges) : undefined;
  if (standing) return standing;
  if (shown.size > 0) return landShaped({ version, now, edits }, file, { starts, shown });
  const isThere = [...starts].every((start) => recognised.startBefore(start) !== undefined);
  return isThere ? undefined : landIn({ version, now, edits }, wanted);
}

interface PutInFile {
  readonly starts: ReadonlySet<number>;
  readonly shaped: ReadonlySet<number> | undefined;
  readonly decided: DecidedPlace | undefined;
}

/** Another file of a version in which the function around a part stood; undefined: none is known. */
function stoodIn(
  { version: { sources, before }, now }: Pick<VersionAndTree, "version" | "now">,
  { now: source, startBefore }: FileEdit,
  starts: ReadonlySet<number>,
): string | undefined {
  const { file, statements } = source;
  const files = {
    now: { file, text: now },
    then: { files: [...new Set([...sources, file])], text: before },
  };
  const parts = statements.filter(({ node: { start }, isDeclaration, parameters }) => {
    const isNew = starts.has(start) && startBefore(start) === undefined;
    return isNew && !isDeclaration && parameters === undefined;
  });
  const found = parts.map(({ node }) => chooseFile(files, source, node.start));
  return found.find((one) => one !== undefined && one !== file);
}

/** Where statements of the run show more: those of the version are written alike, and must be the same program. */
function landShaped(
  { version, now, edits }: VersionAndTree,
  file: string,
  { starts, shown }: { starts: ReadonlySet<number>; shown: ReadonlySet<number> },
): PutIn | Problem | undefined {
  const [edit, recognised] = [edits.whole.get(file), edits.recognised.get(file)];
  if (!edit || !recognised) return undefined;
  const there = shapeAsNow(recognised, shown);
  const base = there && edit.then.language.read(file, there.text);
  const put =
    base && !("problem" in base)
      ? landIn(
          { version, now, edits },
          {
            then: edit.then,
            edit: editBetween(
              base,
              edit.now,
              recognitionBetween(base, edit.now, version.mode),
              edits.beside,
            ),
            starts,
            given: there.names,
          },
        )
      : undefined;
  const own = edit.now.statements.filter(({ node }) => starts.has(node.start));
  const isSame = (one: PutIn): boolean =>
    one.edit.gaps.every(({ lost }) => lost.length === 0) &&
    isBound(
      one.edit,
      edit.now,
      own.map((statement) => ({ statement })),
    );
  if (put && ("problem" in put || isSame(put))) return put;
  const [first = 0] = shown;
  const line = firstLine(edit.now.text.slice(first));
  return { problem: `what \`${line}\` gives a name is another statement in that version` };
}

interface LandedAs {
  readonly then: FileEdit["then"];
  /** From that text, or from one with what shows more, to the newer one. */
  readonly edit: FileEdit;
  readonly starts: ReadonlySet<number>;
  readonly given?: ReadonlySet<string>;
  readonly decided?: DecidedPlace;
}

function landIn(
  { version, now, edits: { beside } }: VersionAndTree,
  { then, edit, starts, given = new Set(), decided }: LandedAs,
): PutIn | Problem {
  const { file } = then;
  const landed = landPiece({
    edit,
    starts,
    files: { now: { file, text: now }, then: { files: version.sources, text: version.before } },
    mode: version.mode,
    given,
    decided,
  });
  if ("refusal" in landed) return { problem: landed.reason };
  const { text, files, startNow, verdict, reason, confidence, warnings, renames } = landed;
  const how = { verdict, reason, confidence, warnings, renames };
  return (
    putIn(then, text, version.before, (start) => startNow(start), { how, files, beside }) ?? {
      problem: `${file} cannot be read with it`,
    }
  );
}

/** The question as it stands in the working tree, if that can be. */
function standingIn(
  edit: FileEdit,
  starts: ReadonlySet<number>,
  { version, now, keep, reason, beside }: Standing,
): PutIn | Problem | undefined {
  const own = edit.gaps.flatMap((gap) => {
    const added = gap.added.filter(({ node }) => starts.has(node.start));
    return added.map((statement) => ({ statement, gap, reason: "asked" as const }));
  });
  const found = new Set(own.map(({ statement }) => statement.node.start));
  const left = [...starts].filter((start) => !found.has(start));
  if (own.length === 0 || left.some((start) => edit.startBefore(start) === undefined)) {
    return undefined;
  }
  const kept = keep(edit, own);
  if (!kept) return undefined;
  const ordered = [...found].sort((a, b) => a - b);
  const statements = own.map(({ statement }) => statement);
  const result = putIn(edit.then, kept.text, version.before, (_, at) => ordered[at], {
    how: { ...standingAs(edit, statements, beside), reason },
    files: [],
    beside,
  });
  if (!result || !("edit" in result)) return result;
  if (!isBound(result.edit, edit.now, own)) return undefined;
  const given = isOnlyAsked(edit, found)
    ? []
    : givenOtherwiseStanding(
        {
          statements,
          files: {
            now: { file: edit.now.file, text: now },
            then: { files: version.sources, text: version.before },
          },
          mode: version.mode,
        },
        edit,
        result.edit,
      );
  return given.length === 0 ? result : { ...result, how: doubted(result.how, given) };
}

/** Whether two versions differ in nothing but what is asked, other log calls, and lines that only show more. */
function isOnlyAsked({ gaps, changed }: FileEdit, starts: ReadonlySet<number>): boolean {
  if (changed.length > 0) return false;
  return gaps.every(({ gone, added, shaped }) => {
    const kept = new Set([...shaped.values()].map(({ then }) => then));
    const isQuestion = (one: Statement): boolean =>
      starts.has(one.node.start) || one.isLogOnly || shaped.has(one);
    return gone.every((one) => kept.has(one)) && added.every(isQuestion);
  });
}

/** What gives a value is not the same: somebody has to look. */
function doubted(how: How, given: How["warnings"]): How {
  const confidence = Math.min(how.confidence, DOUBTED);
  return { ...how, verdict: "review", confidence, warnings: [...how.warnings, ...given] };
}

const DOUBTED = 0.85;

interface Standing {
  readonly version: RecordedVersion;
  readonly now: ReadText;
  readonly beside: OtherFiles;
  readonly keep: typeof keepPiece;
  readonly reason: string;
}

/** As it is in the working tree; what it reads may not be there all the same, in no file of the version. */
function standingAs(
  edit: FileEdit,
  statements: readonly Statement[],
  { filesWith }: OtherFiles,
): How {
  const lacking = propertiesLacking(edit, statements).filter((name) => !filesWith(name).length);
  const warnings = lacking.map((name) => {
    return { code: "missing_property", text: `nothing in that version has a property ${name}` };
  });
  return { ...SURE, verdict: lacking.length > 0 ? "review" : SURE.verdict, warnings };
}

const BESIDE = "what it reads around it is as it was in this version";

export const SURE: How = {
  verdict: "exact",
  reason: "only additions are new around it since this version",
  confidence: 1,
  warnings: [],
  renames: [],
};

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
export function putIn(
  then: FileEdit["then"],
  text: string,
  textOf: ReadText,
  startNow: (start: number, at: number) => number | undefined,
  { beside, ...found }: Pick<PutIn, "how" | "files"> & { readonly beside: OtherFiles },
): PutIn | Problem | undefined {
  const { language, file } = then;
  const plain = language.read(file, text);
  if ("problem" in plain) return undefined;
  const plainEdit = editBetween(then, plain, undefined, beside);
  const loaded = language.keepModuleKind(then, marked(plainEdit, language.addedMark), textOf);
  if ("problem" in loaded) return { problem: `${file}: ${loaded.problem}` };
  const result = language.read(file, loaded.text);
  if ("problem" in result) return undefined;
  const edit = editBetween(then, result, undefined, beside);
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
  const inTree = starts.map((start, at) => [start, startNow(before[at] ?? -1, at) ?? -1] as const);
  return { edit, probes, carried, starts: new Map(inTree), ...found };
}

/** Where statements that were added begin, in their order. */
export function addedStarts({ gaps }: FileEdit): number[] {
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
