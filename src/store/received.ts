/**
 * @file What this store knows of a run, and the run does not say of itself: from where it came by `pull`, and
 * when; and where it is put in the order, if its clock was wrong. It lies in the run's folder and does not travel.
 */
import { readFileSync } from "node:fs";
import { replaceFile } from "./durable.ts";
import { runPaths } from "./store-paths.ts";

/** Where a run came from. */
export interface ReceivedFrom {
  /** As the user called it. */
  readonly remote: string;
  /** Its URL or folder, without a password. */
  readonly address: string;
  readonly atMs: number;
}

/** The text of the mark. */
export function receivedToJson({ remote, address, atMs }: ReceivedFrom): string {
  const received = new Date(atMs).toISOString();
  return `${JSON.stringify({ v: 1, remote, address, received })}\n`;
}

/** The mark of a run; undefined: it was recorded here. A mark that cannot be read is one of nowhere. */
export function readReceived(runFolder: string): ReceivedFrom | undefined {
  const fields = readFields(runFolder);
  return fields && receivedOf(fields);
}

/** Where a run is at most in the order: it began before it came, and where somebody has put it. */
export function latestOrder(runFolder: string): number {
  const fields = readFields(runFolder);
  if (!fields) return Infinity;
  const { order } = fields;
  const placed = typeof order === "number" ? order : Infinity;
  return Math.min(placed, receivedOf(fields)?.atMs ?? Infinity);
}

/** Puts a run there; of where it came from nothing changes. */
export function placeRun(runFolder: string, order: number): void {
  const mark = { v: 1, ...readFields(runFolder), order };
  replaceFile(runPaths.received(runFolder), `${JSON.stringify(mark)}\n`);
}

type Fields = { readonly [field: string]: unknown };

function readFields(runFolder: string): Fields | undefined {
  try {
    return fieldsOf(readFileSync(runPaths.received(runFolder), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function receivedOf({ remote, address, received, order }: Fields): ReceivedFrom | undefined {
  // Of a run that was recorded here the mark says where it is put, and no more.
  if (typeof order === "number" && received === undefined) return undefined;
  const atMs = Date.parse(String(received));
  return {
    remote: typeof remote === "string" ? remote : "an unknown remote",
    address: typeof address === "string" ? address : "",
    atMs: Number.isNaN(atMs) ? 0 : atMs,
  };
}

function fieldsOf(text: string): Fields {
  try {
    return (JSON.parse(text) ?? {}) as Fields;
  } catch {
    return {};
  }
}

/** An address that may be shown and kept: without the user's password or token. */
export function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, (whole, scheme: string) => {
    const [, user = ""] = /^[a-z0-9+.-]+:\/\/([^:@/]*)@$/i.exec(whole) ?? [];
    // `git@host`: ssh's user is part of the address.
    return /^ssh|^git\+ssh/i.test(scheme) && user !== "" ? `${scheme}${user}@` : scheme;
  });
}
