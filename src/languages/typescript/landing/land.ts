/**
 * @file Log statements of one version of the source, put into another (FlorDB §5.3). The trees are
 * paired without the statements; each then goes to the gap that its surroundings are paired with, is
 * written in the names of that version, and brings along what it needs.
 */
import type { Node } from "oxc-parser";
import type { Landing, LandingRequest, Landings } from "../../../format/index.ts";
import { judge, quote } from "./judge.ts";
import { VersionPair } from "./pair.ts";
import type { Target } from "./pair.ts";
import { presenceOf } from "./present.ts";
import type { Refusal, Settled } from "./settle.ts";
import { settle } from "./settle.ts";
import type { Source } from "./source.ts";
import { readSource } from "./source.ts";
import type { Unit } from "./unit.ts";
import { unitAround, unitAt } from "./unit.ts";
import { writeAll } from "./write.ts";

/** Finds where statements of the newer version go in an older one, and puts them there. */
export function landStatements(request: LandingRequest): Landings {
  const { now, then, statements } = request;
  const text = now.text(now.file);
  const source = text === undefined ? undefined : readSource(now.file, text);
  const refuse = (refusal: string, reason: string): Landings => {
    return { landings: statements.map(() => cannot({ refusal, reason })), overlays: [] };
  };
  if (!source) return refuse("parse_error_in_region", `${now.file} cannot be parsed`);
  const file = request.decided?.file ?? then.files.find((one) => one === now.file) ?? then.files[0];
  const oldText = file === undefined ? undefined : then.text(file);
  if (file === undefined || oldText === undefined) {
    return refuse("missing_block", `that version has no ${file ?? now.file}`);
  }
  const old = readSource(file, oldText);
  if (!old) return refuse("parse_error_in_region", `${file} of that version cannot be parsed`);
  return landIn(
    source,
    old,
    statements.map((place) => unitAt(source, place)),
  );
}

type Answer = Settled | Refusal;

function landIn(now: Source, then: Source, units: readonly (Unit | undefined)[]): Landings {
  const known = units.filter((unit) => unit !== undefined);
  const pair = new VersionPair(now, then, known);
  const answers = units.map((unit): Answer => {
    if (unit) return settleUnit(pair, unit, known);
    return { refusal: "parse_error_in_region", reason: "there is no statement at that place" };
  });
  const presences = answers.map((answer) =>
    "refusal" in answer ? undefined : presenceOf(pair, answer),
  );
  const placed = answers.filter((answer, at): answer is Settled => {
    return !("refusal" in answer) && !presences[at]?.same;
  });
  const result = writeAll(pair, placed);
  const landings = answers.map((answer, at): Landing => {
    if ("refusal" in answer) return { ...cannot(answer), file: then.file };
    const { same, conflict } = presences[at] ?? {};
    if (same) return present(then, same);
    if (!result) return { ...cannot(UNSAFE), file: then.file };
    const judged = judge(pair, answer, conflict !== undefined);
    const own = result.written.get(answer);
    return {
      ...judged,
      file: then.file,
      line: own?.line ?? null,
      column: own?.column ?? null,
      text: own?.text ?? null,
      carried: own?.carried ?? [],
      renames: answer.renames.map(({ from, to }) => ({ from, to })),
      refusal: null,
    };
  });
  const isChanged = result !== undefined && placed.length > 0;
  return { landings, overlays: isChanged ? [{ file: then.file, text: result.text }] : [] };
}

const UNSAFE: Refusal = {
  refusal: "parse_error_in_region",
  reason: "the changed text would be more than the old program with the statement in it",
};

function cannot({ refusal, reason }: Refusal): Landing {
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

function present(then: Source, node: { readonly start: number; readonly end: number }): Landing {
  const { line, column } = then.lines.at(node.start);
  return {
    verdict: "present",
    file: then.file,
    line,
    column,
    text: then.text.slice(node.start, node.end),
    confidence: 1,
    reason: `that version has it at line ${line}`,
    warnings: [],
    carried: [],
    renames: [],
    refusal: null,
  };
}

function settleUnit(pair: VersionPair, unit: Unit, units: readonly Unit[]): Answer {
  const target = pair.placeFor(unit);
  const around = target?.place.climbed.length === 0 ? undefined : logOnly(pair, unit, units);
  const whole = around && pair.placeFor(around);
  if (around && whole && !missingBlock(pair, around, whole)) return settle(pair, around, whole);
  if (!target) {
    return { refusal: "missing_block", reason: "nothing around it exists in that version" };
  }
  return missingBlock(pair, unit, target) ?? settle(pair, unit, target);
}

/** The `if` around a statement that does nothing but log: it goes with it. */
function logOnly(pair: VersionPair, { owner }: Unit, units: readonly Unit[]): Unit | undefined {
  const around = unitAround(pair.now.source, owner);
  if (around?.node.type !== "IfStatement" || around.node.alternate) return undefined;
  const isOnly = ownStatements(owner).every((node) => units.some((unit) => unit.node === node));
  return around.node.consequent === owner && isOnly ? around : undefined;
}

function ownStatements(node: Node): readonly Node[] {
  return node.type === "BlockStatement" ? node.body : [];
}

/** A loop or function around the statement that the old version does not have. */
function missingBlock(pair: VersionPair, unit: Unit, { place }: Target): Refusal | undefined {
  const outermost = place.climbed.at(-1);
  if (!outermost) return undefined;
  for (let at = pair.blockOf(unit) ?? null; at && at !== outermost.parent; at = at.parent) {
    if (at.role === null || at.role === "block") continue;
    const reason = `the ${at.role} ${quote(pair.now.source.text, at)} does not exist in that version`;
    return { refusal: "missing_block", reason };
  }
  return undefined;
}
