/**
 * @file What was added because something else of a program changed, and not to ask: what stands in the place of a
 * line of the run, what was moved, and what changed lines read. A question is not that, though it may use it.
 */
import type { Binding, ParsedFile, Statement, Syntax } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import { statementAround } from "../placing/statement-at.ts";
import type { FileEdit } from "./align.ts";
import { namesSetBy } from "./differences.ts";

/** What was added because of other changes; `asked`: where log calls stand in the newer text. */
export interface OtherChanges {
  readonly statements: ReadonlySet<Statement>;
  /** What is asked shows a value that only changed lines have: no version without them has it. */
  readonly isShown: boolean;
  /** The newer text without what may be a question in it: as if it had been recorded before anything was asked. */
  readonly text: string;
}

export function otherChanges(edit: FileEdit, asked: readonly number[]): OtherChanges {
  const { statements, read } = addedForChanges(edit, asked);
  const questions = additionsOf(edit).filter((one) => !statements.has(one));
  const inside = asked.flatMap((offset) => {
    if (questions.some((one) => holds(one, offset))) return [];
    return edit.now.statements.findLast((one) => one.isLog && holds(one, offset)) ?? [];
  });
  const text = [...new Set([...questions, ...inside])]
    .toSorted((one, other) => other.node.start - one.node.start)
    .reduce((all, { node }) => all.slice(0, node.start) + all.slice(node.end), edit.now.text);
  return { statements, isShown: asked.some((offset) => showsOneOf(edit, read, offset)), text };
}

/** Whether a log call shows a name that such statements give a value, and that the older version does not have. */
function showsOneOf(
  { then, now }: FileEdit,
  statements: ReadonlySet<Statement>,
  offset: number,
): boolean {
  const known = new Set(then.scopes.references.map(({ name }) => name));
  const given = new Set([...statements].flatMap((one) => [...namesGivenBy(now, one)]));
  const log = now.statements.findLast((one) => one.isLog && holds(one, offset));
  return now.scopes.references.some(({ node, name, binding }) => {
    const isIn = log !== undefined && isInside(node, log.node);
    return isIn && binding !== null && given.has(binding) && !known.has(name);
  });
}

/** Whether lines of the older version that stand nowhere else stand in a statement: its function was made of them. */
export function holdsLost({ then, now, gaps }: FileEdit, { node }: Statement): boolean {
  const lost = gaps.flatMap((gap) => gap.lost);
  const wordsIn = ({ statements, text }: ParsedFile, isIn: (part: Syntax) => boolean): string[] =>
    statements
      .filter((one) => one.isSimple && !one.isLog && isIn(one.node))
      .map((one) => text.slice(one.node.start, one.node.end).replaceAll(/\s+/g, ""));
  const old = new Set(wordsIn(then, (part) => lost.some((one) => isInside(part, one.node))));
  return wordsIn(now, (part) => isInside(part, node)).some((words) => old.has(words));
}

function holds({ node }: Statement, offset: number): boolean {
  return node.start <= offset && offset < node.end;
}

function additionsOf({ gaps }: FileEdit): Statement[] {
  return gaps.flatMap(({ added, shaped }) => added.filter((one) => !shaped.has(one)));
}

/** `read`: those that only changed lines read. */
function addedForChanges(
  edit: FileEdit,
  asked: readonly number[],
): { readonly statements: ReadonlySet<Statement>; readonly read: ReadonlySet<Statement> } {
  const { gaps, then, now, changed, displaced } = edit;
  const replacing = gaps.flatMap(({ added, lost, shaped }) => {
    const old = new Set(lost.flatMap((one) => namesSetBy(then, one)));
    const renamed = changed.filter((one) =>
      namesSetBy(then, one.then).some((name) => old.has(name)),
    );
    const names = new Set([...old, ...renamed.flatMap((one) => namesSetBy(now, one.now))]);
    return added.filter((one) => {
      const own = [...namesChangedBy(now, one)].map(({ name }) => name);
      return !shaped.has(one) && [...namesSetBy(now, one), ...own].some((name) => names.has(name));
    });
  });
  const around = additionsOf(edit).filter((one) => {
    return !one.isLog && asked.some((offset) => holds(one, offset)) && holdsLost(edit, one);
  });
  const standing = [...replacing, ...displaced, ...around];
  const found = new Set<Statement>(standing);
  const heads = new Set(changed.map((one) => one.now));
  const open = additionsOf(edit).filter(({ isLog, isLogOnly }) => !isLog && !isLogOnly);
  const isChanged = (user: Statement): boolean =>
    heads.has(user) || [...found].some(({ node }) => isInside(user.node, node));
  const isAdded = (user: Statement): boolean => open.some(({ node }) => isInside(user.node, node));
  for (let known = -1; known < found.size;) {
    known = found.size;
    const theirs = new Set([...found].flatMap((one) => [...namesGivenBy(now, one)]));
    for (const one of open.filter((own) => !found.has(own))) {
      const users = usersOf(now, one).filter((user) => !user.isLog && !user.isLogOnly);
      const isOfRun = users.some((user) => !isAdded(user) && !isChanged(user));
      const isRead = users.some(isChanged) && !isOfRun;
      if (isRead || [...namesChangedBy(now, one)].some((name) => theirs.has(name))) found.add(one);
    }
  }
  const read = new Set(found);
  for (const one of standing) read.delete(one);
  return { statements: found, read };
}

/** Statements that use a name to which a statement gives a value. */
function usersOf(now: ParsedFile, one: Statement): Statement[] {
  const names = namesGivenBy(now, one);
  return now.scopes.references.flatMap(({ node, binding }) => {
    if (!binding || !names.has(binding) || isInside(node, one.node)) return [];
    return statementAround(now, node) ?? [];
  });
}

/** Names that others know by it, or know with another value. */
function namesGivenBy({ scopes }: ParsedFile, { node }: Statement): Set<Binding> {
  const declared = [...scopes.bindingOf].flatMap(([at, binding]) => {
    return isInside(at, node) && !isInside(binding.scope.node, node) ? [binding] : [];
  });
  const written = scopes.references.flatMap((one) => {
    return one.isWrite && isInside(one.node, node) ? (one.binding ?? []) : [];
  });
  return new Set([...declared, ...written]);
}

/** Names that it gives another value, or of whose values it changes a part. */
function namesChangedBy({ scopes, mutations }: ParsedFile, { node }: Statement): Set<Binding> {
  const changed = scopes.references.flatMap((one) => {
    const isChanged = one.isWrite || mutations.mutated.has(one.node);
    return isChanged && isInside(one.node, node) ? (one.binding ?? []) : [];
  });
  return new Set(changed);
}
