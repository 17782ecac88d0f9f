/**
 * @file A question of several statements in another version of a file: each part goes to one gap, the
 * parts keep their order, names follow the pairing, and what the question brings is called otherwise
 * where that version means something else by it. All of it lands, or nothing.
 */
import type { Landing, LandingRequest, Overlay, RunMode, Verdict } from "../format/index.ts";
import type { Binding, ParsedFile, Statement } from "../languages/index.ts";
import { isInside } from "../tree/index.ts";
import type { AdaptedPart } from "./adapting/adapt-part.ts";
import { adaptPart, adaptTogether, asOne } from "./adapting/adapt-part.ts";
import type { AdaptedStatement, BroughtNames, Refusal } from "./adapting/adapt-statement.ts";
import { importOf } from "./adapting/import-fate.ts";
import type { FileEdit } from "./edits/align.ts";
import { asWritten } from "./edits/changed-lines/braces.ts";
import { innerNames } from "./judging/handed-on.ts";
import { judgeLanding } from "./judging/judge-landing.ts";
import { missingBlock } from "./judging/missing-block.ts";
import { oncePerLine } from "./judging/order-warnings.ts";
import type { Target } from "./pairing/version-pair.ts";
import { offsetOf, VersionPair } from "./pairing/version-pair.ts";
import { judgeDecided, targetAt } from "./placing/decided-landing.ts";
import { writeStatements } from "./writing/write-statements.ts";

export interface PieceRequest {
  /** From the older version to the newer one, with changed statements recognised. */
  readonly edit: FileEdit;
  /** Where the statements of the question begin in the newer text. */
  readonly starts: ReadonlySet<number>;
  readonly files: Pick<LandingRequest, "now" | "then">;
  readonly mode: RunMode;
  /** Names that the older text has got for the question. */
  readonly given?: ReadonlySet<string>;
  /** Somebody put the part with the statement that begins at `start` before a line of the older text. */
  readonly decided?: { readonly start: number; readonly line: number } | undefined;
}

/** The older version with a question in it. */
export interface LandedPiece extends Pick<
  Landing,
  "warnings" | "renames" | "reason" | "confidence"
> {
  readonly text: string;
  /** Where a statement of `text` begins in the newer text; undefined: it is the older one's, or an import. */
  readonly startNow: (start: number) => number | undefined;
  readonly files: readonly Overlay[];
  /** That of its weakest part. */
  readonly verdict: Verdict;
}

export function landPiece({
  edit,
  starts,
  files,
  mode,
  given = new Set(),
  decided,
}: PieceRequest): LandedPiece | Refusal {
  const { now, then } = edit;
  const lacking = [...starts].filter((start) => edit.startBefore(start) === undefined);
  const all = statementsAt(now, new Set(lacking));
  const brought = new Map<Binding, string>();
  const own = all.filter((statement) => !isImport(now, statement));
  for (const binding of declaredBy(now, own)) {
    const isGiven = given.has(binding.name);
    if (!isGiven && isUsedBeside(edit, own, binding)) {
      const reason = `what gives ${binding.name} its value is no addition: more uses it`;
      return { refusal: "ambiguous", reason };
    }
    brought.set(binding, isGiven ? binding.name : freeName(edit, binding.name));
  }
  const taken = takenProperty(edit, own);
  if (taken !== undefined) {
    return { refusal: "ambiguous", reason: `${taken} means something else in that version` };
  }
  const pair = new VersionPair({
    now,
    then: asWritten(then),
    statements: all,
    isSameFile: true,
    files,
    mode,
  });
  const parts: AdaptedPart[] = [];
  for (const statements of partsOf(pair, edit, own)) {
    const isDecided = statements.some(({ node: { start, end } }) => {
      return decided !== undefined && start <= decided.start && decided.start < end;
    });
    const part =
      decided && isDecided
        ? putPart(pair, statements, brought, decided.line)
        : landPart(pair, statements, brought);
    if ("refusal" in part) return part;
    const items = part.items.map((one) => ({ ...one, question: own }));
    parts.push({ ...part, items, isDecided });
  }
  if (!isInOrder(parts)) {
    return { refusal: "ambiguous", reason: "its parts would stand in another order there" };
  }
  return written(pair, parts, { brought, given }) ?? UNSAFE;
}

const UNSAFE: Refusal = {
  refusal: "parse_error_in_region",
  reason: "the changed text would be more than the old program with the question in it",
};

/** The outermost statements that begin at these offsets. */
function statementsAt(
  { statements, members }: ParsedFile,
  starts: ReadonlySet<number>,
): Statement[] {
  const found = [...statements, ...members.flatMap((list) => list.statements)]
    .filter(({ node }) => starts.has(node.start))
    .toSorted((one, other) => one.node.start - other.node.start || other.node.end - one.node.end);
  return found.filter((one, at) => {
    return !found.slice(0, at).some((outer) => isInside(one.node, outer.node));
  });
}

