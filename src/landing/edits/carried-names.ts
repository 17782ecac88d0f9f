/** @file Names of a question whose values are in no checkpoint, where a replay needs them. */
import type { Binding, ParsedFile, Scopes, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Shaped } from "./changed-lines/shapes.ts";
import { newTextOf } from "./changed-lines/shapes.ts";

/** A statement of a question. */
interface Putting {
  readonly statement: Statement;
  /** What it was added with: nothing of the run is executed between them. */
  readonly gap: object;
  readonly shaped: Shaped | undefined;
  readonly names: ReadonlySet<Binding>;
  /** Names that it gives a value. */
  readonly binds: ReadonlySet<Binding>;
  /** Those, and the ones whose values it changes. */
  readonly sets: ReadonlySet<Binding>;
  /** Names whose values it changes in other ways. */
  readonly alters: ReadonlySet<Binding>;
}

/** Since when a value is gathered: it begins anew each time that a loop's body or a function is executed. */
export type Since = Statement | "start";

/**
 * Since when a value of a name is carried over from other iterations, or from loops that a replay skips;
 * undefined if it is not: always set first, and nowhere else than in the same iteration.
 */
export function carriedSince(
  binding: Binding,
  question: readonly Putting[],
  file: ParsedFile,
): Since | undefined {
  // A call gives it a value each time.
  if (binding.kind === "parameter") return undefined;
  if (isHandedOver(binding, question, file)) return "start";
  const begun = beginnings(binding, question, file);
  return begun.some((one) => one.isInOneIteration) ? undefined : (begun.at(-1)?.since ?? "start");
}

/** Since when a name that is used in other iterations has the value that it is given. */
export function begunSince(
  binding: Binding,
  question: readonly Putting[],
  file: ParsedFile,
): Since {
  if (isHandedOver(binding, question, file)) return "start";
  return beginnings(binding, question, file).at(-1)?.since ?? "start";
}

interface Beginning {
  readonly since: Since;
  /** Nothing changes it in a loop or function within. */
  readonly isInOneIteration: boolean;
}

/** Statements that give a name its value before any other one of the question uses it. */
function beginnings(
  binding: Binding,
  question: readonly Putting[],
  { scopes, statements }: ParsedFile,
): Beginning[] {
  const users = question.filter((one) => {
    return one.names.has(binding) || one.sets.has(binding) || one.alters.has(binding);
  });
  const isRead = ({ node }: Statement): boolean =>
    scopes.references.some((use) => {
      return use.binding === binding && use.isRead && isInside(use.node, node);
    });
  return question.flatMap((one) => {
    const isHead = one.shaped?.then !== undefined && isLoop(one.statement);
    if (!one.binds.has(binding) || (isRead(one.statement) && !isHead)) return [];
    const { node, owner: block } = one.statement;
    const from = one.shaped?.wraps ? node.start : node.end;
    const reach = isHead ? node : { start: from, end: block.end };
    const others = users.filter((other) => other !== one);
    const changing = others.filter(({ sets, alters }) => sets.has(binding) || alters.has(binding));
    const isFirst =
      others.every(({ statement }) => isInside(statement.node, reach)) &&
      changing.every((other) => {
        // A line of the run may call it, in any loop.
        if (isNamedInRun(other, question)) return false;
        return functionAt(other.statement.node, scopes) === functionAt(node, scopes);
      });
    if (!isFirst) return [];
    const around = isHead ? one.statement : iterationOf(one.statement);
    const isInOneIteration = changing.every(({ statement }) => iterationOf(statement) === around);
    const isAlways = isHead || isSetAlways(binding, one.statement, statements);
    // Who calls a function may skip its loops: what it begins anew is not seen there.
    const isAnew = isAlways && around !== null && isLoop(around);
    return [{ since: isAnew ? around : "start", isInOneIteration }];
  });
}

/** Not under a condition that the statement itself has. */
function isSetAlways(
  { declarations }: Binding,
  { node }: Statement,
  statements: readonly Statement[],
): boolean {
  const inner = statements.filter((one) => one.node !== node && isInside(one.node, node));
  const [first] = inner.filter(({ node: own }) => declarations.some((at) => isInside(at, own)));
  return first === undefined || inner.every((one) => /^with/i.test(one.parent?.node.type ?? ""));
}

/** Whether a statement defines what a line of the run has in addition: `look(f(x))` for `f(x)`. */
function isNamedInRun({ statement, binds }: Putting, question: readonly Putting[]): boolean {
  if (statement.parameters === undefined && !statement.isDeclaration) return false;
  const lines = question.filter(({ shaped }) => shaped?.then ?? shaped?.wraps);
  return lines.some(({ names }) => [...binds].some((binding) => names.has(binding)));
}

/**
 * Whether the run may change the value, because a part of the question gave it away: a hook that is
 * called in loops of the run, a method that counts. It matters to who looks at it in another part.
 */
