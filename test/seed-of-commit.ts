/** @file What is generated differs from commit to commit, and is the same for everyone who tests one. */
import { execFileSync } from "node:child_process";

/** A seed from the commit that is checked out; AFTERLOG_SEED sets another. */
export function seedOfCommit(): number {
  const asked = process.env["AFTERLOG_SEED"];
  if (asked !== undefined) return Number(asked) | 0;
  try {
    const cwd = import.meta.dirname;
    const hash = execFileSync("git", ["rev-parse", "HEAD"], { cwd, encoding: "utf8" });
    return Number.parseInt(hash.slice(0, 8), 16) | 0;
  } catch {
    return 1;
  }
}
