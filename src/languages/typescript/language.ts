/** @file TypeScript and JavaScript, as the engine asks for them. */
import type { Language } from "../language.ts";
import { analyzeProgram } from "./analyze.ts";
import { anchorOf } from "./anchor.ts";
import { compareInserted } from "./compare-sources.ts";
import { insertLog } from "./insert-log.ts";
import { knowsAfterlog } from "./knows-afterlog.ts";
import { TYPESCRIPT_GRAMMAR } from "./landing/grammar.ts";

export const TYPESCRIPT: Language = {
  isOwn: (file) => /\.[cm]?[jt]sx?$/.test(file),
  // Its parser is loaded with the first text.
  prepare: () => Promise.resolve(),
  knowsAfterlog,
  analyze: analyzeProgram,
  compareInserted,
  // What was inserted was parsed by the parser that Node's loader has.
  isStillProgram: () => true,
  anchorOf,
  insertLog,
  grammar: TYPESCRIPT_GRAMMAR,
};
