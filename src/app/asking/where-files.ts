/** @file Where a statement of one file goes in an older copy of it. Needs no project. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Landing } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import { findStatement, landStatements } from "../../landing/index.ts";
import { languageOf, prepareLanguages } from "../../languages/index.ts";
import type { Ports } from "../ports.ts";

/** A landing as JSON; the order of the keys is that of the documentation. */
export type FileLanding = Pick<
  Landing,
  | "verdict"
  | "line"
  | "text"
  | "confidence"
  | "reason"
  | "warnings"
  | "carried"
  | "column"
  | "renames"
  | "refusal"
> & {
  /** The older file with the statement in it; null if it cannot be there. */
  readonly result: string | null;
};

export interface LandedFile {
  readonly report: FileLanding;
  readonly landing: Landing;
  /** The older file with the statement in it. */
  readonly changed: string;
}

export interface FilesQuestion {
  readonly newFile: string;
  /** Of the statement, in the new file. */
  readonly line: number;
  readonly oldFile: string;
}

/** Lands the statement. Throws AL002 for files that cannot be read, AL023 if it is not there. */
export async function landInFile(ports: Ports, question: FilesQuestion): Promise<LandedFile[]> {
  const { newFile, line, oldFile } = question;
  const newText = readText(ports, newFile);
  const oldText = readText(ports, oldFile);
  await prepareLanguages([newFile, oldFile]);
  const statement = statementAt(newFile, newText, line);
  const { landings, overlays } = landStatements({
    now: { file: newFile, text: (file) => (file === newFile ? newText : undefined) },
    statements: [statement],
    then: { files: [oldFile], text: (file) => (file === oldFile ? oldText : undefined) },
    decided: { file: oldFile },
  });
  const changed = overlays.find(({ file }) => file === oldFile)?.text ?? oldText;
  const isSound = changed === oldText || languageOf(oldFile).isStillProgram(oldText, changed);
  return (isSound ? landings : landings.map(unsound)).map((landing) => {
    return { landing, changed, report: reportOf(landing, changed) };
  });
}

/** A landing that would spoil the file. */
function unsound(landing: Landing): Landing {
  const reason = "the changed file would be no program";
  const none = { line: null, column: null, text: null, carried: [], renames: [], warnings: [] };
  return { ...landing, ...none, verdict: "cannot", confidence: 0, reason, refusal: UNSOUND };
}

const UNSOUND = "parse_error_in_region";

function readText({ cwd }: Ports, file: string): string {
  const bytes = readBytes(resolve(cwd, file), file);
  try {
    // What is not UTF-8 would come out with other characters than it has. A byte order mark stays.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new AfterlogError("AL002", `${file} is not text in UTF-8`, {
      help: ["name two source files, in UTF-8:  afterlog where --files NEW:61 OLD"],
      cause: error,
    });
  }
}

function readBytes(path: string, file: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new AfterlogError("AL002", `${file} cannot be read`, {
      help: ["name two files that exist:  afterlog where --files NEW:61 OLD"],
      cause: error,
    });
  }
}

function statementAt(
  file: string,
  text: string,
  line: number,
): { readonly line: number; readonly column: number } {
  const found = findStatement(file, text, line);
  switch (found.kind) {
    case "statement":
      return found;
    case "unparsed":
      throw new AfterlogError("AL002", `${file} cannot be parsed: ${found.message}`, {
        help: [`repair ${file}:${found.line} first`],
      });
    case "none": {
      const { nearest } = found;
      throw new AfterlogError("AL023", `there is no statement at ${file}:${line}`, {
        help: nearest
          ? [`the nearest one:  ${file}:${nearest.line}   ${nearest.text}`]
          : ["the file has no statements: name another"],
      });
    }
  }
}

function reportOf(landing: Landing, changed: string): FileLanding {
  const { verdict, line, column, text, confidence, reason, warnings, carried } = landing;
  return {
    verdict,
    line,
    text,
    confidence,
    reason,
    warnings,
    carried,
    result: verdict === "cannot" ? null : changed,
    column,
    renames: landing.renames,
    refusal: landing.refusal,
  };
}
