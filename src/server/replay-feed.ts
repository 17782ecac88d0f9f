/**
 * @file Replays, as they are on disk: those that were begun in a terminal as well. They are looked at, never
 * spoken to; a state that has changed gets a number, and whoever listens is told.
 */
import type { FSWatcher } from "node:fs";
import { existsSync, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import type { Ports } from "../app/index.ts";
import { findReplay } from "../app/index.ts";
import type { ReplayState } from "../app/index.ts";
import { projectAround } from "../app/read.ts";
import { storePaths } from "../store/index.ts";

const LOOK_MS = 250;
/** Of folders that nobody tells of, in looks. */
const ALL_LOOKS = 20;

interface Known {
  readonly stamp: string;
  readonly state: ReplayState;
  readonly generation: number;
}

export class ReplayFeed {
  readonly #ports: Ports;
  readonly #folder: string;
  readonly #known = new Map<string, Known>();
  readonly #listeners = new Set<() => void>();
  #generation = 0;
  #looks = 0;
  #isDue = true;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#folder = storePaths.replays(projectAround(ports).store);
  }

  start(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#timer.unref();
  }

  get generation(): number {
    return this.#generation;
  }

  /** Those that have changed since a state, newest first. */
  since(generation: number): { readonly generation: number; readonly state: ReplayState }[] {
    const changed = [...this.#known.values()].filter((one) => one.generation > generation);
    return changed.toSorted((a, b) => numberOf(b.state.replay) - numberOf(a.state.replay));
  }

  /** Calls `listener` after each change. Answers how to end that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
  }

  /** Takes in what is on disk by now. */
  look(): void {
    this.#watch();
    const isAll = this.#isDue || this.#looks++ % ALL_LOOKS === 0;
    this.#isDue = false;
    const running = [...this.#known].flatMap(([id, { state }]) =>
      state.status === "running" ? [id] : [],
    );
    const before = this.#generation;
    for (const id of isAll ? listed(this.#folder) : running) this.#lookAt(id);
    if (this.#generation > before) for (const listener of this.#listeners) listener();
  }

  #lookAt(id: string): void {
    const stats = statSync(join(this.#folder, id, "state.json"), { throwIfNoEntry: false });
    if (!stats) return;
    const stamp = `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
    const known = this.#known.get(id);
    // Of one that runs it may be that its process has gone, which no file tells.
    if (known?.stamp === stamp && known.state.status !== "running") return;
    const state = tryFind(this.#ports, id);
    if (!state || (known?.stamp === stamp && known.state.status === state.status)) return;
    this.#generation += 1;
    this.#known.set(id, { stamp, state, generation: this.#generation });
  }

  /** The system tells of new ones at once; the folder is made by the first. */
  #watch(): void {
    if (this.#watcher || !existsSync(this.#folder)) return;
    const end = (): void => {
      this.#watcher?.close();
      this.#watcher = undefined;
    };
    try {
      this.#watcher = watch(this.#folder, () => {
        this.#isDue = true;
        if (!existsSync(this.#folder)) end();
      });
      this.#watcher.on("error", end);
      this.#isDue = true;
    } catch {
      // Too many are watched on this machine: it is looked at from time to time.
    }
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^r\d+$/.test(name));
  } catch {
    return [];
  }
}

function numberOf(id: string): number {
  return Number(id.slice(1));
}

function tryFind(ports: Ports, id: string): ReplayState | undefined {
  try {
    return findReplay(ports, id);
  } catch {
    // It is just being made, or removed.
    return undefined;
  }
}
