/**
 * @file What a test needs that a machine may lack: a kernel feature, a tool, an interpreter. A test
 * names it, `test("…", needs("mount"), () => …)`, and where it is missing the test is skipped and
 * counted apart, as "not possible here", with the reason. Each is tried once in a worker, when
 * first asked for.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestOptions } from "vitest";
import { canSandbox } from "../../src/replayer/execution/sandbox.ts";
import { torchInterpreter } from "./interpreters.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Why a skipped test could not run on this machine. */
    notPossible?: string;
  }
}

interface Need {
  /** Said when it is missing. */
  readonly without: string;
  readonly isThere: () => boolean;
}

const NEEDS = {
  git: { without: "no git", isThere: () => succeeds("git", "--version") },
  mount: { without: "no right to mount", isThere: canMount },
  // A container often may not trace, though the command is there.
  strace: {
    without: "no strace, or no right to trace",
    isThere: () => succeeds("strace", "-o", "/dev/null", "true"),
  },
  // A container often may not have namespaces, though the command is there.
  sandbox: {
    without: "no bubblewrap, or no user namespaces",
    isThere: () => canSandbox(process.env),
  },
  root: { without: "not root", isThere: () => process.getuid?.() === 0 },
  torch: { without: "no torch", isThere: () => torchInterpreter() !== undefined },
  zsh: { without: "no zsh", isThere: () => succeeds("zsh", "--version") },
  fish: { without: "no fish", isThere: () => succeeds("fish", "--version") },
  python: { without: "no python3", isThere: () => succeeds("python3", "--version") },
  chromium: { without: "no chromium", isThere: () => succeeds("chromium", "--version") },
} as const satisfies { readonly [name: string]: Need };

/** A need of one test file, beside those that several have. */
export function unless(isThere: boolean, without: string): TestOptions {
  return isThere ? {} : { skip: true, meta: { notPossible: without } };
}

/** Options of a test or a group of tests: skipped, and counted apart, unless all of these are here. */
export function needs(...names: readonly (keyof typeof NEEDS)[]): TestOptions {
  const missing = names.find((name) => !isThere(name));
  return unless(missing === undefined, missing === undefined ? "" : NEEDS[missing].without);
}

const found = new Map<keyof typeof NEEDS, boolean>();

function isThere(name: keyof typeof NEEDS): boolean {
  const known = found.get(name) ?? NEEDS[name].isThere();
  found.set(name, known);
  return known;
}

function succeeds(command: string, ...argv: readonly string[]): boolean {
  return spawnSync(command, argv, { stdio: "ignore" }).status === 0;
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", ["-l", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}
