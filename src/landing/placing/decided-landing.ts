/** @file What a person decided about a landing: the line, the text, or both. */
import type { Landing, LandingRequest } from "../../format/index.ts";
import type { Place, TreeNode } from "../../tree/index.ts";
import type { ParsedFile, Statement } from "../../languages/index.ts";
import type { NeutralTree } from "../pairing/version-tree.ts";
import type { Target, VersionPair } from "../pairing/version-pair.ts";
import { offsetOf } from "../pairing/version-pair.ts";
import { resolveVisibleName } from "../pairing/visible-name.ts";
import type { Refusal, AdaptedStatement } from "../adapting/adapt-statement.ts";
import { adaptStatement, nothingNeeded } from "../adapting/adapt-statement.ts";
import { breaksInStrings } from "../writing/statement-text.ts";

type Decided = NonNullable<LandingRequest["decided"]>;

/** Whether anything but the file was decided. */
export function isDecided(decided: Decided | undefined): decided is Decided {
  return decided?.line !== undefined || decided?.text !== undefined;
}

/** The statement at the decided place, in the decided words. */
export function adaptDecided(
  pair: VersionPair,
  statement: Statement,
  { line, text }: Decided,
): AdaptedStatement | Refusal {
  const target = line === undefined ? pair.placeFor(statement) : targetAt(pair, line);
  if (!target) {
    return { refusal: "missing_block", reason: "nothing around it exists in that version" };
  }
  if (text !== undefined) return fixedStatement(pair, statement, target, text);
  const adapted = adaptStatement(pair, statement, target);
  if ("refusal" in adapted || adapted.target.place.index === target.place.index) return adapted;
  return { refusal: "use_before_def", reason: "a name of it has no value yet at that line" };
}

/** Before a line of the older text. */
export function targetAt(pair: VersionPair, line: number): Target | undefined {
  const { source, tree } = pair.then;
  const gap = gapAtLine(source, tree, line);
  if (!gap) return undefined;
  const known = { before: "other", after: "other", blockMargin: 0, gapMargin: 0 } as const;
  const equal = { first: gap.index, last: gap.index };
  const place: Place = { ...gap, ...known, equal, climbed: [] };
  const offset = offsetOf(place);
  return { place, lines: { above: [], below: [], from: offset, to: offset, isTight: false } };
}

/** Before the statement at a line of a text, in the innermost block that holds the line. */
export function gapAtLine(
  source: ParsedFile,
  tree: NeutralTree,
  line: number,
): Pick<Place, "block" | "index" | "near"> | undefined {
  if (line < 1 || line > source.lines.count + 1) return undefined;
  const lineOf = (offset: number): number => source.lines.at(offset).line;
  const holds = (node: TreeNode): boolean => {
    if (node.role !== "block" || node.parent === null) return node.role === "block";
    return source.language.layout.holdsLine(source, node, line);
  };
  const block = tree.nodes.findLast(holds);
  if (!block) return undefined;
  const next = block.children.findIndex(({ end }) => lineOf(end - 1) >= line);
  if (next === -1) return { block, index: block.children.length, near: "before" };
  return { block, index: next, near: "after" };
}

/** A text that is written as it is. Names that mean nothing there are told, and left alone. */
function fixedStatement(
  pair: VersionPair,
  statement: Statement,
  target: Target,
  text: string,
): AdaptedStatement | Refusal {
  const trimmed = text.trim();
  const { read, layout } = pair.language;
  const source = read(pair.then.source.file, trimmed);
  if ("problem" in source || source.statements.length === 0) {
    return { refusal: "parse_error_in_region", reason: "the text given is no statement" };
  }
  const unbound = source.scopes.references.filter(({ name, binding }) => {
    if (binding) return false;
    const found = resolveVisibleName(pair.then.scopes, name, pair.scopedOffsetOf(target.place));
    return found.kind !== "visible" && !isGlobal(pair, name);
  });
  return {
    statement,
    target,
    ...nothingNeeded(),
    doubtful: [...new Set(unbound.map(({ name }) => name))],
    isPushedDown: false,
    fixed: {
      text: trimmed,
      indent: "",
      step: layout.stylesOf(trimmed)[0].indent,
      kept: breaksInStrings(source),
      endsWithSemicolon: false,
    },
  };
}

/** A name that the newer version uses without declaring it. */
function isGlobal(pair: VersionPair, name: string): boolean {
  const uses = pair.now.scopes.references.filter((reference) => reference.name === name);
  return uses.length > 0
    ? uses.some(({ binding }) => binding === null)
    : pair.language.isPlatformName(name);
}

/** What a decided landing is called: nothing is left to look at. */
export function judgeDecided({
  doubtful,
  renames,
}: AdaptedStatement): Pick<Landing, "verdict" | "confidence" | "reason" | "warnings"> {
  return {
    verdict: "moved",
    confidence: 1,
    reason: ["as decided", ...renames.map(({ from, to }) => `${from} renamed ${to}`)].join("; "),
    warnings: doubtful.map((name) => {
      return { code: "unbound_name", text: `${name} is not declared where the statement stands` };
    }),
  };
}
