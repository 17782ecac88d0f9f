/**
 * @file Names of a question that mean something else in an older version, though it has them: a definition of
 * the question's own that it has in another form, and names that were exchanged since.
 */
import type { ParsedFile, Statement, Syntax } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import type { FileEdit, QuestionStarts } from "./align.ts";
import { isOnlyRenamed } from "./differences.ts";

export interface OtherMeaning {
  readonly name: string;
  /** What the older version calls it; undefined: nothing is known to be it. */
  readonly then: string | undefined;
}

export function otherMeanings(
  edits: ReadonlyMap<string, FileEdit>,
  question: QuestionStarts,
): OtherMeaning[] {
  const found = [...edits].flatMap(([file, edit]) => {
    const own = edit.now.statements.filter(({ node }) => question.get(file)?.has(node.start));
    const defined = own.filter((one) => saysOtherwise(edit, one));
    return [
      ...defined
        .flatMap((one) => namesDefinedBy(edit.now, one))
        .map((name) => ({ name, then: undefined })),
      ...exchangedNames(edit, own),
    ];
  });
  return [...new Map(found.map((one) => [one.name, one])).values()];
}

/** Whether a statement of the question is paired with one of the older version that says something else. */
function saysOtherwise(edit: FileEdit, statement: Statement): boolean {
  const { node, isLog, isLogOnly } = statement;
  if (isLog || isLogOnly || edit.startBefore(node.start) === undefined) return false;
  const isWithin = (part: Syntax): boolean => isInside(part, node);
  const isShaped = edit.gaps.some(({ shaped }) =>
    [...shaped.keys()].some((one) => isWithin(one.node)),
  );
  if (isShaped) return false;
  return (
    edit.changed.some((one) => isWithin(one.now.node) && !isOnlyRenamed(edit, one.then, one.now)) ||
    edit.gaps.some((gap) => {
      return isWithin(gap.now.owner) && gap.added.length + gap.lost.length > 0;
    })
  );
}

function namesDefinedBy({ scopes }: ParsedFile, { node }: Statement): string[] {
  const own = [...scopes.bindingOf].filter(([at, { scope }]) => {
    return isInside(at, node) && !isInside(scope.node, node);
  });
  return own.map(([, { name }]) => name);
}

/**
 * `a = 1; b = 2` in one version and `b = 1; a = 2` in the other: a name that the question reads has a value
 * there that another name has here, and the value that it has here another name has there.
 */
function exchangedNames({ then, now }: FileEdit, question: readonly Statement[]): OtherMeaning[] {
  const [old, own] = [valuesByName(then), valuesByName(now)];
  const isAsked = (part: Syntax): boolean => question.some(({ node }) => isInside(part, node));
  const read = [
    ...now.scopes.references.filter(({ node }) => isAsked(node)),
    ...now.uses.members.filter(({ node }) => isAsked(node)),
  ];
  return [...new Set(read.map(({ name }) => name))].flatMap((name) => {
    const there = otherWith(name, own, old);
    return there !== undefined && otherWith(name, old, own) !== undefined
      ? [{ name, then: there }]
      : [];
  });
}

type Values = ReadonlyMap<string, ReadonlySet<string>>;

/** Another name that has in one version a value which a name has only in the other one. */
function otherWith(name: string, own: Values, others: Values): string | undefined {
  for (const value of own.get(name) ?? []) {
    if (others.get(name)?.has(value) ?? true) continue;
    for (const [other, values] of others) {
      if (other !== name && values.has(value) && !own.get(other)?.has(value)) return other;
    }
  }
  return undefined;
}

/** What each variable and property is given by an assignment of its own, as it is written. */
function valuesByName({ text, statements }: ParsedFile): Values {
  const values = new Map<string, Set<string>>();
  for (const { node } of statements) {
    const own = text.slice(node.start, node.end);
    const [, name, value] = GIVEN.exec(own) ?? [];
    if (name === undefined || value === undefined) continue;
    const known = values.get(name) ?? new Set();
    values.set(name, known.add(value.replaceAll(/\s+/g, "")));
  }
  return values;
}

const GIVEN =
  /^(?:(?:let|const|var)\s+)?(?:[\w$]+\.)*([\p{L}_$][\p{L}\p{N}_$]*)\s*=(?!=)([^=]*?);?$/u;
