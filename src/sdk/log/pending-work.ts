/** @file What Node waits for on behalf of the program: timers, reads, requests. */
import { clearImmediate, setImmediate } from "node:timers";

/** Ports to our thread and to the loader's, and the streams that every process has. */
const OUR_RESOURCES = new Set(["MessagePort", "Worker", "TTYWrap", "PipeWrap"]);

/** The kind of each thing that is waited for. */
export function pendingWork(): string[] {
  const kinds = process.getActiveResourcesInfo().filter((kind) => !OUR_RESOURCES.has(kind));
  const isOwn = !kinds.includes("Immediate") || hasImmediates();
  return isOwn ? kinds : kinds.filter((kind) => kind !== "Immediate");
}

/**
 * Whether the program itself set one. Node counts its own with them, such as those that a garbage
 * collection leaves when packages were required; only what JavaScript sets is in the queue.
 */
function hasImmediates(): boolean {
  const probe = setImmediate(() => undefined) as { _idlePrev?: unknown };
  const isFirst = probe._idlePrev === null;
  clearImmediate(probe as NodeJS.Immediate);
  return !isFirst;
}
