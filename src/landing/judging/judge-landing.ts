/**
 * @file How sure a landing is, what a person should know of it, and what it is called. `exact` is
 * given only where the tree and the lines say the same and nothing around the statement changed.
 */
import type { Landing, Verdict } from "../../format/index.ts";
import type { Place, TreeNode } from "../../tree/index.ts";
import { ancestors, MARGIN_MIN } from "../../tree/index.ts";
import type { Statement } from "../../languages/index.ts";
import { reboundNameWarnings } from "./rebound-names.ts";
import { isUnguarded } from "../writing/guard-calls.ts";
import type { GapNeighbours } from "./gap-context.ts";
import { gapNeighbours, isUnderSameCondition } from "./gap-context.ts";
import { knownSides } from "./known-sides.ts";
import { isSameText, isSameThroughout } from "./same-throughout.ts";
import { meaningWarnings } from "./meaning-warnings.ts";
import { isInSameFunction } from "./how-often.ts";
import { oncePerLine, writtenBeside } from "./order-warnings.ts";
import type { Target, VersionPair } from "../pairing/version-pair.ts";
import { missingProperties, perhapsUnsetNames } from "./missing-values.ts";
import type { CarriedDefinition, AdaptedStatement } from "../adapting/adapt-statement.ts";
import { namesWhereItGoes } from "../adapting/adapt-statement.ts";
import { givesValue } from "../adapting/definitions.ts";
import { isVariable } from "../pairing/written-values.ts";
import { offsetOf } from "../pairing/version-pair.ts";

type Warning = Landing["warnings"][number];

/** Confidence below which a person should look. */
const REVIEW_BELOW = 0.7;

/** Confidence from which on nothing beside a gap is doubted. */
const CERTAIN = 0.8;

export type Judgement = Pick<Landing, "verdict" | "confidence" | "reason" | "warnings">;

export function judgeLanding(
  pair: VersionPair,
  adapted: AdaptedStatement,
  conflict: boolean,
): Judgement {
  const { own, brought } = withBrought(pair, adapted);
  const all = [own, ...brought];
  const sure = Math.min(
    valueConfidence(pair, own, adapted),
    ...brought.map((one) => valueConfidence(pair, one)),
  );
  const properties = all.flatMap((one) => missingProperties(pair, one));
  const meanings = [
    ...valueWarnings(pair, own),
    ...brought.flatMap((one) => {
      const found = valueWarnings(pair, one);
      return found.map(({ code, text }) => ({ code, text: `${one.name}: ${text}` }));
    }),
  ];
  const warnings = [
    ...placeWarnings(pair, adapted, sure),
    ...nameWarnings(adapted),
    ...brought.flatMap(doubtfulNames),
    ...oncePerLine(meanings),
    ...properties.map(({ name }) => {
      return { code: "missing_property", text: `nothing in that version has a property ${name}` };
    }),
  ];
  // What a question does is set back behind it.
  const isAlone = adapted.question === undefined;
  if (isAlone && !isSimple(adapted.statement)) {
    warnings.push({ code: "not_only_logs", text: "the statement does more than log" });
  }
  if (isAlone && isUnguarded(pair, adapted)) {
    const text = "what it calls outside of the logged value may be felt by the training";
    warnings.push({ code: "unguarded_call", text });
  }
  if (conflict) {
    const text = "conflict: that version logs the same name with other arguments";
    warnings.push({ code: "conflict", text });
  }
  const newer = properties.filter(({ isNewer }) => isNewer).length;
  const doubtful = all.flatMap((one) => one.doubtful);
  const doubts = doubtful.length + meanings.length + newer;
  const confidence = round(sure * 0.85 ** doubts * 0.97 ** adapted.renames.length);
  const needsLook =
    conflict ||
    (isAlone && !isSimple(adapted.statement)) ||
    confidence < REVIEW_BELOW ||
    doubtful.length > 0 ||
    meanings.length > 0 ||
    // To read what is not there gives no error, but a value that is none.
    newer > 0 ||
    adapted.unchecked.length > 0 ||
    isInOtherLoop(pair, adapted) ||
    (isAlone && adapted.definitions.some(({ effect }) => effect === "calls"));
  // What nobody declares may well be there: it is said, and doubts nothing.
  const remarks = warnings.length - (properties.length - newer) - adapted.unknown.length;
  const isExact = sure >= EXACT && remarks === 0 && isAtHome(pair, adapted);
  const verdict: Verdict = needsLook ? "review" : isExact ? "exact" : "moved";
  return { verdict, confidence, reason: reasonOf(pair, own), warnings };
}

const EXACT = 0.99;

