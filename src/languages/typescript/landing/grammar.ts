/** @file TypeScript and JavaScript, as landing asks for them. */
import type { TreeNode } from "../../../tree/index.ts";
import type { Grammar, Syntax } from "../../landing/grammar.ts";
import { Lines } from "../../lines.ts";
import { parseSource } from "../parse.ts";
import { childrenOf } from "../syntax.ts";
import { moduleVariables, namedNodes } from "./anchors.ts";
import { changesPart, effectOf, effectOfName, isEmptyValue, passesPart } from "./effects.ts";
import { isKnownMethod, isKnownObject } from "./known.ts";
import { importedNames, importInsertion, isWhole } from "./imports.ts";
import { holdsLine, slotFor, stylesOf } from "./layout.ts";
import { isLogOnly } from "./log-like.ts";
import { fateOf } from "./modules.ts";
import { draftsOf } from "./neutral-tree.ts";
import { walkScopes } from "./scope-walk.ts";
import type { Source } from "./source.ts";
import { parseFile, statementsOf } from "./source.ts";
import {
  branchOf,
  canBeBrought,
  endsWithSemicolon,
  isHoisted,
  isLog,
  isSimple,
  lacking,
  logKeyIn,
  multilineStrings,
  withoutExport,
} from "./statements.ts";
import { isSameApartFrom } from "./verify.ts";
import { callOf, isFunction, isSelf, memberOf, nameOf, parametersOf, writeOf } from "./views.ts";
import { guardOf, isUnguarded } from "./wrap.ts";

export const TYPESCRIPT_GRAMMAR: Grammar = {
  reading: {
    isOwn: (file) => /\.[cm]?[jt]sx?$/.test(file),
    read: readSource,
    problemOf: (file, text) => {
      const { problem } = parseSource(file, text);
      const { line } = new Lines(text).at(problem?.offset ?? 0);
      return { line, message: problem?.message ?? "" };
    },
    childrenOf,
    statementsOf,
  },
  trees: { draftsOf, namedNodes, moduleVariables, loopVariable, definition: "VariableDeclarator" },
  names: {
    walkScopes,
    always: new Set(["import", "function", "parameter", "catch"]),
    isPlatformName,
    isOpen: () => true,
    perhapsUnset: () => [],
    otherMeanings: () => [],
  },
  views: { nameOf, callOf, memberOf, isSelf, writeOf, isFunction, parametersOf },
  effects: {
    effectOf,
    effectOfName,
    changesOthers: () => false,
    isKnownMethod,
    isKnownObject,
    members: new Set(["MemberExpression"]),
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
    isHoisted,
    canBeBrought,
    bare: withoutExport,
    lacking,
  },
  imports: {
    importedNames: (source) => importedNames(source as Source),
    isWhole,
    insertion: importInsertion,
    fateOf,
  },
  writing: {
    stylesOf,
    slotFor,
    multilineStrings,
    // A name that stands for itself in an object is known by its use (`isShorthand`).
    keepSaid: () => [],
    endsWithSemicolon,
    isSameApartFrom,
    guardOf,
    isUnguarded,
    holdsLine,
    comments: {
      line: /^(?:\/\/|\/\*|\*)/,
      tail: /^\s*;?\s*(?:\/\/.*|\/\*.*\*\/)?$/,
    },
  },
};

/** Parses a file; undefined if no dialect fits. */
export function readSource(file: string, text: string): Source | undefined {
  const parsed = parseFile(file, text);
  return parsed && { ...parsed, grammar: TYPESCRIPT_GRAMMAR };
}

/** The variable that the head of `for (const x of …)` declares. */
function loopVariable({ role, children }: TreeNode): TreeNode | undefined {
  if (role !== "loop") return undefined;
  const [declaration] = children;
  const name = declaration?.type === "VariableDeclaration" && declaration.children[0]?.children[0];
  return name && name.type === "Identifier" ? name : undefined;
}

/** Names that the language, Node or a browser gives. */
function isPlatformName(name: string): boolean {
  return name in globalThis || BROWSER.test(name) || COMMONJS.test(name);
}

const BROWSER =
  /^(?:window|document|self|location|localStorage|sessionStorage|alert|Image|Worker)$/;
const COMMONJS = /^(?:require|module|exports|__dirname|__filename|arguments|undefined)$/;
