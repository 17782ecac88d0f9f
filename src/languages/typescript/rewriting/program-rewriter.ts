/**
 * @file Rewrites the files of one program as they are loaded: the model is made once, with the
 * first of them. A failure never stops the program; the file is then loaded as it is.
 */
import { readFileSync, statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { ProbePlace, RecordedText, RunMode } from "../../../format/index.ts";
import { modeOf } from "../../../format/index.ts";
import type { AnalyzedProgram } from "../analyze.ts";
import { analyzeFiles } from "../analyze.ts";
import type { PartEffect } from "../analysis/changes/effect-of-part.ts";
import type { Span } from "../analysis/lowering/ir.ts";
import { withPlacesNow } from "./recorded-text.ts";
import { skeletonOver } from "../libraries/loop-skeletons.ts";
import { rewritePackage } from "./rewrite-package.ts";
import { rewriteSource, rewriteUnit } from "./rewrite-source.ts";

export interface RewriterOptions extends RunMode {
  readonly root: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly probes: readonly ProbePlace[];
  /** What the repeated run executed of files that say more now: its loops are the loops. */
  readonly recorded: readonly RecordedText[];
}

export interface Rewritten {
  readonly text: string;
  readonly rewritten?: true;
  /** Why the text is as it was. */
  readonly unrewritten?: string;
}

export class ProgramRewriter {
  readonly #options: RewriterOptions;
  #program: AnalyzedProgram | undefined;
  /** The program with what is asked. */
  #asked: AnalyzedProgram | undefined;

  constructor(options: RewriterOptions) {
    this.#options = options;
  }

  #analyze(entry: string): AnalyzedProgram {
    const { root, recorded } = this.#options;
    const mode = modeOf(this.#options);
    const now = (name: string): string | undefined => readText(root, name);
    // Loops that the program names itself are known by their names.
    const ran = new Map((mode.handsFree ? recorded : []).map((one) => [one.file, one]));
    const analyzed = analyzeFiles(entry, (name) => ran.get(name)?.text ?? now(name), mode);
    return withPlacesNow(analyzed, [...ran.values()], (name) => now(name) ?? "");
  }

  /** The text that shall be loaded for a file of the project. */
  rewrite(path: string, text: string): Rewritten {
    try {
      const { root, program, probes, recorded } = this.#options;
      const isRecording = probes.length === 0 && recorded.length === 0;
      const mode = modeOf(this.#options);
      const file = nameOf(root, path);
      this.#program ??= this.#analyze(nameOf(root, program));
      const { model, units, callSites, outsideCalls } = this.#program;
      const { loops, leftAlone = [] } = model;
      const calls = callSites.get(file) ?? [];
      const timed = isRecording ? (outsideCalls.get(file) ?? []) : [];
      if (loops.length + leftAlone.length + calls.length + timed.length === 0) return { text };
      const known = units.get(file);
      if (!known) return { text, unrewritten: "not reached by imports of its name" };
      // Of another text than the analysis had, nobody knows where they stand.
      const isKnown = known.text === text || this.#isRecorded(file);
      const effect = (span: Span): PartEffect => this.#effectOfPart(file, text, span);
      const how = { probes, ...mode, calls: isKnown ? calls : [], effectOfPart: effect };
      const rewritten =
        known.text === text
          ? rewriteUnit(known, model, { ...how, timed, givesUp: isRecording })
          : rewriteSource(file, text, model, how);
      return { text: rewritten, rewritten: true };
    } catch (error) {
      return { text, unrewritten: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The same for a file of a package: undefined if nothing in it is a loop of the run. */
  rewritePackage(path: string, text: string): Rewritten | undefined {
    const { root, program, libraries } = this.#options;
    const skeleton = skeletonOver(path, libraries);
    if (!skeleton) return undefined;
    try {
      this.#program ??= this.#analyze(nameOf(root, program));
      const { model, units } = this.#program;
      const known = units.get(skeleton.file);
      if (!known) return undefined;
      return { text: rewritePackage(path, text, { skeleton, known, model }), rewritten: true };
    } catch (error) {
      return { text, unrewritten: error instanceof Error ? error.message : String(error) };
    }
  }

  /** What the run executed tells nothing of a question: the text that has it is followed once more. */
  #effectOfPart(file: string, text: string, span: Span): PartEffect {
    const { root, program } = this.#options;
    const now = (name: string): string | undefined => readText(root, name);
    this.#asked ??= analyzeFiles(nameOf(root, program), now, modeOf(this.#options));
    const known = this.#asked.units.get(file);
    return known?.text === text ? this.#asked.effectOfPart(known.unit, span) : "any";
  }

  #isRecorded(file: string): boolean {
    return this.#options.recorded.some((one) => one.file === file);
  }
}

function nameOf(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

function readText(root: string, name: string): string | undefined {
  const path = resolve(root, name);
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  return isFile ? readFileSync(path, "utf8") : undefined;
}
