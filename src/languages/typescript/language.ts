/** @file TypeScript and JavaScript, as the engine asks for them. */
import { LANGUAGE_EXTENSIONS } from "../../format/index.ts";
import { factsReader } from "../facts-reader.ts";
import { CARRIED_MARKER } from "./comparing/carried-marker.ts";
import type { OptionParser } from "../anatomy.ts";
import type { Language } from "../language.ts";
import { Lines } from "../lines.ts";
import { analyzeProgram } from "./analyze.ts";
import { anchorOf } from "./comparing/log-anchor.ts";
import { compareInserted } from "./comparing/compare-sources.ts";
import { knowsAfterlog, loopLibraries } from "./starting/knows-afterlog.ts";
import { startNode } from "./starting/start-node.ts";
import { anatomyOf, iteratedBy, spreadBy, wrapperOf } from "./facts/anatomy.ts";
import { isKnownObject } from "./facts/described-effects.ts";
import { keepModuleKind } from "./facts/imports.ts";
import { LAYOUT } from "./facts/layout.ts";
import { loggerIn, logOfKey, readExpression } from "./facts/logpoint.ts";
import { placeForImport, resolveImport } from "./facts/module-facts.ts";
import { TYPESCRIPT_SYNTAX } from "./facts/syntax-facts.ts";
import { shownBy } from "./libraries/javascript-descriptions.ts";

export const TYPESCRIPT: Language = {
  isOwn: (file) => /\.[cm]?[jt]sx?$/.test(file),
  extensions: LANGUAGE_EXTENSIONS.typescript,
  // Its parser is loaded with the first text.
  prepare: () => Promise.resolve(),
  start: startNode,
  printing: "console.log",
  knowsAfterlog,
  loopLibraries,
  analyze: analyzeProgram,
  compareInserted,
  // A text that was landed has been parsed as strictly as Node does.
  isStillProgram: () => true,
  anchorOf,
  readExpression,
  loggerIn,
  logOfKey,
  linesOf: (text) => new Lines(text),
  read: factsReader(() => TYPESCRIPT, TYPESCRIPT_SYNTAX),
  anatomyOf,
  spreadBy,
  iteratedBy,
  hasKeysAsMembers: true,
  changesInPlace: false,
  keepsDefaults: false,
  optionOf: () => undefined,
  optionParser: (path) => (/^(?:node:)?util\.parseArgs$/.test(path) ? PARSE_ARGS : undefined),
  wrapperOf,
  onlyWatches: () => false,
  shownBy,
  contextMadeBy: () => undefined,
  decoratedBy: () => undefined,
  decoratorMadeBy: () => undefined,
  resolveImport,
  placeForImport,
  keepModuleKind,
  isPlatformName,
  isKnownObject,
  replacesNames: false,
  calledMethods: [],
  aside: "aside",
  addedMark: CARRIED_MARKER,
  declares: "let ",
  layout: LAYOUT,
};

const PARSE_ARGS: OptionParser = { options: "options", values: "values", guesses: "strict" };

/** Names that the language, Node or a browser gives. */
function isPlatformName(name: string): boolean {
  return name in globalThis || BROWSER.test(name) || COMMONJS.test(name);
}

const BROWSER =
  /^(?:window|document|self|location|localStorage|sessionStorage|alert|Image|Worker)$/;
const COMMONJS = /^(?:require|module|exports|__dirname|__filename|arguments|undefined)$/;
