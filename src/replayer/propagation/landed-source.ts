/**
 * @file The source of a version with the asked statements in it. Where the working tree differs by
 * added log statements only, its text is taken; every other version gets the statements put in where
 * they belong there (FlorDB §5.3), and what was put in is verified to be all that differs.
 */
import type { Landing, Overlay, ProbePlace, SourcePlace, Verdict } from "../../format/index.ts";
import type { SourceLoop, SourceModel } from "../../languages/index.ts";
import { analyzeProgram, isSource } from "../../languages/index.ts";
import type { LoopMatch } from "../../planner/index.ts";
import { matchLoops } from "../../planner/index.ts";
import { anchorsIn } from "./anchors.ts";
import {
  notAskedBeside,
  questionsBehind,
  askOfTree,
  landedBeside,
  putAtLines,
  waitingFor,
  withQuestions,
} from "./ask-of-tree.ts";
import type { AskedOfVersion } from "./asked-edit.ts";
import type { Questions } from "./asked-question.ts";
import type { AskedStatement } from "./asked-statements.ts";
import { askedStatements } from "./asked-statements.ts";
import type { Brought } from "./bring.ts";
import { whyNotBrought } from "./bring.ts";
import type { InsertedTexts } from "./inserted-texts.ts";
import { checkInserted } from "./inserted-texts.ts";
import type { Decisions } from "./landing-decisions.ts";
import type { Piece } from "./pieces.ts";
import { isWritten } from "./pieces.ts";
import type { AskedName, NameLanding, PlacedPieces, RecordedVersion } from "./place.ts";
import { excludedLanding, isCertain, NO_LANDING, place, PRESENT, worstOf } from "./place.ts";
import { whyOtherValue } from "./same-names.ts";
import { withUnseenChanges } from "./unseen-changes.ts";
import type { ReadText } from "./version-texts.ts";
import type { WorkingTree } from "./working-tree.ts";

/** A source with statements of asked names in it. */
export interface LandedSource {
  readonly kind: "landed";
  readonly program: string;
  /** The worst of its names; `review`: it waits for somebody to look at it. */
  readonly verdict: Verdict;
  readonly names: readonly NameLanding[];
  readonly statements: readonly AskedStatement[];
  readonly text: ReadText;
  /** Of the text with the statements. */
  readonly model: SourceModel;
  /** From places of the text that ran to loops of the model. */
  readonly match: LoopMatch;
  /** Statements that the runs did not have, asked for or not. */
  readonly probes: readonly ProbePlace[];
  readonly overlays: readonly Overlay[];
}

/** A source that none of the statements can be put into. */
export interface RefusedSource {
  readonly kind: "refused";
  readonly why: string;
  readonly names: readonly NameLanding[];
}

export type Landed = LandedSource | RefusedSource;

export interface LandingTools {
  readonly tree: WorkingTree;
  readonly decisions: Decisions;
  readonly questions: Questions;
  /** What is asked gets another name: that the run logs something under the old one does not matter. */
  readonly isRenamed: boolean;
  /** Log calls are asked for without what was added beside them. */
  readonly onlyStatement: boolean;
  /** What the question uses of the working tree in place of a version's own. */
  readonly brought?: Brought;
}

/** Puts the pieces of names into a version. */
export function landInVersion(
  version: RecordedVersion,
  asked: readonly AskedName[],
  tools: LandingTools,
): Landed {
  const together = askedTogether(version, asked, tools);
  const found = landPieces(version, together, tools);
  const others = asked
    .filter((one) => !together.includes(one))
    .map(({ name }) => notAskedBeside(name));
  const landed = { ...found, names: [...found.names, ...others] };
  if (landed.kind === "refused") return landed;
  const statements = withUnseenChanges(landed, version);
  const sure = without({ ...landed, statements }, (one) => {
    const why = whyNotBrought(one, tools.brought ?? new Map());
    return why === undefined ? undefined : { why };
  });
  return tools.isRenamed || sure.kind === "refused" ? sure : withoutOtherValues(sure);
}

/**
 * The names without those that are more than a log call and stand in another version than the others, and
 * without those that somebody put at a line of the text that the others change.
 */
