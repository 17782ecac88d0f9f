/**
 * @file Statements of the older version that the newer one has in a `try` or a `with` that was added
 * around them. Without it they are as they were; it stays only where a question uses what it gives.
 */
import type {
  Edit,
  ParsedFile,
  Shape,
  Statement,
  StatementList,
  Wrapper,
} from "../../../languages/index.ts";
import type { Span } from "../../../tree/index.ts";
import { isInside } from "../../../tree/index.ts";
import { onlyComputes } from "./only-computes.ts";
import { importedPath } from "./imported-path.ts";
import { onlyLooksOn } from "./own-contexts.ts";
import type { Versions } from "./shapes.ts";

/** A statement that was added around others. */
export interface Wrapped {
  /** Those of the older version. */
  readonly then: readonly Statement[];
  /** Where they stand now. */
  readonly block: StatementList;
  /** They do the same in it as without it, unless they fail. */
  readonly isHarmless: boolean;
  /** And if they fail, and what it does by itself changes nothing of the run. */
  readonly canStay: boolean;
}

/** What takes such a statement away, and leaves what stands in it. */
export function unwrapping(now: ParsedFile, { node }: Statement, block: StatementList): Edit[] {
  const [first, last] = [block.statements[0]?.node, block.statements.at(-1)?.node];
  if (!first || !last) return [];
  const { text } = now;
  const breaksIn = (start: number, end: number): string =>
    (text.slice(start, end).match(/\r?\n/g) ?? []).join("");
  // Where the first line of the block begins, if it is another one.
  const line = Math.max(node.start, text.lastIndexOf("\n", first.start));
  const body = { start: line === node.start ? first.start : line, end: last.end };
  const [outer, inner] = [indentAt(text, node.start), indentAt(text, first.start)];
  const edits: Edit[] = [
    { start: node.start, end: body.start, text: breaksIn(node.start, body.start) },
    { start: body.end, end: node.end, text: breaksIn(body.end, node.end) },
  ];
  for (const { index, 0: found } of text.matchAll(/(?<=\n)[ \t]+/g)) {
    const isBody = body.start < index && index < body.end;
    const isText = now.strings.some(({ start, end }) => start < index && index < end);
    if (!isBody || isText || !found.startsWith(inner) || !inner.startsWith(outer)) continue;
    // What stands around it may have to be taken away, too.
    edits.push({ start: index + outer.length, end: index + inner.length, text: "" });
  }
  return edits;
}

function indentAt(text: string, offset: number): string {
  return /[ \t]*$/.exec(text.slice(0, offset).replace(/[^ \t\n][^\n]*$/, ""))?.[0] ?? "";
}

/** Finds what was added around statements of the older version. */
export class Wrappers {
  readonly #versions: Versions;
  /** Which of some statements of the older version a list of the newer one has. */
  readonly #pairs: (gone: readonly Statement[], now: StatementList) => readonly Statement[];

  constructor(
    versions: Versions,
    pairs: (gone: readonly Statement[], now: StatementList) => readonly Statement[],
  ) {
    this.#versions = versions;
    this.#pairs = pairs;
  }

