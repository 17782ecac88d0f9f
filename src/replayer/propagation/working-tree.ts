/**
 * @file The source as it stands in the user's working tree, with the logpoints of the command line
 * put into it: where the statements that are asked for are found. Nothing is written there.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunMode } from "../../format/index.ts";
import { AfterlogError, isPrintedName, nearestName } from "../../format/index.ts";
import { insertLog } from "../../landing/index.ts";
import type { SourceLog, SourceModel } from "../../languages/index.ts";
import { analyzeProgram, isSource, languageOf } from "../../languages/index.ts";
import type { Project } from "../../store/index.ts";

/** A statement that is put into the replay's tree only: `--at train.ts:57 'norm = l2(grads)'`. */
export interface Logpoint {
  /** Relative to the project's root. */
  readonly file: string;
  /** Of the working tree, counted from 1. */
  readonly line: number;
  /** `name = expression`. */
  readonly assignment: string;
}

/** The working tree's files and what they mean; each is read once. */
export class WorkingTree {
  readonly #root: string;
  readonly #texts = new Map<string, string | undefined>();
  readonly #models = new Map<string, SourceModel>();

  /** `mode`: of the runs that logpoints are for. Throws AL001 if a logpoint cannot be put where it is to be. */
  constructor(project: Project, logpoints: readonly Logpoint[], mode: RunMode) {
    this.#root = project.root;
    // From the end of a file on, so that the lines of the others stay.
    for (const logpoint of logpoints.toSorted((a, b) => b.line - a.line)) {
      this.#insert(logpoint, mode);
    }
  }

  /** The text of a file; undefined if there is none. */
  text(file: string): string | undefined {
    if (!this.#texts.has(file)) this.#texts.set(file, readIfPresent(join(this.#root, file)));
    return this.#texts.get(file);
  }

  has(file: string): boolean {
    return this.text(file) !== undefined;
  }

  /** Source files in these folders: one of them may be a program that was never run. */
  sourceFiles(folders: readonly string[]): string[] {
    return folders.flatMap((folder) =>
      listNames(join(this.#root, folder))
        .filter(isSource)
        .map((name) => (folder === "." ? name : `${folder}/${name}`)),
    );
  }

  /** The model of a program, as runs of that mode understand it. */
  model(program: string, mode: RunMode): SourceModel {
    const key = `${program}\n${JSON.stringify(mode)}`;
    let model = this.#models.get(key);
    if (!model) {
      model = analyzeProgram(program, (file) => this.text(file), mode);
      this.#models.set(key, model);
    }
    return model;
  }

  #insert({ file, line, assignment }: Logpoint, mode: RunMode): void {
    const text = this.text(file);
    if (text === undefined) {
      throw new AfterlogError("AL002", `there is no file ${file} in the project`, {
        help: ["name a file of the program, from here:  --at FILE:LINE 'grad_norm = l2(grads)'"],
      });
    }
    const inserted = insertLog(text, file, line, { assignment, ...mode });
    if ("problem" in inserted) {
      throw new AfterlogError("AL001", `--at ${file}:${line}: ${inserted.problem}`, {
        help: [inserted.help],
      });
    }
    this.#texts.set(file, inserted.text);
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * The places that may log a name: those that say it, else those whose name is a template that fits,
 * else those whose name nobody can tell.
 */
export function findStatements({ logs }: SourceModel, name: string): readonly SourceLog[] {
  const literal = logs.filter((log) => log.name === name);
  if (literal.length > 0) return literal;
  const computed = logs.filter((log) => log.name === null);
  return computed.filter(({ pattern }) => pattern !== undefined && new RegExp(pattern).test(name));
}

/** The error for a name that no statement of these programs logs. */
export function noStatement(
  name: string,
  programs: readonly string[],
  models: readonly SourceModel[],
): AfterlogError {
  const logs = models.flatMap((model) => model.logs);
  const known = [...new Set(logs.flatMap((log) => log.name ?? []))];
  const close = nearestName(name, known);
  const near = logs.find((log) => log.name === close);
  const files = [...new Set(models.flatMap((model) => model.files))];
  const where = files.length > 6 ? `${files.slice(0, 6).join(", ")}, …` : files.join(", ");
  const [program = "the program"] = programs;
  const own = models.find((model) => model.files.includes(program)) ?? models[0];
  const isPrinted = own?.handsFree ?? false;
  const isUnprinted = isPrinted && !isPrintedName(name);
  const { printing } = languageOf(program);
  const call = isPrinted && !isUnprinted ? printing : "al.log";
  return new AfterlogError("AL021", `no log statement named ${JSON.stringify(name)}`, {
    notes: [
      `looked in the working tree: ${where || "none of the recorded programs is there any more"}`,
      ...(isUnprinted ? ["printed under this name it is not logged: see docs/console.md"] : []),
      ...(near ? [`did you mean ${close} (${near.file}:${near.line})?`] : []),
    ],
    help: [
      `add  ${call}(${JSON.stringify(name)}, …)  to ${program}, then run this again`,
      `or add it to the replay only:  --at ${program}:LINE '${name} = …'`,
    ],
    data: { name, close: close ?? null },
  });
}
