/** @file Python, as the engine asks for it. */
import { LANGUAGE_EXTENSIONS } from "../../format/index.ts";
import { factsReader } from "../facts-reader.ts";
import type { Language } from "../language.ts";
import { analyzePython } from "./analyze-python.ts";
import { comparePython, compilesStill } from "./compare-sources.ts";
import { knowsAfterlog } from "./knows-afterlog.ts";
import { startPython } from "./interpreter.ts";
import { anatomyOf, iteratedBy, optionOf, wrapperOf } from "./facts/anatomy.ts";
import { contextMadeBy } from "./facts/own-contexts.ts";
import { decoratedBy, decoratorMadeBy } from "./facts/own-decorators.ts";
import { anchorOf } from "./facts/log-anchor.ts";
import { isBuiltin, isKnownObject, onlyWatches } from "./facts/described-effects.ts";
import { LAYOUT } from "./facts/layout.ts";
import { loggerIn, logOfKey, readExpression } from "./facts/logpoint.ts";
import { placeForImport, resolveImport } from "./facts/module-facts.ts";
import { preparePython } from "./facts/parser.ts";
import { linesOf, PYTHON_SYNTAX } from "./facts/syntax-facts.ts";

export const PYTHON: Language = {
  isOwn: (file) => file.endsWith(".py"),
  extensions: LANGUAGE_EXTENSIONS.python,
  prepare: preparePython,
  start: startPython,
  printing: "print",
  knowsAfterlog,
  // They are found where the program is analysed.
  loopLibraries: () => [],
  analyze: analyzePython,
  compareInserted: comparePython,
  // There is one kind of module.
  keepModuleKind: (_, text) => ({ text }),
  isStillProgram: compilesStill,
  anchorOf,
  readExpression,
  loggerIn,
  logOfKey,
  linesOf,
  read: factsReader(() => PYTHON, PYTHON_SYNTAX),
  anatomyOf,
  spreadBy: () => undefined,
  iteratedBy,
  hasKeysAsMembers: false,
  changesInPlace: true,
  keepsDefaults: true,
  optionOf,
  optionParser: () => undefined,
  wrapperOf,
  onlyWatches,
  shownBy: () => undefined,
  contextMadeBy,
  decoratedBy,
  decoratorMadeBy,
  resolveImport,
  placeForImport,
  isPlatformName: isBuiltin,
  isKnownObject,
  replacesNames: true,
  // A module of PyTorch calls the former by the latter.
  calledMethods: ["forward", "__call__"],
  aside: null,
  addedMark: "",
  declares: "",
  layout: LAYOUT,
};
