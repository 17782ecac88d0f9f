/**
 * @file From a filled slot to a listed checkpoint: which tensors are new, the file, the log made
 * durable, the line in the index. Used by the worker, and by the training thread in inline mode.
 */
import { existsSync, mkdirSync, write } from "node:fs";
import { crc32 } from "node:zlib";
import type { CheckpointRecord, HeldTensor, StateGraph, TensorSpec } from "../format/index.ts";
import { alignPage, CRC_CHUNK_BYTES, hex32, STRUCTURE_NAME } from "../format/index.ts";
import type { Extent, Faults, LineFile, WrittenCheckpoint } from "../store/index.ts";
import {
  atLeastOne,
  CheckpointFile,
  CheckpointIndex,
  removeCheckpoints,
  runPaths,
  writeFully,
} from "../store/index.ts";
import { placeHashes } from "./place-hashes.ts";
import type { PersistJob } from "./protocol.ts";
import { isLarge } from "./slot-layout.ts";

/** The memory of a slot: one buffer a segment. */
export type Segments = readonly SharedArrayBuffer[];

interface PersistedTensor {
  /** Which file holds the bytes. */
  readonly holder: HeldTensor;
  /** The bytes themselves while the slot of the checkpoint before is still here. */
  readonly bytes: Uint8Array | undefined;
}

/** Writes of data that may be under way at once while checksums are computed. */
const WRITES_IN_FLIGHT = 3;

/** Persists one run's checkpoints, one after the other. */
export class Persister {
  readonly #run: string;
  readonly #runFolder: string;
  readonly #log: LineFile;
  readonly #syncValues: () => void;
  readonly #faults: Faults;
  readonly #index: CheckpointIndex;
  #known = new Map<string, PersistedTensor>();

  constructor(options: {
    readonly run: string;
    readonly runFolder: string;
    readonly log: LineFile;
    /** Makes logged tensors durable; a failure is its own to tell, and costs no checkpoint. */
    readonly syncValues: () => void;
    readonly faults: Faults;
  }) {
    this.#run = options.run;
    this.#runFolder = options.runFolder;
    this.#log = options.log;
    this.#syncValues = options.syncValues;
    this.#faults = options.faults;
    this.#index = new CheckpointIndex(options.runFolder);
  }

  /**
   * First half: compares with the checkpoint before. When it returns, the slot of that one is no
   * longer needed.
   */
  begin(job: PersistJob, segments: Segments): Persist {
    const held = new Map<string, HeldTensor>();
    const extents: GrowingExtent[] = [];
    const small: (TensorSpec & { at: number })[] = [];
    const { layout } = job;
    for (const [index, { same, ...tensor }] of job.tensors.entries()) {
      const { segment, offset } = layout.placements[index] ?? { segment: 0, offset: 0 };
      if (!isLarge(tensor)) {
        small.push({ ...tensor, at: offset - layout.small.offset });
        continue;
      }
      const memory = new Uint8Array(
        slotSegment(segments, segment),
        offset,
        alignPage(tensor.bytes),
      );
      const holder = this.#unchanged(tensor, same ? undefined : memory);
      if (holder) held.set(tensor.name, holder);
      else appendTensor(extents, tensor, memory);
    }
    const rest = restOfSlot(job, segments, small);
    return { job, segments, held: [...held.values()], extents: [...extents, ...rest] };
  }

  /** Second half, overlapped: the pool writes while this thread computes the checksums. */
  async write(persist: Persist, between: () => void): Promise<CheckpointRecord> {
    const started = performance.now();
    const file = this.#open(persist);
    const underWay: Promise<void>[] = [];
    try {
      this.#faults("persist:before-data");
      const checksums = new Map<string, string[]>();
      const checksumming = checksumSteps(persist.extents, checksums);
      let half = Math.ceil(file.writes.length / 2);
      for (const { bytes, position } of file.writes) {
        underWay.push(writePooled(file.fd, bytes, position));
        for (let done = 0; done < bytes.byteLength;) done += checksumming.next().value ?? Infinity;
        if (--half === 0) this.#faults("persist:mid-data");
        if (underWay.length >= WRITES_IN_FLIGHT) await underWay.shift();
        between();
      }
      for (const _ of checksumming);
      await Promise.all(underWay);
      between();
      return this.#finish(persist, file.commit(checksums), started);
    } catch (error) {
      await Promise.allSettled(underWay);
      file.discard();
      throw error;
    }
  }

