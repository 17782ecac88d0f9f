/**
 * @file What was added to the working tree, or to another version, asked of a version: all of a question
 * stands there as it should, or nothing of it. A question that somebody must look at first does not keep others waiting.
 */
import { matchLoops } from "../../planner/index.ts";
import type { AskedOfVersion, AskedQuestion, EditedSource, NoQuestion } from "./asked-edit.ts";
import {
  askEdit,
  besideLanded,
  differenceWarnings,
  lackingWarnings,
  otherMeaningWarnings,
  isOnlyAdded,
  questionsOf,
} from "./asked-edit.ts";
import type { Question } from "./asked-question.ts";
import { firstLine } from "./asked-question.ts";
import { askedStatements } from "./asked-statements.ts";
import type { Landed, LandingTools } from "./landed-source.ts";
import type { Decisions } from "./landing-decisions.ts";
import { landedId } from "./landing-decisions.ts";
import type { AskedName, NameLanding, RecordedVersion } from "./place.ts";
import type { Piece } from "./pieces.ts";
import { isWritten } from "./pieces.ts";
import { isCertain, place, worstOf } from "./place.ts";

/**
 * The questions of names, as far as they are additions: to the working tree, or to the version that a
 * name is taken from where the working tree does not log any of them.
 */
export function questionsBehind(
  version: RecordedVersion,
  asked: readonly AskedName[],
  { tree, questions }: LandingTools,
): AskedOfVersion | undefined {
  const own = asked.map(({ pieces }) => {
    return pieces.filter(({ program }) => program === version.program);
  });
  const isOfTree = ({ version: from }: Piece): boolean => from === null;
  const [source] = [...own.flatMap((all) => all.filter(isOfTree)), ...own.flat()];
  if (!source || (isOfTree(source) && !tree.has(version.program))) return undefined;
  const pieces = own.flatMap((all) => all.find((one) => one.version === source.version) ?? []);
  const now = isOfTree(source) ? tree.text : source.text;
  // Which statements are a question is decided by the newest versions: all are shown to it.
  return questionsOf(version, now, pieces, questions);
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
  const asked = all.asked.flatMap((one) => placedByHand(all, one, decisions));
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
    const isAlone = isPure || isDecided({ ...all, asked: [one] }, decisions);
    return !isCertain(name) && isAlone && !one.decided;
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
    const why = one.verdict === "review" ? `somebody must look at it first: ${one.why}` : APART;
    return { ...one, verdict: "cannot", why };
  });
}

const APART = "it cannot be asked together with the others: ask for it alone";

/** One that is not put in beside others. */
export function notAskedBeside(name: string): NameLanding {
  return { ...NOTHING, name, verdict: "cannot", why: APART };
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
 * Log calls that landed one by one, with what is known of the questions behind them: what else was added
 * beside those does not belong to them.
 */
export function withQuestions(
  all: AskedOfVersion | undefined,
  names: readonly NameLanding[],
  onlyStatement = false,
): NameLanding[] {
  return names.map((one) => {
    const own = all?.asked.find(({ piece }) => piece.name === one.name)?.question;
    if (!all || !own) return one;
    if (!own.isPure) return { ...one, leftOut: leftOutOf(all, own, one) };
    if (onlyStatement) return one;
    const renames = one.landings.flatMap((landing) => landing.renames);
    const lacking = [
      ...lackingWarnings(all.edits, own.starts),
      ...otherMeaningWarnings(all, own.starts, renames),
    ];
    const differing = differenceWarnings(all, own, renames);
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

/** What belongs to a question and was not put in with its log call. */
function leftOutOf(
  { edits: { whole } }: AskedOfVersion,
  { reasons }: Question,
  { landings }: NameLanding,
): string[] {
  const came = new Set(landings.flatMap((one) => one.carried.map(({ name }) => name)));
  return [...reasons].flatMap(([file, own]) => {
    const now = whole.get(file)?.now;
    const left = now?.statements.filter(({ node: { start, end }, isDeclaration }) => {
      const reason = own.get(start);
      const isThere = [...now.scopes.bindingOf].some(([at, { name }]) => {
        return start <= at.start && at.end <= end && came.has(name);
      });
      return reason !== undefined && reason !== "asked" && !isDeclaration && !isThere;
    });
    return (left ?? []).map(({ node }) => {
      const text = firstLine(now?.text.slice(node.start, node.end) ?? "");
      return `\`${text}\` at line ${now?.lines.at(node.start).line ?? 0}`;
    });
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

function isDecided(all: AskedOfVersion, decisions: Decisions): boolean {
  return all.asked.some(({ piece: { name, parts } }) => {
    return parts.some(({ statement }) => decisionOn(all, decisions, name, statement));
  });
}

/**
 * Names that somebody put before a line, where others are more than a log call: those may have statements
 * in common with it, and lines are others with them in the text.
 */
export function putAtLines(all: AskedOfVersion, decisions: Decisions): ReadonlySet<string> {
  const isWhole = ({ question }: AskedQuestion): boolean => !question.isPure;
  const put = all.asked.filter((one) => {
    const isBeside = all.asked.some((other) => other !== one && isWhole(other));
    return (
      isBeside &&
      one.piece.parts.some(({ statement }) => {
        const { choice } = decisionOn(all, decisions, one.piece.name, statement) ?? {};
        return choice?.kind === "place" && choice.line !== undefined;
      })
    );
  });
  const isAll = put.length === all.asked.length;
  return new Set(put.slice(isAll ? 1 : 0).map(({ piece }) => piece.name));
}

/**
 * A question with the place that somebody gave it: all of a part goes there. Nothing, where the log call
 * was left out or written otherwise: that is about the call alone.
 */
function placedByHand(
  all: AskedOfVersion,
  asked: AskedQuestion,
  decisions: Decisions,
): AskedQuestion[] {
  const { piece, question } = asked;
  const choices = piece.parts.flatMap(({ statement, log }) => {
    const decision = decisionOn(all, decisions, piece.name, statement);
    return decision && decision.choice.kind !== "accept" ? [{ ...decision, log }] : [];
  });
  const [first, ...others] = choices;
  if (!first) return [asked];
  const { choice, file, log } = first;
  const lines = all.edits.whole.get(file)?.now.lines;
  const isWhole = choice.kind === "place" && choice.text === undefined && !question.isPure;
  const isShaped = (question.shaped.get(file)?.size ?? 0) > 0;
  if (!isWhole || choice.line === undefined || others.length > 0 || isShaped) return [];
  if (!lines || log.file !== file) return [];
  const start = lines.startOf(log.line) + log.column - 1;
  return [{ ...asked, decided: { file, line: choice.line, start } }];
}
