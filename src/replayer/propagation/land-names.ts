/**
 * @file Statements of several names put into the source of one version, and a verdict for each name.
 * What nobody has looked at yet is not put in beside what is certain: a name that needs a review
 * waits, and the others do not.
 */
import type {
  Landing,
  LandingRequest,
  Overlay,
  RunMode,
  SourcePlace,
  Verdict,
} from "../../format/index.ts";
import { landStatements } from "../../landing/index.ts";
import type { InsertedSource, SourceLog } from "../../languages/index.ts";
import { languageOf } from "../../languages/index.ts";
import type { LandingChoice, Decisions } from "./landing-decisions.ts";
import { landedId } from "./landing-decisions.ts";
import type { Origin } from "./origins.ts";

type Read = (file: string) => string | undefined;

export interface NameLanding {
  readonly name: string;
  readonly verdict: Verdict;
  /** For the user: why it cannot land, or what is to be looked at. */
  readonly why: string;
  readonly landings: readonly Landing[];
  /** For each of these, the statement in the newest version as it is written there. */
  readonly statements: readonly string[];
  /** Texts that came with its statements. */
  readonly carried: readonly string[];
  /** Statements that were added beside its own in the newest version, and did not come. */
  readonly leftOut: readonly string[];
  /** Somebody accepted it, or put it there: for this version, not for others. */
  readonly isDecided: boolean;
}

export interface LandedNames {
  readonly names: readonly NameLanding[];
  readonly overlays: readonly Overlay[];
  /** Statements that the version did not have. */
  readonly probes: readonly SourcePlace[];
  /** By file, what was put in. */
  readonly inserted: ReadonlyMap<string, Pick<InsertedSource, "before">>;
}

export interface LandingTask {
  /** Names, and where each may be taken from. */
  readonly wishes: ReadonlyMap<string, readonly Origin[]>;
  readonly mode: RunMode;
  /** Whether another name is certain already: then none that needs a review is put beside it. */
  readonly hasCertain: boolean;
  /** A source nearer to this one, into which the name was put: tried if nothing else is certain. */
  readonly nearer: (name: string) => Origin | undefined;
  /** Files of the version in which a statement may land. */
  readonly files: readonly string[];
  /** The text that ran. */
  readonly before: Read;
  /** The text that the statements are put into: that, or one that differs by log statements. */
  readonly base: Read;
  /** Files of which `base` is not `before`. */
  readonly placed: readonly Overlay[];
  readonly decisions: Decisions;
}

/** One version at work: the same statements are landed once, though several questions are asked. */
interface LandingOnce extends LandingTask {
  readonly known: Map<string, LandedNames>;
}

/** The worst last; `present` is as good as `exact`. */
const ORDER: readonly Verdict[] = ["present", "exact", "moved", "review", "cannot"];

export function isCertain(verdict: Verdict): boolean {
  return ORDER.indexOf(verdict) < ORDER.indexOf("review");
}

export function worstOf(verdicts: readonly Verdict[]): Verdict {
  return ORDER[Math.max(0, ...verdicts.map((verdict) => ORDER.indexOf(verdict)))] ?? "cannot";
}

/** Lands all names; those that need a review only if no other is certain. */
export function landNames(given: LandingTask): LandedNames {
  const task: LandingOnce = { ...given, known: new Map() };
  const wishes = [...task.wishes].flatMap(([name, origins]) => chooseOrigin(task, name, origins));
  const landed = landCertain(task, wishes);
  if (wishes.length < 2) return landed;
  // What a name brings along does not depend on what else is asked for.
  const alone = new Map(
    wishes.map((wish) => [wish.name, landTogether(task, [wish]).names[0]?.carried] as const),
  );
  const names = landed.names.map((one) => ({
    ...one,
    carried: alone.get(one.name) ?? one.carried,
  }));
  return { ...landed, names };
}

