/**
 * @file Rewrites the files of one program as they are loaded: the model is made once, with the
 * first of them. A failure never stops the program; the file is then loaded as it is.
 */
import { readFileSync, statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { SourcePlace } from "../../format/index.ts";
import type { SourceModel } from "../source-model.ts";
import { analyzeProgram } from "./analyze.ts";
import { rewriteSource } from "./rewrite.ts";

export interface RewriterOptions {
  readonly root: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly probes: readonly SourcePlace[];
  readonly handsFree: boolean;
}

export interface Rewritten {
  readonly text: string;
  readonly rewritten?: true;
  /** Why the text is as it was. */
  readonly unrewritten?: string;
}

export class ProgramRewriter {
  readonly #options: RewriterOptions;
  #model: SourceModel | undefined;

  constructor(options: RewriterOptions) {
    this.#options = options;
  }

  /** The text that shall be loaded for a file of the project. */
  rewrite(path: string, text: string): Rewritten {
    try {
      const { root, program, probes, handsFree } = this.#options;
      const file = nameOf(root, path);
      const read = (name: string): string | undefined => readText(root, name);
      this.#model ??= analyzeProgram(nameOf(root, program), read, { handsFree });
      const { files, loops } = this.#model;
      if (loops.length === 0) return { text };
      if (!files.includes(file)) return { text, unrewritten: "not reached by imports of its name" };
      const how = { probes, handsFree };
      return { text: rewriteSource(file, text, this.#model, how), rewritten: true };
    } catch (error) {
      return { text, unrewritten: error instanceof Error ? error.message : String(error) };
    }
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
