/**
 * @file Names of a question that count iterations: a whole number to begin with, and one unconditional step
 * in each iteration of a loop. What such a name is anywhere follows from how many iterations there were, and the
 * record knows that. Only this one shape: whatever else changes the name, or may, makes it none.
 */
import type { Binding, ParsedFile, Statement } from "../../languages/index.ts";
import { withoutCarriedMarkers } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import { functionAt, isLoop } from "./carried-names.ts";
import type { Shaped } from "./changed-lines/shapes.ts";
import { readsNamesAsTexts } from "./kept-values.ts";

/** A statement of a question. */
interface Putting {
  readonly statement: Statement;
  readonly shaped: Shaped | undefined;
  readonly names: ReadonlySet<Binding>;
}

export interface Counter {
  readonly name: string;
  /** The number that it begins with, and what each iteration adds. */
  readonly start: number;
  readonly step: number;
  /** The statement that begins it: all others that mention it stand behind that, in or below its block. */
  readonly beginning: Span;
  /** The one that counts. */
  readonly counting: Span;
  /** Loops from there to the step, outermost first. */
  readonly loops: readonly Span[];
  /** Statements of the question that mention it, but for others that begin it. */
  readonly users: readonly Span[];
}

const WHOLE = String.raw`-?(?:0|[1-9]\d{0,14})`;

/** The counter that a name is; undefined: none, or it is not seen. */
export function counterOf(
  binding: Binding,
  question: readonly Putting[],
  file: ParsedFile,
): Counter | undefined {
  const { scopes, text } = file;
  const { name } = binding;
  const mentioned = scopes.references.filter((use) => use.binding === binding);
  const nodes = [...mentioned.map(({ node }) => node), ...binding.declarations];
  const users = question
    .filter((one) => one.names.has(binding) || holdsAny(one.statement.node, nodes))
    .toSorted((one, other) => one.statement.node.start - other.statement.node.start);
  const textOf = ({ start, end }: Span): string => withoutCarriedMarkers(text.slice(start, end));
  const parts = new CounterText(name);
  const begins = users.filter(({ statement }) => parts.start(textOf(statement.node)) !== undefined);
  const steps = users.filter(({ statement }) => parts.step(textOf(statement.node)) !== undefined);
  const [beginning, counting] = [begins.at(-1)?.statement, steps[0]?.statement];
  if (!beginning || !counting || steps.length > 1) return undefined;
  const start = parts.start(textOf(beginning.node));
  const step = parts.step(textOf(counting.node));
  // `let n;` gives it nothing.
  if (start === undefined || start === null || step === undefined) return undefined;
  const others = users.filter((one) => !begins.includes(one)).map(({ statement }) => statement);
  const reach = { start: beginning.node.end, end: beginning.owner.end };
  const own = functionAt(beginning.node, scopes);
  const changing = [...begins, ...steps].map(({ statement }) => statement.node);
  const written = [
    ...binding.declarations,
    ...binding.definitions.map(({ node }) => node),
    ...mentioned.filter(({ isWrite }) => isWrite).map(({ node }) => node),
  ];
  const isPlain =
    users.every(({ shaped }) => shaped === undefined) &&
    others.every(({ node }) => isInside(node, reach)) &&
    written.every((at) => changing.some((node) => isInside(at, node))) &&
    nodes.every((at) => users.some(({ statement }) => isInside(at, statement.node))) &&
    // What runs later than the text around it would find the number of then.
    nodes.every((at) => functionAt(at, scopes) === own) &&
    mentioned.every(({ scope }) => !scope.node.type.startsWith("generator")) &&
    others.every(({ node }) => !/\bdel\b/.test(text.slice(node.start, node.end))) &&
    // Whether a question ended earlier in a loop is known only where that was executed.
    question.every(({ statement }) => !statement.leaves) &&
    question.every(({ statement }) => !readsNamesAsTexts(textOf(statement.node)));
  const loops = isPlain ? loopsBetween(beginning, counting, file) : undefined;
  if (!loops) return undefined;
  return {
    name,
    start,
    step,
    beginning: beginning.node,
    counting: counting.node,
    loops: loops.map(({ node }) => node),
    users: others.map(({ node }) => node),
  };
}

/** How statements are written that begin a name, and that count. */
class CounterText {
  readonly #start: RegExp;
  readonly #step: RegExp;

  constructor(name: string) {
    const own = name.replaceAll("$", String.raw`\$`);
    const typed = String.raw`(?:\s*:\s*(?:number|int))?`;
    this.#start = new RegExp(
      `^(?:(?:let|var)\\s+)?${own}${typed}(?:\\s*=\\s*(${WHOLE}))?\\s*;?$`,
      "u",
    );
    this.#step = new RegExp(
      `^(?:${own}\\s*([+-])=\\s*(${WHOLE})|${own}(\\+\\+|--)|(\\+\\+|--)${own})\\s*;?$`,
      "u",
    );
  }

  /** Null: it has no value yet. */
  start(text: string): number | null | undefined {
    const found = this.#start.exec(text);
    if (!found) return undefined;
    return found[1] === undefined ? null : Number(found[1]);
  }

  step(text: string): number | undefined {
    const [, sign, by, behind, before] = this.#step.exec(text) ?? [];
    if (by !== undefined) return sign === "+" ? Number(by) : -Number(by);
    const word = behind ?? before;
    return word === undefined ? undefined : word === "++" ? 1 : -1;
  }
}

/** The loops between both, if the one around the second executes it in each of its iterations. */
function loopsBetween(
  beginning: Statement,
  counting: Statement,
  { statements, bareBodies, text }: ParsedFile,
): Statement[] | undefined {
  const { parent: loop, node, owner } = counting;
  if (!loop || !isLoop(loop)) return undefined;
  // Statements without braces stand in no list: what holds them would be overlooked.
  const isBare = bareBodies.some(({ list }) => {
    return isInside(node, list.owner) && isInside(list.owner, beginning.owner);
  });
  // Python's `else` of a loop is a list of it too.
  const lists = statements.filter((one) => one.parent === loop).map((one) => one.owner.start);
  const isBody = lists.every((at) => at >= owner.start);
  // A generator may be left for good wherever it yields, and there may be several of them.
  const around = text.slice(beginning.owner.start, beginning.owner.end);
  const before = text.slice(owner.start, node.start);
  if (isBare || !isBody || /\byield\b/.test(around)) return undefined;
  if (/\b(?:break|continue|return)\b/.test(before)) return undefined;
  const loops: Statement[] = [];
  for (let at: Statement | null = loop; at !== beginning.parent; at = at.parent) {
    if (!at || at.parameters !== undefined) return undefined;
    if (isLoop(at)) loops.unshift(at);
  }
  return loops;
}

function holdsAny(outer: Span, parts: readonly Span[]): boolean {
  return parts.some((part) => isInside(part, outer));
}
