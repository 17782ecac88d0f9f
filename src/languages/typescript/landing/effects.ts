/**
 * @file What executing a definition that is brought along would do to an old run: nothing, read the
 * clock, call code that is not known to be harmless (the model, mostly), or change the training.
 */
import type { CallExpression, NewExpression, Node } from "oxc-parser";
import type { TreeNode } from "../../../tree/index.ts";
import type { Effect } from "../../landing/grammar.ts";
import { childrenOf } from "../syntax.ts";

const ORDER: readonly Effect[] = ["none", "clock", "calls", "changes"];

/** Objects whose functions compute and nothing else. */
const PURE_OBJECTS = new Set(["Math", "JSON", "Number", "Object", "Array", "String", "BigInt"]);
const PURE_FUNCTIONS = new Set(["Number", "String", "Boolean", "parseFloat", "parseInt", "isNaN"]);
const PURE_CLASSES = /^(?:Array|Map|Set|Date|(?:Big)?(?:Int|Uint|Float)\d+(?:Clamped)?Array)$/;
/** Methods of arrays, strings, numbers and tensors that leave what they are called on as it was. */
const PURE_METHODS = new Set(
  (
    "at concat entries every filter find findIndex findLast flat flatMap forEach get has includes " +
    "indexOf join keys lastIndexOf map reduce reduceRight slice some toFixed toLowerCase toPrecision " +
    "toReversed toSorted toString toUpperCase trim values padStart padEnd repeat replace replaceAll " +
    "split startsWith endsWith charAt " +
    "abs add argMax argMin array arraySync cast ceil data dataSync detach div dot equal euclideanNorm " +
    "exp expandDims flatten floor gather greater item less log log1p logSumExp matMul max maximum mean " +
    "min minimum mul neg norm notEqual ravel relu reshape round sigmoid sign size softmax sqrt square " +
    "squeeze std sub subarray sum tanh tolist toFloat toInt transpose variance"
  ).split(" "),
);
/** Names under which training goes on: these are never repeated. */
const CHANGING = new Set(
  (
    "step minimize applyGradients backward fit fitDataset trainOnBatch train trainStep next push pop " +
    "shift unshift splice sort reverse fill set add delete clear dispose assign write writeFileSync " +
    "appendFileSync save zero_grad zeroGrad update loadStateDict setWeights"
  ).split(" "),
);

/** Whether a property is one that arrays, strings, numbers or tensors have. */
export function isKnownMethod(name: string): boolean {
  return PURE_METHODS.has(name) || CHANGING.has(name) || /^(?:length|shape|dtype|rank)$/.test(name);
}

/** Whether an object is one of the language or the platform. */
export function isKnownObject(name: string): boolean {
  return PURE_OBJECTS.has(name) || /^(?:console|process|performance|Date|Promise)$/.test(name);
}

/** The most harmful thing that a part of a program does when it is executed. */
export function effectOf(node: Node): Effect {
  let worst = ownEffect(node);
  for (const child of childrenOf(node)) {
    const inner = effectOf(child);
    if (ORDER.indexOf(inner) > ORDER.indexOf(worst)) worst = inner;
  }
  return worst;
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
  if (PURE_FUNCTIONS.has(callee.name)) return "none";
  return isTraining(callee.name) ? "changes" : "calls";
}

function effectOfCall({ type, callee }: CallExpression | NewExpression): Effect {
  if (type === "NewExpression") {
    if (callee.type !== "Identifier" || !PURE_CLASSES.test(callee.name)) return "calls";
    return callee.name === "Date" ? "clock" : "none";
  }
  if (callee.type === "Identifier") return effectOfName(callee);
  if (callee.type !== "MemberExpression" || callee.computed) return "calls";
  const method = "name" in callee.property ? callee.property.name : "";
  const object = callee.object.type === "Identifier" ? callee.object.name : "";
  if (object === "Math" && method === "random") return "changes";
  if (PURE_OBJECTS.has(object)) return method === "assign" ? "changes" : "none";
  if (/^(?:now|hrtime)$/.test(method)) return "clock";
  if (PURE_METHODS.has(method)) return "none";
  return CHANGING.has(method) || isTraining(method) ? "changes" : "calls";
}

/** A name that says of a function that it trains, or logs, or goes over the data in a loop. */
function isTraining(name: string): boolean {
  return /^(?:train|fit|optimi[sz]e|update|backprop|log|loop|checkpointing)(?![a-z])/.test(name);
}

/** Whether a node assigns to, counts up, deletes, or calls a changing method of its part. */
export function changesPart(node: Node, index: number): boolean {
  switch (node.type) {
    case "AssignmentExpression":
      return index === 0;
    case "UpdateExpression":
      return true;
    case "UnaryExpression":
      return node.operator === "delete";
    case "CallExpression":
      return index === 0 && effectOf(node) === "changes";
    default:
      return false;
  }
}

/** Whether a part is an argument. */
export function passesPart({ type }: TreeNode, index: number): boolean {
  return /^(?:Call|New)Expression$/.test(type) && index > 0;
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
