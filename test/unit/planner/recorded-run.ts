/**
 * Recorded runs made up for tests: a program of nested loops in which every statement changes a
 * variable of the loop that it stands in, and what such a program leaves behind when it runs.
 */
import type { CheckpointRecord, LoopExit, LoopPath } from "../../../src/format/index.ts";
import { formatPath, pathElement } from "../../../src/format/index.ts";
import type { SourceLog, SourceLoop, SourceModel } from "../../../src/languages/index.ts";
import type { Costs, LoopEntry, RunFacts } from "../../../src/planner/index.ts";
import { matchLoops } from "../../../src/planner/index.ts";

export const COSTS: Costs = {
  startS: { p: 0.1 },
  loadBytesPerS: 1e9,
  hostFactors: {},
  treeS: 0,
  past: [],
};

/** A loop of the made-up program. */
export interface LoopSpec {
  readonly id: number;
  readonly name: string;
  readonly iterator: SourceLoop["iterator"];
  readonly loops: readonly LoopSpec[];
}

/** What the choices of a run are taken from. */
export interface Choices {
  integer(min: number, max: number): number;
  chance(percent: number): boolean;
}

/** Values of all variables: how often each has been changed. */
export type State = ReadonlyMap<string, number>;

export interface RecordedRun {
  readonly specs: readonly LoopSpec[];
  readonly facts: RunFacts;
  readonly model: SourceModel;
  /** State that each statement found, by where it stands: `epoch=1/head`. */
  readonly found: ReadonlyMap<string, State>;
  /** What each checkpoint holds, by file. */
  readonly saved: ReadonlyMap<string, State>;
  readonly specOf: ReadonlyMap<LoopEntry, LoopSpec>;
}

export function makeSpecs(choices: Choices, depth = 0, next = { id: 0 }): LoopSpec[] {
  const count = depth === 0 ? choices.integer(1, 3) : choices.integer(0, 3 - depth);
  const kinds = ["index", "independent", "dependent"] as const;
  return Array.from({ length: count }, () => {
    const id = next.id++;
    const iterator = kinds[choices.chance(70) ? 0 : choices.integer(1, 2)] ?? "index";
    return { id, name: `l${id}`, iterator, loops: makeSpecs(choices, depth + 1, next) };
  });
}

const variable = (spec: LoopSpec): string => `p.ts:0:v${spec.id}`;

/** Variables that a loop changes: its own and those of the loops in it. */
function changesOf(spec: LoopSpec): string[] {
  return [variable(spec), ...spec.loops.flatMap(changesOf)];
}

export function allSpecs(specs: readonly LoopSpec[]): LoopSpec[] {
  return specs.flatMap((spec) => [spec, ...allSpecs(spec.loops)]);
}

export function modelOf(specs: readonly LoopSpec[], logs: readonly SourceLog[] = []): SourceModel {
  const loops = allSpecs(specs)
    .toSorted((a, b) => a.id - b.id)
    .map((spec): SourceLoop => {
      const changes = changesOf(spec).map((key) => ({ key, name: key, access: "name" as const }));
      const { id, name, iterator } = spec;
      const place = { file: "p.ts", line: 10 + id, column: 5 };
      return { id, ordinal: id, name, form: "for", changes, iterator, awaits: false, ...place };
    });
  return { files: ["p.ts"], loops, logs, uncertain: [] };
}

export const matchOf = (model: SourceModel): ReturnType<typeof matchLoops> =>
  matchLoops(model, model);

/** Lets the program run once, and notes everything. */
export class Recording {
  readonly #choices: Choices;
  readonly #state = new Map<string, number>();
  readonly #found = new Map<string, State>();
  readonly #saved = new Map<string, State>();
  readonly #checkpoints = new Map<string, CheckpointRecord>();
  readonly #specOf = new Map<LoopEntry, LoopSpec>();
  /** Milliseconds of an iteration, by loop. */
  readonly #times = new Map<number, number>();
  #seq = 0;
  #interrupted = false;

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  run(specs: readonly LoopSpec[]): RecordedRun {
    this.statement("/0", "top");
    const entries = this.#loops(specs, [], []);
    const facts: RunFacts = {
      run: "p-20261115-093000-aaaa",
      program: "p.ts",
      started: "",
      order: 1,
      status: this.#interrupted ? "interrupted" : "done",
      rewritten: true,
      afterlog: "0",
      host: "h",
      entries,
      checkpoints: this.#checkpoints,
      lost: [],
      times: {
        start: 0,
        setup: 0,
        prefix: 7,
        gaps: entries.slice(1).map(() => 3),
        suffix: 11,
        persistBytesPerMs: null,
      },
    };
    const model = modelOf(specs);
    const { saved, found, specOf } = {
      saved: this.#saved,
      found: this.#found,
      specOf: this.#specOf,
    };
    return { specs, facts, model, found, saved, specOf };
  }

