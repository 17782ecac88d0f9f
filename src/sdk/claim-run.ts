/**
 * @file One process at a time goes on with a run: two would write into the same log. Held only while
 * the manifest is changed, which then names the process.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Manifest } from "../format/index.ts";
import { processStart, readManifest, runPaths } from "../store/index.ts";

/**
 * Calls `change` with the manifest of a run that nobody records. Throws if somebody does, or has
 * gone on with it since it had done so `resumed` times.
 */
export function claimRun(
  runFolder: string,
  resumed: number,
  change: (manifest: Manifest) => Manifest,
): Manifest {
  const claim = runPaths.claim(runFolder);
  take(claim);
  try {
    const before = readManifest(runFolder);
    const isHere = before.host.name === hostname();
    // Of another machine nobody can tell; whoever started this process has said that it is gone.
    if (before.status === "recording" && isHere) throw taken();
    if ((before.resumed ?? []).length !== resumed) throw taken();
    return change(before);
  } finally {
    rmSync(claim, { force: true });
  }
}

function taken(): Error {
  return new Error("another process goes on with it");
}

/** Makes the file under its name with its content, or not at all. */
function take(claim: string): void {
  const own = `${claim}.${process.pid}`;
  writeFileSync(own, JSON.stringify([hostname(), process.pid, processStart(process.pid)]));
  try {
    try {
      return linkSync(own, claim);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !isLeft(claim)) throw taken();
    }
    // Who made it died before it could go on.
    rmSync(claim, { force: true });
    linkSync(own, claim);
  } finally {
    rmSync(own, { force: true });
  }
}

function isLeft(claim: string): boolean {
  try {
    const [host, pid, start] = JSON.parse(readFileSync(claim, "utf8")) as [string, number, string];
    return host === hostname() && processStart(pid) !== start;
  } catch {
    return false;
  }
}
