/** @file `log`: a value, from the call to a record, the status line and the retention of checkpoints. */
import { asTensor } from "../../adapters/index.ts";
import type { Ledger } from "../../materialize/index.ts";
import { encodeTensor } from "./logged-tensor.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import { framePath } from "./recorder.ts";
import type { RunParts } from "../run-parts.ts";
import type { Sites } from "./sites.ts";
import type { Status } from "../live-status.ts";

export interface ValueLogOptions {
  readonly sites: Sites;
  readonly status: Status;
  /** Whether a statement is being executed that the run did not have. */
  readonly isProbing: () => boolean;
}

interface LogCall {
  readonly callee: (...args: never[]) => unknown;
  /** A run logs it too: what it leaves out has nothing to be compared with. */
  readonly isKept: boolean;
}

export class ValueLog {
  readonly #parts: RunParts;
  readonly #options: ValueLogOptions;
  readonly #times: LogTimes;
  readonly #reached = new Set<number | null>();

  constructor(parts: RunParts, options: ValueLogOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#times = new LogTimes(parts.ledger);
  }

  log(
    frame: LoopFrame | undefined,
    name: string,
    value: unknown,
    { callee, isKept }: LogCall,
  ): void {
    const { recorder, retention } = this.#parts;
    const { sites, status } = this.#options;
    const isNumber = typeof value === "number";
    const startedAt = this.#times.begin(isNumber);
    const isProbing = !isKept || this.#options.isProbing();
    // A name that old and new statements log is known by a place of each.
    const known = isProbing ? `${name}\nprobe` : name;
    const site = sites.find("log", known, frame?.site ?? null, callee);
    recorder.log(frame, { name, site, value, isProbing }, this.#encodeOther);
    noteLogged(frame);
    if (isNumber) status.metric(name, value);
    if (isNumber && name === retention.watched) retention.observe(value, () => framePath(frame));
    if (this.#times.end(startedAt) && frame) status.moved(frame);
  }

  /** A statement of the question printed what is no value; each is told once. */
  reached(frame: LoopFrame | undefined, was: string, callee: (...args: never[]) => unknown): void {
    const { sites, isProbing } = this.#options;
    if (!isProbing()) return;
    const site = sites.findExactly("log", frame?.site ?? null, callee);
    if (this.#reached.has(site)) return;
    this.#reached.add(site);
    this.#parts.recorder.emit({ k: "reached", site, was });
  }

  readonly #encodeOther = (value: object): string | undefined => {
    const tensor = asTensor(value);
    return tensor && encodeTensor(tensor, (bytes) => this.#parts.materializer.value(bytes));
  };
}

/** Loops that hold a value of the log are not given up: it would lose its place. */
function noteLogged(innermost: LoopFrame | undefined): void {
  for (let frame = innermost; frame; frame = frame.parent) {
    const cost = frame.context?.cost;
    if (!cost || cost.logged) return;
    cost.logged = true;
  }
}

/** Calls that are each timed, and then one in so many, for a clock costs about as much as a call. */
const LOG_EXACT = 64;
const LOG_SAMPLE = 64;

/** What calls of `log` cost. */
class LogTimes {
  readonly #ledger: Ledger;
  #calls = 0;
  #exact = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** When a call began; 0 if it is not timed. Tensors and records are each timed. */
  begin(isNumber: boolean): number {
    // The first calls look at the stack.
    this.#exact = !isNumber || this.#calls < LOG_EXACT;
    const timed = this.#exact || this.#calls % LOG_SAMPLE === 0;
    this.#calls++;
    return timed ? performance.now() : 0;
  }

  /** Whether the call was timed. */
  end(startedAt: number): boolean {
    if (startedAt === 0) {
      this.#ledger.logCalls++;
      return false;
    }
    const ms = performance.now() - startedAt;
    if (this.#exact) this.#ledger.exactLogMs += ms;
    else {
      this.#ledger.sampleLog(ms);
      this.#ledger.logCalls++;
    }
    return true;
  }
}
