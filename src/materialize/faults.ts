/**
 * @file Named points at which tests kill the process, end the worker, or fail the disk.
 *
 * `AFTERLOG_CRASH_AT=point` kills the whole process there, as `kill -9` does; `worker:point` ends
 * the worker alone; `ENOSPC:point` and `EIO:point` throw what the system would.
 */
import type { Faults } from "../store/index.ts";

/** The faults that the variable asks for; `null` asks for none. A `#3` suffix waits for the 3rd. */
export function faultsFromName(name: string | null): Faults {
  if (name === null || name === "") return () => undefined;
  const [, action = "", wanted = "", nth = "1"] =
    /^(?:(worker|ENOSPC|EIO):)?(.*?)(?:#(\d+))?$/.exec(name) ?? [];
  let left = Number(nth);
  return (point) => {
    if (point !== wanted || --left > 0) return;
    if (action === "") process.kill(process.pid, "SIGKILL");
    if (action === "worker") process.exit(1);
    throw Object.assign(new Error(`${action}: injected at ${point}`), { code: action });
  };
}
