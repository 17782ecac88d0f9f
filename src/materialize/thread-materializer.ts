/**
 * @file The training thread's side of the worker: copy, hand over, return to the training.
 *
 * Never depends on the event loop: a training program may compute for hours without returning to
 * it. Messages are taken from the port when we pass by, and waiting is a futex on shared memory.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { describeError } from "../format/index.ts";
import type { CheckpointCost } from "./ledger.ts";
import type {
  CheckpointRequest,
  Feature,
  FilePositions,
  Materializer,
  MaterializerEvents,
  Snapshot,
} from "./materializer.ts";
import { COPY_BYTES_PER_MS_ASSUMED } from "./materializer.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import { CONTROL } from "./protocol.ts";
import { makeRing, RingReader, RingWriter } from "./ring.ts";
import type { SharedRing } from "./ring.ts";
import type { SlotLayout } from "./slot-layout.ts";
import { SLOTS, slotsThatFit, SMALL_BYTES, whyFewer } from "./slot-count.ts";
import { persistJob, Snapshotter, structureTexts } from "./snapshot.ts";
import { copyBytes } from "../format/index.ts";
import { LineFile, runPaths, ValueFile } from "../store/index.ts";

/** Room for a burst of lines while the worker waits for the disk. */
const LOG_RING_BYTES = 4 << 20;
const PROFILE_RING_BYTES = 1 << 20;
/** Logged tensors that may wait in memory. */
const VALUE_BYTES_MAX = 256 << 20;
/** A worker that gets nothing done for this long while somebody waits for it is given up. */
const STALL_MS = 120_000;
/** Most that a first slot has to spare. */
const ROOM_BYTES_MAX = 64 << 20;
/** Copied once, when memory is ready, to learn how quick copying is here. */
const PROBE_BYTES = 16 << 20;

export interface ThreadMaterializerOptions {
  readonly run: string;
  readonly runFolder: string;
  readonly crashAt: string | null;
  readonly events: MaterializerEvents;
  /** Where the files of a run that is continued end; absent: they are made. */
  readonly from?: FilePositions | undefined;
  /** Memory that is free, asked before slots are taken; absent: there is enough. */
  readonly freeBytes?: (() => number) | undefined;
  /** Instead of `STALL_MS`, for tests. */
  readonly stallMs?: number | undefined;
}

export class ThreadMaterializer implements Materializer {
  readonly #options: ThreadMaterializerOptions;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #control = new Int32Array(new SharedArrayBuffer(4 * Object.keys(CONTROL).length));
  readonly #rings: { readonly log: SharedRing; readonly profile: SharedRing };
  readonly #log: RingWriter;
  readonly #profile: RingWriter;
  readonly #snapshotter = new Snapshotter();
  #slots: SharedArrayBuffer[][] = [];
  #slotBytes: readonly number[] = [];
  /** Slots on their way: being prefaulted, or with a job. */
  #allocating = 0;
  #persisting = 0;
  /** When the worker last finished something, on this thread's clock. */
  #idleAtMs = 0;
  #copyBytesPerMs = COPY_BYTES_PER_MS_ASSUMED;
  #valueBytes = 0;
  #valuePosition = 0;
  #finished = false;
  /** Set when the worker is gone: lines are then written from here. */
  #direct: { readonly log: LineFile; readonly profile: LineFile } | undefined;
  readonly #off = new Set<Feature>();
  /** Why the worker is gone. */
  #lostWhy: string | undefined;
  /** What happened while a line was being appended: its listener writes lines too, so it waits. */
  #raised: (() => void)[] = [];
  #appending = false;