/** Whether it does nothing but import at top level: what needs it brings that along. */
function isImport(source: ParsedFile, { node }: Statement): boolean {
  const declared = [...source.scopes.bindingOf].filter(([at]) => isInside(at, node));
  return (
    declared.length > 0 &&
    declared.every(([, binding]) => binding.kind === "import" && importOf(source, binding))
  );
}

/** Names that only these statements declare, for others to see. */
function declaredBy({ scopes }: ParsedFile, statements: readonly Statement[]): Binding[] {
  const isIn = (node: { readonly start: number; readonly end: number }): boolean =>
    statements.some((one) => isInside(node, one.node));
  const declared = new Set(
    [...scopes.bindingOf].filter(([node]) => isIn(node)).map(([, binding]) => binding),
  );
  return [...declared].filter(({ declarations, scope }) => {
    return declarations.every(isIn) && !statements.some(({ node }) => isInside(scope.node, node));
  });
}

/** Whether what the older version has too uses a name: then that is a part of the program. */
function isUsedBeside(
  { now, gaps }: FileEdit,
  question: readonly Statement[],
  binding: Binding,
): boolean {
  // In a function that the older version does not have nothing is seen to be added.
  const added = [...gaps.flatMap((gap) => gap.added), ...question];
  return now.scopes.references.some(({ node, binding: own }) => {
    return own === binding && !added.some((one) => isInside(node, one.node));
  });
}

/** The name, or one like it that means nothing in either version. */
function freeName({ now, then }: FileEdit, name: string): string {
  const isUsed = ({ scopes }: ParsedFile, word: string): boolean =>
    scopes.references.some((one) => one.name === word) ||
    [...scopes.bindingOf.values()].some((one) => one.name === word);
  if (!isUsed(then, name)) return name;
  let number = 1;
  while ([now, then].some((source) => isUsed(source, `${name}_${number}`))) number += 1;
  return `${name}_${number}`;
}

/** A property that only the question has in the newer version, and that the older one has too. */
function takenProperty(
  { now, then }: FileEdit,
  statements: readonly Statement[],
): string | undefined {
  const isIn = (node: { readonly start: number; readonly end: number }): boolean =>
    statements.some((one) => isInside(node, one.node));
  const written = now.uses.writes.filter(({ target, path }) => isIn(target) && path?.includes("."));
  const names = new Set([
    ...written.flatMap(({ path }) => path?.split(".").at(-1) ?? []),
    ...statements.flatMap(({ member }) => member ?? []),
  ]);
  const isOld = (name: string): boolean =>
    then.uses.members.some((one) => one.name === name) ||
    [...then.statements, ...then.members.flatMap((list) => list.statements)].some((one) => {
      return one.member === name;
    });
  return [...names].find((name) => {
    return isOld(name) && !now.uses.members.some((one) => one.name === name && !isIn(one.node));
  });
}

/** Statements of the question that have none of the older version between them. */
function partsOf(
  pair: VersionPair,
  edit: FileEdit,
  statements: readonly Statement[],
): Statement[][] {
  const { lists, members } = edit.now;
  const isOld = ({ node }: Statement): boolean => {
    const own = pair.now.tree.nodeOf.get(node);
    const isPaired = own !== undefined && pair.mapping.partnerOf(own) !== undefined;
    return isPaired || edit.startBefore(node.start) !== undefined;
  };
  const parts = [...lists, ...members].flatMap((list) => {
    const runs: Statement[][] = [[]];
    for (const one of list.statements) {
      if (statements.includes(one)) runs.at(-1)?.push(one);
      else if (isOld(one)) runs.push([]);
    }
    return runs.filter((run) => run.length > 0);
  });
  return parts.toSorted((a, b) => (a[0]?.node.start ?? 0) - (b[0]?.node.start ?? 0));
}

function landPart(
  pair: VersionPair,
  statements: readonly Statement[],
  brought: BroughtNames,
): AdaptedPart | Refusal {
  const whole = asOne(statements);
  const targets = isMember(pair, whole) ? classEnd(pair, whole) : pair.placesFor(whole);
  let refusal: Refusal | undefined;
  for (const target of targets) {
    const missing = missingBlock(pair, whole, target);
    const adapted = missing ?? adaptPart(pair, statements, target, brought);
    if (!("refusal" in adapted)) return adapted;
    refusal ??= adapted;
  }
  return (
    refusal ?? { refusal: "missing_block", reason: "nothing around it exists in that version" }
  );
}

/** A part before a line that somebody named. */
function putPart(
  pair: VersionPair,
  statements: readonly Statement[],
  brought: BroughtNames,
  line: number,
): AdaptedPart | Refusal {
  const target = targetAt(pair, line);
  if (!target) return { refusal: "missing_block", reason: "that version has no such line" };
  const adapted = adaptTogether(pair, statements, target, brought);
  if ("refusal" in adapted || adapted.target === target) return adapted;
  return { refusal: "use_before_def", reason: "a name of it has no value yet at that line" };
}

