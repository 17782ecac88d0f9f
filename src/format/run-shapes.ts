/**
 * @file What `run.json`, `log.jsonl` and `profile.jsonl` must look like when they come from elsewhere:
 * a row for each field (docs/format.md). What a row cannot say, such as that a seal fits, stands
 * in `store/exchange/validate-run.ts`.
 */
import type { SourcePlace } from "./directive.ts";
import type {
  AuditFinding,
  LoopLeftAlone,
  Manifest,
  Overhead,
  RecordedHost,
  TurnedOff,
  VersionReference,
} from "./manifest.ts";
import type { LandedAs, PlannedStatement } from "./plan.ts";
import type { DrawSummary, Record as LogLine, UnseenCall } from "./records.ts";
import type { Shape, ShapesOf } from "./shapes.ts";
import {
  anything,
  byKind,
  count,
  either,
  flag,
  integer,
  isoTime,
  isTrue,
  list,
  mapOf,
  matching,
  nullable,
  number,
  oneOf,
  optional,
  record,
  small,
  text,
  tuple,
  word,
} from "./shapes.ts";
import type { TensorReference, TensorStats } from "./value.ts";

const RUN_ID = /^\w[\w.-]{0,59}-\d{8}-\d{6}-[0-9a-z]{4}$/;
/** Names that Windows keeps for devices, with whatever ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const RUN_REF = "refs/afterlog/runs/";
const NAME_MAX = 10_000;

/** Whether it is the id of a run: a plain name, of a folder and of a ref. */
export function isRunId(id: string): boolean {
  return RUN_ID.test(id) && !id.includes("..") && !DEVICE.test(id);
}

/** A path below some folder, whichever separators it is written with. */
function isInside(path: unknown): boolean {
  if (typeof path !== "string" || path === "" || path.length > 4096) return false;
  if (path.includes("\0") || !path.isWellFormed()) return false;
  return !/^[\\/]|^[a-z]:/i.test(path) && !path.split(/[\\/]/).includes("..");
}

function holding(what: string, holds: (value: string) => boolean): Shape {
  return {
    problem: (value) => {
      return typeof value === "string" && holds(value) ? undefined : ` is not ${what}`;
    },
  };
}

const runId = holding("the id of a run", isRunId);
const runRef = holding("the ref of a run", (ref) => {
  return ref.startsWith(RUN_REF) && isRunId(ref.slice(RUN_REF.length));
});
const inside = holding("a path inside of the project", isInside);
const folder = either(inside, oneOf("."));
/** It becomes a column or a word of a path: never empty. */
const name = holding(`a name of 1 to ${NAME_MAX} characters`, (given) => {
  return given !== "" && given.length <= NAME_MAX && given.isWellFormed();
});
/** It becomes a word of git's command line. */
const commit = matching(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, "a commit");
const hash = matching(/^[0-9a-z]+:?[0-9a-f]*$/, "a hash");
const decimal = matching(/^\d{1,20}$/, "a whole number of 64 bits");
const crc32 = matching(/^[0-9a-f]{8}$/, "a checksum");
const words = list(word());
const texts = list(text());

const element = tuple(name, either(small, oneOf("end")), optional(small));
const path = list(element, 1000);

const place = { file: word(4096), line: integer, column: integer } satisfies ShapesOf<SourcePlace>;

const HOST = record({
  name: text(1000),
  platform: text(100),
  arch: text(100),
  cpus: count,
  memoryBytes: number,
  bootId: nullable(text(100)),
  pid: count,
  pidStart: nullable(text(100)),
  gpu: optional(text(1000)),
} satisfies ShapesOf<RecordedHost>);

const VERSION = record({
  commit,
  ref: runRef,
  head: nullable(commit),
  branch: nullable(word(1000)),
  dirty: count,
  folder,
  private: flag,
  large: list(record({ file: inside, bytes: count, sha256: hash })),
  leftOut: optional(list(record({ file: inside, what: text() }))),
  warnings: texts,
} satisfies ShapesOf<VersionReference>);

const OVERHEAD = record({
  budget: nullable(number),
  share: number,
  checkpoints: count,
  bytes: count,
  captureMs: number,
  snapshotMs: number,
  waitMs: number,
  slowdownMs: number,
  logMs: number,
  otherMs: optional(number),
  outermostMs: number,
  endMs: optional(number),
  setupMs: optional(number),
  runMs: optional(number),
  besideMs: optional(number),
  processorMs: optional(number),
  rewrittenMs: optional(nullable(number)),
} satisfies ShapesOf<Overhead>);

const AUDIT = record({
  ...place,
  loop: name,
  key: text(),
  name: text(),
  run: optional(runId),
} satisfies ShapesOf<AuditFinding>);

