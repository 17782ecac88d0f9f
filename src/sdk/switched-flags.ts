/**
 * @file Flags that a part of a question switched, while the run executes statements between its parts:
 * the run has its own values there, and the later parts have those of the question. What a part
 * switched counts for the parts that follow it in the text, in the same iteration of all loops around it.
 */
import type { LoopPath } from "../format/index.ts";
import { formatPath } from "../format/index.ts";
import type { Flag } from "./training-flags.ts";

/** Where a part begins. */
export interface PartStart {
  readonly file: string;
  readonly at: number;
}

interface Switched {
  readonly flag: Flag;
  readonly value: unknown;
  readonly start: PartStart;
  readonly path: LoopPath;
}

export class SwitchedFlags {
  readonly #path: () => LoopPath;
  #switched: readonly Switched[] = [];
  /** Flags that a part found switched, as the run has them. */
  #own: readonly Flag[] = [];

  /** `path`: the iteration that is executed, of all loops. */
  constructor(path: () => LoopPath) {
    this.#path = path;
  }

  /** A part begins: it finds what the parts before it have switched. */
  begin(start: PartStart): void {
    this.#own = [];
    if (this.#switched.length === 0) return;
    const path = this.#path();
    this.#switched = this.#switched.filter((one) => holdsFor(one, start, path));
    this.#own = this.#switched.map(({ flag }) => ({ ...flag, value: flag.read() }));
    for (const { flag, value } of this.#switched) flag.set(value);
  }

  /** It is over: all flags are as the run has them. `flags`: as they were before `begin`. */
  end(start: PartStart, flags: readonly Flag[]): void {
    const all = [...flags, ...this.#own];
    if (all.length === 0) return;
    const path = this.#path();
    const known = this.#switched;
    const switched: Switched[] = [];
    for (const flag of all) {
      const value = flag.read();
      if (value === flag.value) continue;
      const kept = known.find((one) => {
        return (
          one.flag.object === flag.object && one.flag.name === flag.name && one.value === value
        );
      });
      switched.push(kept ?? { flag, value, start, path });
      flag.set(flag.value);
    }
    this.#switched = switched;
    this.#own = [];
  }
}

function holdsFor(
  { start: own, path: around }: Switched,
  start: PartStart,
  path: LoopPath,
): boolean {
  if (own.file !== start.file || own.at >= start.at) return false;
  return formatPath(path.slice(0, around.length)) === formatPath(around);
}
