/**
 * @file `await model.fit(x, y, { epochs, … })` and `fitDataset` of TensorFlow.js in a program that knows
 * nothing of Afterlog: a loop over epochs, with one over batches in it. Who the model is shows only at run time, so the call is taken for
 * such a loop only where nothing else of the program is called `fit`.
 */
import type { CallExpression, Expression } from "oxc-parser";
import type { Builder } from "./builder.ts";
import type { FileUnit, LoopSite, Span } from "./ir.ts";
import { propertyName, unwrap } from "./syntax-names.ts";

/** What TensorFlow.js calls of a callback, by the loop in which it does. */
export const HANDLERS = {
  training: ["onTrainBegin", "onTrainEnd"],
  epoch: ["onEpochBegin", "onEpochEnd"],
  batch: ["onBatchBegin", "onBatchEnd"],
} as const;

/** Called when some time has passed: nobody knows at which batch. */
export const YIELD_HANDLER = "onYield";

/** A program that says itself what is recorded says it of a training by this callback among the others. */
const OWN_CALLBACK = "fitCallback";

const TRAINING = new Set(["fit", "fitDataset"]);

/** The model that is trained; null: it is no such call. */
export function fittedModel(b: Builder, node: CallExpression): Expression | null {
  if (!b.unit.mode.handsFree && !b.text.includes(OWN_CALLBACK)) return null;
  if (b.logged > 0 || !isAwaited(b, node)) return null;
  const callee = unwrap(node.callee);
  if (callee.type !== "MemberExpression" || callee.computed) return null;
  if (callee.object.type === "Super") return null;
  const method = propertyName(callee.property, false) ?? "";
  if (!TRAINING.has(method)) return null;
  const { length } = node.arguments;
  if (length < 2 || length > (method === "fit" ? 3 : 2)) return null;
  if (node.arguments.some(({ type }) => type === "SpreadElement")) return null;
  return b.text.includes("@tensorflow/tfjs") || namesEpochs(node) ? callee.object : null;
}

/** The same in `al.fit(model, x, y, options)`. */
export function modelToFit(b: Builder, node: CallExpression): Expression | undefined {
  const [model] = node.arguments;
  if (!model || node.arguments.some(({ type }) => type === "SpreadElement")) return undefined;
  return b.logged === 0 && isAwaited(b, node) ? (model as Expression) : undefined;
}

/** Only one that is awaited at once runs by itself. */
function isAwaited(b: Builder, { start }: Span): boolean {
  return /\bawait\s*$/.test(b.text.slice(Math.max(0, start - 64), start));
}

function namesEpochs({ arguments: args }: CallExpression): boolean {
  const options = args.at(-1);
  if (options?.type !== "ObjectExpression") return false;
  return options.properties.some((property) => {
    if (property.type === "SpreadElement") return false;
    return propertyName(property.key, property.computed) === "epochs";
  });
}

/** Calls that may be of a function of the program itself, once all files are known. */
export function doubtfulFits(units: readonly FileUnit[]): LoopSite[] {
  const isOwn = units.some(({ loweredFunctions }) =>
    loweredFunctions.some(({ name }) => TRAINING.has(name)),
  );
  return isOwn ? units.flatMap(({ loops }) => loops.filter(({ model }) => model)) : [];
}