function askedTogether(
  version: RecordedVersion,
  asked: readonly AskedName[],
  tools: LandingTools,
): readonly AskedName[] {
  const all = asked.length > 1 ? questionsBehind(version, asked, tools) : undefined;
  if (!all) return asked;
  const put = putAtLines(all, tools.decisions);
  return asked.filter((one) => {
    if (all.asked.some(({ piece }) => piece.name === one.name)) return !put.has(one.name);
    const alone = questionsBehind(version, [one], tools)?.asked ?? [];
    return alone.every(({ question }) => question.isPure);
  });
}

/** Names whose values would stand beside others of the run are taken out. */
function withoutOtherValues(landed: LandedSource): Landed {
  return without(landed, ({ name }) => {
    const why = whyOtherValue(name, landed);
    return why === undefined ? undefined : { why, isOtherValue: true };
  });
}

/** Without names that cannot be asked there after all. */
function without(
  landed: LandedSource,
  whyNot: (name: NameLanding) => Pick<NameLanding, "why" | "isOtherValue"> | undefined,
): Landed {
  const names = landed.names.map((one): NameLanding => {
    const why = whyNot(one);
    return why === undefined ? one : { ...one, verdict: "cannot", ...why };
  });
  if (names.every((one, at) => one === landed.names[at])) return landed;
  const usable = names.filter(({ verdict }) => verdict !== "cannot");
  if (usable.length === 0) return { kind: "refused", why: names[0]?.why ?? "", names };
  const kept = new Set(usable.map(({ name }) => name));
  const statements = landed.statements.filter(({ planned }) => kept.has(planned.name));
  return { ...landed, names, statements };
}

function landPieces(
  version: RecordedVersion,
  asked: readonly AskedName[],
  tools: LandingTools,
): Landed {
  const { program, mode, before } = version;
  const { tree, decisions, onlyStatement } = tools;
  const questions = questionsBehind(version, asked, tools);
  const standing = withPlaces(standInTree(version, asked, tree, decisions), questions);
  const isAlone = (standing?.names.length ?? 0) > 0 || onlyStatement;
  const edited = isAlone || !questions ? undefined : askOfTree(questions, asked, decisions);
  if (edited && "kind" in edited) return edited;
  const beside = edited && questions && landedBeside(questions, edited, decisions);
  if (beside) return beside;
  const left = edited?.left ?? asked;
  const waiting = waitingFor(edited?.waiting ?? []);
  const inTree = new Set(standing?.names.map(({ name }) => name));
  const placed = place(
    {
      ...version,
      overlays: standing?.overlays ?? [],
      hasCertain: standing?.names.some(isCertain) ?? false,
      decisions,
    },
    left.filter(({ name }) => !inTree.has(name)),
  );
  const landed = withQuestions(questions, placed.names, onlyStatement);
  const names = [...(standing?.names ?? []), ...landed, ...waiting];
  const usable = names.filter(({ verdict }) => verdict !== "cannot");
  if (usable.length === 0) {
    const why = [...new Set(names.map((one) => one.why))].join("; ");
    return { kind: "refused", why: why || "nothing logs it", names };
  }
  const ofTree = usable.every(({ name }) => inTree.has(name)) ? standing : undefined;
  const { overlays, inserted, probes } = ofTree ?? placed;
  const changed = new Map(overlays.map(({ file, text }) => [file, text]));
  const text: ReadText = (file) => changed.get(file) ?? before(file);
  const model = ofTree ? tree.model(program, mode) : analyzeProgram(program, text, mode);
  const loops = loopsBefore(model.loops, inserted);
  if (loops.length < model.loops.length) {
    return { kind: "refused", why: "what it needs has a loop of its own", names };
  }
  const source = { program, version: null, model, text };
  const anchorOf = anchorsIn(before, text);
  return {
    kind: "landed",
    program,
    verdict: worstOf(usable.map(({ verdict }) => verdict)),
    names,
    statements: usable.flatMap((one) => {
      const pieces = asked.find(({ name }) => name === one.name)?.pieces ?? [];
      const written = isWritten(one.name, pieces);
      return askedStatements(one.name, source, { ...one, isWritten: written, anchorOf });
    }),
    text,
    model,
    match: matchLoops({ loops }, model),
    probes,
    overlays,
  };
}