function isHandedOver(
  binding: Binding,
  question: readonly Putting[],
  { scopes, uses, text }: ParsedFile,
): boolean {
  return question.some((giver) => {
    const isReader = ({ gap, names, binds }: Putting): boolean =>
      gap !== giver.gap && names.has(binding) && !binds.has(binding);
    if (giver.statement.isLog || giver.statement.isLogOnly || !question.some(isReader))
      return false;
    const given = isGivenByDecorator(giver.statement, text)
      ? [giver.statement.node]
      : givenAway(giver, uses);
    const reached = new Set(
      scopes.references
        .filter(({ node }) => given.some((part) => isInside(node, part)))
        .map((use) => use.binding),
    );
    // While it is gone through, it grows: by closures, by other names, by what a list was given.
    for (const name of reached) {
      const sources = question.filter((one) => name && one !== giver && one.sets.has(name));
      for (const other of sources.flatMap(({ names }) => [...names])) reached.add(other);
    }
    return reached.has(binding);
  });
}

/** Whether a function is given to what may keep it by what stands above it: `@model.register_forward_hook`. */
function isGivenByDecorator({ node, parameters }: Statement, text: string): boolean {
  if (parameters === undefined) return false;
  const lines = text.slice(node.start, node.end).split("\n");
  const end = lines.findIndex((line) => !/^\s*(?:@|#|$)/.test(line));
  return lines.slice(0, end).some((line) => /^\s*@/.test(line) && !ONLY_WRAPS.test(line));
}

/** Decorators that give back a function which does what it did, and keep it nowhere. */
const ONLY_WRAPS =
  /^\s*@\s*(?:(?:torch|tf|jax|np|functools|contextlib|typing|abc|dataclasses)\s*\.\s*)?(?:no_grad|enable_grad|inference_mode|staticmethod|classmethod|property|wraps|lru_cache|cache|cached_property|contextmanager|dataclass|abstractmethod|override|overload|\w+\.(?:setter|getter|deleter))\b/;

/** What a statement gives to calls that may keep it, and puts into objects, by what is new in it. */
function givenAway({ statement, shaped }: Putting, { calls, writes }: ParsedFile["uses"]): Span[] {
  // What stands in a function is done when that is called.
  if (statement.parameters !== undefined) return [];
  const parts = newTextOf(statement, shaped);
  const isNew = (node: Span): boolean => parts.some((part) => isInside(node, part));
  const keepers = calls.filter((call) => isNew(call.node) && call.byName !== "none");
  const kept = writes.filter(({ target, path }) => {
    return isNew(target) && (path === undefined || path.includes("."));
  });
  return [
    ...keepers.map((call) => ({ start: call.callee.end, end: call.node.end })),
    ...kept.map(({ target }) => ({ start: target.end, end: statement.node.end })),
  ];
}

/** Names of the run whose values a question changes in other iterations than it looks at them. */
export function changedOfRun(
  question: readonly Putting[],
  isNew: (binding: Binding) => boolean,
): string[] {
  return question.flatMap((one) => {
    if (one.statement.isLog || one.statement.isLogOnly) return [];
    const others = question.filter((other) => {
      return other.gap !== one.gap && iterationOf(other.statement) !== iterationOf(one.statement);
    });
    const isRead = (name: Binding): boolean => others.some(({ names }) => names.has(name));
    return [...one.alters].filter((name) => !isNew(name) && isRead(name)).map(({ name }) => name);
  });
}

/**
 * What a question does in loops and functions in which it logs nothing: it does it for what it logs
 * elsewhere, by ways that need not be known.
 */
export function doneElsewhere(
  question: readonly Putting[],
  { statements, uses, text }: ParsedFile,
  isKnown: (one: Putting) => boolean,
): string[] {
  const logs = statements.filter(({ isLog, isLogOnly }) => isLog || isLogOnly);
  const logging = question.filter(({ statement, shaped }) => {
    return shaped !== undefined || logs.some(({ node }) => isInside(node, statement.node));
  });
  const doing = question.filter(({ statement, shaped }) => {
    const { node, isDeclaration, parameters } = statement;
    if (shaped || isDeclaration || parameters !== undefined) return false;
    const isSimple = !statements.some((one) => one.node !== node && isInside(one.node, node));
    const adds = uses.writes.some((one) => one.accumulates && isInside(one.target, node));
    return !isSimple || adds || /^(?:calls|changes)$/.test(statement.effect);
  });
  const away = doing.filter((one) => {
    const around = iterationOf(one.statement);
    if (!around || logging.includes(one) || isKnown(one)) return false;
    return !logging.some(({ statement }) => isInside(statement.node, around.node));
  });
  return away.map(({ statement: { node } }) => {
    return `\`${text.slice(node.start, node.end).split("\n")[0]?.replace(/;$/, "")}\``;
  });
}

/** The innermost loop or function around a statement. */
export function iterationOf({ parent }: Statement): Statement | null {
  if (!parent || isLoop(parent) || parent.parameters !== undefined) return parent;
  return iterationOf(parent);
}

export function isLoop({ node }: Statement): boolean {
  // With a label it is the labelled statement.
  return /^(?:for|while|do|labeled)/i.test(node.type);
}

/** The innermost function around a part of the text. */
export function functionAt(at: Span, { scopeOf }: Scopes): Span | undefined {
  const around = [...scopeOf.values()].filter(({ kind, node }) => {
    return kind === "function" && node !== at && isInside(at, node);
  });
  return around
    .map(({ node }) => node)
    .find((node) => around.every((other) => isInside(node, other.node)));
}
