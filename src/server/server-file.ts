/**
 * @file `.afterlog/ui.json`: where the server of a project is, and the secret of programs that ask it. Only
 * its owner can read it. It is derived, and of no worth once the server has ended.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { ownPid } from "../host/index.ts";
import { bootId, isAlive, processStart } from "../store/index.ts";

export interface ServerFile {
  readonly schema: 1;
  /** `http://127.0.0.1:4300` */
  readonly origin: string;
  readonly token: string;
  /** What it keeps beside the project; left over if it was killed. */
  readonly folder: string;
  readonly host: Parameters<typeof isAlive>[0];
}

function fileOf(store: string): string {
  return join(store, "ui.json");
}

/** Says where the server of this process is; false if another server has said so. */
export function writeServerFile(
  store: string,
  server: Pick<ServerFile, "origin" | "token" | "folder">,
): boolean {
  const pidStart = processStart(ownPid);
  const host = { name: hostname(), pid: ownPid, pidStart, bootId: bootId() };
  const content: ServerFile = { schema: 1, ...server, host };
  const file = fileOf(store);
  const draft = `${file}.${ownPid}`;
  writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  try {
    // Whole or not at all, and only one of two servers that start at once.
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The server of a project whose process lives. What a dead one left is removed. */
export function findServer(store: string): ServerFile | undefined {
  const file = readServerFile(store);
  if (file && isAlive(file.host)) return file;
  if (file?.host.name === hostname() && /afterlog-ui-\w+$/.test(file.folder))
    rmSync(file.folder, { recursive: true, force: true });
  rmSync(fileOf(store), { force: true });
  return undefined;
}

/** Removes the file, if it is that of this server. */
export function removeServerFile(store: string, token: string): void {
  if (readServerFile(store)?.token === token) rmSync(fileOf(store), { force: true });
}

function readServerFile(store: string): ServerFile | undefined {
  try {
    const content = JSON.parse(readFileSync(fileOf(store), "utf8")) as Partial<ServerFile>;
    return content.schema === 1 && content.host ? (content as ServerFile) : undefined;
  } catch {
    return undefined;
  }
}