function isMember({ now }: VersionPair, { owner }: Statement): boolean {
  return now.source.members.some((list) => list.owner === owner);
}

/** Behind the members of the class that is the same one. */
function classEnd(pair: VersionPair, statement: Statement): Target[] {
  const own = pair.blockOf(statement);
  const block = own && pair.mapping.partnerOf(own);
  const [around] = pair.placesFor(statement);
  if (!block || !around) return [];
  const index = block.children.length;
  const place = {
    block,
    index,
    equal: { first: index, last: index },
    blockMargin: 1,
    gapMargin: 1,
    before: "edge" as const,
    after: "edge" as const,
    near: "before" as const,
    climbed: [],
  };
  return [{ ...around, place }];
}

/** In one function, what came first comes first. */
function isInOrder(parts: readonly AdaptedPart[]): boolean {
  return parts.every(({ target, items }, at) => {
    const next = parts.slice(at + 1).find((other) => {
      return functionAround(other) === functionAround(parts[at]);
    });
    const isBrought = items.every(({ statement }) => statement.isHoisted);
    return !next || isBrought || offsetOf(target.place) <= offsetOf(next.target.place);
  });
}

function functionAround(part: AdaptedPart | undefined): unknown {
  let at = part?.target.place.block ?? null;
  while (at && at.role !== "function" && at.role !== "class") at = at.parent;
  return at;
}

function written(
  pair: VersionPair,
  parts: readonly AdaptedPart[],
  { brought, given }: { readonly brought: BroughtNames; readonly given: ReadonlySet<string> },
): LandedPiece | undefined {
  const items = parts.flatMap((part) => part.items);
  const result = writeStatements(pair, items);
  if (!result) return undefined;
  const { file, language } = pair.then.source;
  const source = language.read(file, result.text);
  const own = new Set([...brought.values()].filter((name) => !given.has(name)));
  if ("problem" in source || !isClosed(source, pair.then.source, own)) {
    return undefined;
  }
  const judged = parts.flatMap(({ items: own, isDecided }) => {
    return own.map((item) => (isDecided ? judgeDecided(item) : judgeLanding(pair, item, false)));
  });
  const [weakest] = judged.toSorted((one, other) => rankOf(other.verdict) - rankOf(one.verdict));
  const inner = otherInnerNames(pair, items);
  const isDoubted = inner.length > 0 && weakest !== undefined && weakest.verdict !== "cannot";
  const files = new Map(items.flatMap((one) => one.files).map((one) => [one.file, one]));
  const renames = items.flatMap((one) => one.renames.map(({ from, to }) => ({ from, to })));
  const starts = new Map(
    [...result.written].map(([node, { line, column }]) => {
      return [source.lines.startOf(line) + column - 1, node.start];
    }),
  );
  return {
    text: result.text,
    startNow: (start) => starts.get(start),
    files: [...files.values()],
    verdict: isDoubted ? "review" : (weakest?.verdict ?? "cannot"),
    reason: weakest?.reason ?? "",
    confidence: Math.min(...judged.map(({ confidence }) => confidence)),
    warnings: oncePerLine(unique([...judged.flatMap((one) => one.warnings), ...inner])),
    renames: unique([...renames, ...broughtRenames(items, brought)]),
  };
}

/** Names that functions of a question read, where others of its statements that use those mean something else by them. */
function otherInnerNames(
  pair: VersionPair,
  items: readonly AdaptedStatement[],
): Landing["warnings"][number][] {
  return items.flatMap((inner) => {
    const own = new Set(declaredBy(pair.now.source, [inner.statement]));
    const users = items.filter(({ statement }) => {
      return pair.now.scopes.references.some(({ node, binding }) => {
        return binding !== null && own.has(binding) && isInside(node, statement.node);
      });
    });
    return users
      .filter((one) => one !== inner)
      .flatMap((one) => {
        return innerNames(pair, inner, one);
      });
  });
}

const RANKS: readonly Verdict[] = ["present", "exact", "moved", "review", "cannot"];

function rankOf(verdict: Verdict): number {
  return RANKS.indexOf(verdict);
}

function unique<T>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

function broughtRenames(
  items: readonly AdaptedStatement[],
  brought: BroughtNames,
): { readonly from: string; readonly to: string }[] {
  return items.length === 0
    ? []
    : [...brought].flatMap(([{ name }, to]) => (name === to ? [] : [{ from: name, to }]));
}

/**
 * Whether what a question brings is known to it alone: each use of such a name means what it brought,
 * and that version has no such name.
 */
function isClosed(result: ParsedFile, before: ParsedFile, names: ReadonlySet<string>): boolean {
  const old = new Set(before.scopes.references.map(({ name }) => name));
  return result.scopes.references.every(({ name, binding }) => {
    return !names.has(name) || (binding !== null && !old.has(name));
  });
}