/** The names of the working tree, without those whose log calls stand where nothing has a place. */
function withPlaces(
  standing: PlacedPieces | undefined,
  questions: AskedOfVersion | undefined,
): PlacedPieces | undefined {
  const names = standing?.names.map((one): NameLanding => {
    const own = questions?.asked.find(({ piece }) => piece.name === one.name)?.question;
    if (own?.noPlace !== undefined) return { ...one, verdict: "cannot", why: own.noPlace };
    const unseen = own?.unseen ?? [];
    const landings = one.landings.map((landing) => {
      return { ...landing, warnings: [...landing.warnings, ...unseen] };
    });
    return { ...one, landings };
  });
  return standing && names && { ...standing, names };
}

const ADDED = {
  verdict: "exact",
  reason: "only log statements are new since this version",
} as const;

function placeText({ file, line }: Pick<SourcePlace, "file" | "line">): string {
  return `${file}:${line}`;
}

/** The names that stand in the working tree, if it differs from the version by log statements only. */
function standInTree(
  version: RecordedVersion,
  asked: readonly AskedName[],
  tree: WorkingTree,
  decisions: Decisions,
): PlacedPieces | undefined {
  const texts = treeTexts(version, tree);
  if (!texts) return undefined;
  const { sources, before } = version;
  const isAdded = ({ file, line }: SourcePlace): boolean =>
    texts.probes.some((probe) => probe.file === file && probe.line === line);
  const standing = ({ name, parts }: Piece): NameLanding => {
    const lines = new Map(parts.map(({ log }) => [placeText(log), log]));
    const logs = [...lines.values()];
    const landings = logs.map((log): Landing => {
      const decision = decisions.find({ name, statement: log.text }, sources, before);
      if (decision?.choice.kind === "exclude") return excludedLanding(log.file);
      const { file, line, column, text } = log;
      const how = isAdded(log) ? ADDED : PRESENT;
      return { ...NO_LANDING, file, line, column, text, confidence: 1, ...how };
    });
    return {
      name,
      verdict: worstOf(landings.map(({ verdict }) => verdict)),
      why: landings[0]?.reason ?? "",
      landings,
      statements: logs.map((log) => log.text),
      carried: [],
      leftOut: [],
      isDecided: false,
    };
  };
  const pieces = asked.flatMap((one) => one.pieces.find(({ version: own }) => own === null) ?? []);
  const ownPlaces = new Set(pieces.flatMap(({ parts }) => parts.map(({ log }) => placeText(log))));
  // One that nobody asked for would be executed with the others.
  const disturbs = tree
    .model(version.program, version.mode)
    .logs.some((log) => log.changes && isAdded(log) && !ownPlaces.has(placeText(log)));
  if (disturbs) return undefined;
  return { ...texts, names: pieces.map(standing) };
}

/** The working tree's texts in place of the version's; undefined: they differ by more than logs. */
function treeTexts(
  { program, mode, files, before }: RecordedVersion,
  tree: WorkingTree,
): InsertedTexts | undefined {
  if (!tree.has(program)) return undefined;
  const changed: Overlay[] = [];
  // Also where only comments moved: places are those of this text.
  for (const file of files.filter((one) => tree.text(one) !== before(one))) {
    const text = tree.text(file);
    if (text === undefined || !isSource(file)) return undefined;
    changed.push({ file, text });
  }
  const compare = (file: string, old: string): ReturnType<WorkingTree["compare"]> =>
    tree.compare(file, old, mode);
  const checked = checkInserted(changed, { before, newFiles: [], compare });
  return "problem" in checked ? undefined : checked;
}

/** The loops as they stood in the text that ran; what was put in has none. */
function loopsBefore(
  loops: readonly SourceLoop[],
  inserted: InsertedTexts["inserted"],
): SourceLoop[] {
  return loops.flatMap((loop) => {
    const file = inserted.get(loop.file);
    const place = file ? file.before(loop) : loop;
    return place ? [{ ...loop, line: place.line, column: place.column }] : [];
  });
}
