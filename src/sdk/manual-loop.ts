/** @file A loop that something else drives: a framework that calls back. */
import type { LoopExit } from "../format/index.ts";
import type { LoopFrame } from "./loop-frame.ts";
import type { Session } from "./session.ts";

export class ManualLoop {
  readonly #session: Session | undefined;
  readonly #name: string;
  readonly #site: number | null;
  #frame: LoopFrame | undefined;

  constructor(session: Session | undefined, name: string, site: number | null) {
    this.#session = session;
    this.#name = name;
    this.#site = site;
  }

  get open(): boolean {
    return this.#frame !== undefined;
  }

  enter(items: object): void {
    const drawsBefore = this.#session?.random.draws ?? 0;
    const source = { iterable: items, iterator: {}, drawsBefore };
    const statement = { name: this.#name, site: this.#site, context: undefined };
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
    if (frame) this.#session?.exit(frame, how);
  }
}