/** A statement and what gives it values of that version: all of them are judged as parts of a question are. */
function withBrought(
  pair: VersionPair,
  adapted: AdaptedStatement,
): { readonly own: AdaptedStatement; readonly brought: readonly CarriedDefinition[] } {
  const brought = adapted.definitions.filter((one) => {
    return givesValue(one.statement) && readsValue(pair, one);
  });
  if (brought.length === 0) return { own: adapted, brought };
  const question = adapted.question ?? [...brought, adapted].map(({ statement }) => statement);
  return {
    own: { ...adapted, question },
    brought: brought.map((one) => ({ ...one, question })),
  };
}

/** Whether it may matter where a definition stands: a number is the same everywhere. */
function readsValue(pair: VersionPair, definition: CarriedDefinition): boolean {
  if (definition.effect !== "none") return true;
  const { isKnownObject, isPlatformName } = pair.language;
  return namesWhereItGoes(pair, definition).some(({ free: { name, binding }, found }) => {
    if (!binding) return !isKnownObject(name) && !isPlatformName(name);
    return isVariable(binding) && found.kind === "visible";
  });
}

/** Signs that it would have another value there. */
function valueWarnings(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  const isDoubted = adapted.question && valueConfidence(pair, adapted) < CERTAIN;
  return [
    ...meaningWarnings(pair, adapted),
    ...unsetNames(pair, adapted),
    ...reboundNameWarnings(pair, adapted),
    ...(isDoubted ? writtenBeside(pair, adapted, gapNeighbours(pair, adapted)) : []),
  ];
}

/** Names that may have no value there, and do here. */
function unsetNames(pair: VersionPair, adapted: AdaptedStatement): Warning[] {
  return perhapsUnsetNames(pair, adapted).map((name) => {
    return { code: "perhaps_unset", text: `${name} may have no value there` };
  });
}

/** One call, one definition, or conditions on calls that log: nothing that a person would not expect. */
function isSimple(statement: Statement): boolean {
  return statement.isSimple || statement.isLogOnly;
}

