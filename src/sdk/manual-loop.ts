/** @file A loop that something else drives: a framework that calls back. */
import type { LoopExit, LoopPath } from "../format/index.ts";
import { pathElement } from "../format/index.ts";
import type { LoopContext } from "./instrument.ts";
import type { LoopFrame } from "./loop-frame.ts";
import type { Session } from "./session.ts";

export class ManualLoop {
  readonly #session: Session | undefined;
  readonly #name: string;
  readonly #site: number | null;
  readonly #context: LoopContext | undefined;
  #frame: LoopFrame | undefined;
  /** The entry before, once it has ended. */
  #last: LoopFrame | undefined;

  /** `context`: the statement that it belongs to, in rewritten source. */
  constructor(
    session: Session | undefined,
    name: string,
    site: number | null,
    context?: LoopContext,
  ) {
    this.#session = session;
    this.#name = name;
    this.#site = site;
    this.#context = context;
  }

  get open(): boolean {
    return this.#frame !== undefined;
  }

  /** It runs at the same time as another: nothing of it is recorded any more. */
  get outOfUse(): boolean {
    return (this.#frame ?? this.#last)?.outOfUse ?? false;
  }

  /** The present iteration, or the last; -1 before the first. */
  get index(): number {
    return (this.#frame ?? this.#last)?.index ?? -1;
  }

  /** The path of an iteration of this entry. */
  pathOf(index: number): LoopPath {
    const { entryPath = [], entry = 0 } = this.#frame ?? this.#last ?? {};
    return [...entryPath, pathElement(this.#name, index, entry)];
  }

  /** Goes where a replay is told to: how many items are passed over; undefined: all that are left. */
  follow(): number | undefined {
    const session = this.#session;
    const frame = this.#frame;
    const director = session?.director;
    if (!session || !frame || !director) return 0;
    session.endBody(frame);
    const move = session.before(frame);
    if (!move) return 0;
    const from = frame.index;
    if (move.kind === "end") {
      const how = director.skip(frame);
      this.exit(how);
      return undefined;
    }
    director.arrive(frame);
    session.arrived(frame);
    return frame.index - from;
  }

  enter(items: object): void {
    const drawsBefore = this.#session?.random.draws ?? 0;
    const source = { iterable: items, iterator: {}, drawsBefore };
    const statement = {
      name: this.#name,
      site: this.#site,
      context: this.#context,
      driven: true,
    } as const;
    this.#frame = this.#session?.enter(statement, source);
  }

  /** Ends the iteration before, if there was one, and begins the next. */
  begin(item: unknown): void {
    if (!this.#frame) return;
    this.#session?.endBody(this.#frame);
    this.#session?.beginBody(this.#frame, item, performance.now());
  }

  exit(how: LoopExit): void {
    const frame = this.#frame;
    this.#frame = undefined;
    this.#last = frame ?? this.#last;
    if (frame) this.#session?.exit(frame, how);
  }
}
