/** @file What a statement needs of its surroundings beside names: `await`, `this`, private fields. */
import type { Node } from "oxc-parser";
import type { Surroundings } from "../../parsed-file.ts";
import { childrenOf } from "../syntax.ts";

/** What a part of a program uses of its surroundings. */
export function neededBy(node: Node): Surroundings {
  const privateNames = new Set<string>();
  let awaits = false;
  let hasThis = false;
  const visit = (at: Node, isOwn: boolean, isOwnThis: boolean): void => {
    if (at.type === "PrivateIdentifier") privateNames.add(at.name);
    if (isOwn && (at.type === "AwaitExpression" || isAwaitingLoop(at))) awaits = true;
    if (isOwnThis && (at.type === "ThisExpression" || at.type === "Super")) hasThis = true;
    const isArrow = at.type === "ArrowFunctionExpression";
    const isFunction = isArrow || at.type.startsWith("Function");
    const isClass = /^Class(?:Decl|Expr)/.test(at.type);
    for (const child of childrenOf(at)) {
      visit(child, isOwn && !isFunction, isOwnThis && !isClass && (isArrow || !isFunction));
    }
  };
  visit(node, true, true);
  return { awaits, yields: false, hasThis, privateNames };
}

function isAwaitingLoop(node: Node): boolean {
  return node.type === "ForOfStatement" && node.await;
}

/** What there is at an offset of a program. */
export function surroundingsAt(program: Node, offset: number): Surroundings {
  const privateNames = new Set<string>();
  let awaits = true;
  let hasThis = false;
  const visit = (at: Node): void => {
    if (at.start >= offset || offset >= at.end) return;
    if (at.type === "ClassBody") {
      hasThis = true;
      for (const member of at.body) {
        if ("key" in member && member.key.type === "PrivateIdentifier") {
          privateNames.add(member.key.name);
        }
      }
    }
    if (/^(?:Function|Arrow)/.test(at.type) && "async" in at) awaits = at.async;
    // A plain function has no object of its own, unless it acts as if it had.
    if (at.type === "FunctionDeclaration") hasThis = at.body !== null && neededBy(at.body).hasThis;
    if (at.type === "FunctionExpression") hasThis = true;
    if (at.type === "StaticBlock") awaits = false;
    for (const child of childrenOf(at)) visit(child);
  };
  for (const child of childrenOf(program)) visit(child);
  return { awaits, yields: false, hasThis, privateNames };
}
