/**
 * The bytes on disk: loop paths, log values, records, manifests, checkpoint files, directives.
 * `docs/format.md` is the contract in words.
 */
export {
  AfterlogError,
  describeError,
  ERROR_CODES,
  formatError,
  isAfterlogError,
} from "./errors.ts";
export { copyBytes } from "./copy-bytes.ts";
export {
  ANY_NAME,
  consoleNames,
  consoleValues,
  isNameOfLoop,
  isPrintedName,
  isScalar,
  tableValues,
} from "./console-rule.ts";
export type { ConsoleEntry, ConsoleNames, ConsolePiece, ReadingOptions } from "./console-rule.ts";
export { HOLE } from "./console-text.ts";
export {
  annotationFromJson,
  annotationToJson,
  foldAnnotations,
  NOTE_CHARACTERS_MAX,
} from "./annotations.ts";
export type { Annotation, AnnotationChange, FiredAlert, RunAnnotations } from "./annotations.ts";
export { alertProblem, foldAlerts, isCondition } from "./alerts.ts";
export type { Alert, AlertLine } from "./alerts.ts";
export {
  looksLikeRunId,
  runLabels,
  runNameProblem,
  splitSharedName,
  tagProblem,
} from "./run-names.ts";
export { asInProject, asInTree } from "./own-tree.ts";
export type { OwnTree } from "./own-tree.ts";
export { logNameProblem } from "./log-name.ts";
export { UNSEEN, visibleText } from "./visible-text.ts";
export { nearestName } from "./did-you-mean.ts";
export { markInserted, withoutInserted } from "./inserted-text.ts";
export { UNSEEN_MIN_MS } from "./records.ts";
export {
  calledLoop,
  checkpointFileName,
  formatPath,
  loopEndOf,
  parsePath,
  PATH_ELEMENT,
  pathElement,
  decodedWord,
  shownPath,
} from "./path.ts";
export type { LoopPath, PathElement } from "./path.ts";
export { numberToJson, plainToJson, stringToJson, valueFromJson, valueToJson } from "./value.ts";
export type { EncodeOther, TensorReference } from "./value.ts";
export { VIEW_CLASSES } from "./structure.ts";
export type {
  ClassName,
  EncodedProperty,
  EncodedValue,
  GeneratorState,
  IteratorPosition,
  PlaceSource,
  StateGraph,
  Structure,
  StructureNode,
  StructurePlace,
  ViewType,
} from "./structure.ts";
export { ANY_FILE, FOLDER_BEFORE, NOTHING_BEFORE, TREE_BEFORE, LOOP_OFF } from "./records.ts";
export type {
  ArgRecord,
  CalledRecord,
  CallsRecord,
  CheckMark,
  CheckpointKind,
  CheckpointRecord,
  DrawSummary,
  EnterRecord,
  ExitRecord,
  FileRecord,
  FreshRecord,
  LogRecord,
  LoopExit,
  ProfileRecord,
  UnseenCall,
  Record,
  RemovedRecord,
  RestoreRecord,
  SealRecord,
  SiteRecord,
  ReachedRecord,
  StateRecord,
} from "./records.ts";
export { describedLibrary, readLibraries } from "./library.ts";
export type { LibraryDescription, LibraryEntry, SavingClass } from "./library.ts";
export {
  LOOP_RULES,
  LOOPS_BY_FUNCTION,
  LOOPS_NOT_INSIDE_THEMSELVES,
  loopRulesOf,
  machineOf,
  manifestFromJson,
  manifestToJson,
  modeOf,
  whyNotAlone,
} from "./manifest.ts";
export type {
  AuditFinding,
  LoopLeftAlone,
  Manifest,
  Overhead,
  RunMode,
  RunStatus,
  TurnedOff,
  VersionReference,
} from "./manifest.ts";
export {
  alignPage,
  CRC_CHUNK_BYTES,
  damaged,
  decodeHeader,
  DTYPE_BYTES,
  encodeHeader,
  encodePlainHeader,
  headerLength,
  hex32,
  PAGE_BYTES,
  STRUCTURE_NAME,
} from "./safetensors.ts";
export type {
  CheckpointHeader,
  Dtype,
  HeldTensor,
  TensorEntry,
  TensorSpec,
} from "./safetensors.ts";
export {
  DIRECTIVE_SHAPES,
  isRunId,
  LOG_LINE_SHAPE,
  MANIFEST_SHAPE,
  PROFILE_LINE_SHAPE,
} from "./run-shapes.ts";
export { problemOf } from "./shapes.ts";
export type { Shape } from "./shapes.ts";
export { parseKeep } from "./keep.ts";
export type { KeepPolicy } from "./keep.ts";
export { DIRECTIVE_VARIABLE, isSeed, parseShare, variableOf } from "./directive.ts";
export type {
  Course,
  Directive,
  KeptSource,
  KeptTree,
  Leg,
  Orders,
  ReplayOutcome,
  MovedText,
  PartCounter,
  Passed,
  ProbePlace,
  RecordedText,
  RecordedCall,
  Varying,
  VaryingLog,
  SourcePlace,
  TerminalSize,
} from "./directive.ts";
export { parseSetting, parseTime, resolveSettings } from "./resolve-settings.ts";
export type {
  Resolved,
  ResolvedSettings,
  SettingProblem,
  Settings,
  SettingSources,
} from "./resolve-settings.ts";
export { SETTINGS } from "./settings-table.ts";
export type { Setting, SettingKey } from "./settings-table.ts";
export { readSettingsText } from "./settings-text.ts";
export type { SettingsFile } from "./settings-text.ts";
export { landedAs, landingOf, planFromJson, withoutTexts } from "./plan.ts";
export type {
  Box,
  LeftOut,
  Overlay,
  Plan,
  LandedAs,
  PlannedLanding,
  PlannedRun,
  ChangingStatement,
  PlannedStatement,
  PlannedUnit,
  Scan,
  Span,
  UnitPart,
} from "./plan.ts";
export type { Carried, Landing, LandingRequest, Landings, Verdict } from "./landing.ts";
export { STATUS_FD } from "./status-line.ts";
export type { LoopStatus, StatusLine, StatusMetrics } from "./status-line.ts";
export { flagKind } from "./flag-names.ts";
export { LANGUAGE_EXTENSIONS, PROGRAM_EXTENSIONS } from "./program-extensions.ts";
