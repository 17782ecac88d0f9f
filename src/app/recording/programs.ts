/** @file The programs of a folder, and the one that a help line names. */
import { readdirSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { AfterlogError, nearestName, PROGRAM_EXTENSIONS } from "../../format/index.ts";

/** Files of a folder that `afterlog run` takes, by their names. */
export function programsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => PROGRAM_EXTENSIONS.has(extname(name)));
  } catch {
    return [];
  }
}

/** The program of a folder that trains, most likely, for a command that can be copied. */
export function exampleProgram(folder: string): string {
  const programs = programsIn(folder);
  return programs.find((name) => /train/i.test(name)) ?? programs[0] ?? "train.ts";
}

/** The error for a program that is not there; `asTyped`: what to type for the one that was meant. */
export function noProgram(
  folder: string,
  file: string,
  asTyped: (meant: string) => string,
): AfterlogError {
  const near = nearestName(basename(file), programsIn(dirname(resolve(folder, file))));
  const help =
    near === undefined
      ? `look at what is here:  ls ${dirname(file)}`
      : `did you mean  ${asTyped(join(dirname(file), near))}`;
  return new AfterlogError("AL002", `there is no file ${file === "" ? '""' : file}`, {
    help: [help],
  });
}

/** Whether a name is that of a program, whether there is one or not. */
export function isProgramName(file: string): boolean {
  return PROGRAM_EXTENSIONS.has(extname(file));
}
