/** Statements of one version of the source, put into another. */
export type { FileEdit, Gap } from "./edits/align.ts";
export { addedRuns, addedText, editBetween } from "./edits/align.ts";
export type { Intervention } from "./edits/interventions.ts";
export type { FilePiece, PieceReason, PieceStatement } from "./edits/piece.ts";
export { pieceFor } from "./edits/piece.ts";
export type { WhyNot } from "./edits/bring-beside.ts";
export { bringBeside, withEdits } from "./edits/bring-beside.ts";
export {
  differencesSeen,
  differingNames,
  givenElsewhere,
  isOnlyRenamed,
  propertiesLacking,
} from "./edits/differences.ts";
export { exchangedPlaces } from "./edits/exchanged-places.ts";
export { otherChanges } from "./edits/other-changes.ts";
export { otherMeanings } from "./edits/other-meanings.ts";
export { otherSources } from "./edits/other-sources.ts";
export { handedWordsOf, joinedFunctions } from "./edits/joined-functions.ts";
export { partedLoops } from "./edits/parted-loops.ts";
export type { ForeignName } from "./edits/foreign-names.ts";
export { foreignName } from "./edits/foreign-names.ts";
export type { OtherFiles } from "./edits/changed-lines/other-files.ts";
export { agreedAmong } from "./edits/changed-lines/agreed-functions.ts";
export { becameLoop, givenOther, otherSource } from "./edits/other-programs.ts";
export { questionIn } from "./edits/question.ts";
export { recognitionBetween } from "./edits/recognise.ts";
export { keysAsLogs } from "./edits/logged-keys.ts";
export { keepBesideChanges, keepPiece } from "./edits/undo.ts";
export { givenOtherwiseStanding } from "./judging/what-gives.ts";
export { chooseFile } from "./placing/choose-file.ts";
export { findStatement } from "./placing/find-statement.ts";
export type { AskedLogpoint } from "./writing/insert-log.ts";
export { insertLog } from "./writing/insert-log.ts";
export { landPiece } from "./land-piece.ts";
export { shapeAsNow } from "./land-shapes.ts";
export { landStatements } from "./land-statements.ts";
