/** Source languages: what the rest of the engine needs to know of them. */
export type {
  CarriedValue,
  CountedValue,
  ChangedName,
  SourceLog,
  SourceLoop,
  SourceModel,
} from "./source-model.ts";
export { analyzeProgram, isSource, languageOf, prepareLanguages } from "./language.ts";
export type { Language, LogpointProblem } from "./language.ts";
export type { Anatomy, Decorated, OwnDecorator, ShownBy, Wrapper } from "./anatomy.ts";
export { indentAt, insertAll, laidOutStatement } from "./text-layout.ts";
export type { FileStyle, Insertion, StatementText } from "./text-layout.ts";
export type {
  BareBody,
  Call,
  Edit,
  Effect,
  Expression,
  ImportedName,
  Iterated,
  LoopHead,
  Named,
  Parameter,
  ParsedFile,
  Shape,
  Statement,
  StatementList,
  Surroundings,
  Syntax,
  SyntaxDraft,
} from "./parsed-file.ts";
export type { Binding, Reference, Scope, Scopes } from "./scopes.ts";
export { rewriteSource } from "./typescript/rewriting/rewrite-source.ts";
export type { InsertedSource } from "./inserted-source.ts";
export { withoutCarriedMarkers } from "./typescript/comparing/carried-marker.ts";
export { interpreterOfRun } from "./python/interpreter.ts";
