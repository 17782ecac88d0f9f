/** @file Python, as the engine asks for it. */
import type { Language } from "../language.ts";
import { analyzePython } from "./analyze.ts";
import { comparePython, compilesStill } from "./compare-sources.ts";
import { knowsAfterlog } from "./knows-afterlog.ts";
import { anchorOf } from "./landing/anchor.ts";
import { PYTHON_GRAMMAR } from "./landing/grammar.ts";
import { insertLog } from "./landing/insert-log.ts";
import { preparePython } from "./landing/parser.ts";

export const PYTHON: Language = {
  isOwn: (file) => file.endsWith(".py"),
  prepare: preparePython,
  knowsAfterlog,
  analyze: analyzePython,
  compareInserted: comparePython,
  isStillProgram: compilesStill,
  anchorOf,
  insertLog: (text, file, line, { assignment }) => insertLog(text, file, line, assignment),
  grammar: PYTHON_GRAMMAR,
};
