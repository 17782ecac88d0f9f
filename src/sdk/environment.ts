/**
 * @file The environment variables that a program looks at: a replay in another environment would
 * compute something else. Values may be secrets, so only hashes of them are kept, each run's own.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

/** `process.env.NAME`, `process.env["NAME"]`; `{ NAME, OTHER } = process.env`. */
const NAMED = /\benv\s*\??\.\s*([A-Za-z_]\w*)|\benv\s*(?:\?\.)?\[\s*["'`]([^"'`]+)["'`]\s*\]/g;
const UNPACKED = /\{([^{}]*)\}\s*=\s*(?:process\s*\.\s*)?env\b/g;
/** Differ from process to process, or are ours: no program computes with them. */
const OF_NO_INTEREST =
  /^(?:AFTERLOG_|TMPDIR$|PWD$|OLDPWD$|SHLVL$|_$|TERM$|COLUMNS$|LINES$|FORCE_COLOR$|NO_COLOR$|CI$)/;

/**
 * Who runs the program, where, on which device, and what opens a door: they differ between people
 * and change with time, and hardly a program computes with them.
 */
const OF_THE_SURROUNDINGS =
  /^(?:HOME|USERPROFILE|USER|USERNAME|LOGNAME|HOST|HOSTNAME|SHELL|PATH|NODE_PATH|(?:CUDA|HIP|ROCR)_VISIBLE_DEVICES|.*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS))$/i;

export type Hashes = { readonly [name: string]: string };

/** Hashes of the variables, set or not, that these sources name. */
export function environmentHashes(
  sources: { readonly root: string; readonly files: readonly string[]; readonly salt: string },
  variables: NodeJS.ProcessEnv,
): Hashes {
  const names = new Set(sources.files.flatMap((file) => namesIn(resolve(sources.root, file))));
  const hash = (name: string): string => {
    const text = JSON.stringify([sources.salt, name, variables[name] ?? null]);
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
  };
  const kept = [...names].filter((name) => !OF_NO_INTEREST.test(name)).toSorted();
  return Object.fromEntries(kept.map((name) => [name, hash(name)]));
}

function namesIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const named = [...text.matchAll(NAMED)].map(([, dotted, quoted]) => dotted ?? quoted ?? "");
  const unpacked = [...text.matchAll(UNPACKED)].flatMap(([, inside = ""]) =>
    inside.split(",").map((part) => /^\s*(\w+)/.exec(part)?.[1] ?? ""),
  );
  return [...named, ...unpacked].filter((name) => name !== "");
}

/** Variables that are not what they were. */
export interface ChangedVariables {
  /** A program may well compute with them. */
  readonly computed: readonly string[];
  /** Hardly; should something differ, they are a reason to think of. */
  readonly surroundings: readonly string[];
}

export function changedVariables(before: Hashes, now: Hashes): ChangedVariables {
  const changed = Object.keys(before).filter((name) => name in now && before[name] !== now[name]);
  return {
    computed: changed.filter((name) => !OF_THE_SURROUNDINGS.test(name)),
    surroundings: changed.filter((name) => OF_THE_SURROUNDINGS.test(name)),
  };
}
