/**
 * @file The terminal that a program would have without `afterlog run`, whose pipes stand before it:
 * its streams say that they are one, know its size and move its cursor. What they write reaches the
 * terminal through the command line, in order.
 */
import { openSync } from "node:fs";
import { WriteStream } from "node:tty";
import type { Directive, TerminalSize } from "../format/index.ts";

/** Written as sequences to the stream itself: they need no terminal of their own. */
const METHODS = [
  "clearLine",
  "clearScreenDown",
  "cursorTo",
  "getColorDepth",
  "getWindowSize",
  "hasColors",
  "moveCursor",
] as const;

/** Makes standard output and error look like what the command line has. */
export function showTerminal(terminal: Directive["terminal"]): void {
  const streams: NodeJS.WriteStream[] = [];
  for (const name of ["stdout", "stderr"] as const) {
    const size = terminal[name];
    if (!size) continue;
    const stream = process[name];
    for (const method of METHODS) {
      const value: unknown = WriteStream.prototype[method];
      Object.defineProperty(stream, method, { value, configurable: true, writable: true });
    }
    Object.assign(stream, { isTTY: true, ...size });
    streams.push(stream);
  }
  // A terminal's own stream listens as well; a listener of this signal keeps no process alive.
  if (streams.length > 0) process.on("SIGWINCH", () => resizeStreams(streams));
}

function resizeStreams(streams: readonly NodeJS.WriteStream[]): void {
  const size = terminalSize();
  if (!size) return;
  const changed = streams.filter(({ columns, rows }) => {
    return columns !== size.columns || rows !== size.rows;
  });
  for (const stream of changed) Object.assign(stream, size);
  for (const stream of changed) stream.emit("resize");
}

/** The size of the terminal that controls this process; undefined if it has lost it. */
function terminalSize(): TerminalSize | undefined {
  try {
    const stream = new WriteStream(openSync("/dev/tty", "r+"));
    const [columns, rows] = stream.getWindowSize();
    stream.destroy();
    return { columns, rows };
  } catch {
    return undefined;
  }
}
