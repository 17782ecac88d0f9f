/**
 * @file Log statements of one version of the source, put into another (FlorDB §5.3). The trees are
 * paired without the statements; each then goes to the gap that its surroundings are paired with, is
 * written in the names of that version, and brings along what it needs.
 */
import type { Carried, Landing, LandingRequest, Landings, Overlay } from "../format/index.ts";
import { modeOf } from "../format/index.ts";
import type { ParsedFile, Statement } from "../languages/index.ts";
import { languageOf } from "../languages/index.ts";
import type { TreeNode } from "../tree/index.ts";
import { chooseFile } from "./placing/choose-file.ts";
import { isDecided, judgeDecided, adaptDecided } from "./placing/decided-landing.ts";
import { judgeLanding, renameWarning } from "./judging/judge-landing.ts";
import { missingBlock } from "./judging/missing-block.ts";
import { leftOutStatements } from "./judging/left-out-statements.ts";
import { VersionPair } from "./pairing/version-pair.ts";
import type { PairRequest, Target } from "./pairing/version-pair.ts";
import { findExisting } from "./adapting/find-existing.ts";
import type { Refusal, AdaptedStatement } from "./adapting/adapt-statement.ts";
import { adaptStatement } from "./adapting/adapt-statement.ts";
import { givesValue } from "./adapting/definitions.ts";
import { statementAt } from "./placing/statement-at.ts";
import { writeStatements } from "./writing/write-statements.ts";

/** Finds where statements of the newer version go in an older one, and puts them there. */
export function landStatements(request: LandingRequest): Landings {
  const { now, statements: places } = request;
  const text = now.text(now.file);
  const source = text === undefined ? undefined : languageOf(now.file).read(now.file, text);
  if (!source || "problem" in source) {
    return noneLands(places, "parse_error_in_region", `${now.file} cannot be parsed`);
  }
  const statements = places.map((place) => statementAt(source, place));
  const files = statements.map((statement) => {
    return request.decided?.file ?? chooseFile(request, source, statement?.node.start ?? 0);
  });
  const landings: Landing[] = [];
  const overlays: Overlay[] = [];
  for (const file of new Set(files)) {
    const own = statements.filter((_, at) => files[at] === file);
    const landed = landInFile(request, source, file, own);
    let next = 0;
    for (const at of files.keys()) {
      if (files[at] === file) landings[at] = landed.landings[next++] ?? cannotLand(UNSAFE);
    }
    overlays.push(...landed.overlays);
  }
  return { landings, overlays };
}

/** Lands statements that all go into the same file. */
function landInFile(
  request: LandingRequest,
  source: ParsedFile,
  file: string | undefined,
  statements: readonly (Statement | undefined)[],
): Landings {
  const { now, then, decided } = request;
  const text = file === undefined ? undefined : then.text(file);
  if (file === undefined || text === undefined) {
    return noneLands(statements, "missing_block", `that version has no file like ${now.file}`);
  }
  const old = source.language.read(file, text);
  if ("problem" in old) {
    const reason = `${file} of that version cannot be parsed`;
    return noneLands(statements, "parse_error_in_region", reason);
  }
  const isSameFile = file === now.file || decided?.file === file;
  const known = statements.filter((statement) => statement !== undefined);
  const files = { now, then };
  const versions = { now: source, then: old, isSameFile, files, mode: modeOf(request) };
  return landPaired(pairApart(versions, known), statements, decided);
}

/** The versions, paired without what lands and without definitions that give it values: they have no counterpart. */
function pairApart(
  versions: Omit<PairRequest, "statements">,
  known: readonly Statement[],
): VersionPair {
  const apart = new Set(known);
  for (;;) {
    const pair = new VersionPair({ ...versions, statements: [...apart] });
    const brought = broughtBy(pair, known).filter((one) => !apart.has(one));
    if (brought.length === 0) return pair;
    for (const one of brought) apart.add(one);
  }
}

/** Definitions that give values to what lands, and come along. */
function broughtBy(pair: VersionPair, known: readonly Statement[]): Statement[] {
  const definitions = known.flatMap((statement) => {
    const answer = adaptAtItsPlace(pair, statement, known);
    return "refusal" in answer ? [] : answer.definitions.map((one) => one.statement);
  });
  const nodes = new Set(definitions.filter(givesValue).map(({ node }) => node));
  return pair.now.source.statements.filter(({ bare }) => nodes.has(bare.node));
}

type Answer = AdaptedStatement | Refusal;

