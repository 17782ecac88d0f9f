/**
 * @file The newer text with everything undone but a question: what the run executed, with the question
 * where its author put it. Lines stay those of the newer text where they can.
 */
import type { Edit, ParsedFile, Reference, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import { isSameApartFrom } from "../writing/verify-insertion.ts";
import type { ChangedStatement, FileEdit, Gap } from "./align.ts";
import type { PieceStatement } from "./piece.ts";

/** The older version of a file with a question in it. */
export interface AskedText {
  readonly text: string;
  /** Where its statements begin that are no log calls. */
  readonly starts: readonly number[];
}

/**
 * Keeps the question and undoes the rest; undefined where the question stands in a block that has not
 * only gained statements, or where the result would be more than the older version with it in.
 */
export function keepPiece(edit: FileEdit, piece: readonly PieceStatement[]): AskedText | undefined {
  return piece.every(({ gap }) => gap.isOnlyGained) ? kept(edit, piece) : undefined;
}

function kept(edit: FileEdit, piece: readonly PieceStatement[]): AskedText | undefined {
  const added = piece.filter(({ statement, gap }) => !gap.shaped.has(statement));
  if (!isSound(edit, added)) return undefined;
  const { text, moved } = undoAllBut(edit, piece);
  const others = added.filter(({ statement }) => !statement.isLog);
  return { text, starts: others.map(({ statement }) => moved(statement.node.start)) };
}

/**
 * The same where more changed around it: what the question reads is what it was, and so are the
 * statements between which it stands.
 */
export function keepBesideChanges(
  edit: FileEdit,
  piece: readonly PieceStatement[],
): AskedText | undefined {
  const isClear = ({ gap, statement: { node } }: PieceStatement): boolean =>
    gap.lost.length === 0 && !edit.changed.some(({ now }) => isInside(node, now.node));
  if (!piece.every(isClear) || readsChanged(edit, piece)) return undefined;
  return kept(edit, piece);
}

/** Whether a name of the question gets its value, in the blocks around it, by what changed. */
function readsChanged(
  { gaps, changed, then, now }: FileEdit,
  piece: readonly PieceStatement[],
): boolean {
  const own = new Set(piece.map(({ statement }) => statement));
  const isIn = ({ start, end }: Span): boolean =>
    piece.some(({ statement: { node } }) => node.start <= start && end <= node.end);
  const read = new Set(
    now.scopes.references.filter(({ node }) => isIn(node)).map(({ name }) => name),
  );
  const isAround = ({ owner }: Statement, side: "then" | "now"): boolean =>
    piece.some(({ gap }) => isInside(gap[side].owner, owner));
  const old = [...gaps.flatMap(({ lost }) => lost), ...changed.map((one) => one.then)];
  const added = gaps.flatMap((gap) => gap.added).filter((one) => !own.has(one));
  const other = [...added, ...changed.map((one) => one.now)];
  return [
    ...old.filter((one) => isAround(one, "then")).flatMap((one) => namesChangedBy(then, one)),
    ...other.filter((one) => isAround(one, "now")).flatMap((one) => namesChangedBy(now, one)),
  ].some((name) => read.has(name));
}

/** The same, and names of what it calls something of, or hands over: `m.zero()`, `clip(m)`. */
function namesChangedBy(file: ParsedFile, statement: Statement): string[] {
  const { node, isLog, isLogOnly, isDeclaration, parameters } = statement;
  const set = namesSetBy(file, statement);
  if (isLog || isLogOnly || isDeclaration || parameters) return set;
  const { scopes, uses, mutations } = file;
  const calls = uses.calls.filter((call) => {
    return isInside(call.node, node) && /^(?:calls|changes)$/.test(call.effect);
  });
  const changed = scopes.references.filter((one) => {
    const isGiven = calls.some((call) => isInside(one.node, call.node));
    return isInside(one.node, node) && (isGiven || mutations.mutated.has(one.node));
  });
  return [...set, ...withInner(file, changed).map(({ name }) => name)];
}

/** Also what functions of the file mention that are called by their names, and those that they call. */
function withInner({ scopes, statements }: ParsedFile, called: readonly Reference[]): Reference[] {
  const found = new Set(called);
  // What is found is looked at in turn.
  for (const { binding } of found) {
    if (binding?.kind !== "function") continue;
    const made = statements.filter(({ node, parameters }) => {
      return parameters !== undefined && binding.declarations.some((one) => isInside(one, node));
    });
    for (const one of scopes.references) {
      if (made.some(({ node }) => isInside(one.node, node))) found.add(one);
    }
  }
  return [...found];
}

/** Names that a statement gives values to, for others to see. */
function namesSetBy({ scopes }: ParsedFile, { node }: Statement): string[] {
  const declared = [...scopes.bindingOf].filter(([at, { scope }]) => {
    return isInside(at, node) && !isInside(scope.node, node);
  });
  const written = scopes.references.filter((one) => one.isWrite && isInside(one.node, node));
  return [...declared.map(([, { name }]) => name), ...written.map(({ name }) => name)];
}

/** Whether what is left, without what shows more of the run, is the older program with a question. */
function isSound(edit: FileEdit, added: readonly PieceStatement[]): boolean {
  const { text, moved } = undoAllBut(edit, added);
  const result = edit.then.language.read(edit.then.file, text);
  const parts = partsOf(added, moved);
  return !("problem" in result) && isSameApartFrom(edit.then.shape, result.shape, parts);
}

interface Undone {
  readonly text: string;
  /** Where an offset of the newer text comes to lie. */
  readonly moved: (offset: number) => number;
}

function undoAllBut(edit: FileEdit, piece: readonly PieceStatement[]): Undone {
  const taken = new Set(piece.map(({ statement }) => statement));
  // What stands for something that stood elsewhere is there instead of it.
  const stands = new Set(
    piece.flatMap(({ statement, gap }) => gap.shaped.get(statement)?.then ?? []),
  );
  const changes = edit.gaps
    .flatMap((gap) => {
      if (gap.lost.length > 0) return [restored(edit, gap)];
      return [...restoredBeside(edit, gap, stands), ...removed(edit, gap, taken)];
    })
    .concat(edit.changed.map((one) => asBefore(edit, one)))
    .filter((one, _, all) => !all.some((other) => other !== one && holds(other, one)))
    .toSorted((one, other) => one.start - other.start || one.end - other.end)
    // What separates two statements of a line that are taken out is taken out once.
    .map((change, at, all) => {
      const start = Math.max(change.start, all[at - 1]?.end ?? 0);
      return { ...change, start, end: Math.max(start, change.end) };
    });
  return { text: changed(edit.now.text, changes), moved: movedBy(changes) };
}

/** Whether one change leaves nothing of where another is. */
function holds(outer: Edit, inner: Edit): boolean {
  const isBefore = inner.end === outer.start;
  return (
    outer.start <= inner.start && inner.end <= outer.end && outer.end > outer.start && !isBefore
  );
}

function changed(text: string, changes: readonly Edit[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text: instead } of changes) {
    result += text.slice(done, start) + instead;
    done = end;
  }
  return result + text.slice(done);
}