const LEFT_ALONE = record({ ...place, why: text() } satisfies ShapesOf<LoopLeftAlone>);
const OFF = record({ feature: text(), why: text() } satisfies ShapesOf<TurnedOff>);

/** `run.json` of a run that has ended. */
export const MANIFEST_SHAPE: Shape = record({
  format: oneOf(1),
  run: runId,
  name: nullable(text(NAME_MAX)),
  kind: oneOf("record", "replay", "fork"),
  parent: nullable(runId),
  directive: anything,
  project: word(1000),
  program: inside,
  language: oneOf("typescript", "javascript", "python"),
  argv: words,
  cwd: optional(word(4096)),
  interpreter: optional(word(4096)),
  module: optional(matching(/^\w+(?:\.\w+)*$/u, "the name of a module")),
  hashSeed: optional(nullable(text(100))),
  ranks: optional(small),
  started: isoTime,
  ended: nullable(isoTime),
  resumed: optional(list(isoTime)),
  order: count,
  status: oneOf("done", "failed", "interrupted"),
  exitCode: nullable(integer),
  signal: nullable(text(100)),
  host: HOST,
  versions: mapOf(name, text(1000)),
  version: nullable(VERSION),
  loopRules: optional(small),
  handsFree: optional(flag),
  consoleRule: optional(text(10_000)),
  libraries: optional(list(text(1000))),
  rewriter: record({
    version: nullable(number),
    rewritten: flag,
    captureMap: nullable(text(1000)),
    leftAlone: optional(list(LEFT_ALONE)),
  }),
  seed: decimal,
  generator: text(1000),
  sources: mapOf(inside, hash),
  environment: optional(mapOf(name, text(1000))),
  audit: optional(list(AUDIT)),
  off: list(OFF),
  warnings: texts,
  overhead: nullable(OVERHEAD),
} satisfies ShapesOf<Manifest>);

const STATEMENT = record({
  ...place,
  name,
  logged: optional(name),
  unnamed: optional(isTrue),
  shown: optional(list(name)),
  text: text(),
  anchor: optional(text()),
  loops: list(name),
  under: optional(record({ text: text(), line: integer, value: text() })),
  version: optional(commit),
  carried: optional(texts),
  unsure: optional(texts),
  calls: optional(list(record({ ...place, words: text() }))),
  mayChange: optional(text()),
  changing: optional(list(record({ text: text(), names: texts }))),
  lasting: optional(text()),
  changes: optional(texts),
  computes: optional(isTrue),
} satisfies ShapesOf<PlannedStatement>);

const LANDED = record({
  verdict: oneOf("exact", "moved", "review", "cannot", "present"),
  reason: text(),
  differs: texts,
} satisfies ShapesOf<LandedAs>);

const SPAN = record({
  entry: nullable(text()),
  from: small,
  to: nullable(small),
  own: optional(isTrue),
});

const begun: Shape = nullable(
  record({ point: optional(text()), resumed: optional(small), orders: optional(word()) }),
);

/** `directive` of `run.json`, by the kind of the run. */
export const DIRECTIVE_SHAPES: { readonly [kind in Manifest["kind"]]: Shape } = {
  record: begun,
  fork: begun,
  replay: record({
    replay: text(1000),
    unit: small,
    scan: oneOf("prefix", "suffix", "outer", "inner"),
    ranges: list(mapOf(name, tuple(small, small))),
    part: optional(record({ spans: list(SPAN), rest: optional(isTrue) })),
    parts: optional(small),
    names: list(name),
    statements: list(STATEMENT),
    landing: optional(LANDED),
    from_checkpoint: nullable(word()),
    share: number,
    compared: record({ equal: count, close: count, different: count }),
    first_difference: nullable(
      record({ path, name: text(), recorded: optional(anything), replayed: optional(anything) }),
    ),
    doubts: optional(mapOf(name, texts)),
    predicted_s: number,
    actual_s: number,
    commit: nullable(commit),
    overlays: hash,
    incomplete: nullable(text()),
    gpu: optional(text(1000)),
    tolerance: optional(number),
    isolation: optional(oneOf("bubblewrap", "none")),
  }),
};

const STATS = record({
  count,
  nan: count,
  min: anything,
  max: anything,
  mean: anything,
  std: anything,
  item: optional(anything),
} satisfies ShapesOf<TensorStats>);

const TENSOR = record({
  $: oneOf("tensor"),
  dtype: text(100),
  shape: list(count, 100),
  offset: optional(count),
  bytes: count,
  crc32,
  stats: STATS,
} satisfies ShapesOf<TensorReference>);

const pairs = list(tuple(anything, anything));