/** Whether everything around the two places is of the same kind, up to the file. */
function isAtHome(pair: VersionPair, { statement, target }: AdaptedStatement): boolean {
  const block = pair.blockOf(statement);
  if (!block || !pair.isSameFile) return false;
  const [ours, theirs] = [[...ancestors(block)], [...ancestors(target.place.block)]];
  return (
    ours.length === theirs.length &&
    ours.every(({ type, role, label }, at) => {
      const other = theirs[at];
      return type === other?.type && (role !== "loop" || label === other.label);
    })
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/**
 * Share of right landings among real histories by how many neighbours are known, if the lines agree
 * and if they do not.
 */
const SURE_WITH_LINES: readonly number[] = [0.6, 0.75, 0.95];
const SURE_WITHOUT_LINES: readonly number[] = [0.4, 0.66, 0.85];

/** How sure it is that the same is logged: if any gap of the block gives that, no gap is doubted. */
function valueConfidence(
  pair: VersionPair,
  adapted: AdaptedStatement,
  logged: AdaptedStatement = adapted,
): number {
  const sure = placeConfidence(pair, adapted);
  if (sure >= REVIEW_BELOW) return sure;
  const isSame =
    isSameThroughout(pair, logged) || (agreesWithLines(logged.target) && isSameText(pair, logged));
  return isSame ? REVIEW_BELOW : sure;
}

/** Whether a gap lies where the lines around the statement say. */
function agreesWithLines({ place, lines }: Target): boolean {
  const start = place.block.children[place.index - 1]?.end ?? place.block.start;
  return start <= lines.to && lines.from <= offsetOf(place);
}

/** How sure the gap is: by the two neighbours, and by whether the lines agree. */
function placeConfidence(pair: VersionPair, adapted: AdaptedStatement): number {
  const { statement, target, isPushedDown } = adapted;
  const { place, lines } = target;
  const agrees = agreesWithLines(target);
  const isSteady = [place.before, place.after].every((side) => side === "same" || side === "edge");
  const { count: known, isBesideRewritten, isPinned } = knownSides(pair, adapted);
  const block = pair.blockOf(statement);
  const isSame = block !== undefined && isUnderSameCondition(block, place.block);
  const isUnmoved = agrees && lines.isTight && !isPushedDown && place.climbed.length === 0;
  if (isSteady && isSame && isUnmoved) return EXACT;
  let sure = (agrees || isPinned ? SURE_WITH_LINES : SURE_WITHOUT_LINES)[known] ?? 0;
  // The lines and a neighbour beside the gap say the same: what stands further off doubts nothing.
  const isOnly = place.equal.first === place.equal.last;
  const isClear =
    place.gapMargin >= MARGIN_MIN || (agrees && known > 0 && isOnly) || isBesideRewritten;
  if (!isClear || place.blockMargin < MARGIN_MIN) sure -= 0.15;
  if (isPushedDown) sure -= 0.1;
  if (place.climbed.length > 0) sure = Math.min(sure, 0.65);
  return sure;
}

function placeWarnings(
  pair: VersionPair,
  { statement, target }: AdaptedStatement,
  sure: number,
): Warning[] {
  const { place } = target;
  const warnings: Warning[] = [];
  const [around] = place.climbed;
  if (around) {
    const text = `${quotedLine(pair.now.source.text, around)} around it does not exist in that version`;
    warnings.push({ code: "ancestor_placement", text });
  }
  const block = pair.blockOf(statement);
  if (block && loopDepth(block) !== loopDepth(place.block)) {
    const text = `it stands in ${loopsText(loopDepth(place.block))} there, and in ${loopsText(loopDepth(block))} here`;
    warnings.push({ code: "loop_depth_changed", text });
  }
  if (sure < REVIEW_BELOW) {
    warnings.push({ code: "low_confidence", text: "what is around it has changed much" });
  }
  return warnings;
}

/** In another loop of the same function, and not because there is one more around all of it. */
function isInOtherLoop(pair: VersionPair, { statement, target }: AdaptedStatement): boolean {
  const block = pair.blockOf(statement);
  const there = target.place.block;
  if (!block || loopDepth(block) === loopDepth(there)) return false;
  if (!isInSameFunction(pair, block, there)) return false;
  const [own, old] = [innermostLoop(block), innermostLoop(there)];
  return !own || !old || pair.mapping.partnerOf(own) !== old;
}

function innermostLoop(block: TreeNode): TreeNode | undefined {
  const around = [...ancestors(block)];
  const inner = around.slice(0, around.findIndex(({ role }) => role === "function") >>> 0);
  return inner.find(({ role }) => role === "loop");
}

function loopsText(depth: number): string {
  if (depth === 0) return "no loop";
  return depth === 1 ? "1 loop" : `${depth} loops`;
}

/** Loops around a block, inside its function. */
function loopDepth(block: TreeNode): number {
  let depth = 0;
  for (const { role } of ancestors(block)) {
    if (role === "function") return depth;
    if (role === "loop") depth += 1;
  }
  return depth;
}

function nameWarnings(adapted: AdaptedStatement): Warning[] {
  const { renames, imports, definitions, unknown } = adapted;
  return [
    ...renames.map(renameWarning),
    ...imports.map(({ local, module }) => {
      return { code: "carried_import", text: `${local} of ${module} is imported for it` };
    }),
    ...definitions.flatMap(definitionWarnings),
    ...unknown.map((name) => {
      return { code: "unknown_name", text: `nothing in that version uses ${name}` };
    }),
    ...doubtfulNames(adapted),
  ];
}

function doubtfulNames({ doubtful }: AdaptedStatement): Warning[] {
  return doubtful.map((name) => {
    return { code: "doubtful_name", text: `${name} may mean something else there` };
  });
}

export function renameWarning({ from, to, note }: AdaptedStatement["renames"][number]): Warning {
  return { code: "renamed", text: `${from} is called ${to} there (${note})` };
}

function definitionWarnings({ name, effect }: CarriedDefinition): Warning[] {
  const carried = { code: "carried_helper", text: `${name} is brought along` };
  if (effect !== "clock") return [carried];
  const text = `${name} reads the clock: its value is that of the replay`;
  return [carried, { code: "nondeterministic_helper", text }];
}

function reasonOf(pair: VersionPair, adapted: AdaptedStatement): string {
  const { target, renames } = adapted;
  const { block, index } = target.place;
  const { text } = pair.then.source;
  const [before, after] = [block.children[index - 1], block.children[index]];
  const where = [
    before ? `after ${quotedLine(text, before)}` : `first in ${ownerText(text, block)}`,
    after ? `before ${quotedLine(text, after)}` : before ? `last in ${ownerText(text, block)}` : "",
  ].filter((part) => part !== "");
  const names = renames.map(({ from, to, note }) => `${from} renamed ${to} (${note})`);
  return [where.join(", "), certainty(target.place, gapNeighbours(pair, adapted)), ...names].join(
    "; ",
  );
}

function certainty({ climbed }: Place, { before, after }: GapNeighbours): string {
  const sides = [before, after];
  if (climbed.length > 0) return "by what stands further out";
  if (sides.every((side) => side === "same" || side === "edge")) return "as in the newer version";
  if (sides.every((side) => side !== "other")) return "which were edited since";
  return sides.some((side) => side !== "other") ? "by one neighbour" : "by statements further off";
}

function ownerText(text: string, block: TreeNode): string {
  return block.parent ? quotedLine(text, block.parent) : "the file";
}

/** The first line of a node, shortened. */
export function quotedLine(text: string, { start, end }: Pick<TreeNode, "start" | "end">): string {
  const line = (text.slice(start, end).split(/\r?\n/)[0] ?? "").trim();
  return `\`${line.length > QUOTE_MAX ? `${line.slice(0, QUOTE_MAX - 1)}…` : line}\``;
}

const QUOTE_MAX = 48;