function landCertain(task: LandingOnce, wishes: readonly Wish[]): LandedNames {
  const all = landTogether(task, wishes);
  const certain = all.names.filter(({ verdict }) => isCertain(verdict));
  if (certain.length === all.names.length) return all;
  if (certain.length === 0 && !task.hasCertain) return all;
  const again = landTogether(
    task,
    wishes.filter(({ name }) => certain.some((one) => one.name === name)),
  );
  const waiting = all.names.filter((one) => !certain.includes(one));
  const left = waiting.map((one): NameLanding => {
    const why = one.verdict === "review" ? `somebody must look at it first: ${one.why}` : one.why;
    return { ...one, verdict: "cannot", why };
  });
  return { ...again, names: [...again.names, ...left] };
}

interface Wish {
  readonly name: string;
  readonly origin: Origin;
}

/**
 * Of several programs that log the name, the one whose statement fits best. What changed much since
 * changed little from version to version: where it is not certain, the next newer one may be.
 */
function chooseOrigin(task: LandingOnce, name: string, origins: readonly Origin[]): Wish[] {
  const [first] = origins;
  if (!first) return [];
  const nearer = task.nearer(name);
  if (origins.length === 1 && !nearer) return [{ name, origin: first }];
  const tried = origins.map((origin) => tryOrigin(task, name, origin));
  const isOpen = tried.every(({ verdict, isDecided: own }) => !isCertain(verdict) && !own);
  // To look at it there is better than to be told that it cannot be.
  if (isOpen && nearer) tried.push(tryOrigin(task, name, nearer));
  const rank = ({ verdict }: { readonly verdict: Verdict }): number => ORDER.indexOf(verdict);
  const [best = { origin: first }] = tried.toSorted((a, b) => rank(a) - rank(b));
  return [{ name, origin: best.origin }];
}

function tryOrigin(
  task: LandingOnce,
  name: string,
  origin: Origin,
): { readonly origin: Origin; readonly verdict: Verdict; readonly isDecided: boolean } {
  const [landed] = landTogether(task, [{ name, origin }]).names;
  // What was accepted may be the landing by another way: it does not close this one.
  const isOwn = askedOf(task, { name, origin }).some(({ choice }) => isDecided(choice));
  return { origin, verdict: landed?.verdict ?? "cannot", isDecided: isOwn };
}

/** One statement, however many ways lead to it. */
interface Asked {
  readonly name: string;
  readonly origin: Origin;
  readonly log: SourceLog;
  readonly choice: LandingChoice | undefined;
  /** File that the choice is about. */
  readonly file: string | undefined;
}

interface Placed extends Asked {
  readonly landing: Landing;
  /** Where it stands, in the same words whatever else was put in. */
  readonly anchor: string;
}

function landTogether(task: LandingOnce, wishes: readonly Wish[]): LandedNames {
  const key = JSON.stringify(
    wishes.map(({ name, origin: { program, version, written } }) => {
      return [name, program, version, written !== undefined];
    }),
  );
  let landed = task.known.get(key);
  if (!landed) task.known.set(key, (landed = landAll(task, wishes)));
  return landed;
}

function landAll(task: LandingTask, wishes: readonly Wish[]): LandedNames {
  const layers = new Layers(task);
  const asked = wishes.flatMap((wish) => askedOf(task, wish));
  const placed = [
    ...landDecided(layers, asked),
    ...bySource(asked.filter(({ choice }) => !isDecided(choice))).flatMap((group) => {
      return layers.land(group).map((one) => accepted(task, one));
    }),
  ];
  const landings = placed.map(({ landing }) => landing);
  const also = landings.flatMap(({ text, carried }) => [
    ...(text === null ? [] : [text]),
    ...carried.map((one) => one.text),
  ]);
  const checked = verify(layers.overlays(), task.before, { ...task.mode, also }, landings);
  const names = wishes.map(({ name }) => asName(task, name, placed, checked.problem));
  if (checked.problem === null) return { names, ...checked };
  return { names, overlays: [], probes: [], inserted: new Map() };
}

/** The statements of a name, each once, with what was decided about it. */
function askedOf({ decisions, files, before }: LandingTask, { name, origin }: Wish): Asked[] {
  const places = new Map(origin.logs.map((log) => [`${log.file}:${log.line}:${log.column}`, log]));
  return [...places.values()].map((log) => {
    const statement = origin.written?.(log) ?? log.text;
    const decision = decisions.find({ name, statement }, files, before);
    return { name, origin, log, choice: decision?.choice, file: decision?.file };
  });
}

