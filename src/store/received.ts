/**
 * @file The mark of a run that came by `pull`: from where, and when. It lies in the run's folder and
 * does not travel: it is what this store knows, not what the run says of itself.
 */
import { readFileSync } from "node:fs";
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
  let text: string;
  try {
    text = readFileSync(runPaths.received(runFolder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const { remote, address, received } = fieldsOf(text);
  const atMs = Date.parse(String(received));
  return {
    remote: typeof remote === "string" ? remote : "an unknown remote",
    address: typeof address === "string" ? address : "",
    atMs: Number.isNaN(atMs) ? 0 : atMs,
  };
}

function fieldsOf(text: string): { readonly [field: string]: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { readonly [field: string]: unknown };
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
