/** @file Waiting for what another process does. */
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than anything takes on a busy machine; the test's own limit tells what hangs. */
const LIMIT_MS = 60_000;
const LOOK_MS = 20;

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await holds())) {
    if (performance.now() - began > LIMIT_MS) throw new Error(`it never held: ${holds.toString()}`);
    await sleep(LOOK_MS);
  }
}
