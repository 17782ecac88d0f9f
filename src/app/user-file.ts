/**
 * @file Files of the user's own configuration: what a project that is cloned or copied must not say of
 * itself, such as whose code is executed and which commands are called.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { AfterlogError } from "../format/index.ts";
import type { Ports } from "./ports.ts";

type Env = Ports["env"];

export function userFile(env: Env, name: string): string {
  const given = env["XDG_CONFIG_HOME"] ?? env["APPDATA"];
  const home = env["HOME"] ?? homedir();
  const folder = given === undefined || given === "" ? join(home, ".config") : given;
  return join(folder, "afterlog", name);
}

/** Its text; undefined if there is none. */
export function readUserFile(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Nobody else may read it. Throws AL042. */
export function writeUserFile(file: string, value: unknown): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.tmp`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  } catch (error) {
    throw new AfterlogError("AL042", `${file} cannot be written`, {
      help: ["make sure that the folder can be written"],
      data: { file },
      cause: error,
    });
  }
}
