/**
 * @file The environment variables that a program looks at: a replay in another environment would
 * compute something else. Values may be secrets, so only hashes of them are kept, each run's own.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Directive } from "../format/index.ts";

/** `process.env.NAME`, `process.env["NAME"]`; `{ NAME, OTHER } = process.env`. */
const NAMED =
  /(process\s*\??\.\s*)?\benv\s*(?:\??\.\s*([A-Za-z_]\w*)|(?:\?\.)?\[\s*["'`]([^"'`]+)["'`]\s*\])/g;
const UNPACKED = /\{([^{}]*)\}\s*=\s*(process\s*\.\s*)?env\b/g;
/** Differ from process to process, or are ours: no program computes with them. */
const OF_NO_INTEREST =
  /^(?:AFTERLOG_|TMPDIR$|PWD$|OLDPWD$|SHLVL$|_$|TERM$|COLUMNS$|LINES$|FORCE_COLOR$|NO_COLOR$|CI$)/;

/**
 * Who runs the program, where, on which device, and what opens a door: they differ between people
 * and change with time, and hardly a program computes with them.
 */
const OF_THE_SURROUNDINGS =
  /^(?:HOME|USERPROFILE|USER|USERNAME|LOGNAME|HOST|HOSTNAME|SHELL|PATH|NODE_PATH|(?:CUDA|HIP|ROCR)_VISIBLE_DEVICES|(?:.*_)?(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS))$/i;

/**
 * The variables that this process was started with. A program that is started without the command
 * begins its run at its first call, when it may have set some: a replay begins before its first line
 * and would find them changed. The system knows what they were, where it has a `/proc`
 * that the process may read.
 */
export function startEnvironment(directive: Directive | undefined): NodeJS.ProcessEnv {
  const isFromFile = process.execArgv.some((option) => option.startsWith("--env-file"));
  if (directive || isFromFile) return { ...process.env };
  try {
    const entries = readFileSync(INITIAL, "utf8").split("\0");
    return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2)));
  } catch {
    return { ...process.env };
  }
}

const INITIAL = "/proc/self/environ";

export type Hashes = { readonly [name: string]: string };

export interface Sources {
  readonly root: string;
  readonly files: readonly string[];
}

/** Hashes of the variables, set or not, that these sources name. */
export function environmentHashes(
  sources: Sources & { readonly salt: string },
  variables: NodeJS.ProcessEnv,
): Hashes {
  const hash = (name: string): string => {
    const text = JSON.stringify([sources.salt, name, variables[name] ?? null]);
    return createHash("sha256").update(text).digest("hex").slice(0, 16);
  };
  const names = [...new Set(variablesNamedIn(sources).map(({ name }) => name))].toSorted();
  return Object.fromEntries(names.map((name) => [name, hash(name)]));
}

interface Named {
  readonly name: string;
  /** It is read from `process.env`; any object may be called `env`. */
  readonly isCertain: boolean;
}

function variablesNamedIn({ root, files }: Sources): Named[] {
  const texts = files
    .map((file) => resolve(root, file))
    .flatMap((file) => (existsSync(file) ? [readFileSync(file, "utf8")] : []));
  return texts
    .flatMap((text) => [...variablesReadIn(text), ...variablesUnpackedIn(text)])
    .filter(({ name }) => name !== "" && !OF_NO_INTEREST.test(name));
}

function variablesReadIn(text: string): Named[] {
  return [...text.matchAll(NAMED)].map(([, from, dotted, quoted]) => {
    return { name: dotted ?? quoted ?? "", isCertain: from !== undefined };
  });
}

function variablesUnpackedIn(text: string): Named[] {
  return [...text.matchAll(UNPACKED)].flatMap(([, inside = "", from]) =>
    inside.split(",").map((part) => {
      return { name: /^\s*(\w+)/.exec(part)?.[1] ?? "", isCertain: from !== undefined };
    }),
  );
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

/** Variables that the sources read and the run did not: nobody knows what they were. */
export function unknownVariables(before: Hashes, sources: Sources): string[] {
  const certain = variablesNamedIn(sources).filter(({ isCertain }) => isCertain);
  return certain.map(({ name }) => name).filter((name) => !(name in before));
}
