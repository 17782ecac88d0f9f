/** @file Python, as the engine asks for it. */
import type { Language } from "../language.ts";
import { analyzePython } from "./analyze.ts";
import { comparePython, compilesStill } from "./compare-sources.ts";
import { knowsAfterlog } from "./knows-afterlog.ts";
import { anchorOf } from "./landing/anchor.ts";
import { isBuiltin, isKnownObject } from "./landing/known.ts";
import { LAYOUT } from "./landing/layout.ts";
import { loggerIn, readExpression } from "./landing/logpoint.ts";
import { placeForImport, resolveImport } from "./landing/modules.ts";
import { preparePython } from "./landing/parser.ts";
import { linesOf, reader } from "./landing/read.ts";

export const PYTHON: Language = {
  isOwn: (file) => file.endsWith(".py"),
  prepare: preparePython,
  knowsAfterlog,
  analyze: analyzePython,
  compareInserted: comparePython,
  isStillProgram: compilesStill,
  anchorOf,
  readExpression,
  loggerIn,
  linesOf,
  read: reader(() => PYTHON),
  resolveImport,
  placeForImport,
  isPlatformName: isBuiltin,
  isKnownObject,
  replacesNames: true,
  aside: null,
  layout: LAYOUT,
};
