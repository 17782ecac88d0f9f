/** @file Names of a question as they stand in the source of a version that it was put into. */
import type { Landing } from "../../format/index.ts";
import type { FileEdit } from "../../landing/index.ts";
import type { SourceLog, SourceModel } from "../../languages/index.ts";
import { placeOf } from "./asked-calls.ts";
import type { Piece } from "./pieces.ts";
import { findStatements, isWritten } from "./pieces.ts";
import type { NameLanding } from "./place.ts";
import { carriedBy, NO_LANDING, worstOf } from "./place.ts";
import type { PutIn } from "./put-in.ts";

/** Log calls, each once. */
export function placesOf(logs: readonly SourceLog[]): Map<string, SourceLog> {
  return new Map(logs.map((log) => [placeOf(log), log]));
}

/** The log calls of a piece in a source; one that shows no name is written in the names of that. */
export function logsOfPiece(
  piece: Piece,
  model: SourceModel,
  put: ReadonlyMap<string, PutIn>,
  edits: ReadonlyMap<string, FileEdit>,
): readonly SourceLog[] {
  const { name, parts } = piece;
  const found = findStatements(model, name);
  if (!isWritten(name, [piece]) || found.some((log) => log.name === name)) return found;
  const asked = new Set(parts.map(({ log }) => placeOf(log)));
  return model.logs.filter((log) => {
    const [own, edit] = [put.get(log.file), edits.get(log.file)];
    const now = own && edit && callInTree(log, { own, edit, model, tree: piece.model });
    return now !== undefined && asked.has(placeOf(now));
  });
}

/** Which log call of the working tree one is: as the n-th of a statement that was put in. */
function callInTree(
  log: SourceLog,
  {
    own,
    edit,
    model,
    tree,
  }: {
    readonly own: PutIn;
    readonly edit: FileEdit;
    readonly model: SourceModel;
    readonly tree: SourceModel;
  },
): SourceLog | undefined {
  const offset = (file: FileEdit["now"], { line, column }: SourceLog): number =>
    file.lines.startOf(line) + column - 1;
  const callsIn = (
    { logs }: SourceModel,
    file: FileEdit["now"],
    node: { readonly start: number; readonly end: number },
  ): SourceLog[] => {
    const inside = logs.filter((one) => {
      const at = one.file === log.file ? offset(file, one) : -1;
      return node.start <= at && at < node.end;
    });
    return [...placesOf(inside).values()].toSorted((a, b) => offset(file, a) - offset(file, b));
  };
  const at = offset(own.edit.now, log);
  const added = own.edit.gaps.flatMap((gap) => gap.added);
  const statement = added.find(({ node }) => node.start <= at && at < node.end);
  const start = own.starts.get(statement?.node.start ?? -1);
  const written = edit.now.statements.find(({ node }) => node.start === start);
  if (!statement || !written) return undefined;
  const [then, now] = [
    callsIn(model, own.edit.now, statement.node),
    callsIn(tree, edit.now, written.node),
  ];
  const which = then.findIndex((one) => placeOf(one) === placeOf(log));
  return then.length === now.length ? now[which] : undefined;
}

const NO_PLACE = "its log call has no place in that version";

export function asName(
  piece: Piece,
  logs: readonly SourceLog[],
  howOf: (log: SourceLog) => Partial<Landing>,
): NameLanding {
  const { name, parts } = piece;
  const places = placesOf(logs);
  const landings = [...places.values()].map((log): Landing => {
    const { file, line, column, text } = log;
    return { ...NO_LANDING, file, line, column, text, confidence: 1, ...howOf(log) };
  });
  if (landings.length === 0) return cannotName(piece, NO_PLACE);
  return {
    name,
    verdict: worstOf(landings.map(({ verdict }) => verdict)),
    why: landings[0]?.reason ?? "",
    landings,
    statements: landings.map((_, at) => (parts[at] ?? parts[0])?.statement ?? ""),
    carried: carriedBy(landings),
    leftOut: [],
    isDecided: false,
  };
}

export function cannot(asked: readonly Piece[], why: string): NameLanding[] {
  return asked.map((piece) => cannotName(piece, why));
}

function cannotName({ name, parts }: Piece, why: string): NameLanding {
  return {
    name,
    verdict: "cannot",
    why,
    landings: [],
    statements: parts.map(({ statement }) => statement),
    carried: [],
    leftOut: [],
    isDecided: false,
  };
}
