/** @file Bodies without braces, as they would be with them: the same program. */
import type { Node, Program } from "oxc-parser";
import type { BareBody, ParsedFile } from "../../parsed-file.ts";
import { sdkNames } from "../log-calls.ts";
import { childrenOf, fieldOf, isNode } from "../syntax.ts";
import { shapeOf } from "./shape.ts";
import { describeStatement } from "./statement-facts.ts";

/** Which parts of a statement may be a statement without braces. */
const BODIES: { readonly [type: string]: readonly string[] } = {
  IfStatement: ["consequent", "alternate"],
  ForStatement: ["body"],
  ForInStatement: ["body"],
  ForOfStatement: ["body"],
  WhileStatement: ["body"],
  DoWhileStatement: ["body"],
  ArrowFunctionExpression: ["body"],
};

export function bareBodies(program: Program, { statements }: ParsedFile): BareBody[] {
  const names = sdkNames(program);
  const found: BareBody[] = [];
  const visit = (node: Node): void => {
    for (const field of BODIES[node.type] ?? []) {
      const body = fieldOf(node, field);
      if (!isNode(body) || body.type === "BlockStatement") continue;
      const { start, end } = body;
      const isArrow = node.type === "ArrowFunctionExpression";
      const statement = isArrow ? asNode("ReturnStatement", body, { argument: body }) : body;
      const owner = asNode("BlockStatement", body, { body: [statement] });
      const parent = statements.findLast((one) => one.node.start <= start && end <= one.node.end);
      const own = describeStatement(statement, { owner, parent: parent ?? null, names, program });
      found.push({ list: { owner, statements: [own] }, block: shapeOf(owner, field) });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program);
  return found;
}

/** A node that the text does not have. */
function asNode(type: string, { start, end }: Node, fields: object): Node {
  return { type, start, end, ...fields } as Node;
}
