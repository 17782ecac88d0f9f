/**
 * @file What was added to the working tree, asked of a version: all of a question stands there as it
 * should, or nothing of it. A question that somebody must look at first does not keep others waiting.
 */
import { matchLoops } from "../../planner/index.ts";
import type { AskedOfVersion, EditedSource, NoQuestion } from "./asked-edit.ts";
import {
  askEdit,
  besideLanded,
  differenceWarnings,
  lackingWarnings,
  isOnlyAdded,
  questionsOf,
} from "./asked-edit.ts";
import { askedStatements } from "./asked-statements.ts";
import type { Landed, LandingTools } from "./landed-source.ts";
import type { Decisions } from "./landing-decisions.ts";
import { landedId } from "./landing-decisions.ts";
import type { AskedName, NameLanding, RecordedVersion } from "./place.ts";
import { isWritten } from "./pieces.ts";
import { isCertain, place, worstOf } from "./place.ts";

/** The questions of names that the working tree logs, as far as they are additions to it. */
export function askedOfTree(
  version: RecordedVersion,
  asked: readonly AskedName[],
  { tree, questions }: LandingTools,
): AskedOfVersion | undefined {
  const { program } = version;
  if (!tree.has(program)) return undefined;
  const pieces = asked.flatMap(({ pieces: all }) => {
    return all.find((piece) => piece.version === null && piece.program === program) ?? [];
  });
  // Which statements are a question is decided by the newest versions: all are shown to it.
  return questionsOf(version, tree.text, pieces, questions);
}

/** Questions asked of a version, and the names whose log calls land one by one. */
export interface AskedOfTree {
  /** Those that are certain, in the source of the version; undefined: none is. */
  readonly source: EditedSource | undefined;
  /** The others that are questions. */
  readonly waiting: readonly NameLanding[];
  readonly left: readonly AskedName[];
}

/**
 * The source of a version with questions in it; undefined: their log calls land one by one. A name is
 * answered as it is alone, whatever else is asked for.
 */
export function askOfTree(
  all: AskedOfVersion,
  names: readonly AskedName[],
  decisions: Decisions,
): Landed | AskedOfTree | undefined {
  const { edits } = all;
  const asked = all.asked.filter((one) => !isPlacedByHand({ ...all, asked: [one] }, decisions));
  const isBare = asked.every(({ question }) => question.isBare && question.refused === undefined);
  if (isBare && !isOnlyAdded(edits)) return undefined;
  const together = askEdit({ ...all, asked });
  if (!together) return undefined;
  if (names.length === asked.length && together.names.every(isCertain)) {
    return landed(all, together);
  }
  const alone = asked.map((one) => ({ one, ...askAlone({ ...all, asked: [one] }, decisions) }));
  const landsAlone = ({ one, name }: (typeof alone)[number]): boolean => {
    const isPure = one.question.isPure && one.question.refused === undefined;
    return !isCertain(name) && (isPure || isDecided({ ...all, asked: [one] }, decisions));
  };
  const questions = alone.filter((one) => !landsAlone(one));
  const left = names.filter(({ name }) => !questions.some((one) => one.name.name === name));
  const found = questions.map(({ name }) => name);
  const { source, kept } = asMany(
    all,
    questions.filter(({ name }) => isCertain(name)),
  );
  const waiting = found.filter(({ name }) => !kept.has(name));
  if (left.length > 0) {
    return { source: source && { ...source, names: namesOf(source, found) }, waiting, left };
  }
  if (!source) return landed(all, { ...together, names: namesOf(together, found) });
  return landed(all, { ...source, names: [...namesOf(source, found), ...waitingFor(waiting)] });
}

/** As many questions as can be asked together, in their order. */
function asMany(
  all: AskedOfVersion,
  certain: readonly { readonly one: AskedOfVersion["asked"][number]; readonly name: NameLanding }[],
): { readonly source: EditedSource | undefined; readonly kept: ReadonlySet<string> } {
  const ask = (some: typeof certain): EditedSource | undefined => {
    const answer = askEdit({ ...all, asked: some.map(({ one }) => one) });
    const isSure = answer?.names.every(({ verdict }) => verdict !== "cannot") ?? false;
    return isSure && answer && "model" in answer ? answer : undefined;
  };
  let source = certain.length > 0 ? ask(certain) : undefined;
  let kept = source ? certain : [];
  for (const one of source ? [] : certain) {
    const more = ask([...kept, one]);
    if (more) [source, kept] = [more, [...kept, one]];
  }
  return { source, kept: new Set(kept.map(({ name }) => name.name)) };
}

/** Not put in beside what is certain. */
export function waitingFor(names: readonly NameLanding[]): NameLanding[] {
  return names.map((one) => {
    if (one.verdict === "cannot") return one;
    const why =
      one.verdict === "review"
        ? `somebody must look at it first: ${one.why}`
        : "it cannot be asked together with the others: ask for it alone";
    return { ...one, verdict: "cannot", why };
  });
}

