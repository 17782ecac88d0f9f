/**
 * @file The pipes between the program and the command line.
 *
 * What Node calls a pipe is a socket, which cannot be opened by name: `/dev/stdout` and a script's
 * `> /dev/stderr` fail on it. Where the system has named pipes, the program gets real ones.
 */
import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";

/** One end to read here, one to hand over. */
interface Pipe {
  readonly from: Readable;
  /** For `spawn`; closed here by `handedOver`. */
  readonly to: number;
}

export class ProgramStreams {
  readonly #pipes: { readonly stdout: Pipe; readonly stderr: Pipe } | undefined;

  constructor() {
    this.#pipes = realPipes();
  }

  /** What `spawn` takes for standard output and error. */
  get stdio(): [number | "pipe", number | "pipe"] {
    return this.#pipes ? [this.#pipes.stdout.to, this.#pipes.stderr.to] : ["pipe", "pipe"];
  }

  /** After the start: the program alone holds its ends, so that their end is seen here. */
  handedOver(child: { stdout: Readable | null; stderr: Readable | null }): {
    stdout: Readable;
    stderr: Readable;
  } {
    const pipes = this.#pipes;
    if (!pipes) return { stdout: child.stdout as Readable, stderr: child.stderr as Readable };
    closeSync(pipes.stdout.to);
    closeSync(pipes.stderr.to);
    return { stdout: pipes.stdout.from, stderr: pipes.stderr.from };
  }
}

function realPipes(): { stdout: Pipe; stderr: Pipe } | undefined {
  if (platform() === "win32") return undefined;
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), "afterlog-"));
    const names = { stdout: join(folder, "stdout"), stderr: join(folder, "stderr") };
    execFileSync("mkfifo", ["-m", "600", names.stdout, names.stderr], { stdio: "ignore" });
    return { stdout: openPipe(names.stdout), stderr: openPipe(names.stderr) };
  } catch {
    // No such command, or a file system without them: sockets are nearly as good.
    return undefined;
  } finally {
    // Both ends are open: nobody needs the names any more.
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function openPipe(name: string): Pipe {
  // Opening the end to read would wait for a writer, and the other for a reader.
  const from = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  const to = openSync(name, constants.O_WRONLY);
  return { from: new Socket({ fd: from, readable: true, writable: false }), to };
}
