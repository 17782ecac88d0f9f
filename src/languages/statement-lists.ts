/** @file The lists of statements of a file, found in one walk, whatever the language. */
import type { Statement, StatementList, Syntax } from "./parsed-file.ts";

/** How a language's syntax is gone through. */
export interface Walking<Node extends Syntax> {
  readonly childrenOf: (node: Node) => readonly Node[];
  /** The statements of a node that holds a list of them; undefined for any other. */
  readonly listOf: (node: Node) => readonly Node[] | undefined;
  /** An expression of such a node, before its statements. */
  readonly headOf: (node: Node) => Node | null | undefined;
  readonly describe: (node: Node, owner: Node, parent: Statement | null) => Statement;
}

/** All lists, outer ones first. */
export function statementLists<Node extends Syntax>(
  program: Node,
  { childrenOf, listOf, headOf, describe }: Walking<Node>,
): StatementList[] {
  const found: StatementList[] = [];
  const visit = (node: Node, parent: Statement | null): void => {
    const own = new Map(listOf(node)?.map((one) => [one, describe(one, node, parent)]));
    if (listOf(node)) {
      const head = headOf(node);
      found.push({ owner: node, statements: [...own.values()], ...(head ? { head } : {}) });
    }
    for (const child of childrenOf(node)) visit(child, own.get(child) ?? parent);
  };
  visit(program, null);
  return found;
}
