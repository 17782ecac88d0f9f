/**
 * @file Whether a name is given its value before something reads it, on whatever way that leads there. A
 * name that an iteration may read first has the value that an earlier one gave it. What is not seen to
 * set a name surely does not.
 */
import type { Binding, ParsedFile, Statement, StatementList } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import { isLoop } from "./carried-names.ts";
import { CONDITION } from "./kept-in-files.ts";

type Definition = Binding["definitions"][number];

/** Whether an iteration, or a call, may read the value that an earlier one gave a name. */
export function isReadFirst(binding: Binding, use: Span, file: ParsedFile): boolean {
  const { scope, definitions } = binding;
  const isRepeated = file.statements.some((one) => {
    if (!isLoop(one) && one.parameters === undefined) return false;
    if (!isInside(one.node, scope.node) || !isInside(use, one.node)) return false;
    const isScope = one.parameters !== undefined && isInside(scope.node, one.node);
    return !isScope && definitions.some(({ node }) => isInside(node, one.node));
  });
  return isRepeated && !new Setting(binding, file).isBefore(use);
}

class Setting {
  readonly #binding: Binding;
  readonly #file: ParsedFile;
  readonly #lists: readonly StatementList[];

  constructor(binding: Binding, file: ParsedFile) {
    this.#binding = binding;
    this.#file = file;
    this.#lists = [...file.lists, ...file.bareBodies.map(({ list }) => list)];
  }

  isBefore(use: Span): boolean {
    const isPassed = this.#lists.some(({ owner, statements }) => {
      const passed = statements.filter(({ node }) => node.end <= use.start);
      return isInside(use, owner) && passed.some((one) => this.#isSetBy(one));
    });
    return isPassed || this.#binding.definitions.some((one) => this.#isInHead(one, use));
  }

  /** Whenever the statement is passed. */
  #isSetBy(statement: Statement): boolean {
    const { node } = statement;
    const own = this.#binding.definitions.filter((one) => isInside(one.node, node));
    if (own.length === 0) return false;
    const isHere = own.some((one) => {
      if (this.#statementOf(one.node)?.node !== node || one.until !== undefined) return false;
      // There need not be anything that a loop goes over.
      return this.#isAlways(one, statement) && !/^for(?:in|of|_)/i.test(node.type);
    });
    if (isHere) return true;
    const lists = this.#listsOf(statement);
    const isPart = /^(?:with|block)/i.test(node.type) && !/\bsuppress\b/.test(this.#textOf(node));
    if (!isPart && !this.#isOneTaken(statement, lists)) return false;
    return lists.every((list) => list.statements.some((one) => this.#isSetBy(one)));
  }

  /** The statement that has it in its head holds the use, too, or one declaration stands before another. */
  #isInHead(definition: Definition, use: Span): boolean {
    const { node, from, until } = definition;
    if (from > use.start) return false;
    if (until !== undefined) return use.end <= until;
    const statement = this.#statementOf(node);
    if (!statement || !isInside(use, statement.node)) return false;
    if (!this.#isAlways(definition, statement)) return false;
    if (/\belse\b/.test(this.#file.text.slice(node.end, use.start))) return false;
    const { type } = statement.node;
    if (/^(?:Variable|ForStatement)/.test(type)) return this.#file.scopes.bindingOf.has(node);
    return (
      /^(?:if|for|while|with|switch|match)/i.test(type) && this.#statementOf(use) !== statement
    );
  }

  /** Under no condition, and not in a function or a comprehension of it. */
  #isAlways({ node }: Definition, statement: Statement): boolean {
    const inner = [...this.#file.scopes.scopeOf.keys()].filter((part) => {
      return part !== statement.node && isInside(part, statement.node) && isInside(node, part);
    });
    const before = this.#file.text.slice(statement.node.start, node.start);
    const isHead = /^(?:if|while|switch)\b[\s(]*$/.test(before);
    return inner.length === 0 && (isHead || !(before.includes(";") || CONDITION.test(before)));
  }

  /** One of its blocks is executed, whatever the conditions. */
  #isOneTaken({ node }: Statement, lists: readonly StatementList[]): boolean {
    if (!/^if/i.test(node.type)) return false;
    const ends = [node.start, ...lists.map(({ owner }) => owner.end)];
    const between = lists.map(({ owner }, at) => {
      return this.#file.text.slice(ends[at], owner.start);
    });
    const others = between.join("").match(/\b(?:else|elif)\b/g) ?? [];
    return others.length === lists.length - 1 && /\belse\s*:?\s*$/.test(between.at(-1) ?? "");
  }

  /** The blocks of a statement, without those of statements in them. */
  #listsOf({ node }: Statement): StatementList[] {
    const inside = this.#lists.filter(({ owner, statements }) => {
      return isInside(owner, node) && statements.every((one) => one.node !== node);
    });
    const outer = inside.filter(({ owner }) => {
      return !inside.some((other) => {
        if (other.owner === owner) return false;
        return other.statements.some((one) => isInside(owner, one.node));
      });
    });
    return outer.toSorted((one, other) => one.owner.start - other.owner.start);
  }

  /** The innermost one around a part. */
  #statementOf(part: Span): Statement | undefined {
    const around = this.#lists.flatMap(({ statements }) => {
      return statements.filter(({ node }) => isInside(part, node));
    });
    return around.find(({ node }) => around.every((other) => isInside(node, other.node)));
  }

  #textOf({ start, end }: Span): string {
    return this.#file.text.slice(start, end);
  }
}