function isDecided(choice: LandingChoice | undefined): boolean {
  return choice?.kind === "place" || choice?.kind === "exclude";
}

/** The texts of a version as one statement after the other is put in. */
class Layers {
  readonly #task: LandingTask;
  readonly #texts: Map<string, string>;

  constructor(task: LandingTask) {
    this.#task = task;
    this.#texts = new Map(task.placed.map(({ file, text }) => [file, text]));
  }

  land(group: readonly Asked[], decided?: LandingRequest["decided"]): Placed[] {
    const [first] = group;
    if (!first) return [];
    const { base, files, mode } = this.#task;
    const { landings, overlays } = landStatements({
      ...mode,
      now: { file: first.log.file, text: first.origin.text },
      statements: group.map(({ log }) => ({ line: log.line, column: log.column })),
      then: { files, text: (file) => this.#texts.get(file) ?? base(file) },
      ...(decided ? { decided } : {}),
    });
    for (const { file, text } of overlays) this.#texts.set(file, text);
    return group.flatMap((one, at) => {
      const landing = landings[at];
      if (!landing) return [];
      return [{ ...one, landing: stepping(landing, one.origin), anchor: this.#anchorOf(landing) }];
    });
  }

  #anchorOf({ file, line, column }: Landing): string {
    if (file === null || line === null || column === null) return "";
    const { base, mode } = this.#task;
    const text = this.#texts.get(file) ?? base(file) ?? "";
    return `${file} ${languageOf(file).anchorOf(text, file, { line, column }, mode)}`;
  }

  overlays(): Overlay[] {
    return [...this.#texts].map(([file, text]) => ({ file, text }));
  }
}

/** By way of another version it is not where it stands in the newest one, but where it was moved. */
function stepping(landing: Landing, { written, version }: Origin): Landing {
  if (!written) return landing;
  const verdict = landing.verdict === "exact" ? "moved" : landing.verdict;
  const by = version === null ? "the working tree" : version.slice(0, 7);
  return { ...landing, verdict, reason: `by way of ${by}: ${landing.reason}` };
}

/** First, and from the end of a file on: the lines that were decided are those of the older text. */
function landDecided(layers: Layers, asked: readonly Asked[]): Placed[] {
  const lineOf = ({ choice }: Asked): number => (choice?.kind === "place" ? (choice.line ?? 0) : 0);
  return asked
    .toSorted((a, b) => lineOf(b) - lineOf(a))
    .flatMap((one): Placed[] => {
      const { choice, file } = one;
      if (choice?.kind === "exclude") {
        return [{ ...one, landing: leftOut(file ?? null), anchor: "" }];
      }
      if (choice?.kind !== "place") return [];
      const { line, text } = choice;
      return layers.land([one], {
        ...(file === undefined ? {} : { file }),
        ...(line === undefined ? {} : { line }),
        ...(text === undefined ? {} : { text }),
      });
    });
}

export function leftOut(file: string | null): Landing {
  return {
    verdict: "cannot",
    file,
    line: null,
    column: null,
    text: null,
    confidence: 0,
    reason: "you left this version out",
    warnings: [],
    carried: [],
    renames: [],
    refusal: "excluded",
  };
}

/** Whether it is what was looked at: as it is here, or as it would be without the others. */
function isAccepted(task: LandingTask, placed: Placed): boolean {
  const { choice, landing, anchor } = placed;
  if (choice?.kind !== "accept") return false;
  if (choice.landed === landedId(landing)) return true;
  const [alone] = new Layers(task).land([placed]);
  if (!alone || choice.landed !== landedId(alone.landing) || alone.anchor !== anchor) return false;
  const told = ({ text, carried }: Landing): string => {
    return JSON.stringify([text, carried.map((one) => one.text)]);
  };
  return told(alone.landing) === told(landing);
}

/** What somebody looked at and accepted need not be looked at again. */
function accepted(task: LandingTask, placed: Placed): Placed {
  const { landing } = placed;
  if (landing.verdict !== "review" || !isAccepted(task, placed)) return placed;
  const reason = `you accepted it: ${landing.reason}`;
  return { ...placed, landing: { ...landing, verdict: "moved", reason } };
}

/**
 * The statements of one file of one source are landed together: they keep their order. A version with
 * a statement put into it is another source than the version itself: its lines are others.
 */
function bySource(asked: readonly Asked[]): Asked[][] {
  const groups = new Map<string, Asked[]>();
  for (const one of asked) {
    const { version, program, written, text } = one.origin;
    const { file } = one.log;
    const key = JSON.stringify([version, program, written !== undefined, file, text(file)]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

function asName(
  task: LandingTask,
  name: string,
  placed: readonly Placed[],
  problem: string | null,
): NameLanding {
  const own = placed.filter((one) => one.name === name);
  const landings = own.map((one): Landing => {
    const { leftOut: _, ...landing } = one.landing;
    return landing;
  });
  const carried = [
    ...new Set(landings.flatMap((one) => one.carried.map(({ text }) => text))),
  ].sort();
  const leftOut = new Set([
    ...own.flatMap(({ landing }) => landing.leftOut ?? []),
    // By way of another version it lacks what did not come into that one.
    ...own.flatMap(({ origin }) => origin.leftOut ?? []),
  ]);
  const verdicts = landings.map(({ verdict }) => verdict);
  const lands = verdicts.filter((verdict) => verdict !== "cannot");
  // Where only some of its statements land, nobody can say that these are all that matter.
  const isPart =
    lands.length > 0 &&
    lands.length < verdicts.length &&
    !own.every((one) => isAccepted(task, one));
  const worst = lands.length === 0 ? "cannot" : isPart ? "review" : worstOf(lands);
  const verdict = problem === null ? worst : "cannot";
  const reasons = landings.filter((one) => one.verdict === worst || one.verdict === "cannot");
  const why = problem ?? [...new Set(reasons.map(({ reason }) => reason))].join("; ");
  return {
    name,
    verdict,
    why,
    landings,
    statements: own.map(({ log, origin }) => origin.written?.(log) ?? log.text),
    carried,
    leftOut: [...leftOut],
    isDecided: own.some((one) => isAccepted(task, one) || isDecided(one.choice)),
  };
}

/** State, loops and arguments that the run did not declare have nothing to do with its record. */
const SDK = /\.(?:checkpointing|loop|arg|dataset|fit)\s*\(|\bcheckpointing\s*\(/;

interface Verified extends Pick<LandedNames, "overlays" | "probes" | "inserted"> {
  /** Why they cannot be executed; null: they can. */
  readonly problem: string | null;
}

/**
 * Whether the texts differ from those that ran by log statements and by what came with them, and by
 * nothing else: then a replay executes the program of the run.
 */
function verify(
  changed: readonly Overlay[],
  before: Read,
  allowed: RunMode & { readonly also: readonly string[] },
  landings: readonly Landing[],
): Verified {
  const carriedFiles = new Set(
    landings.flatMap(({ carried }) =>
      carried.filter(({ kind }) => kind === "file").map((one) => one.name),
    ),
  );
  const probes: SourcePlace[] = [];
  const overlays: Overlay[] = [];
  const inserted = new Map<string, InsertedSource>();
  const refuse = (problem: string): Verified => ({ problem, overlays, probes, inserted });
  const declares = landings.flatMap(({ carried }) => carried).find(({ text }) => SDK.test(text));
  if (declares) return refuse(`${declares.name}, which it needs, is declared to Afterlog`);
  for (const { file, text } of changed) {
    const old = before(file);
    if (old === undefined) {
      if (!carriedFiles.has(file)) return refuse(`${file} would be new in this version`);
      overlays.push({ file, text });
      continue;
    }
    const result = languageOf(file).compareInserted(old, text, file, allowed);
    const { difference } = result;
    if (difference.kind === "differs") {
      const { line, why } = difference;
      return refuse(`more than the statement would change, at ${file}:${line}: ${why}`);
    }
    if (difference.kind === "logs") probes.push(...difference.added.map(({ place }) => place));
    overlays.push({ file, text: result.text });
    inserted.set(file, result);
  }
  return { problem: null, overlays, probes, inserted };
}
