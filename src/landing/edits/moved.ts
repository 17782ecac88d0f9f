/**
 * @file Definitions and imports that stand elsewhere in their block now: a formatter sorts imports, and
 * splits or joins them. Where they stand changes nothing, so that is no difference between programs.
 */
import type {
  Binding,
  ImportedName,
  ParsedFile,
  Shape,
  Statement,
  Syntax,
} from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import { importOf } from "../adapting/import-fate.ts";
import type { Shaped, Versions } from "./changed-lines/shapes.ts";

export interface Moved {
  /** Statements of the older version that the newer one has elsewhere. */
  readonly away: ReadonlySet<Statement>;
  /** Those of the newer version that it has instead; with the older one, where it is one. */
  readonly here: ReadonlyMap<Statement, Statement | undefined>;
  /** Imports of the newer version, each with the one of the older that it imports more than. */
  readonly more: ReadonlyMap<Statement, Statement>;
}

/** Of statements of a block that only one of two versions has at their place. */
export function movedStatements(
  versions: Versions,
  gone: readonly Statement[],
  added: readonly Statement[],
): Moved {
  const { then, now, formsThen, formsNow } = versions;
  const away = new Set<Statement>();
  const here = new Map<Statement, Statement | undefined>();
  for (const old of gone.filter((one) => isOnlyDefining(versions, one))) {
    const own = added.find((one) => {
      return !here.has(one) && formsNow.of(one).around === formsThen.of(old).around;
    });
    if (!own) continue;
    away.add(old);
    here.set(own, old);
  }
  const others = added.filter((one) => !here.has(one));
  const old = importsIn(
    then,
    gone.filter((one) => !away.has(one)),
  );
  const own = importsIn(now, others);
  for (const [statement, names] of old) if (isHeldBy(names, own)) away.add(statement);
  for (const [statement, names] of own) if (isHeldBy(names, old)) here.set(statement, undefined);
  for (const one of others) if (isThereBefore(versions, one)) here.set(one, undefined);
  const more = new Map<Statement, Statement>();
  for (const [statement, names] of own) {
    const isMore = !here.has(statement);
    const less = [...old].find(([, few]) => few.every((name) => hasImport(names, name)));
    if (isMore && less) more.set(statement, less[0]);
  }
  return { away, here, more };
}

/** What stands for an import of the older version, and imports more. */
export function withMoreImports(
  { then, now }: Versions,
  { statement, old, isElsewhere }: MoreImports,
): Shaped {
  const [before, after] = [declaredIn(then, old), declaredIn(now, statement)];
  const same = before.flatMap(([node, { name }]) => {
    const own = after.find(([, binding]) => binding.name === name);
    return own ? [[asShape(node), asShape(own[0])] as const] : [];
  });
  const text = isElsewhere ? "" : then.text.slice(old.node.start, old.node.end);
  const { start, end } = statement.node;
  return { then: old, undo: [{ start, end, text }], group: {}, same, isImport: true };
}

interface MoreImports {
  readonly statement: Statement;
  readonly old: Statement;
  /** They do not stand between the same neighbours. */
  readonly isElsewhere: boolean;
}

function asShape({ start, end }: Syntax): Shape {
  return { start, end, field: "", label: "", parts: [] };
}

/** An import that the file has at its top, too: `import time` in a function. */
function isThereBefore({ then, formsThen, now, formsNow }: Versions, one: Statement): boolean {
  const names = declaredIn(now, one);
  if (names.length === 0 || names.some(([, { kind }]) => kind !== "import")) return false;
  const { said } = formsNow.of(one);
  const isBefore = ({ node }: Statement): boolean =>
    one.parent !== null || node.start < one.node.start;
  return (
    then.statements.some((old) => old.parent === null && formsThen.of(old).said === said) &&
    now.statements.some((own) => {
      return own !== one && !own.parent && isBefore(own) && formsNow.of(own).said === said;
    })
  );
}

/** To execute it earlier or later changes nothing but when what it defines is known. */
function isOnlyDefining(
  { then, formsThen }: Pick<Versions, "then" | "formsThen">,
  statement: Statement,
): boolean {
  const { node, effect, isDeclaration, parameters, member } = statement;
  const blocks = formsThen.blocksIn(statement);
  const isFunction = parameters !== undefined && blocks.length === 1;
  if (effect === "none") {
    return isFunction || (isDeclaration && (member === undefined || parameters !== undefined));
  }
  if (then.text.startsWith("@", node.start)) return false;
  // What its body does is done when it is called.
  const isHead = (part: Syntax): boolean =>
    isInside(part, node) && !blocks.some(({ owner }) => isInside(part, owner));
  if (then.uses.calls.some((call) => isHead(call.node))) return false;
  if (isFunction) return true;
  return (
    isDeclaration &&
    blocks.every(({ statements }) => {
      return statements.every(
        (one) => one.effect === "none" || isOnlyDefining({ then, formsThen }, one),
      );
    })
  );
}

type Imports = ReadonlyMap<Statement, readonly ImportedName[]>;

/** What statements import, of those that do nothing else. */
function importsIn(source: ParsedFile, statements: readonly Statement[]): Imports {
  return new Map(
    statements.flatMap((statement) => {
      if (!statement.isDeclaration || statement.effect !== "none") return [];
      const names = declaredIn(source, statement).map(([, binding]) => {
        return binding.kind === "import" ? importOf(source, binding) : undefined;
      });
      const known = names.flatMap((name) => name ?? []);
      return known.length === 0 || known.length < names.length ? [] : [[statement, known]];
    }),
  );
}

/** The names that a statement gives values to, with where it does. */
function declaredIn({ scopes }: ParsedFile, { node }: Statement): (readonly [Syntax, Binding])[] {
  const again = scopes.references.flatMap((one) => {
    return one.isWrite && one.binding ? [[one.node, one.binding] as const] : [];
  });
  return [...scopes.bindingOf, ...again].filter(([at]) => isInside(at, node));
}

/** Whether names are all among those that others import. */
function isHeldBy(names: readonly ImportedName[], others: Imports): boolean {
  const all = [...others.values()].flat();
  return names.every((name) => hasImport(all, name));
}

function hasImport(
  names: readonly ImportedName[],
  { module, imported, local }: ImportedName,
): boolean {
  return names.some((other) => {
    return other.module === module && other.imported === imported && other.local === local;
  });
}