/** Where an offset comes to lie once the changes are made. */
function movedBy(changes: readonly Edit[]): (offset: number) => number {
  return (offset) =>
    changes
      .filter(({ end }) => end <= offset)
      .reduce((at, { start, end, text }) => at + text.length - (end - start), offset);
}

/** One span for what was added between two statements of the run: separators belong to it. */
function partsOf(piece: readonly PieceStatement[], moved: (offset: number) => number): Span[] {
  const spans = new Map<Gap | Statement, Span>();
  for (const { gap, statement } of piece) {
    const before = gap.added.slice(0, gap.added.indexOf(statement));
    const key = before.findLast((one) => gap.shaped.has(one)) ?? gap;
    const { start, end } = statement.node;
    spans.set(key, { start: spans.get(key)?.start ?? moved(start), end: moved(end) });
  }
  return [...spans.values()];
}

/** Added statements that are taken out, with what separates them from others of their lines. */
function removed({ now }: FileEdit, gap: Gap, kept: ReadonlySet<Statement>): Edit[] {
  return standingIn(gap).flatMap((statement): Edit[] => {
    if (kept.has(statement)) return [];
    const { start, end } = statement.node;
    const shaped = gap.shaped.get(statement);
    if (shaped?.then || shaped?.wraps) return [...shaped.undo];
    const after = /^[ \t]*;[ \t]*/.exec(now.text.slice(end))?.[0] ?? "";
    const before = /[ \t]*;[ \t]*$/.exec(now.text.slice(0, start))?.[0] ?? "";
    const isLast = /^[ \t]*(?:$|[\r\n#])/.test(now.text.slice(end + after.length));
    const from = isLast ? start - before.length : start;
    const to = end + after.length;
    const breaks = now.text.slice(from, to).match(/\r?\n/g) ?? [];
    return [{ start: from, end: to, text: breaks.join("") }];
  });
}

/**
 * Log calls that only the older version has (what it logged there is compared), and what stands
 * elsewhere now.
 */
function restoredBeside(edit: FileEdit, gap: Gap, stands: ReadonlySet<Statement>): Edit[] {
  const { then } = edit;
  const standsHere = new Set([...gap.shaped.values()].map((one) => one.then));
  const kept = new Set([...gap.lostLogs, ...gap.away]);
  const own = gap.gone.filter((one) => {
    return kept.has(one) && !stands.has(one) && !standsHere.has(one);
  });
  const [next] = standingIn(gap);
  if (own.length === 0) return [];
  if (!next) return [restored(edit, { ...gap, gone: own })];
  const indent = /[ \t]*$/.exec(edit.now.text.slice(0, next.node.start))?.[0] ?? "";
  const texts = own.map(({ node }) => `${then.text.slice(node.start, node.end)}\n${indent}`);
  return [{ start: next.node.start, end: next.node.start, text: texts.join("") }];
}

/** A changed statement as the older version has it. */
function asBefore({ then }: FileEdit, { then: old, now }: ChangedStatement): Edit {
  const { start, end } = now.node;
  return { start, end, text: then.text.slice(old.node.start, old.node.end) };
}

/** What the newer version has in a gap. */
function standingIn({ added, here }: Gap): Statement[] {
  return [...added, ...here].toSorted((one, other) => one.node.start - other.node.start);
}

/** What the older version has in a gap, in place of what the newer one has there. */
function restored({ then, now }: FileEdit, gap: Gap): Edit {
  const [first, last] = [gap.gone[0], gap.gone.at(-1)];
  const text = then.text.slice(first?.node.start, last?.node.end);
  const standing = standingIn(gap);
  const [firstAdded, lastAdded] = [standing[0], standing.at(-1)];
  if (firstAdded && lastAdded) {
    return { start: firstAdded.node.start, end: lastAdded.node.end, text };
  }
  const indent = /[ \t]*$/.exec(then.text.slice(0, first?.node.start))?.[0] ?? "";
  const next = gap.now.statements[gap.nowAt];
  if (next) return { start: next.node.start, end: next.node.start, text: `${text}\n${indent}` };
  const at = gap.now.statements.at(-1)?.node.end ?? now.text.length;
  return { start: at, end: at, text: `\n${indent}${text}` };
}