  /** The same, all on this thread. */
  writeSync(persist: Persist): CheckpointRecord {
    const started = performance.now();
    const file = this.#open(persist);
    try {
      for (const { bytes, position } of file.writes) writeFully(file.fd, bytes, position);
      const checksums = new Map<string, string[]>();
      for (const _ of checksumSteps(persist.extents, checksums));
      return this.#finish(persist, file.commit(checksums), started);
    } catch (error) {
      file.discard();
      throw error;
    }
  }

  /** Removes checkpoints that nothing kept, or still to be written, refers to. */
  remove(files: readonly string[], t: number): void {
    removeCheckpoints(this.#runFolder, files, { index: this.#index, t, faults: this.#faults });
  }

  close(): void {
    this.#index.close();
  }

  #open({ job, held, extents }: Persist): CheckpointFile {
    const folder = runPaths.checkpoints(this.#runFolder);
    // Not the folders around it: a run that somebody deleted must not half reappear.
    if (!existsSync(folder)) mkdirSync(folder);
    const { kind, path, seq, graphJson } = job;
    const content = { run: this.#run, kind, path, seq, graphJson, held, extents };
    return new CheckpointFile(folder, job.file, content, this.#faults);
  }

  /** Where the tensor already is, if its bytes are the same: never decided by anything less. */
  #unchanged(tensor: TensorSpec, memory: Uint8Array | undefined): HeldTensor | undefined {
    const known = this.#known.get(tensor.name);
    if (!known || !sameSpec(known.holder, tensor)) {
      if (memory === undefined) throw new Error(`no checkpoint holds ${tensor.name}`);
      return undefined;
    }
    if (memory === undefined) return known.holder;
    if (known.bytes === undefined) return undefined;
    return Buffer.compare(known.bytes, memory.subarray(0, tensor.bytes)) === 0
      ? known.holder
      : undefined;
  }

  #finish(persist: Persist, written: WrittenCheckpoint, started: number): CheckpointRecord {
    const { job } = persist;
    // The log up to the boundary must not be lost once the checkpoint is listed.
    if (this.#log.position < job.logBytes) throw new Error("the log is behind the checkpoint");
    this.#faults("persist:before-log-sync");
    // Tensors first: a line that survives must not name bytes that did not.
    this.#syncValues();
    this.#log.sync();
    const record = checkpointRecord(persist, written, performance.now() - started);
    this.#faults("persist:before-index");
    this.#index.append(record);
    this.#faults("persist:after-index");
    this.#remember(persist, written);
    return record;
  }

  #remember({ job, segments, held }: Persist, written: WrittenCheckpoint): void {
    const holders = new Map<string, HeldTensor>(held.map((tensor) => [tensor.name, tensor]));
    for (const { offset: _, ...tensor } of written.tensors) {
      holders.set(tensor.name, { ...tensor, file: written.file });
    }
    this.#known = new Map();
    for (const [index, tensor] of job.tensors.entries()) {
      const holder = holders.get(tensor.name);
      const placement = job.layout.placements[index];
      if (!holder || !placement || !isLarge(tensor)) continue;
      const memory = slotSegment(segments, placement.segment);
      const bytes = tensor.same
        ? undefined
        : new Uint8Array(memory, placement.offset, tensor.bytes);
      this.#known.set(tensor.name, { holder, bytes });
    }
  }

  /** The slot of the checkpoint before is about to be given back: its bytes are known no more. */
  forgetBytes(): void {
    for (const [name, { holder }] of this.#known) {
      this.#known.set(name, { holder, bytes: undefined });
    }
  }
}

/** A persist between its two halves. */
export interface Persist {
  readonly job: PersistJob;
  readonly segments: Segments;
  readonly held: readonly HeldTensor[];
  readonly extents: readonly Extent[];
}

function slotSegment(segments: Segments, index: number): SharedArrayBuffer {
  const segment = segments[index];
  if (!segment) throw new Error(`slot has no segment ${index}`);
  return segment;
}

/** An extent that tensors are still added to. */
interface GrowingExtent {
  memory: Uint8Array<SharedArrayBuffer>;
  readonly tensors: (TensorSpec & { at: number })[];
}

/** Adds a tensor; to the extent before if it follows in memory, for many small writes are slow. */
function appendTensor(
  extents: GrowingExtent[],
  tensor: TensorSpec,
  memory: Uint8Array<SharedArrayBuffer>,
): void {
  const last = extents.at(-1);
  const at = last?.memory.byteLength ?? 0;
  if (last?.memory.buffer !== memory.buffer || last.memory.byteOffset + at !== memory.byteOffset) {
    extents.push({ memory, tensors: [{ ...tensor, at: 0 }] });
    return;
  }
  last.memory = new Uint8Array(memory.buffer, last.memory.byteOffset, at + memory.byteLength);
  last.tensors.push({ ...tensor, at });
}

/** The small tensors as one extent, and the structure as the last. */
function restOfSlot(
  job: PersistJob,
  segments: Segments,
  small: readonly (TensorSpec & { at: number })[],
): Extent[] {
  const { layout, structureBytes } = job;
  const extents: Extent[] = [];
  if (small.length > 0) {
    const { segment, offset, bytes } = layout.small;
    const memory = new Uint8Array(slotSegment(segments, segment), offset, alignPage(bytes));
    extents.push({ memory, tensors: small });
  }
  const { segment, offset } = layout.structure;
  extents.push({
    memory: new Uint8Array(slotSegment(segments, segment), offset, alignPage(structureBytes)),
    tensors: [
      { name: STRUCTURE_NAME, dtype: "U8", shape: [structureBytes], bytes: structureBytes, at: 0 },
    ],
  });
  return extents;
}

function sameSpec(a: TensorSpec, b: TensorSpec): boolean {
  return a.dtype === b.dtype && a.bytes === b.bytes && a.shape.join() === b.shape.join();
}

/** Fills in the checksums, one piece a step; yields how many bytes the step read. */
function* checksumSteps(
  extents: readonly Extent[],
  checksums: Map<string, string[]>,
): Generator<number> {
  for (const { memory, tensors } of extents) {
    for (const { name, at, bytes } of tensors) {
      const own: string[] = [];
      checksums.set(name, own);
      for (let from = at; from < at + bytes; from += CRC_CHUNK_BYTES) {
        const piece = memory.subarray(from, Math.min(from + CRC_CHUNK_BYTES, at + bytes));
        own.push(hex32(crc32(piece)));
        yield piece.byteLength;
      }
    }
  }
}

function writePooled(fd: number, bytes: Uint8Array, position: number): Promise<void> {
  const written = writeAll(fd, bytes, position);
  // Whoever awaits it sees the error; until then it must not count as unhandled.
  written.catch(() => undefined);
  return written;
}

async function writeAll(fd: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.byteLength;) {
    const from = at;
    const count = await new Promise<number>((resolve, reject) => {
      write(fd, bytes, from, bytes.byteLength - from, position + from, (error, taken) => {
        if (error) reject(error);
        else resolve(taken);
      });
    });
    at += atLeastOne(count);
  }
}

function checkpointRecord(
  { job, held }: Persist,
  written: WrittenCheckpoint,
  persistMs: number,
): CheckpointRecord {
  const all = [...written.tensors.filter(({ name }) => name !== STRUCTURE_NAME), ...held];
  const checksums = new Map(all.map((tensor) => [tensor.name, tensor.crc32.join("")]));
  return {
    k: "checkpoint",
    kind: job.kind,
    path: job.path,
    seq: job.seq,
    logBytes: job.logBytes,
    file: written.file,
    bytes: written.bytes,
    stateBytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    holds: [...new Set(held.map(({ file }) => file))],
    needs: job.needs,
    crc32: written.headerCrc32,
    stateHash: written.stateHash,
    places: placeHashes(JSON.parse(job.graphJson) as StateGraph, checksums),
    generators: job.generators,
    iterators: job.iterators,
    ...(job.draws && { draws: job.draws }),
    absent: job.absent,
    times: { ...job.times, persist: Math.round(persistMs * 1000) / 1000 },
    t: job.t,
  };
}