function landPaired(
  pair: VersionPair,
  statements: readonly (Statement | undefined)[],
  decided: LandingRequest["decided"],
): Landings {
  const then = pair.then.source;
  const known = statements.filter((statement) => statement !== undefined);
  const answers = statements.map((statement): Answer => {
    if (statement && isDecided(decided)) return adaptDecided(pair, statement, decided);
    if (statement) return adaptAtItsPlace(pair, statement, known);
    return { refusal: "parse_error_in_region", reason: "there is no statement at that place" };
  });
  const existing = answers.map((answer) =>
    "refusal" in answer || isDecided(decided) ? undefined : findExisting(pair, answer),
  );
  const wanted = answers.filter((answer, at): answer is AdaptedStatement => {
    return !("refusal" in answer) && !existing[at]?.same;
  });
  // One that spoils the text must not keep the others out.
  const whole = writeStatements(pair, wanted);
  const placed = whole ? wanted : wanted.filter((one) => writeStatements(pair, [one]));
  const result = whole ?? writeStatements(pair, placed);
  const landings = answers.map((answer, at): Landing => {
    if ("refusal" in answer) return { ...cannotLand(answer), file: then.file };
    const { same, conflict } = existing[at] ?? {};
    if (same) return presentLanding(then, same, answer);
    if (!result || !placed.includes(answer)) return { ...cannotLand(UNSAFE), file: then.file };
    const judged = isDecided(decided)
      ? judgeDecided(answer)
      : judgeLanding(pair, answer, conflict !== undefined);
    const own = result.written.get(answer.statement.node);
    const leftOut = leftOutStatements(pair, answer);
    return {
      ...judged,
      ...(leftOut.length > 0 ? { leftOut } : {}),
      file: then.file,
      line: own?.line ?? null,
      column: own?.column ?? null,
      text: own?.text ?? null,
      carried: [...(own?.carried ?? []), ...answer.files.map(carriedFile)],
      renames: answer.renames.map(({ from, to }) => ({ from, to })),
      refusal: null,
    };
  });
  if (!result || placed.length === 0) return { landings, overlays: [] };
  const files = new Map(placed.flatMap((one) => one.files).map((one) => [one.file, one]));
  return { landings, overlays: [{ file: then.file, text: result.text }, ...files.values()] };
}

function carriedFile({ file, text }: Overlay): Carried {
  return { kind: "file", name: file, text, line: 1 };
}

const UNSAFE: Refusal = {
  refusal: "parse_error_in_region",
  reason: "the changed text would be more than the old program with the statement in it",
};

function cannotLand({ refusal, reason }: Refusal): Landing {
  return {
    verdict: "cannot",
    file: null,
    line: null,
    column: null,
    text: null,
    confidence: 0,
    reason,
    warnings: [],
    carried: [],
    renames: [],
    refusal,
  };
}

function noneLands(asked: readonly unknown[], refusal: string, reason: string): Landings {
  return { landings: asked.map(() => cannotLand({ refusal, reason })), overlays: [] };
}

function presentLanding(then: ParsedFile, node: TreeNode, { renames }: AdaptedStatement): Landing {
  const { line, column } = then.lines.at(node.start);
  return {
    verdict: "present",
    file: then.file,
    line,
    column,
    text: then.text.slice(node.start, node.end),
    confidence: 1,
    reason: `that version has it at line ${line}`,
    warnings: renames.map(renameWarning),
    carried: [],
    renames: renames.map(({ from, to }) => ({ from, to })),
    refusal: null,
  };
}

function adaptAtItsPlace(
  pair: VersionPair,
  statement: Statement,
  statements: readonly Statement[],
): Answer {
  const [target, ...others] = pair.placesFor(statement);
  const alone = target && adaptStatement(pair, statement, target);
  // Under another condition than here, it stands there all the same.
  if (alone && !("refusal" in alone) && findExisting(pair, alone).same) return alone;
  const around =
    target?.place.climbed.length === 0 ? undefined : logOnly(pair, statement, statements);
  const whole = around && pair.placeFor(around);
  if (around && whole && !missingBlock(pair, around, whole)) {
    const adapted = adaptStatement(pair, around, whole);
    // Its condition may need what that version does not have, or stand there already.
    if (!("refusal" in adapted) && !isUnderSame(pair, around, adapted)) return adapted;
  }
  if (!target || !alone) {
    return { refusal: "missing_block", reason: "nothing around it exists in that version" };
  }
  const missing = missingBlock(pair, statement, target);
  if (missing) return missing;
  return ("refusal" in alone ? adaptElsewhere(pair, statement, others) : undefined) ?? alone;
}

/** In another block that a neighbour went to, where its names are visible as they are. */
function adaptElsewhere(
  pair: VersionPair,
  statement: Statement,
  others: readonly Target[],
): AdaptedStatement | undefined {
  for (const target of others) {
    const adapted = adaptStatement(pair, statement, target);
    if ("refusal" in adapted || adapted.isPushedDown || adapted.definitions.length > 0) continue;
    if (!missingBlock(pair, statement, target)) return adapted;
  }
  return undefined;
}

/** The `if` around a statement that does nothing but log: it goes with it. */
function logOnly(
  { now }: VersionPair,
  { owner, parent }: Statement,
  statements: readonly Statement[],
): Statement | undefined {
  if (parent?.branch !== owner) return undefined;
  const own = now.source.statements.filter((one) => one.owner === owner);
  return own.every((one) => statements.includes(one)) ? parent : undefined;
}

/** Whether the place is in an `if` with the same condition. */
function isUnderSame(
  pair: VersionPair,
  { node }: Statement,
  { target }: AdaptedStatement,
): boolean {
  const [own] = pair.now.tree.nodeOf.get(node)?.children ?? [];
  return own !== undefined && target.place.block.parent?.children[0]?.hash === own.hash;
}
