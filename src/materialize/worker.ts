/**
 * @file The worker thread: prefaults slots, persists snapshots, writes the log.
 *
 * Order matters: messages are handled one after the other, and the log is written between the
 * pieces of a long persist, so that it is never more than a fraction of a second behind. Logged
 * tensors do not wait for their turn: their bytes are written before the lines that name them.
 */
import { existsSync } from "node:fs";
import { setPriority } from "node:os";
import { receiveMessageOnPort, workerData } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { describeError, PAGE_BYTES } from "../format/index.ts";
import { LineFile, runPaths, sharedPageMemory, ValueFile } from "../store/index.ts";
import { faultsFromName } from "./faults.ts";
import { Persister } from "./persist.ts";
import type { FromWorker, PersistJob, ToWorker, WorkerEvent, WorkerStart } from "./protocol.ts";
import { CONTROL } from "./protocol.ts";
import { RingReader } from "./ring.ts";
import { ThreadTime } from "./thread-time.ts";

/** Half of the 200 ms within which a line is on its way to the disk (semantics, "Durability"). */
const FLUSH_MS = 100;

/** As `nice` has it; the disk is asked with it, too. */
const LOW_PRIORITY = 10;

const { start, port } = workerData as { start: WorkerStart; port: MessagePort };
const control = new Int32Array(start.control);
const faults = faultsFromName(start.crashAt);
// First of all: whoever waits for this thread must learn that it is gone, whatever ended it.
process.on("exit", () => {
  Atomics.store(control, CONTROL.alive, 0);
  Atomics.add(control, CONTROL.events, 1);
  Atomics.notify(control, CONTROL.events);
});
const { run, runFolder } = start;
const failed = { log: false, profile: false, values: false };
const files = {
  log: openLines("log", runPaths.log(runFolder)),
  profile: openLines("profile", runPaths.profile(runFolder)),
};
const rings = { log: new RingReader(start.log), profile: new RingReader(start.profile) };
const values = new ValueFile(runPaths.values(runFolder), { takeOver: start.from !== undefined });
const persister =
  files.log && new Persister({ run, runFolder, log: files.log, syncValues, faults });

try {
  // Where the processor is scarce the training comes first (DeepFreeze §IV.A); 0 is this thread, on Linux.
  if (process.platform === "linux") setPriority(0, LOW_PRIORITY);
} catch {
  // Then it is as urgent as the training.
}
const time = new ThreadTime();
const startMs = time.read().ranMs;
let lastFlush = 0;
let retained: SharedArrayBuffer[] | undefined;
/** Whether there is another slot, so that the last can be kept to compare the next with. */
let keepsLast = true;
let queue: Promise<void> = Promise.resolve();

/** Something got done: who waits for this thread need not take it for stalled. */
function advanceProgress(): void {
  Atomics.add(control, CONTROL.progress, 1);
}

function tellTrainingThread(event: WorkerEvent): void {
  advanceProgress();
  const message: FromWorker = { ...event, atMs: performance.timeOrigin + performance.now() };
  port.postMessage(message);
  Atomics.add(control, CONTROL.events, 1);
  Atomics.notify(control, CONTROL.events);
}

/** What all this takes the processor is part of what recording costs. */
function tellTime(): void {
  Atomics.store(control, CONTROL.ranMs, Math.round(time.read().ranMs - startMs));
}

function openLines(name: "log" | "profile", file: string): LineFile | undefined {
  try {
    const { from } = start;
    return new LineFile(file, from ? { takeOverAt: from[name] } : {});
  } catch (error) {
    failFeature(name, error);
    return undefined;
  }
}

function failFeature(name: "log" | "profile" | "values", error: unknown): void {
  failed[name] = true;
  tellTrainingThread({ kind: "failed", feature: name, why: describeError(error) });
}

/** Writes what the rings hold. After a failure they are still emptied, so that nobody waits. */
function flushRings(): void {
  lastFlush = performance.now();
  for (const name of ["log", "profile"] as const) {
    rings[name].drain((bytes) => {
      // Here and not before: what these lines name was posted before they were in the ring.
      receiveMessages();
      if (failed[name]) return;
      try {
        faults(`${name}:before-write`);
        files[name]?.write(bytes);
        advanceProgress();
      } catch (error) {
        failFeature(name, error);
      }
    });
  }
  Atomics.add(control, CONTROL.events, 1);
  Atomics.notify(control, CONTROL.events);
}

