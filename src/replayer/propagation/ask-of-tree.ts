/**
 * @file What was added to the working tree, asked of a version: all of a question stands there as it
 * should, or nothing of it. A question that somebody must look at first does not keep others waiting.
 */
import { matchLoops } from "../../planner/index.ts";
import type { AskedOfVersion, EditedSource, NoQuestion } from "./asked-edit.ts";
import { askEdit, differenceWarnings, isOnlyAdded, questionsOf } from "./asked-edit.ts";
import { askedStatements } from "./asked-statements.ts";
import type { Landed, LandingTools } from "./landed-source.ts";
import type { Decisions } from "./landing-decisions.ts";
import { landedId } from "./landing-decisions.ts";
import type { AskedName, NameLanding, RecordedVersion } from "./place.ts";
import { isCertain, worstOf } from "./place.ts";

/** The questions of names that the working tree logs; undefined where one is not simply an addition. */
export function askedOfTree(
  version: RecordedVersion,
  asked: readonly AskedName[],
  { tree, questions }: LandingTools,
): AskedOfVersion | undefined {
  const { program } = version;
  if (!tree.has(program)) return undefined;
  const pieces = asked.map(({ pieces: all }) => {
    return all.find((piece) => piece.version === null && piece.program === program);
  });
  const found = pieces.flatMap((piece) => piece ?? []);
  // Which statements are a question is decided by the newest versions: all are shown to it.
  const all = questionsOf(version, tree.text, found, questions);
  return found.length < pieces.length ? undefined : all;
}

/** The source of a version with questions in it; undefined: their log calls land one by one. */
export function askOfTree(all: AskedOfVersion, decisions: Decisions): Landed | undefined {
  const { asked, edits } = all;
  const isBare = asked.every(({ question }) => question.isBare && question.refused === undefined);
  if (isPlacedByHand(all, decisions) || (isBare && !isOnlyAdded(edits))) return undefined;
  const together = askEdit(all);
  if (!together || together.names.every(isCertain)) return together && landed(all, together);
  const alone = asked.map((one) => askAlone({ ...all, asked: [one] }, decisions));
  const isLeft = alone.some(({ name }, at) => {
    const own = asked.slice(at, at + 1);
    const isPure =
      asked.length === 1 &&
      own.every(({ question }) => question.isPure && question.refused === undefined);
    return !isCertain(name) && (isPure || isDecided({ ...all, asked: own }, decisions));
  });
  if (isLeft) return undefined;
  const certain = asked.filter((_, at) => isCertain(alone[at]?.name ?? { verdict: "cannot" }));
  const names = alone.map(({ name }) => name);
  if (certain.length === 0) return landed(all, { ...together, names: namesOf(together, names) });
  const again = askEdit({ ...all, asked: certain });
  if (!again) return undefined;
  const waiting = names.flatMap((one): NameLanding[] => {
    if (isCertain(one)) return [];
    const why = one.verdict === "review" ? `somebody must look at it first: ${one.why}` : one.why;
    return [{ ...one, verdict: "cannot", why }];
  });
  return landed(all, { ...again, names: [...namesOf(again, names), ...waiting] });
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
    const differing = differenceWarnings(all.edits, own.starts);
    const landings = one.landings.map((landing) => {
      const isNew = landing.verdict !== "present" && landing.verdict !== "cannot";
      return isNew ? { ...landing, warnings: [...landing.warnings, ...differing] } : landing;
    });
    return { ...one, landings, leftOut: [] };
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

function landed({ version }: AskedOfVersion, answer: EditedSource | NoQuestion): Landed {
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
      return askedStatements(one.name, source, { ...one, anchorOf });
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
