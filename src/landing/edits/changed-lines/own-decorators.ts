/**
 * @file Decorators that only the newer version has, and that show what a function gets and gives: they
 * call it once, with what they got, and give back what it gives.
 */
import type {
  Decorated,
  OwnDecorator,
  ParsedFile,
  Shape,
  Statement,
} from "../../../languages/index.ts";
import { isInside } from "../../../tree/index.ts";
import { isHarmless } from "./only-computes.ts";
import { isOnlyNow, nameOf } from "./function-names.ts";
import { importedPath } from "./imported-path.ts";
import { onlyLooks } from "./passing.ts";
import type { Shaped, Versions } from "./shapes.ts";

/** Whether a decorator leaves each function as it is, but for a look. */
export function onlyShows(
  versions: Versions,
  { name, given }: Decorated["decorators"][number],
): boolean {
  const { then, now, formsNow } = versions;
  const made = now.statements.flatMap((one) => {
    const own = now.language.decoratorMadeBy(formsNow.of(one).shape);
    return own?.name === name ? [own] : [];
  });
  const [own, ...others] = made;
  if (!own || others.length > 0 || !isOnlyNow(then, now, name)) return false;
  const isMarked = importedPath(now, own.marked.by) === own.marked.as;
  const isTold =
    own.told?.length === given?.length &&
    (given ?? []).every((one) => now.language.anatomyOf(one)?.kind === "literal");
  return isMarked && isTold && new DecoratorReader(versions, own).isAll();
}

/**
 * Makes decorators one change with the functions that they stand around: the run executes its own code in
 * them, so they are no part of a question that could be set back.
 */
export function withDecorators(
  now: ParsedFile,
  gaps: readonly {
    readonly added: readonly Statement[];
    readonly shaped: Map<Statement, Shaped>;
  }[],
): void {
  for (const { group, decorators = [] } of gaps.flatMap(({ shaped }) => [...shaped.values()])) {
    for (const { added, shaped } of decorators.length > 0 ? gaps : []) {
      const own = added.filter(
        (one) => one.parameters && decorators.includes(nameOf(now, one) ?? ""),
      );
      for (const one of own)
        shaped.set(one, { then: undefined, undo: [], group, same: [], isDecorator: true });
    }
  }
}

/** What is executed instead of a function. */
class DecoratorReader {
  readonly #versions: Versions;
  readonly #now: ParsedFile;
  readonly #own: OwnDecorator;

  constructor(versions: Versions, own: OwnDecorator) {
    this.#versions = versions;
    this.#now = versions.now;
    this.#own = own;
  }

  isAll(): boolean {
    const { body, function: called } = this.#own;
    const statements = this.#versions.formsNow.listOf(body)?.statements ?? [];
    const inside = this.#now.statements.filter(({ node }) => isInside(node, body));
    const calling = statements.flatMap((one) => this.#callIn(one) ?? []);
    const [call, ...more] = calling;
    const last = statements.at(-1);
    const uses = this.#now.scopes.references.filter(({ name, node }) => {
      return name === called && isInside(node, body);
    });
    if (!call || !last || more.length > 0 || inside.length > statements.length) return false;
    if (uses.length !== 1 || !this.#gives(last, call)) return false;
    const { taken, told = [] } = this.#own;
    const kept = [...taken, ...told, called, ...(call.result === undefined ? [] : [call.result])];
    return statements.every((one) => {
      return one === call.statement || one === last || this.#isLook(one, kept);
    });
  }

  /** `out = fn(*args, **kwargs)`, or a return of it. */
  #callIn(statement: Statement): Call | undefined {
    const anatomy = this.#anatomyOf(statement);
    if (anatomy?.kind === "return" && anatomy.value && this.#own.isCall(anatomy.value)) {
      return { statement, result: undefined };
    }
    if (anatomy?.kind !== "assignment" || !this.#own.isCall(anatomy.value)) return undefined;
    const target = this.#now.language.anatomyOf(anatomy.target);
    return target?.kind === "name" ? { statement, result: target.name } : undefined;
  }

  /** Whether the last statement gives back what the call gave. */
  #gives(last: Statement, { statement, result }: Call): boolean {
    if (result === undefined) return last === statement;
    const anatomy = this.#anatomyOf(last);
    const given = anatomy?.kind === "return" ? anatomy.value : undefined;
    const value = given && this.#now.language.anatomyOf(given);
    return value?.kind === "name" && value.name === result;
  }

  #isLook(statement: Statement, kept: readonly string[]): boolean {
    const anatomy = this.#anatomyOf(statement);
    if (anatomy?.kind === "assignment") {
      const target = this.#now.language.anatomyOf(anatomy.target);
      const isOwn = target?.kind === "name" && !kept.includes(target.name);
      return isOwn && this.#isLocal(statement) && this.#isQuiet(anatomy.value);
    }
    if (anatomy?.kind !== "evaluation") return false;
    const call = this.#now.language.anatomyOf(anatomy.value);
    const looks = statement.isLogOnly || onlyLooks(this.#now, statement, this.#versions.then);
    return looks && call?.kind === "call" && call.given.every((one) => this.#isQuiet(one));
  }

  /** Whether a name that it sets is known in the function alone. */
  #isLocal({ node }: Statement): boolean {
    const declared = [...this.#now.scopes.bindingOf].filter(([at]) => isInside(at, node));
    const written = this.#now.scopes.references.filter((one) => {
      return one.isWrite && isInside(one.node, node);
    });
    const bindings = [...declared.map(([, one]) => one), ...written.map(({ binding }) => binding)];
    return bindings.every((one) => one !== null && isInside(this.#own.body, one.scope.node));
  }

  /** Whether it computes or looks at a clock, and goes through nothing that can be gone through once. */
  #isQuiet(shape: Shape): boolean {
    const anatomy = this.#now.language.anatomyOf(shape);
    if ((!anatomy && shape.parts.length > 0) || anatomy?.kind === "assignment") return false;
    if (anatomy?.kind === "call") {
      const callee = this.#now.language.anatomyOf(anatomy.callee);
      const isThrough = callee?.kind === "name" && GOES_THROUGH.test(callee.name);
      if (isThrough || !(this.#isClock(shape) || isHarmless(this.#versions, shape))) return false;
    }
    return !/splat/.test(shape.label) && shape.parts.every((part) => this.#isQuiet(part));
  }

  #isClock({ start, end }: Shape): boolean {
    return this.#now.uses.calls.some(({ node, effect }) => {
      return node.start === start && node.end === end && effect === "clock";
    });
  }

  #anatomyOf(statement: Statement): ReturnType<ParsedFile["language"]["anatomyOf"]> {
    return this.#now.language.anatomyOf(this.#versions.formsNow.of(statement).shape);
  }
}

interface Call {
  readonly statement: Statement;
  /** The name that its result has; undefined: it is given back. */
  readonly result: string | undefined;
}

/** Functions after which an iterator is empty. */
const GOES_THROUGH =
  /^(?:all|any|bytes|dict|enumerate|filter|frozenset|iter|list|map|max|min|next|reversed|set|sorted|sum|tuple|zip)$/;