  statement(at: string, name: string): void {
    this.#found.set(at, new Map(this.#state));
    this.#state.set(name, (this.#state.get(name) ?? 0) + 1);
  }

  #loops(specs: readonly LoopSpec[], path: LoopPath, around: readonly LoopSpec[]): LoopEntry[] {
    const entries: LoopEntry[] = [];
    for (const spec of specs) {
      const times = this.#choices.chance(80) ? 1 : this.#choices.integer(0, 2);
      for (let entry = 0; entry < times && !this.#interrupted; entry++) {
        entries.push(this.#enter(spec, entry, path, around));
        if (this.#interrupted) return entries;
        const parent = around.at(-1);
        const at = `${formatPath(path)}/${entries.length}`;
        this.statement(at, parent ? variable(parent) : "top");
      }
    }
    return entries;
  }

  #enter(spec: LoopSpec, ordinal: number, path: LoopPath, around: readonly LoopSpec[]): LoopEntry {
    const active = [...around, spec];
    const children = new Map<number, LoopEntry[]>();
    const iterations = this.#choices.integer(0, 5);
    const early = iterations > 0 && this.#choices.chance(25);
    const exits = ["break", "jump", "closed"] as const;
    let how: LoopExit | null = early
      ? (exits[this.#choices.integer(0, 2)] ?? "break")
      : "exhausted";
    const seq = this.#seq++;
    let begun = 0;
    for (let index = 0; index < iterations && !this.#interrupted; index++) {
      begun++;
      const here: LoopPath = [...path, pathElement(spec.name, index, ordinal)];
      this.statement(`${formatPath(here)}/0`, variable(spec));
      const inner = this.#loops(spec.loops, here, active);
      if (inner.length > 0) children.set(index, inner);
      if (!this.#interrupted && this.#choices.chance(1)) this.#interrupted = true;
      if (this.#interrupted || (early && index === iterations - 1)) break;
      this.#checkpoint("iteration", here, active, 50);
    }
    if (this.#interrupted) how = null;
    const end: LoopPath = [...path, pathElement(spec.name, "end", ordinal)];
    if (how !== null) this.#checkpoint("loop", end, active, 60);
    // All of a loop alike: none is slow for being the first.
    const each = this.#times.get(spec.id) ?? this.#choices.integer(0, 400);
    this.#times.set(spec.id, each);
    const ms = Array.from({ length: begun }, () => each);
    const zero = ms.map(() => 0);
    const entry: LoopEntry = {
      key: formatPath(end),
      path,
      loop: spec.name,
      entry: ordinal,
      depth: path.length,
      site: { file: "p.ts", line: 10 + spec.id, column: 5, endLine: 999, endColumn: 1 },
      iterator: seq,
      seq,
      ranged: false,
      iterations: begun,
      how,
      draws: [],
      pending: this.#choices.chance(4) ? ["Timeout"] : [],
      outlasts: false,
      children,
      times: { next: zero, head: ms, inner: zero, tail: zero },
      elapsedMs: null,
    };
    this.#specOf.set(entry, spec);
    return entry;
  }

  /** Sometimes taken, and then not always complete. */
  #checkpoint(
    kind: "iteration" | "loop",
    path: LoopPath,
    active: readonly LoopSpec[],
    percent: number,
  ): void {
    if (!this.#choices.chance(percent)) return;
    const keys = active.flatMap((spec, depth) => changesOf(spec).map((key) => `${key}#${depth}`));
    const partial = this.#choices.chance(20);
    const lost = partial ? keys[this.#choices.integer(0, keys.length - 1)] : undefined;
    const places = keys.filter((key) => key !== lost);
    const text = formatPath(path);
    const file = `${text}.safetensors`;
    const state = new Map<string, number>();
    // A variable that one loop does not see may still be there through another one.
    for (const place of places) {
      const name = place.slice(0, place.lastIndexOf("#"));
      state.set(name, this.#state.get(name) ?? 0);
    }
    this.#saved.set(file, state);
    this.#checkpoints.set(text, {
      k: "checkpoint",
      kind,
      path,
      seq: this.#seq,
      logBytes: 0,
      file,
      bytes: 4096,
      stateBytes: this.#choices.integer(0, 5) * 1e7,
      holds: [],
      needs: [],
      crc32: "",
      stateHash: "",
      places: places.map((key) => ({ key, crc32: "" })),
      generators: [],
      iterators: [],
      absent: lost !== undefined && this.#choices.chance(50) ? [{ key: lost, why: "no" }] : [],
      times: { capture: 0, snapshot: 0, wait: 0, persist: 0 },
      t: 0,
    });
  }
}
