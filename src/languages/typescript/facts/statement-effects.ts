/**
 * @file What executing a definition that is brought along would do to an old run: nothing, read the
 * clock, call code that is not known to be harmless (the model, mostly), or change the training.
 */
import type { CallExpression, NewExpression, Node } from "oxc-parser";
import { isTrainingName, worseOf } from "../../effects.ts";
import type { Effect } from "../../parsed-file.ts";
import { childrenOf } from "../syntax.ts";
import { effectOfClass, effectOfMethod, effectOfPath } from "./described-effects.ts";

/** The most harmful thing that a part of a program does when it is executed. */
export function effectOf(node: Node): Effect {
  return childrenOf(node).map(effectOf).reduce(worseOf, ownEffect(node));
}

function ownEffect(node: Node): Effect {
  switch (node.type) {
    case "CallExpression":
    case "NewExpression":
      return effectOfCall(node);
    case "AssignmentExpression":
      return node.left.type === "Identifier" ? "none" : "changes";
    case "UpdateExpression":
      return node.argument.type === "Identifier" ? "none" : "changes";
    case "YieldExpression":
    case "ImportExpression":
      return "changes";
    case "UnaryExpression":
      return node.operator === "delete" ? "changes" : "none";
    case "TaggedTemplateExpression":
      return "calls";
    default:
      return "none";
  }
}

/** What calling a function does, by its name alone. */
export function effectOfName(callee: Node): Effect {
  if (callee.type !== "Identifier") return "calls";
  return effectOfPath(callee.name) ?? (isTrainingName(callee.name) ? "changes" : "calls");
}

export function effectOfCall({ type, callee }: CallExpression | NewExpression): Effect {
  if (type === "NewExpression") {
    return (callee.type === "Identifier" && effectOfClass(callee.name)) || "calls";
  }
  if (callee.type === "Identifier") return effectOfName(callee);
  if (callee.type !== "MemberExpression" || callee.computed) return "calls";
  const method = "name" in callee.property ? callee.property.name : "";
  if (IN_PLACE.test(method) && isFreshArray(callee.object)) return "none";
  const object = callee.object.type === "Identifier" ? callee.object.name : "";
  const known = effectOfPath(`${object}.${method}`) ?? effectOfMethod(method);
  return known ?? (isTrainingName(method) ? "changes" : "calls");
}

/** Methods of arrays that change their own array, and nothing else. */
const IN_PLACE = /^(?:sort|reverse|push|pop|shift|unshift|splice|fill|copyWithin)$/;
/** Methods that give a new array, */
const GIVES_ARRAY = /^(?:slice|map|filter|concat|flat|flatMap|split|toSorted|toReversed|with)$/;
/** and functions that do. */
const MAKES_ARRAY = /^(?:Array\.(?:from|of)|Object\.(?:keys|values|entries))$/;
/** Of those that change an array, they give that one back. */
const GIVES_ITSELF = /^(?:sort|reverse|fill|copyWithin)$/;

/** Whether an expression makes an array that nothing else has: to change it is felt by nobody. */
function isFreshArray(node: Node): boolean {
  if (node.type === "ArrayExpression") return true;
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return false;
  const { object, property, computed } = node.callee;
  if (computed || property.type !== "Identifier") return false;
  if (GIVES_ITSELF.test(property.name)) return isFreshArray(object);
  if (GIVES_ARRAY.test(property.name)) return true;
  return object.type === "Identifier" && MAKES_ARRAY.test(`${object.name}.${property.name}`);
}

/** Whether a declaration gives an empty list or object, or a new one of a class. */
export function isEmptyValue(definition: Node): boolean {
  const value =
    definition.type === "VariableDeclaration" ? definition.declarations[0]?.init : undefined;
  switch (value?.type) {
    case "ArrayExpression":
      return value.elements.length === 0;
    case "ObjectExpression":
      return value.properties.length === 0;
    case "NewExpression":
      return true;
    default:
      return false;
  }
}
