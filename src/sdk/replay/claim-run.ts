/**
 * @file One process at a time resumes a run: two would write into the same log. Held only while
 * the manifest is changed, which then names the process.
 */
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Manifest } from "../../format/index.ts";
import { isAlive, readManifest, runPaths } from "../../store/index.ts";
import { hostFacts } from "../host-facts.ts";

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
  takeClaim(claim);
  try {
    const before = readManifest(runFolder);
    const isHere = before.host.name === hostname();
    // Of another machine nobody can tell; whoever started this process has said that it is gone.
    if (before.status === "recording" && isHere) throw claimTaken();
    if ((before.resumed ?? []).length !== resumed) throw claimTaken();
    return change(before);
  } finally {
    rmSync(claim, { force: true });
  }
}

function claimTaken(claim?: string): Error {
  const remedy = claim === undefined ? "" : `; if none does, remove ${claim}`;
  return new Error(`another process resumes it${remedy}`);
}

/** Makes the file under its name with its content, or not at all. */
function takeClaim(claim: string): void {
  // Machines that share a disk give the same numbers to processes.
  const own = `${claim}.${process.pid}-${randomBytes(4).toString("hex")}`;
  writeFileSync(own, JSON.stringify(hostFacts()));
  try {
    if (isLinked(own, claim)) return;
    removeLeft(claim, `${own}.left`);
    if (!isLinked(own, claim)) throw claimTaken(claim);
  } finally {
    rmSync(own, { force: true });
  }
}

/** False if there is one already. */
function isLinked(own: string, claim: string): boolean {
  try {
    linkSync(own, claim);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the claim of a process that died before it could resume the run. Throws if it lives. */
function removeLeft(claim: string, aside: string): void {
  if (!isLeft(claim)) throw claimTaken(claim);
  try {
    renameSync(claim, aside);
  } catch (error) {
    // Another process has removed it; then it takes the run, or we do.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    if (isLeft(aside)) return;
    // Somebody was faster, and this is its claim.
    isLinked(aside, claim);
    throw claimTaken(claim);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** One that is not whole was made before a power cut; one that is gone holds nobody up. */
function isLeft(claim: string): boolean {
  const host = parseHost(readIfThere(claim));
  return host === undefined || !isAlive(host);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function parseHost(text: string): Manifest["host"] | undefined {
  try {
    const host = JSON.parse(text) as Partial<Manifest["host"]> | null;
    const isWhole = typeof host?.name === "string" && typeof host.pid === "number";
    return isWhole ? (host as Manifest["host"]) : undefined;
  } catch {
    return undefined;
  }
}
