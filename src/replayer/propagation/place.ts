/**
 * @file Pieces put into the source of one version, and a verdict for each name. What nobody has
 * looked at yet is not put in beside what is certain: a name that needs a review waits, and the
 * others do not.
 */
import type { Landing, LandingRequest, Overlay, RunMode, Verdict } from "../../format/index.ts";
import { landStatements } from "../../landing/index.ts";
import { languageOf } from "../../languages/index.ts";
import type { InsertedTexts } from "./inserted-texts.ts";
import { checkInserted } from "./inserted-texts.ts";
import type { Decisions, KeptDecision } from "./landing-decisions.ts";
import { landedId } from "./landing-decisions.ts";
import type { Part, Piece } from "./pieces.ts";
import type { ReadText } from "./version-texts.ts";

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
  /** The version logs something else under this name; absent: it does not. */
  readonly isOtherValue?: true;
}

/** The source of a version with pieces in it. */
export interface PlacedPieces extends InsertedTexts {
  readonly names: readonly NameLanding[];
}

/** A version that was recorded. */
export interface RecordedVersion {
  readonly program: string;
  readonly mode: RunMode;
  /** What the run loaded, and what the working tree's program is made of. */
  readonly files: readonly string[];
  /** Sources that the run loaded: a statement may land there. */
  readonly sources: readonly string[];
  /** The text that ran. */
  readonly before: ReadText;
}

/** A version that pieces are put into. */
export interface TargetVersion extends RecordedVersion {
  /** Texts to be put over it anyway, which differ by log statements. */
  readonly overlays: readonly Overlay[];
  /** The text that they are put into, if that is not the one that ran. */
  readonly base?: ReadText;
  /** Whether another name is certain already: then none that needs a review is put beside it. */
  readonly hasCertain: boolean;
  readonly decisions: Decisions;
}

/** What is known of a name before it is put into a version. */
export interface AskedName {
  readonly name: string;
  /** Where it can be taken from, the likeliest first. */
  readonly pieces: readonly Piece[];
  /** One that was put into a version nearer to this: tried if nothing else is certain. */
  readonly nearer?: Piece | undefined;
  /** What was added beside its statements, at most; absent: nobody knows yet. */
  readonly added?: readonly string[] | undefined;
}

/** The worst last; `present` is as good as `exact`. */
const ORDER: readonly Verdict[] = ["present", "exact", "moved", "review", "cannot"];

export const PRESENT = { verdict: "present", reason: "it stands there already" } as const;

export function isCertain({ verdict }: { readonly verdict: Verdict }): boolean {
  return ORDER.indexOf(verdict) < ORDER.indexOf("review");
}

export function worstOf(verdicts: readonly Verdict[]): Verdict {
  return ORDER[Math.max(0, ...verdicts.map((verdict) => ORDER.indexOf(verdict)))] ?? "cannot";
}

/** Places a piece of each name; those that need a review only if no other is certain. */
export function place(target: TargetVersion, asked: readonly AskedName[]): PlacedPieces {
  const chosen = asked.flatMap((one) => choosePiece(target, one) ?? []);
  const placed = placeCertain(target, chosen);
  // What a name brings along does not depend on what else is asked for.
  const carried = new Map(chosen.map(({ landing }) => [landing.name, landing.carried]));
  const added = new Map(asked.map((one) => [one.name, one.added]));
  const names = placed.names.map((one) => ({
    ...one,
    carried: carried.get(one.name) ?? [],
    leftOut: one.leftOut.filter((text) => added.get(one.name)?.includes(text) ?? true),
  }));
  return { ...placed, names };
}

/** A piece put into the version alone. */
interface PlacedAlone {
  readonly piece: Piece;
  readonly placed: PlacedPieces;
  readonly landing: NameLanding;
}

/**
 * Of several programs that log the name, the one whose statement fits best. What changed much since
 * changed little from version to version: where it is not certain, the next newer one may be.
 */
