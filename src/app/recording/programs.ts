/** @file The programs of a folder, and the one that a help line names. */
import { readdirSync } from "node:fs";
import { extname } from "node:path";
import { PROGRAM_EXTENSIONS } from "../../languages/index.ts";

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