/** Of a value that JSON has no word for; of one of a later version nothing is known. */
const TAGGED = byKind("$", {
  float: record({ v: oneOf("NaN", "Infinity", "-Infinity") }),
  bigint: record({ v: holding("a whole number", (v) => v.length <= 1e6 && /^-?\d+$/.test(v)) }),
  utf16: record({ v: text(Infinity) }),
  date: record({ v: text(100) }),
  map: record({ v: pairs }),
  set: record({ v: list(anything) }),
  object: record({ v: pairs }),
  typed: record({ type: text(100), v: text(Infinity) }),
  tensor: TENSOR,
  unsupported: record({ v: text(Infinity) }),
});

/** A logged value: bounded, and every part of it that has a `$` is what it says. */
const value: Shape = {
  problem: (given) => anything.problem(given) ?? problemOfTags(given),
};

/** Its depth is known to be bounded. */
function problemOfTags(given: unknown): string | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  if ("$" in given) {
    const problem = TAGGED.problem(given);
    if (problem !== undefined) return problem;
  }
  for (const part of Object.values(given)) {
    const problem = problemOfTags(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const DRAWS = list(
  record({
    generator: text(1000),
    lastNext: nullable(small),
    firstBody: nullable(small),
    outside: count,
  } satisfies ShapesOf<DrawSummary>),
);

type LinesByKind = { readonly [line in LogLine as line["k"]]: line };
type RowsOf<K extends keyof LinesByKind> = Omit<ShapesOf<LinesByKind[K]>, "k">;
const always = { seq: count, t: count };

const LINES = {
  header: { format: oneOf(1), run: runId },
  arg: { ...always, name, value, default: value, from: oneOf("argv", "default", "recorded") },
  site: {
    ...place,
    site: small,
    endLine: optional(integer),
    endColumn: optional(integer),
    kind: oneOf("log", "loop", "arg", "checkpointing"),
    enclosing: nullable(small),
    places: texts,
    function: optional(text()),
  },
  enter: {
    ...always,
    path,
    loop: name,
    entry: small,
    site: nullable(small),
    iterator: count,
    length: optional(count),
    range: optional(record({ start: number, step: number })),
  },
  iter: { ...always, path, value },
  exit: {
    ...always,
    path,
    loop: name,
    entry: small,
    how: oneOf("exhausted", "break", "jump", "throw", "closed"),
    iterations: small,
    draws: DRAWS,
    pending: nullable(texts),
  },
  log: {
    ...always,
    path,
    name,
    site: nullable(small),
    value,
    probe: optional(isTrue),
    check: optional(oneOf("verified", "restored", "close", "diverged", "unchecked")),
  },
  declare: { ...always, ordinal: small, path, site: nullable(small), fields: texts },
  file: {
    ...always,
    op: oneOf("read", "write", "sealed"),
    file: word(4096),
    path,
    bytes: optional(count),
    hash: optional(text(200)),
    before: optional(text(200)),
  },
  off: { ...always, feature: text(), why: text(), loop: optional(name) },
  calls: {
    ...always,
    file: word(4096),
    sites: texts,
    clocks: list(small),
    places: optional(list(tuple(integer, integer))),
  },
  called: {
    ...always,
    path,
    file: word(4096),
    results: list(either(count, tuple(small, value))),
    off: optional(list(small)),
  },
  fresh: { ...always, ...place, path, why: text(), probe: optional(isTrue) },
  restore: { ...always, path, file: word(4096) },
  state: { ...always, path, equal: flag, differs: texts, left: optional(texts) },
  reached: { ...always, site: nullable(small), was: text() },
  rewind: { path, seq: { problem: (given) => (given === -1 ? undefined : count.problem(given)) } },
  seal: { status: oneOf("done", "failed"), count, crc32 },
} satisfies { readonly [K in keyof LinesByKind]: RowsOf<K> };

/** A line of `log.jsonl`. */
export const LOG_LINE_SHAPE: Shape = byKind(
  "k",
  Object.fromEntries(Object.entries(LINES).map(([kind, fields]) => [kind, record(fields)])),
);

const ms = record({ ms: number });
const times = list(number);
const transfer = record({ path, ms: number, bytes: count });

/** A line of `profile.jsonl`. */
export const PROFILE_LINE_SHAPE: Shape = byKind("k", {
  start: ms,
  setup: ms,
  prefix: ms,
  suffix: ms,
  gap: record({ after: name, before: name, ms: number }),
  call: record({
    path,
    loops: small,
    call: text(),
    file: word(4096),
    line: integer,
    ms: number,
  } satisfies Omit<ShapesOf<UnseenCall>, "k">),
  iterations: record({
    path,
    loop: name,
    entry: small,
    from: small,
    next: times,
    head: times,
    inner: optional(times),
    tail: optional(times),
    each: optional(list(small)),
  }),
  frequency: record({
    block: text(),
    iterationMs: number,
    blockedMs: number,
    persistMs: number,
    interval: number,
  }),
  snapshot: transfer,
  wait: transfer,
  persist: transfer,
  load: transfer,
});