function choosePiece(
  target: TargetVersion,
  { pieces, nearer }: AskedName,
): PlacedAlone | undefined {
  if (pieces.length === 0) return undefined;
  const placeAlone = (piece: Piece): PlacedAlone[] => {
    const placed = placeTogether(target, [piece]);
    return placed.names.map((landing) => ({ piece, placed, landing }));
  };
  const tried = pieces.flatMap(placeAlone);
  // What was accepted may be the landing by another way: it does not close this one.
  const isClosed = ({ piece, landing }: PlacedAlone): boolean =>
    isCertain(landing) || decidedParts(target, piece).some(isPutOrLeftOut);
  // To look at it there is better than to be told that it cannot be.
  if (nearer && !tried.some(isClosed)) tried.push(...placeAlone(nearer));
  const rank = ({ landing }: PlacedAlone): number => ORDER.indexOf(landing.verdict);
  return tried.toSorted((a, b) => rank(a) - rank(b))[0];
}

function placeCertain(target: TargetVersion, chosen: readonly PlacedAlone[]): PlacedPieces {
  const together = (some: readonly PlacedAlone[]): PlacedPieces => {
    const [first, second] = some;
    if (first && !second) return first.placed;
    return placeTogether(
      target,
      some.map(({ piece }) => piece),
    );
  };
  const all = together(chosen);
  const certain = new Set(all.names.filter(isCertain).map(({ name }) => name));
  if (certain.size === all.names.length || (certain.size === 0 && !target.hasCertain)) return all;
  const again = together(chosen.filter(({ landing }) => certain.has(landing.name)));
  const waiting = all.names.flatMap((one): NameLanding[] => {
    if (certain.has(one.name)) return [];
    const why = one.verdict === "review" ? `somebody must look at it first: ${one.why}` : one.why;
    return [{ ...one, verdict: "cannot", why }];
  });
  return { ...again, names: [...again.names, ...waiting] };
}

/** A part with what was decided about it. */
interface DecidedPart extends Part {
  readonly piece: Piece;
  readonly decision: KeptDecision | undefined;
}

interface PlacedPart extends DecidedPart {
  readonly landing: Landing;
  /** Where it stands, in the same words whatever else was put in. */
  readonly anchor: string;
  readonly isAccepted: boolean;
}

function decidedParts({ decisions, sources, before }: TargetVersion, piece: Piece): DecidedPart[] {
  return piece.parts.map((part) => {
    const wanted = { name: piece.name, statement: part.statement };
    return { ...part, piece, decision: decisions.find(wanted, sources, before) };
  });
}

function isPutOrLeftOut({ decision }: DecidedPart): boolean {
  return decision?.choice.kind === "place" || decision?.choice.kind === "exclude";
}

function placeTogether(target: TargetVersion, pieces: readonly Piece[]): PlacedPieces {
  const texts = new EditedTexts(target);
  const parts = pieces.flatMap((piece) => decidedParts(target, piece));
  const placed = [
    ...placeDecided(texts, parts.filter(isPutOrLeftOut)),
    ...bySource(parts.filter((part) => !isPutOrLeftOut(part))).flatMap((group) => {
      return texts.place(group).map((part) => withAcceptance(target, part));
    }),
  ];
  const checked = checkPlaced(target, texts.overlays(), placed);
  const problem = "problem" in checked ? checked.problem : null;
  const names = pieces.map((piece) => {
    const own = placed.filter((part) => part.piece.name === piece.name);
    return nameLanding(piece.name, own, problem);
  });
  const nothing = { overlays: [], probes: [], inserted: new Map() };
  return { ...("problem" in checked ? nothing : checked), names };
}

/** The texts of a version as one part after the other is put in. */
class EditedTexts {
  readonly #target: TargetVersion;
  readonly #texts: Map<string, string>;

  constructor(target: TargetVersion) {
    this.#target = target;
    this.#texts = new Map(target.overlays.map(({ file, text }) => [file, text]));
  }