/** Questions that are certain, with log calls that landed one by one beside them. */
export function landedBeside(
  all: AskedOfVersion,
  { source, waiting, left }: AskedOfTree,
  decisions: Decisions,
): Landed | undefined {
  if (!source) return undefined;
  const { version } = all;
  const placed = place(
    { ...version, base: source.text, overlays: [], hasCertain: true, decisions },
    left,
  );
  const names = withQuestions(all, placed.names);
  const usable = names.filter(({ verdict }) => verdict !== "cannot");
  const beside = usable.length > 0 ? besideLanded(all, source, { ...placed, names }) : undefined;
  const others = waitingFor(beside ? waiting : [...waiting, ...names]);
  const own = beside ?? source;
  return landed(all, { ...own, names: [...own.names, ...others] });
}

/**
 * Log calls that landed one by one, with what is known of the questions behind them: nothing that was
 * added beside those belongs to them.
 */
export function withQuestions(
  all: AskedOfVersion | undefined,
  names: readonly NameLanding[],
): NameLanding[] {
  return names.map((one) => {
    const own = all?.asked.find(({ piece }) => piece.name === one.name)?.question;
    if (!all || !own?.isPure) return one;
    const lacking = lackingWarnings(all.edits, own.starts);
    const differing = differenceWarnings(all.edits, own.starts);
    const landings = one.landings.map((landing) => {
      if (landing.verdict === "present" || landing.verdict === "cannot") return landing;
      const verdict = lacking.length > 0 ? ("review" as const) : landing.verdict;
      return { ...landing, verdict, warnings: [...landing.warnings, ...lacking, ...differing] };
    });
    const isHeld = lacking.length > 0 && /^(?:exact|moved)$/.test(one.verdict) && !one.isDecided;
    const held = isHeld ? { verdict: "review" as const, why: lacking[0]?.text ?? one.why } : {};
    return { ...one, ...held, landings, leftOut: [] };
  });
}

/** As they are alone: what else is asked for makes nothing less certain. */
function namesOf({ names }: NoQuestion, alone: readonly NameLanding[]): NameLanding[] {
  return names.map((one) => {
    const own = alone.find(({ name }) => name === one.name);
    if (!own || one.verdict === "cannot") return one;
    return { ...one, verdict: own.verdict, why: own.why, isDecided: own.isDecided };
  });
}

function askAlone(one: AskedOfVersion, decisions: Decisions): { readonly name: NameLanding } {
  const answer = askEdit(one);
  const [name] = answer?.names ?? [];
  const [piece] = one.asked.map((asked) => asked.piece);
  if (!name || !piece) return { name: { ...NOTHING, name: piece?.name ?? "" } };
  const isAccepted = piece.parts.every(({ statement }) => {
    const choice = decisionOn(one, decisions, piece.name, statement)?.choice;
    return (
      choice?.kind === "accept" && name.landings.some((own) => landedId(own) === choice.landed)
    );
  });
  if (!isAccepted || name.verdict !== "review") return { name };
  const why = `you accepted it: ${name.why}`;
  return { name: { ...name, verdict: "moved", why, isDecided: true } };
}

/** The version has all of it. */
const NOTHING: Omit<NameLanding, "name"> = {
  verdict: "present",
  why: "",
  landings: [],
  statements: [],
  carried: [],
  leftOut: [],
  isDecided: false,
};

function landed({ version, asked }: AskedOfVersion, answer: EditedSource | NoQuestion): Landed {
  const { names } = answer;
  const usable = names.filter(({ verdict }) => verdict !== "cannot");
  if (!("model" in answer) || usable.length === 0) {
    const why = [...new Set(names.map((one) => one.why))].join("; ");
    return { kind: "refused", why, names };
  }
  const { model, text, overlays, probes, anchorOf } = answer;
  const { program } = version;
  const source = { program, version: null, model, text };
  return {
    kind: "landed",
    program,
    verdict: worstOf(usable.map(({ verdict }) => verdict)),
    names,
    statements: usable.flatMap((one) => {
      const written = isWritten(
        one.name,
        asked.map(({ piece }) => piece),
      );
      return askedStatements(one.name, source, { ...one, isWritten: written, anchorOf });
    }),
    text,
    model,
    match: matchLoops(model, model),
    probes,
    overlays,
  };
}

function decisionOn(
  { version: { sources, before } }: AskedOfVersion,
  decisions: Decisions,
  name: string,
  statement: string,
): ReturnType<Decisions["find"]> {
  return decisions.find({ name, statement }, sources, before);
}

function isDecided(
  all: AskedOfVersion,
  decisions: Decisions,
  kinds: readonly string[] = ["accept", "place", "exclude"],
): boolean {
  return all.asked.some(({ piece: { name, parts } }) => {
    return parts.some(({ statement }) => {
      return kinds.includes(decisionOn(all, decisions, name, statement)?.choice.kind ?? "");
    });
  });
}

/** Somebody put a log call elsewhere, or left it out: that is about the call alone. */
function isPlacedByHand(all: AskedOfVersion, decisions: Decisions): boolean {
  return isDecided(all, decisions, ["place", "exclude"]);
}
