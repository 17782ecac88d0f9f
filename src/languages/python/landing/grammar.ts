/** @file Python, as landing asks for it. */
import type { Grammar, Syntax } from "../../landing/grammar.ts";
import { loopVariable, moduleVariables, namedNodes } from "./anchors.ts";
import {
  changesOthers,
  changesPart,
  effectOf,
  effectOfName,
  isEmptyValue,
  passesPart,
} from "./effects.ts";
import { importedNames, importInsertion, isOpen, isWhole } from "./imports.ts";
import { otherMeanings } from "./doubts.ts";
import { holdsLine, slotFor, stylesOf } from "./layout.ts";
import { fateOf } from "./modules.ts";
import { draftsOf } from "./neutral-tree.ts";
import { parsePython } from "./parser.ts";
import { isBuiltin, isKnownMethod, isKnownObject } from "./known.ts";
import { keepSaid } from "./said-names.ts";
import { walkScopes } from "./scope-walk.ts";
import type { Source } from "./source.ts";
import { linesOf, parseFile } from "./source.ts";
import {
  branchOf,
  canBeBrought,
  isLog,
  isLogOnly,
  isSimple,
  isUnguarded,
  lacking,
  logKeyIn,
  multilineStrings,
} from "./statements.ts";
import { named, statementsOf } from "./syntax.ts";
import { perhapsUnset } from "./unset.ts";
import { isSameApartFrom } from "./verify.ts";
import { callOf, isFunction, isSelf, memberOf, nameOf, parametersOf, writeOf } from "./views.ts";

export const PYTHON_GRAMMAR: Grammar = {
  reading: {
    isOwn: (file) => file.endsWith(".py"),
    read: readSource,
    problemOf: (_file, text) => {
      const { problem } = parsePython(text);
      const { line } = linesOf(text).at(problem?.offset ?? 0);
      return { line, message: problem?.message ?? "" };
    },
    childrenOf: named,
    statementsOf,
  },
  trees: { draftsOf, namedNodes, moduleVariables, loopVariable, definition: "assignment" },
  names: {
    walkScopes,
    always: new Set(["parameter"]),
    isPlatformName: isBuiltin,
    isOpen,
    perhapsUnset,
    otherMeanings,
  },
  views: { nameOf, callOf, memberOf, isSelf, writeOf, isFunction, parametersOf },
  effects: {
    effectOf,
    effectOfName,
    changesOthers,
    isKnownMethod,
    isKnownObject,
    members: new Set(["attribute", "subscript"]),
    changesPart,
    passesPart,
    isEmptyValue,
  },
  statements: {
    isSimple,
    isLogOnly,
    isLog,
    logKeyIn: (source, mode) =>
      logKeyIn(source as Source, mode) as (node: Syntax) => string | undefined,
    branchOf,
    isHoisted: () => false,
    canBeBrought,
    bare: (node) => node,
    lacking,
  },
  imports: {
    importedNames: (source) => importedNames(source as Source),
    isWhole,
    insertion: (source, wanted, style) => importInsertion(source as Source, wanted, style),
    fateOf,
  },
  writing: {
    stylesOf,
    slotFor,
    multilineStrings,
    keepSaid,
    endsWithSemicolon: () => false,
    isSameApartFrom,
    // What is asked is executed apart by the SDK itself (`record/probes.py`).
    guardOf: () => ({ wraps: new Map(), needs: undefined }),
    isUnguarded,
    holdsLine,
    comments: { line: /^#/, tail: /^\s*;?\s*(?:#.*)?$/ },
  },
};

/** Parses a file; undefined if it is no Python. */
export function readSource(file: string, text: string): Source | undefined {
  const parsed = parseFile(file, text);
  return parsed && { ...parsed, grammar: PYTHON_GRAMMAR };
}
