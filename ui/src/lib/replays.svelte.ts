/** Replays as they are on disk, also those that were begun in a terminal, and what they mean for cells. */
import { askJson } from "./api.ts";

export interface Unit {
  readonly run: string;
  readonly unit: number;
  readonly status: "waiting" | "running" | "done" | "failed";
  readonly cells: number;
  readonly whole: boolean;
  readonly wholeBecause?: string;
  readonly why: string | null;
  readonly review?: true;
  readonly first_difference: object | null;
  readonly likely_cause: string | null;
  readonly predicted_s: number;
  readonly actual_s: number | null;
}

/** As `afterlog ps --json` tells it: what this page reads of it. */
export interface ReplayState {
  readonly replay: string;
  readonly status: "running" | "done" | "failed" | "stopped" | "interrupted";
  readonly names: readonly string[];
  readonly created: string;
  readonly ended: string | null;
  readonly predicted_s: number;
  readonly actual_s: number;
  readonly workers: number;
  readonly awaits?: "go" | "answer";
  readonly units: readonly Unit[];
}

export interface WatchedReplay {
  readonly replay: ReplayState;
  readonly plan: {
    readonly review: readonly { readonly run: string }[];
    readonly left_out: readonly {
      readonly run: string;
      readonly why: string;
      readonly filled?: true;
    }[];
  };
  readonly progress: { readonly seconds: number; readonly seconds_left: number } | null;
  readonly canary: {
    readonly run: string;
    readonly cells: readonly {
      readonly name: string;
      readonly value: unknown;
      readonly check: string;
    }[];
    readonly predicted_s: number;
    readonly actual_s: number;
    readonly likely_cause: string | null;
  } | null;
  readonly failures: readonly {
    readonly error: string;
    readonly place: string | null;
    readonly runs: readonly string[];
    readonly first: {
      readonly why: string;
      readonly stderr: string;
      readonly notes: readonly string[];
    };
  }[];
}

/** What stands in a cell that has no value yet. */
export interface CellState {
  readonly sign: string;
  readonly word: string;
  readonly tone: "muted" | "running" | "review" | "failed";
  readonly says: string;
  /** Where there is more about it. */
  readonly href: string;
}

interface ReplaysAnswer {
  readonly generation: number;
  readonly replays: readonly ReplayState[];
}

export class Replays {
  /** Newest first. */
  list: readonly ReplayState[] = $state.raw([]);
  isLoaded: boolean = $state(false);
  /** Runs that their plans do not execute, by replay. */
  #plans: ReadonlyMap<string, WatchedReplay["plan"]> = $state.raw(new Map());
  #generation = 0;
  readonly #asked = new Set<string>();

  async load(): Promise<void> {
    try {
      const { generation, replays } = await askJson<ReplaysAnswer>("/replays");
      this.#generation = generation;
      this.list = replays;
      this.isLoaded = true;
      this.#readPlans();
    } catch {
      // The page says that the server is gone; it asks again when it is back.
    }
  }

  take({ generation, replay }: { generation: number; replay: ReplayState }): void {
    if (generation <= this.#generation) return;
    const others = this.list.filter((one) => one.replay !== replay.replay);
    const number = (one: ReplayState): number => Number(one.replay.slice(1));
    this.list = [...others, replay].sort((a, b) => number(b) - number(a));
    this.#readPlans();
  }

  /** Those that cells tell of: which run, and the newest as long as something of it is open. */
  get shown(): readonly ReplayState[] {
    return this.list.filter(
      ({ status }, at) => status === "running" || (at === 0 && status !== "done"),
    );
  }

  get running(): ReplayState | undefined {
    return this.list.find(({ status }) => status === "running");
  }

  /** Names that are being filled, or were to be. */
  get names(): string[] {
    return [...new Set(this.shown.flatMap(({ names }) => names))];
  }

  /** What there is to say of a cell without a value. */
  cell(name: string, run: string): CellState | undefined {
    for (const replay of this.shown) {
      if (!replay.names.includes(name)) continue;
      const units = replay.units.filter((unit) => unit.run === run);
      if (units.length > 0) return unitState(replay, units);
      const plan = this.#plans.get(replay.replay);
      if (plan?.review.some((one) => one.run === run))
        return { ...REVIEW, href: `/ask?names=${encodeURIComponent(name)}` };
      const left = plan?.left_out.find((one) => one.run === run);
      if (left)
        return {
          sign: "–",
          word: "",
          tone: "muted",
          says: `left out: ${left.why}`,
          href: address(replay),
        };
    }
    return undefined;
  }

  #readPlans(): void {
    for (const { replay } of this.shown) {
      if (this.#asked.has(replay)) continue;
      this.#asked.add(replay);
      void askJson<WatchedReplay>(`/replays/${replay}`).then(
        ({ plan }) => (this.#plans = new Map([...this.#plans, [replay, plan]])),
        () => this.#asked.delete(replay),
      );
    }
  }
}

function address({ replay }: ReplayState): string {
  return `/replays/${replay}`;
}

const REVIEW = {
  sign: "!",
  word: "review",
  tone: "review",
  says: "somebody must look at where the statement lands: it was not started",
} as const;

function unitState(replay: ReplayState, units: readonly Unit[]): CellState {
  const href = address(replay);
  const isAny = (status: Unit["status"]): boolean => units.some((unit) => unit.status === status);
  const failed = units.find(({ status }) => status === "failed");
  if (failed) {
    const word = failed.review ? "review" : "failed";
    return {
      sign: failed.review ? "!" : "✗",
      word,
      tone: word,
      says: failed.why?.split("\n")[0] ?? "it failed",
      href,
    };
  }
  if (replay.status === "running") {
    if (isAny("running"))
      return {
        sign: "◐",
        word: "running",
        tone: "running",
        says: `${replay.replay} executes it`,
        href,
      };
    if (isAny("waiting")) {
      const says = replay.awaits
        ? "it waits for a word after the canary"
        : `${replay.replay} will execute it`;
      return { sign: "·", word: "queued", tone: "muted", says, href };
    }
  } else if (isAny("waiting") || isAny("running"))
    return {
      sign: "■",
      word: "stopped",
      tone: "muted",
      says: `${replay.replay} was stopped before it; it can be continued`,
      href,
    };
  const cells = units.reduce((sum, unit) => sum + unit.cells, 0);
  return cells > 0
    ? { sign: "◐", word: "reading", tone: "running", says: "its values are being read", href }
    : {
        sign: "–",
        word: "",
        tone: "muted",
        says: "it was replayed, and nothing was logged there",
        href,
      };
}

export interface StripCell {
  readonly run: string;
  readonly sign: string;
  readonly tone: string;
  readonly says: string;
}

const STRIP: { readonly [status in Unit["status"]]: readonly [sign: string, tone: string] } = {
  waiting: ["·", "muted"],
  running: ["◐", "running"],
  done: ["✓", "hindsight"],
  failed: ["✗", "failed"],
};

/** The newest first, as the runs are listed. */
export function newestFirst({ units }: ReplayState, orderOf: (run: string) => number): Unit[] {
  return units.toSorted((a, b) => orderOf(b.run) - orderOf(a.run) || a.unit - b.unit);
}

export function stripOf(units: readonly Unit[]): StripCell[] {
  return units.map(({ run, status, first_difference: difference, review }) => {
    const [sign, tone] = review ? ["!", "review"] : difference ? ["✗", "failed"] : STRIP[status];
    return { run, sign, tone, says: difference ? "differs from the record" : status };
  });
}

export function countUnits({ units }: ReplayState, status: Unit["status"]): number {
  return units.filter((unit) => unit.status === status).length;
}
