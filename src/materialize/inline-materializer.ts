/** @file Everything at once on the calling thread: for tests, and where threads are not to be had. */
import { existsSync } from "node:fs";
import { describeError } from "../format/index.ts";
import type { Faults } from "../store/index.ts";
import { LineFile, runPaths, sharedPageMemory, ValueFile } from "../store/index.ts";
import { faultsFromName } from "./faults.ts";
import type { CheckpointCost } from "./ledger.ts";
import type { CheckpointRequest, Feature, Materializer, Snapshot } from "./materializer.ts";
import { COPY_BYTES_PER_MS_ASSUMED } from "./materializer.ts";
import { Persister } from "./persist.ts";
import { persistJob, Snapshotter, structureTexts } from "./snapshot.ts";
import type { ThreadMaterializerOptions } from "./thread-materializer.ts";

const FLUSH_MS = 100;
const FLUSH_CHARACTERS = 1 << 16;

/** Lines collected until there are enough, or some time has passed. */
class BufferedLines {
  readonly file: LineFile;
  #pending = "";
  #flushed = performance.now();
  #bytes = 0;

  constructor(file: LineFile, position = 0) {
    this.file = file;
    this.#bytes = position;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(line: string): void {
    this.#pending += line;
    this.#bytes += Buffer.byteLength(line);
    const due = performance.now() - this.#flushed >= FLUSH_MS;
    if (due || this.#pending.length >= FLUSH_CHARACTERS) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.#pending);
    this.#pending = "";
    this.#flushed = performance.now();
    if (bytes.byteLength > 0) this.file.write(bytes);
  }
}

export class InlineMaterializer implements Materializer {
  readonly #options: ThreadMaterializerOptions;
  readonly #log: BufferedLines;
  readonly #profile: BufferedLines;
  readonly #persister: Persister;
  readonly #snapshotter = new Snapshotter();
  readonly #off = new Set<Feature>();
  readonly #values: ValueFile;
  readonly #faults: Faults;
  #valuePosition = 0;
  #stop = false;
  #lookedAt = 0;

  constructor(options: ThreadMaterializerOptions) {
    this.#options = options;
    const { run, runFolder, crashAt, from } = options;
    const lines = (file: string, position: number | undefined): BufferedLines =>
      new BufferedLines(
        new LineFile(file, position === undefined ? {} : { takeOverAt: position }),
        position,
      );
    this.#log = lines(runPaths.log(runFolder), from?.log);
    this.#profile = lines(runPaths.profile(runFolder), from?.profile);
    this.#values = new ValueFile(runPaths.values(runFolder), { takeOver: from !== undefined });
    this.#valuePosition = from?.values ?? 0;
    const faults = faultsFromName(crashAt);
    this.#faults = faults;
    const syncValues = (): void => this.#syncValues();
    this.#persister = new Persister({ run, runFolder, log: this.#log.file, syncValues, faults });
  }

  get stopRequested(): boolean {
    const due = performance.now() - this.#lookedAt >= FLUSH_MS;
    if (due) {
      this.#lookedAt = performance.now();
      this.#stop ||= existsSync(runPaths.stop(this.#options.runFolder));
    }
    return this.#stop;
  }

  get logBytes(): number {
    return this.#log.bytes;
  }

  /** All is done on the program's own thread. */
  get besideMs(): number {
    return 0;
  }

  get copyBytesPerMs(): number {
    return COPY_BYTES_PER_MS_ASSUMED;
  }

  get isPersisting(): boolean {
    return false;
  }

  busyMs(_fromMs: number): number {
    return 0;
  }

  log(line: string): void {
    this.#guard("log", () => this.#log.append(line));
  }

  profile(line: string): void {
    this.#guard("profile", () => this.#profile.append(line));
  }

  value(bytes: Uint8Array): number | undefined {
    const offset = this.#valuePosition;
    this.#guard("values", () => {
      this.#faults("values:before-write");
      this.#values.write(bytes, offset);
      this.#valuePosition += bytes.byteLength;
    });
    return this.#off.has("values") ? undefined : offset;
  }

  prepare(_state: Snapshot): void {
    // Nothing runs beside the training that could prepare memory.
  }

  take(request: CheckpointRequest): CheckpointCost & { readonly taken: boolean } {
    const started = performance.now();
    // On its own: a log that cannot be written must not continue after a gap.
    this.#guard("log", () => this.#log.flush());
    if (!this.#off.has("log")) this.#guard("checkpoints", () => this.#persist(request));
    const snapshotMs = performance.now() - started;
    const taken = !this.#off.has("checkpoints");
    return { captureMs: request.captureMs, snapshotMs, waitMs: 0, taken };
  }

  #persist(request: CheckpointRequest): void {
    const { generators, iterators, state } = request;
    const { graphJson, structure } = structureTexts(state, generators, iterators);
    const structureBytes = structure.byteLength;
    const layout = this.#snapshotter.layoutFor(state.leaves, structureBytes);
    const segments = layout.segmentBytes.map((bytes) => sharedPageMemory(bytes));
    const tensors = this.#snapshotter.copy(state.leaves, structure, layout, segments);
    const made = { layout, tensors, graphJson, structureBytes, logBytes: this.logBytes };
    const cost = { captureMs: request.captureMs, snapshotMs: 0, waitMs: 0 };
    const job = persistJob(request, made, cost);
    const record = this.#persister.writeSync(this.#persister.begin(job, segments));
    this.#options.events.committed(record);
  }

  remove(files: readonly string[], t: number): void {
    this.#guard("retention", () => this.#persister.remove(files, t));
  }

  drain(): void {
    // Whatever was taken is durable already.
  }

  finish(status: "done" | "failed", lines: () => number): void {
    this.#guard("profile", () => this.#profile.flush());
    this.#guard("log", () => this.#log.flush());
    this.#syncValues();
    this.#guard("log", () => this.#log.file.seal(status, lines()));
    for (const { file } of [this.#log, this.#profile]) file.close();
    this.#values.close();
    this.#persister.close();
  }

  #syncValues(): void {
    this.#guard("values", () => this.#values.sync());
  }

  #guard(feature: Feature, work: () => void): void {
    if (this.#off.has(feature)) return;
    try {
      work();
    } catch (error) {
      this.#off.add(feature);
      this.#options.events.failed(feature, describeError(error));
    }
  }
}
