/**
 * @file Named points at which tests kill the process, end the worker, or fail the disk.
 *
 * `AFTERLOG_CRASH_AT=point` kills the whole process there, as `kill -9` does; `worker:point` ends
 * the worker alone; `ENOSPC:point` and `EIO:point` throw what the system would; `stall=400:point`
 * takes so many milliseconds, as a disk does that others use too.
 */
import type { Faults } from "../store/index.ts";

const NAME = /^(?:(worker|ENOSPC|EIO|stall=\d+):)?(.*?)(?:#(\d+)(?:-(\d+))?)?$/;

/**
 * The faults that the variable asks for; `null` asks for none. A suffix `#3` waits for the third
 * time, `#3-5` ends with the fifth.
 */
export function faultsFromName(name: string | null): Faults {
  if (name === null || name === "") return () => undefined;
  const [, action = "", wanted = "", from = "1", to = "Infinity"] = NAME.exec(name) ?? [];
  let times = 0;
  return (point) => {
    if (point !== wanted || ++times < Number(from) || times > Number(to)) return;
    if (action === "") process.kill(process.pid, "SIGKILL");
    if (action === "worker") process.exit(1);
    if (action.startsWith("stall=")) return stallDisk(Number(action.slice("stall=".length)));
    throw Object.assign(new Error(`${action}: injected at ${point}`), { code: action });
  };
}

/** Nothing else happens on this thread meanwhile, as in a call that does not return. */
function stallDisk(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