  /** `gone`: what only the older version has where a statement of the newer one stands. */
  find(statement: Statement, gone: readonly Statement[]): Wrapped | undefined {
    const { now, formsNow } = this.#versions;
    const { shape } = formsNow.of(statement);
    const wrapper =
      gone.length > 0 ? (now.language.wrapperOf(shape) ?? this.#calledOnce(shape)) : undefined;
    const block = wrapper && formsNow.listOf(wrapper.block);
    if (!wrapper || !block) return undefined;
    const held = this.#heldIn(block, gone);
    const [first, last] = [held[0], held.at(-1)];
    if (!first || !last) return undefined;
    const then = gone.slice(gone.indexOf(first), gone.indexOf(last) + 1);
    if (this.#hidesNames(statement, then)) return undefined;
    if (wrapper.isFunction && this.#takesNames(statement, then)) return undefined;
    const isHarmless = wrapper.contexts.every((context) => this.#onlyWatches(context));
    const canStay = isHarmless && wrapper.passesOn && wrapper.clauses.every(this.#isQuiet);
    return { then, block, isHarmless, canStay };
  }

  /** A function without parameters that only the newer version has, and that it calls once: `main`. */
  #calledOnce(shape: Shape): Wrapper | undefined {
    const { now, then } = this.#versions;
    const anatomy = now.language.anatomyOf(shape);
    if (anatomy?.kind !== "function" || anatomy.parameters.length > 0) return undefined;
    const { name, body } = anatomy;
    const uses = now.scopes.references.filter((one) => one.name === name);
    const [use, ...more] = uses;
    const isKnown = then.scopes.references.some((one) => one.name === name);
    const call = now.uses.calls.find(({ callee }) => use && isInside(callee, use.node));
    const isAlone = now.statements.some(({ node, isSimple }) => {
      return call !== undefined && isSimple && node.start === call.node.start;
    });
    if (!use || more.length > 0 || isKnown || !isAlone || use.scope.parent !== null)
      return undefined;
    return { block: body, contexts: [], clauses: [], passesOn: true, isFunction: true };
  }

  /** Whether the older version means something by a name that others in a function declare: there it would be its own. */
  #takesNames({ node }: Statement, then: readonly Statement[]): boolean {
    const { now, then: old } = this.#versions;
    const own = new Set(
      [...old.scopes.bindingOf]
        .filter(([at]) => then.some((one) => isInside(at, one.node)))
        .map(([, { name }]) => name),
    );
    const declared = [...now.scopes.bindingOf.values()].filter(({ scope, name }) => {
      return isInside(scope.node, node) && !own.has(name);
    });
    return declared.some(({ name }) => {
      return old.scopes.references.some((one) => one.name === name);
    });
  }

  /** Those of the older version that stand in a block, or in what was added around them there. */
  #heldIn(block: StatementList, gone: readonly Statement[]): Statement[] {
    const deeper = block.statements.flatMap((one) => this.find(one, gone)?.then ?? []);
    const held = new Set([...this.#pairs(gone, block), ...deeper]);
    return gone.filter((one) => held.has(one));
  }

  /** Whether what they declare was used outside of where they stand now. */
  #hidesNames({ node }: Statement, then: readonly Statement[]): boolean {
    const { now, then: old } = this.#versions;
    const isIn = (at: Span): boolean => then.some((one) => isInside(at, one.node));
    const hidden = new Set(
      [...now.scopes.bindingOf.values()]
        .filter(({ scope }) => isInside(scope.node, node))
        .map(({ name }) => name),
    );
    const declared = new Set(
      [...old.scopes.bindingOf].filter(([at]) => isIn(at)).map(([, binding]) => binding),
    );
    return old.scopes.references.some((use) => {
      const { binding } = use;
      return binding && declared.has(binding) && hidden.has(binding.name) && !isIn(use.node);
    });
  }

  /** Whether what a `with` is of leaves what stands in it as it is. */
  #onlyWatches(context: Shape): boolean {
    const { now } = this.#versions;
    const call = now.language.anatomyOf(context);
    const path = call?.kind === "call" ? importedPath(now, call.callee) : undefined;
    if (path !== undefined && now.language.onlyWatches(path)) {
      return call?.kind === "call" && call.given.every((one) => onlyComputes(this.#versions, one));
    }
    return onlyLooksOn(this.#versions, context);
  }

  /** Whether a clause does nothing to the run when it is executed. */
  readonly #isQuiet = (clause: Shape): boolean => {
    const { statements, uses } = this.#versions.now;
    return statements
      .filter(({ node }) => isInside(node, clause))
      .every(({ node, effect, isLogOnly, leaves }) => {
        const inner = uses.calls.filter((one) => one.node !== node && isInside(one.node, node));
        const isLog = isLogOnly && inner.slice(1).every(({ byName }) => byName === "none");
        return !leaves && (isLog || effect === "none" || effect === "clock");
      });
  };
}
