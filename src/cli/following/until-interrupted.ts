/** @file Ctrl-C while something is followed: the following ends, and nothing else. */
import { Interrupt } from "../interrupt.ts";

export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupt = new Interrupt(() => undefined);
  try {
    return await work(interrupt.signal);
  } finally {
    interrupt.release();
  }
}
