/**
 * @file Statements of several names put into the source of one version, and a verdict for each name.
 * What nobody has looked at yet is not put in beside what is certain: a name that needs a review
 * waits, and the others do not.
 */
import type { Landing, Overlay, SourcePlace, Verdict } from "../format/index.ts";
import type { SourceLog } from "../languages/index.ts";
import { compareSources, landStatements } from "../languages/index.ts";
import type { Origin } from "./origins.ts";

type Read = (file: string) => string | undefined;

export interface NameLanding {
  readonly name: string;
  readonly verdict: Verdict;
  /** For the user: why it cannot land, or what is to be looked at. */
  readonly why: string;
  readonly landings: readonly Landing[];
  /** Texts that came with its statements. */
  readonly carried: readonly string[];
}

export interface LandedNames {
  readonly names: readonly NameLanding[];
  readonly landings: readonly Landing[];
  readonly overlays: readonly Overlay[];
  /** Statements that the version did not have. */
  readonly probes: readonly SourcePlace[];
  /** Texts of what was put in besides log statements. */
  readonly also: readonly string[];
}

export interface LandingTask {
  /** Names, and where each may be taken from. */
  readonly wishes: ReadonlyMap<string, readonly Origin[]>;
  /** Files of the version in which a statement may land. */
  readonly files: readonly string[];
  /** The text that ran. */
  readonly before: Read;
  /** The text that the statements are put into: that, or one that differs by log statements. */
  readonly base: Read;
  /** Files of which `base` is not `before`. */
  readonly placed: readonly Overlay[];
}

/** The worst last; `present` is as good as `exact`. */
const ORDER: readonly Verdict[] = ["present", "exact", "moved", "review", "cannot"];

export function worstOf(verdicts: readonly Verdict[]): Verdict {
  return ORDER[Math.max(0, ...verdicts.map((verdict) => ORDER.indexOf(verdict)))] ?? "cannot";
}

/** Lands all names; those that need a review only if no other is certain. */
export function landNames(task: LandingTask): LandedNames {
  const wishes = [...task.wishes].flatMap(([name, origins]) => chooseOrigin(task, name, origins));
  const all = landTogether(task, wishes);
  const certain = all.names.filter(
    ({ verdict }) => ORDER.indexOf(verdict) < ORDER.indexOf("review"),
  );
  if (certain.length === 0 || certain.length === all.names.length) return all;
  const again = landTogether(
    task,
    wishes.filter(({ name }) => certain.some((one) => one.name === name)),
  );
  const waiting = all.names.filter((one) => !certain.includes(one));
  const left = waiting.map((one): NameLanding => ({ ...one, verdict: "cannot" }));
  return { ...again, names: [...again.names, ...left] };
}

interface Wish {
  readonly name: string;
  readonly origin: Origin;
}

/** Of several programs that log the name, the one whose statement fits best. */
function chooseOrigin(task: LandingTask, name: string, origins: readonly Origin[]): Wish[] {
  const [first] = origins;
  if (!first) return [];
  if (origins.length === 1) return [{ name, origin: first }];
  const tried = origins.map((origin) => {
    const [landed] = landTogether(task, [{ name, origin }]).names;
    return { origin, rank: ORDER.indexOf(landed?.verdict ?? "cannot") };
  });
  const [best = { origin: first }] = tried.toSorted((a, b) => a.rank - b.rank);
  return [{ name, origin: best.origin }];
}

/** One statement, however many ways lead to it. */
interface Placed {
  readonly name: string;
  readonly log: SourceLog;
  readonly landing: Landing;
}

function landTogether(task: LandingTask, wishes: readonly Wish[]): LandedNames {
  const texts = new Map(task.placed.map(({ file, text }) => [file, text]));
  const placed: Placed[] = [];
  for (const { origin, file, logs } of bySource(wishes)) {
    const result = landStatements({
      now: { file, text: origin.text },
      statements: logs.map(({ log }) => ({ line: log.line, column: log.column })),
      then: { files: task.files, text: (name) => texts.get(name) ?? task.base(name) },
    });
    for (const overlay of result.overlays) texts.set(overlay.file, overlay.text);
    result.landings.forEach((landing, at) => {
      const own = logs[at];
      if (own) placed.push({ ...own, landing });
    });
  }
  const overlays = [...texts].map(([file, text]) => ({ file, text }));
  const landings = placed.map(({ landing }) => landing);
  const also = landings.flatMap(({ text, carried }) => [
    ...(text === null ? [] : [text]),
    ...carried.map((one) => one.text),
  ]);
  const checked = verify(overlays, task.before, also, landings);
  const names = wishes.map(({ name }) => asName(name, placed, checked.problem));
  const shown = { names, landings, also };
  if (checked.problem !== null) return { ...shown, overlays: [], probes: [] };
  return { ...shown, overlays, probes: checked.probes };
}

/** The statements of one file of one source are landed together: they keep their order. */
function bySource(wishes: readonly Wish[]): {
  readonly origin: Origin;
  readonly file: string;
  readonly logs: readonly Omit<Placed, "landing">[];
}[] {
  const groups = new Map<
    string,
    { origin: Origin; file: string; logs: Omit<Placed, "landing">[] }
  >();
  for (const { name, origin } of wishes) {
    for (const log of origin.logs) {
      const key = `${origin.version ?? ""}\n${origin.program}\n${log.file}`;
      const group = groups.get(key) ?? { origin, file: log.file, logs: [] };
      const isKnown = group.logs.some(
        (one) => one.log.line === log.line && one.log.column === log.column,
      );
      if (!isKnown) group.logs.push({ name, log });
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

function asName(name: string, placed: readonly Placed[], problem: string | null): NameLanding {
  const landings = placed.filter((one) => one.name === name).map(({ landing }) => landing);
  const carried = [
    ...new Set(landings.flatMap((one) => one.carried.map(({ text }) => text))),
  ].sort();
  const verdicts = landings.map(({ verdict }) => verdict);
  const lands = verdicts.filter((verdict) => verdict !== "cannot");
  // Where only some of its statements land, nobody can say that these are all that matter.
  const isPart = lands.length > 0 && lands.length < verdicts.length;
  const worst = lands.length === 0 ? "cannot" : isPart ? "review" : worstOf(verdicts);
  const verdict = problem === null ? worst : "cannot";
  const reasons = landings.filter((one) => one.verdict === worst || one.verdict === "cannot");
  const why = problem ?? [...new Set(reasons.map(({ reason }) => reason))].join("; ");
  return { name, verdict, why, landings, carried };
}

/**
 * Whether the texts differ from those that ran by log statements and by what came with them, and by
 * nothing else: then a replay executes the program of the run.
 */
function verify(
  overlays: readonly Overlay[],
  before: Read,
  also: readonly string[],
  landings: readonly Landing[],
): { readonly probes: readonly SourcePlace[]; readonly problem: string | null } {
  const carriedFiles = new Set(
    landings.flatMap(({ carried }) =>
      carried.filter(({ kind }) => kind === "file").map((one) => one.name),
    ),
  );
  const probes: SourcePlace[] = [];
  for (const { file, text } of overlays) {
    const old = before(file);
    if (old === undefined) {
      if (carriedFiles.has(file)) continue;
      return { probes: [], problem: `${file} would be new in this version` };
    }
    const result = compareSources(old, text, file, also);
    if (result.kind === "differs") {
      const problem = `more than the statement would change, at ${file}:${result.line}: ${result.why}`;
      return { probes: [], problem };
    }
    if (result.kind === "logs") probes.push(...result.added.map(({ place }) => place));
  }
  return { probes, problem: null };
}
