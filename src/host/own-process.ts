/**
 * @file The process that the engine runs in: its environment, its clock, and signals to others. The
 * one place that reads them, besides `cli`, which has a terminal, and `sdk`, which is a guest in the
 * user's program. A test holds the other rooms to it.
 */
import process from "node:process";

export type Environment = Readonly<{ [name: string]: string | undefined }>;

/** What this process was started with; a caller that has another one hands that over instead. */
export const ownEnvironment: Environment = process.env;

export const ownPid: number = process.pid;

/** The Node that executes this, for processes that are started from it. */
export const nodePath: string = process.execPath;

/** What compiled modules of packages depend on. */
export const nodePlatform: readonly string[] = [
  process.platform,
  process.arch,
  process.versions.modules,
];

/** The wall clock. Durations are measured by `performance.now()`, which nobody sets back. */
export function wallClock(): Date {
  return new Date();
}

/** Sends a signal to a process, or to a group if the number is negative. Throws if it is gone. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  process.kill(pid, signal);
}

/** Whether there is a process with that number, be it another user's. */
export function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