  constructor(options: ThreadMaterializerOptions) {
    this.#options = options;
    this.#rings = { log: makeRing(LOG_RING_BYTES), profile: makeRing(PROFILE_RING_BYTES) };
    const halfFull = (): void => this.#post({ kind: "flush" });
    const makeRoom = (isRoom: () => boolean): boolean => this.#waitUntil(isRoom);
    this.#log = new RingWriter(this.#rings.log, { makeRoom, halfFull });
    this.#profile = new RingWriter(this.#rings.profile, { makeRoom, halfFull });
    Atomics.store(this.#control, CONTROL.alive, 1);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const { run, runFolder, crashAt, from } = options;
    this.#valuePosition = from?.values ?? 0;
    const start = { run, runFolder, crashAt, from, ...this.#rings, control: this.#control.buffer };
    this.#worker = new Worker(new URL("./worker.js", import.meta.url), {
      workerData: { start, port: port2 },
      transferList: [port2],
      // Not the program's flags: a preload of ours must not record our own thread.
      execArgv: [],
    });
    this.#worker.on("error", (error) => this.#fail("checkpoints", error.message));
    this.#worker.unref();
    port1.unref();
  }

  get stopRequested(): boolean {
    return Atomics.load(this.#control, CONTROL.stop) === 1;
  }

  get besideMs(): number {
    return Atomics.load(this.#control, CONTROL.ranMs);
  }

  get logBytes(): number {
    const before = this.#options.from?.log ?? 0;
    return this.#direct ? this.#direct.log.position : before + this.#log.position;
  }

  log(line: string): void {
    this.#append("log", line);
  }

  profile(line: string): void {
    this.#append("profile", line);
  }

  value(bytes: Uint8Array): number | undefined {
    const count = bytes.byteLength;
    this.#waitUntil(() => this.#valueBytes === 0 || this.#valueBytes + count <= VALUE_BYTES_MAX);
    if (this.#lostWhy !== undefined) this.#fail("values", this.#lostWhy);
    if (this.#off.has("values")) return undefined;
    const offset = this.#valuePosition;
    this.#valuePosition += count;
    this.#valueBytes += count;
    const copy = new SharedArrayBuffer(count);
    copyBytes(new Uint8Array(copy), bytes);
    this.#post({ kind: "value", offset, bytes: copy });
    return offset;
  }

  prepare(state: Snapshot): void {
    if (this.#off.has("checkpoints")) return;
    const { structure } = structureTexts(state, [], []);
    this.#provide(this.#snapshotter.layoutFor(state.leaves, structure.byteLength));
  }

  take(request: CheckpointRequest): CheckpointCost & { readonly taken: boolean } {
    const started = performance.now();
    const { state, generators, iterators, captureMs } = request;
    const { graphJson, structure } = structureTexts(state, generators, iterators);
    const layout = this.#snapshotter.layoutFor(state.leaves, structure.byteLength);
    const encoded = performance.now();
    const ready = (): boolean =>
      this.#slots.length > 0 && (request.paired || this.#persisting === 0);
    const isRoom = this.#provide(layout);
    const inTime = isRoom && this.#waitUntil(ready, encoded + request.waitMsMax);
    const slot = inTime ? this.#slots.pop() : undefined;
    const waited = performance.now();
    const soFar = { captureMs: encoded - started + captureMs, waitMs: waited - encoded };
    if (!slot || this.#off.has("checkpoints")) return { ...soFar, snapshotMs: 0, taken: false };
    const tensors = this.#snapshotter.copy(state.leaves, structure, layout, slot);
    const times = { ...soFar, snapshotMs: performance.now() - waited };
    const structureBytes = structure.byteLength;
    const made = { layout, tensors, graphJson, structureBytes, logBytes: this.logBytes };
    this.#persisting++;
    this.#post({ kind: "persist", job: persistJob(request, made, times), segments: slot });
    return { ...times, taken: true };
  }

  remove(files: readonly string[], t: number): void {
    if (files.length === 0 || this.#direct || this.#off.has("retention")) return;
    this.#post({ kind: "remove", files, t });
  }

  get copyBytesPerMs(): number {
    this.#receive();
    return this.#copyBytesPerMs;
  }

  busyMs(fromMs: number): number {
    // Asked after every iteration: the port is looked at only when something may have come.
    if (this.#inFlight) this.#receive();
    return Math.max(0, (this.#inFlight ? performance.now() : this.#idleAtMs) - fromMs);
  }

  get isPersisting(): boolean {
    if (this.#persisting > 0) this.#receive();
    return this.#persisting > 0;
  }

  get #inFlight(): boolean {
    return this.#persisting > 0 || this.#allocating > 0;
  }

  drain(): void {
    this.#waitUntil(() => this.#persisting === 0 && this.#allocating === 0);
  }

  finish(status: "done" | "failed", lines: () => number): void {
    this.#waitUntil(() => this.#persisting === 0);
    if (!this.#direct) this.#post({ kind: "finish", status, count: lines() });
    this.#waitUntil(() => this.#finished);
    if (!this.#finished && !this.#off.has("log")) {
      this.#syncValues();
      this.#finishDirectly(status, lines());
    }
    this.#port.close();
  }

  #append(name: "log" | "profile", line: string): void {
    if (this.#off.has(name)) return;
    this.#appending = true;
    try {
      const ring = name === "log" ? this.#log : this.#profile;
      if (this.#direct) this.#writeDirectly(name, Buffer.from(line));
      else if (!ring.append(line)) this.#writeDirectly(name, ring.left);
    } finally {
      this.#appending = false;
    }
    if (this.#raised.length > 0) this.#deliver();
  }

  #writeDirectly(name: "log" | "profile", bytes: Uint8Array): void {
    try {
      this.#takeOver()[name].write(bytes);
    } catch (error) {
      this.#fail(name, describeError(error));
    }
  }

  /** The worker is gone: what it left in the rings is written by us, and all lines after it. */
  #takeOver(): { readonly log: LineFile; readonly profile: LineFile } {
    if (this.#direct) return this.#direct;
    const { runFolder, from } = this.#options;
    const adopt = (name: "log" | "profile", writer: RingWriter, ring: SharedRing): LineFile => {
      const file = runPaths[name](runFolder);
      const before = from?.[name] ?? 0;
      const lines = new LineFile(file, { takeOverAt: before + writer.consumed });
      new RingReader(ring).drain((bytes) => lines.write(bytes));
      return lines;
    };
    this.#direct = {
      log: adopt("log", this.#log, this.#rings.log),
      profile: adopt("profile", this.#profile, this.#rings.profile),
    };
    return this.#direct;
  }

  /** The worker is gone, and may not have made durable the tensors that it wrote. */
  #syncValues(): void {
    try {
      const values = new ValueFile(runPaths.values(this.#options.runFolder), { takeOver: true });
      values.sync();
      values.close();
    } catch (error) {
      this.#fail("values", describeError(error));
    }
  }

  #finishDirectly(status: "done" | "failed", lines: number): void {
    try {
      const { log, profile } = this.#takeOver();
      log.seal(status, lines);
      profile.sync();
    } catch (error) {
      this.#fail("log", describeError(error));
    }
  }

  /** Makes sure that slots of this layout exist or are coming; false if there is no memory for one. */
  #provide({ segmentBytes }: SlotLayout): boolean {
    const fits = segmentBytes.every((bytes, index) => bytes <= (this.#slotBytes[index] ?? 0));
    if (fits) return true;
    // The state has grown: slots in hand are too small, and so are those on their way back.
    const again = this.#slotBytes.length > 0;
    const wanted = segmentBytes.map((bytes) => withRoom(bytes, again));
    const count = this.#slotsFor(wanted.reduce((sum, bytes) => sum + bytes, 0));
    if (count === 0) return false;
    this.#slots = [];
    this.#slotBytes = wanted;
    this.#allocating += count;
    this.#post({ kind: "allocate", segmentBytes: wanted, count });
    return true;
  }

  /** An end by the system for want of memory would end the training. */
  #slotsFor(bytes: number): number {
    if (bytes < SMALL_BYTES) return SLOTS;
    const freeBytes = this.#options.freeBytes?.() ?? Infinity;
    const count = slotsThatFit(bytes, freeBytes);
    if (count === SLOTS) return count;
    const feature = count === 0 ? "checkpoints for want of memory" : "overlap of checkpoints";
    this.#fail(feature, whyFewer(bytes, freeBytes));
    return count;
  }

  #post(message: ToWorker): void {
    this.#port.postMessage(message);
  }

  #receive(): void {
    for (;;) {
      const received: { message: FromWorker } | undefined = receiveMessageOnPort(this.#port);
      if (!received) return;
      this.#handle(received.message);
    }
  }

  #handle(message: FromWorker): void {
    this.#idleAtMs = message.atMs - performance.timeOrigin;
    switch (message.kind) {
      case "slot":
        if (message.fresh) this.#allocating--;
        return this.#keepSlot(message.segments);
      case "committed":
        this.#persisting--;
        return this.#raise(() => this.#options.events.committed(message.record));
      case "failed":
        if (message.feature === "checkpoints") this.#persisting--;
        return this.#fail(message.feature, message.why);
      case "value-written":
        this.#valueBytes -= message.bytes;
        return;
      case "finished":
        this.#finished = true;
    }
  }

  #keepSlot(segments: SharedArrayBuffer[]): void {
    const fits = this.#slotBytes.every((bytes, at) => bytes <= (segments[at]?.byteLength ?? 0));
    if (fits) this.#slots.push(segments);
    const [segment] = segments;
    const measured = this.#copyBytesPerMs !== COPY_BYTES_PER_MS_ASSUMED;
    if (measured || !segment || segment.byteLength < 2 * PROBE_BYTES) return;
    this.#copyBytesPerMs = measureCopy(segment);
  }

  #fail(feature: Feature, why: string): void {
    if (this.#off.has(feature)) return;
    this.#off.add(feature);
    this.#raise(() => this.#options.events.failed(feature, why));
  }

  #raise(event: () => void): void {
    this.#raised.push(event);
    if (!this.#appending) this.#deliver();
  }

  #deliver(): void {
    for (let event = this.#raised.shift(); event; event = this.#raised.shift()) event();
  }

  /** Waits until it is true; false at the deadline, or when nobody is left who could make it so. */
  #waitUntil(done: () => boolean, deadline = Infinity): boolean {
    const { stallMs = STALL_MS } = this.#options;
    let progress: number | undefined;
    let progressAtMs = 0;
    for (;;) {
      // Read before looking: an event in between then ends the wait at once.
      const seen = Atomics.load(this.#control, CONTROL.events);
      this.#receive();
      if (done()) return true;
      if (this.#lost()) return done();
      const now = performance.now();
      if (now >= deadline) return false;
      // Being woken is no progress: its timers run though a write of its pool never comes back.
      const made = Atomics.load(this.#control, CONTROL.progress);
      if (made !== progress) [progress, progressAtMs] = [made, now];
      const stalledAtMs = progressAtMs + stallMs;
      if (now >= stalledAtMs) this.#giveUp(`it got nothing done for ${stallMs / 1000} s`);
      else {
        const left = Math.min(deadline, stalledAtMs) - now;
        Atomics.wait(this.#control, CONTROL.events, seen, left);
      }
    }
  }

  #lost(): boolean {
    if (Atomics.load(this.#control, CONTROL.alive) === 1) return false;
    this.#receive();
    if (!this.#finished) this.#giveUp("it ended");
    return true;
  }

  #giveUp(why: string): void {
    Atomics.store(this.#control, CONTROL.alive, 0);
    // It may only be stalled: what it does when it wakes up must not meet what is done from here.
    void this.#worker.terminate();
    this.#persisting = 0;
    this.#allocating = 0;
    this.#lostWhy ??= `the background thread stopped: ${why}`;
    this.#fail("checkpoints", this.#lostWhy);
    if (this.#valueBytes > 0) this.#fail("values", this.#lostWhy);
    this.#valueBytes = 0;
  }
}

/** A state that grows once will grow again: memory for it is then made a quarter larger. */
function withRoom(bytes: number, again: boolean): number {
  return bytes + (again ? Math.ceil(bytes / 4) : Math.min(bytes >> 4, ROOM_BYTES_MAX));
}

/** Bytes per millisecond between two halves of prepared memory, the quicker of two tries. */
function measureCopy(segment: SharedArrayBuffer): number {
  const from = new Uint8Array(segment, 0, PROBE_BYTES);
  const to = new Uint8Array(segment, PROBE_BYTES, PROBE_BYTES);
  const tries = [0, 1].map(() => {
    const started = performance.now();
    copyBytes(to, from);
    return performance.now() - started;
  });
  return PROBE_BYTES / Math.max(0.1, Math.min(...tries));
}
