/**
 * @file `await model.fit(x, y, { epochs, … })` of TensorFlow.js in a program that knows nothing of
 * Afterlog: a loop over epochs. Who the model is shows only at run time, so the call is taken for
 * such a loop only where nothing else of the program is called `fit`.
 */
import type { CallExpression, Expression } from "oxc-parser";
import type { Builder } from "./builder.ts";
import type { FileUnit, LoopSite } from "./ir.ts";
import { propertyName, unwrap } from "./syntax-names.ts";

/** The model that is trained; null: it is no such call. */
export function fittedModel(b: Builder, node: CallExpression): Expression | null {
  if (!b.unit.mode.handsFree || b.logged > 0) return null;
  const callee = unwrap(node.callee);
  if (callee.type !== "MemberExpression" || callee.computed) return null;
  if (callee.object.type === "Super") return null;
  if (propertyName(callee.property, false) !== "fit") return null;
  // Only one that is awaited at once runs by itself.
  if (!/\bawait\s*$/.test(b.text.slice(Math.max(0, node.start - 64), node.start))) return null;
  const { length } = node.arguments;
  if (length < 2 || length > 3) return null;
  if (node.arguments.some(({ type }) => type === "SpreadElement")) return null;
  return b.text.includes("@tensorflow/tfjs") || namesEpochs(node) ? callee.object : null;
}

function namesEpochs({ arguments: [, , options] }: CallExpression): boolean {
  if (options?.type !== "ObjectExpression") return false;
  return options.properties.some((property) => {
    if (property.type === "SpreadElement") return false;
    return propertyName(property.key, property.computed) === "epochs";
  });
}

/** Calls that may be of a function of the program itself, once all files are known. */
export function doubtfulFits(units: readonly FileUnit[]): LoopSite[] {
  const isOwn = units.some(({ loweredFunctions }) =>
    loweredFunctions.some(({ name }) => name === "fit"),
  );
  return isOwn ? units.flatMap(({ loops }) => loops.filter(({ model }) => model)) : [];
}
