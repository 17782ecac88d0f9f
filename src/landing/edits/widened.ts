/**
 * @file Functions that give back more than before: the same program only if each of their returns does,
 * and each call takes it apart in the same way. All of that is then one change.
 */
import type { ParsedFile, Shape, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { nameOf } from "./function-names.ts";
import type { Shaped, Widened } from "./shapes.ts";

/** What stands for statements of the older version, without what is not the same after all. */
export function agreeing(
  shaped: ReadonlyMap<Statement, Shaped>,
  then: ParsedFile,
): Map<Statement, Shaped> {
  const widened = [...shaped.values()].flatMap((one) => one.widened ?? []);
  const names = new Set(widened.map((one) => one.function));
  const groups = new Map<string, object>();
  for (const name of names) {
    const own = widened.filter((one) => one.function === name);
    if (isEverywhere(name, own, then)) groups.set(name, {});
  }
  const byGroup = new Map<object, object | undefined>();
  for (const { group, widened: how } of shaped.values()) {
    if (how) byGroup.set(group, groups.get(how.function));
  }
  const result = new Map<Statement, Shaped>();
  for (const [statement, one] of shaped) {
    const group = byGroup.has(one.group) ? byGroup.get(one.group) : one.group;
    if (group) result.set(statement, { ...one, group });
  }
  return result;
}

/** Whether a function of the file gives more wherever it returns, to whoever calls it. */
function isEverywhere(name: string, widened: readonly Widened[], then: ParsedFile): boolean {
  const inClasses = then.members.flatMap((list) => list.statements);
  const defined = [...then.statements, ...inClasses].filter((one) => {
    return one.parameters !== undefined && nameOf(then, one) === name;
  });
  const [own] = defined;
  if (!own || defined.length > 1) return false;
  const { scopes, uses } = then;
  const calls =
    own.member === undefined
      ? scopes.references.filter((one) => one.name === name && one.isRead).length
      : uses.members.filter((one) => one.name === name).length;
  const count = (is: Widened["is"]): number => widened.filter((one) => one.is === is).length;
  const hows = new Set(widened.map(({ how }) => how));
  return (
    hows.size === 1 &&
    count("return") > 0 &&
    count("return") === returnsIn(then.shape, own.node) &&
    count("call") === calls
  );
}

/** Number of statements of a function that return from it. */
function returnsIn(shape: Shape, own: Span): number {
  const isInside = own.start <= shape.start && shape.end <= own.end;
  const isFunction = /^(?:function_definition|lambda|Function|ArrowFunction)/.test(shape.label);
  const isOwn = shape.start === own.start && shape.end === own.end;
  if (isInside && !isOwn && isFunction) return 0;
  if (isInside && /^(?:return_statement|ReturnStatement)\b/.test(shape.label)) return 1;
  return shape.parts.reduce((sum, part) => sum + returnsIn(part, own), 0);
}
