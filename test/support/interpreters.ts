/** @file The interpreters of Python that are on this machine; each question is answered once. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Debian's, for which torch is packaged, whichever one comes first on the PATH. */
const DEBIAN = "/usr/bin/python3";
const BY_VERSION = [6, 7, 8, 9, 10, 11, 12, 13, 14].map((minor) => `python3.${minor}`);
const MINOR_MIN = 9;

type ByMinor = ReadonlyMap<number, string>;

/** Each version that these commands are, and the first that is it; by minor version. */
function versionsOf(commands: readonly string[]): ByMinor {
  const found = new Map<number, string>();
  for (const command of commands) {
    const { status, stdout } = spawnSync(command, ["--version"], { encoding: "utf8" });
    const minor = Number(/^Python 3\.(\d+)/.exec(stdout ?? "")?.[1] ?? Number.NaN);
    if (status === 0 && !Number.isNaN(minor) && !found.has(minor)) found.set(minor, command);
  }
  return found;
}

/** Interpreters that lie beside each other, as pyenv keeps them. */
function kept(): string[] {
  const folder = join(process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv"), "versions");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.toSorted().map((name) => join(folder, name, "bin/python3"));
}

function supported(found: ByMinor): string[] {
  return [...found].flatMap(([minor, command]) => (minor >= MINOR_MIN ? [command] : []));
}

const onPath = once(() => versionsOf([DEBIAN, "python3", ...BY_VERSION]));

/** One of each version that a user would find on the PATH. */
export const interpreters: () => readonly string[] = once(() => supported(onPath()));

/** One of each version that is anywhere here, for what is quick: those too old, and the others. */
export function everyInterpreter(): { supported: string[]; old: string[] } {
  const all = versionsOf([...onPath().values(), ...kept()]);
  const old = [...all].flatMap(([minor, command]) => (minor < MINOR_MIN ? [command] : []));
  return { supported: supported(all), old };
}

const HAS_TORCH =
  "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))";

/** The interpreter that has torch, be it a second one of its version; undefined if none does. */
export const torchInterpreter: () => string | undefined = once(() =>
  [...interpreters(), "python3"].find(
    (command) => spawnSync(command, ["-c", HAS_TORCH, "torch", "numpy"]).status === 0,
  ),
);

function once<T>(answer: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: answer() }).value;
}