  /** Puts in parts of one text, which keep their order. */
  place(group: readonly DecidedPart[], decided?: LandingRequest["decided"]): PlacedPart[] {
    const [first] = group;
    if (!first) return [];
    const { sources: files, mode } = this.#target;
    const { landings, overlays } = landStatements({
      ...mode,
      now: { file: first.log.file, text: first.piece.text },
      statements: group.map(({ log }) => ({ line: log.line, column: log.column })),
      then: { files, text: (file) => this.#text(file) },
      ...(decided ? { decided } : {}),
    });
    for (const { file, text } of overlays) this.#texts.set(file, text);
    return group.flatMap((part, at) => {
      const landing = landings[at];
      if (!landing) return [];
      const anchor = this.#anchorOf(landing);
      return [{ ...part, landing: viaVersion(landing, part.piece), anchor, isAccepted: false }];
    });
  }

  overlays(): Overlay[] {
    return [...this.#texts].map(([file, text]) => ({ file, text }));
  }

  #text(file: string): string | undefined {
    return this.#texts.get(file) ?? (this.#target.base ?? this.#target.before)(file);
  }

  #anchorOf({ file, line, column }: Landing): string {
    if (file === null || line === null || column === null) return "";
    const { mode } = this.#target;
    const anchor = languageOf(file).anchorOf(this.#text(file) ?? "", file, { line, column }, mode);
    return `${file} ${anchor}`;
  }
}

/** By way of another version it is not where it stands in the newest one, but where it was moved. */
function viaVersion(landing: Landing, { leftOut, version }: Piece): Landing {
  if (!leftOut) return landing;
  const verdict = landing.verdict === "exact" ? "moved" : landing.verdict;
  const by = version === null ? "the working tree" : version.slice(0, 7);
  return { ...landing, verdict, reason: `by way of ${by}: ${landing.reason}` };
}

/** First, and from the end of a file on: the lines that were decided are those of the older text. */
function placeDecided(texts: EditedTexts, parts: readonly DecidedPart[]): PlacedPart[] {
  const lineOf = ({ decision }: DecidedPart): number =>
    decision?.choice.kind === "place" ? (decision.choice.line ?? 0) : 0;
  const bottomUp = parts.toSorted((a, b) => lineOf(b) - lineOf(a));
  return bottomUp.flatMap((part): PlacedPart[] => {
    const { choice, file = null } = part.decision ?? {};
    if (choice?.kind !== "place" || file === null) {
      return [{ ...part, landing: excludedLanding(file), anchor: "", isAccepted: false }];
    }
    const { kind: _, ...place } = choice;
    return texts.place([part], { ...place, file });
  });
}

/** A landing of which nothing is known. */
export const NO_LANDING: Landing = {
  verdict: "cannot",
  file: null,
  line: null,
  column: null,
  text: null,
  confidence: 0,
  reason: "",
  warnings: [],
  carried: [],
  renames: [],
  refusal: null,
};

export function excludedLanding(file: string | null): Landing {
  return { ...NO_LANDING, file, reason: "you left this version out", refusal: "excluded" };
}

/** What somebody looked at and accepted need not be looked at again. */
function withAcceptance(target: TargetVersion, part: PlacedPart): PlacedPart {
  if (!wasAccepted(target, part)) return part;
  const { landing } = part;
  if (landing.verdict !== "review") return { ...part, isAccepted: true };
  const reason = `you accepted it: ${landing.reason}`;
  return { ...part, isAccepted: true, landing: { ...landing, verdict: "moved", reason } };
}

/** Whether it is what was looked at: as it is here, or as it would be without the others. */
function wasAccepted(target: TargetVersion, part: PlacedPart): boolean {
  const { decision, landing, anchor } = part;
  const choice = decision?.choice;
  if (choice?.kind !== "accept") return false;
  if (choice.landed === landedId(landing)) return true;
  const [alone] = new EditedTexts(target).place([part]);
  if (!alone || choice.landed !== landedId(alone.landing) || alone.anchor !== anchor) return false;
  const told = ({ text, carried }: Landing): string => {
    return JSON.stringify([text, carried.map((one) => one.text)]);
  };
  return told(alone.landing) === told(landing);
}

/**
 * The parts in one file of one source are placed together: they keep their order. A version with a
 * piece put into it is another source than the version itself: its lines are others.
 */
function bySource(parts: readonly DecidedPart[]): DecidedPart[][] {
  const groups = new Map<string, DecidedPart[]>();
  for (const part of parts) {
    const { version, program, leftOut, text } = part.piece;
    const { file } = part.log;
    const key = JSON.stringify([version, program, leftOut !== undefined, file, text(file)]);
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  return [...groups.values()];
}

/** State, loops and arguments that the run did not declare have nothing to do with its record. */
const SDK = /\.(?:checkpointing|loop|arg|dataset|fit)\s*\(|\bcheckpointing\s*\(/;

function checkPlaced(
  { before: ran, base: before = ran, mode }: TargetVersion,
  overlays: readonly Overlay[],
  parts: readonly PlacedPart[],
): ReturnType<typeof checkInserted> {
  const carried = parts.flatMap(({ landing }) => landing.carried);
  const declared = carried.find(({ text }) => SDK.test(text));
  if (declared) return { problem: `${declared.name}, which it needs, is declared to Afterlog` };
  const also = parts.flatMap(({ landing }) => [
    ...(landing.text === null ? [] : [landing.text]),
    ...landing.carried.map(({ text }) => text),
  ]);
  return checkInserted(overlays, {
    before,
    newFiles: carried.filter(({ kind }) => kind === "file").map(({ name }) => name),
    compare: (file, old, text) =>
      languageOf(file).compareInserted(old, text, file, { ...mode, also, textOf: before }),
  });
}

/**
 * Texts that came with landings, in the order in which they stand there: they tell which statement it was,
 * and must be the same whatever else was asked for and by whatever way it landed.
 */
export function carriedBy(landings: readonly Landing[]): string[] {
  const placed = landings.flatMap(({ file: own, carried }) => {
    return carried.map(({ file = own ?? "", line, text }) => ({ file, line, text }));
  });
  const inOrder = placed.toSorted((one, other) => {
    return one.file === other.file ? one.line - other.line : one.file < other.file ? -1 : 1;
  });
  return [...new Set(inOrder.map(({ text }) => text))];
}

/** What became of the parts of a name. `problem`: why the text cannot be executed. */
function nameLanding(
  name: string,
  parts: readonly PlacedPart[],
  problem: string | null,
): NameLanding {
  const landings = parts.map((part): Landing => {
    const { leftOut: _, ...landing } = part.landing;
    return landing;
  });
  const leftOut = new Set([
    ...parts.flatMap(({ landing }) => landing.leftOut ?? []),
    // By way of another version it lacks what did not come into that one.
    ...parts.flatMap(({ piece }) => piece.leftOut ?? []),
  ]);
  const verdicts = landings.map(({ verdict }) => verdict);
  const lands = verdicts.filter((verdict) => verdict !== "cannot");
  // Where only some of its statements land, nobody can say that these are all that matter.
  const isPart =
    lands.length > 0 &&
    lands.length < verdicts.length &&
    !parts.every(({ isAccepted }) => isAccepted);
  const worst = lands.length === 0 ? "cannot" : isPart ? "review" : worstOf(lands);
  const reasons = landings.filter(({ verdict }) => verdict === worst || verdict === "cannot");
  return {
    name,
    verdict: problem === null ? worst : "cannot",
    why: problem ?? [...new Set(reasons.map(({ reason }) => reason))].join("; "),
    landings,
    statements: parts.map(({ statement }) => statement),
    carried: carriedBy(landings),
    leftOut: [...leftOut],
    isDecided: parts.some((part) => part.isAccepted || isPutOrLeftOut(part)),
  };
}