function flushIfDue(): void {
  if (performance.now() - lastFlush >= FLUSH_MS) flushRings();
}

/** A piece of something long is done. */
function reportProgress(): void {
  advanceProgress();
  flushIfDue();
}

/**
 * Touches every page: the first write to a page is what costs, not the copy (semantics, "Snapshot
 * and persist").
 */
function allocateSlot(segmentBytes: readonly number[]): void {
  const segments = segmentBytes.map((bytes) => sharedPageMemory(bytes));
  for (const segment of segments) {
    const bytes = new Uint8Array(segment);
    for (let at = 0; at < bytes.byteLength; at += PAGE_BYTES) {
      bytes[at] = 0;
      if (at % (64 << 20) === 0) reportProgress();
    }
  }
  tellTrainingThread({ kind: "slot", segments, fresh: true });
}

async function persistSlot(job: PersistJob, segments: SharedArrayBuffer[]): Promise<void> {
  try {
    if (!persister) throw new Error("there is no log");
    const begun = persister.begin(job, segments);
    persister.forgetBytes();
    giveBack();
    flushRings();
    tellTrainingThread({ kind: "committed", record: await persister.write(begun, reportProgress) });
    retained = segments;
    if (!keepsLast) {
      persister.forgetBytes();
      giveBack();
    }
  } catch (error) {
    persister?.forgetBytes();
    giveBack();
    tellTrainingThread({ kind: "failed", feature: "checkpoints", why: describeError(error) });
    tellTrainingThread({ kind: "slot", segments, fresh: false });
  }
}

/** A failure costs room on the disk, and nothing else. */
function removeFiles(names: readonly string[], t: number): void {
  try {
    persister?.remove(names, t);
  } catch (error) {
    tellTrainingThread({ kind: "failed", feature: "retention", why: describeError(error) });
  }
}

function giveBack(): void {
  if (!retained) return;
  tellTrainingThread({ kind: "slot", segments: retained, fresh: false });
  retained = undefined;
}

function keepValue(offset: number, bytes: SharedArrayBuffer): void {
  try {
    // After a failure the file ends there: what is missing is then evident to readers.
    if (!failed.values) {
      faults("values:before-write");
      values.write(new Uint8Array(bytes), offset);
    }
  } catch (error) {
    failFeature("values", error);
  }
  tellTrainingThread({ kind: "value-written", bytes: bytes.byteLength });
}

function syncValues(): void {
  try {
    if (!failed.values) values.sync();
  } catch (error) {
    failFeature("values", error);
  }
}

function finishRun(status: "done" | "failed", count: number): void {
  flushRings();
  syncValues();
  try {
    if (!failed.log) files.log?.seal(status, count);
  } catch (error) {
    failFeature("log", error);
  }
  try {
    if (!failed.profile) files.profile?.sync();
  } catch (error) {
    failFeature("profile", error);
  }
  for (const file of Object.values(files)) file?.close();
  values.close();
  persister?.close();
  clearInterval(timer);
  tellTime();
  tellTrainingThread({ kind: "finished" });
}

async function handleMessage(message: Exclude<ToWorker, { kind: "value" }>): Promise<void> {
  switch (message.kind) {
    case "allocate":
      keepsLast = message.count > 1;
      for (let slot = 0; slot < message.count; slot++) allocateSlot(message.segmentBytes);
      return;
    case "persist":
      return persistSlot(message.job, message.segments);
    case "remove":
      return removeFiles(message.files, message.t);
    case "flush":
      return flushRings();
    case "finish":
      return finishRun(message.status, message.count);
  }
}

/** A tensor is written at once, whatever else is under way; the rest waits for its turn. */
function acceptMessages(message: ToWorker): void {
  if (message.kind === "value") keepValue(message.offset, message.bytes);
  else queue = queue.then(() => handleMessage(message));
}

/** Accepts what has come, without waiting for the event loop to bring it. */
function receiveMessages(): void {
  for (;;) {
    const received: { message: ToWorker } | undefined = receiveMessageOnPort(port);
    if (!received) return;
    acceptMessages(received.message);
  }
}

// A training program may never come back to its own event loop: here somebody listens.
const timer = setInterval(() => {
  flushIfDue();
  tellTime();
  if (existsSync(runPaths.stop(runFolder))) Atomics.store(control, CONTROL.stop, 1);
}, FLUSH_MS);
port.on("message", acceptMessages);
