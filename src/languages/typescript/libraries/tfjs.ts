/**
 * @file TensorFlow.js. Tensors never change. Models, layers, optimizers and variables do: by
 * training, by `assign` and `setWeights`, and by any method that is not known to only read.
 */
import type { Effect, Library } from "./effect.ts";
import { NOTHING } from "./effect.ts";

const TENSOR: Effect = { makes: "opaque", path: "tensor", holds: ["self"] };
const OWNER: Effect = { makes: "opaque", path: "owner", holds: ["self", "arguments", "fields"] };
/** Gradients, `tidy`: run a function that the program gives, return tensors or what it returns. */
const RUNS: Effect = {
  makes: "opaque",
  path: "tensor",
  holds: ["self", "results"],
  calls: [
    ["arguments", "self"],
    ["arguments", "self"],
  ],
  returns: ["results"],
};

const OWNERS =
  /^(?:sequential|model|variable|input|train\.\w+|layers\.\w+|loadLayersModel|loadGraphModel|data\.\w+|initializers\.\w+|regularizers\.\w+|constraints\.\w+|callbacks\.\w+|models\.\w+|LayersModel|Sequential|Variable|io\.\w+)$/;
const HARMLESS =
  /^(?:setBackend|ready|enableProdMode|enableDebugMode|getBackend|memory|engine|env|nextFrame|dispose|disposeVariables|keep|registerBackend|util\.\w+|backend|profile|time)$/;
const RUNNERS = /^(?:tidy|grad|grads|valueAndGrad|valueAndGrads|variableGrads|customGrad)$/;

/** Methods that train: they change every variable that there is, the optimizer's and the model's. */
const TRAINS = /^(?:minimize|applyGradients|fit|fitDataset|trainOnBatch|computeGradients)$/;
const READS =
  /^(?:getConfig|summary|countParams|toJSON|getLayer|save|print|dataSync|data|arraySync|array|bytes|buffer|apply|call|computeOutputShape|getClassName|shape|dispose)$/;
/** Give tensors; those of `getWeights` are the variables themselves, which only `assign` changes. */
const GIVES_TENSORS = /^(?:predict|predictOnBatch|evaluate|evaluateDataset|getWeights|read)$/;

/** What every tensor can be asked, and so a variable: none of it is a method of a model that trains. */
const TENSOR_READS =
  /^(?:abs|acos|all|any|argMax|argMin|as[1-5]D|asScalar|asType|ceil|clipByValue|clone|concat|cos|cumsum|div|dot|equal|erf|exp|expandDims|expm1|flatten|floor|gather|greater|greaterEqual|isFinite|isInf|isNaN|less|lessEqual|log|log1p|logSumExp|matMul|max|maximum|mean|min|minimum|mod|mul|neg|norm|notEqual|oneHot|pow|prod|reciprocal|relu|reshape|reshapeAs|round|rsqrt|sigmoid|sign|sin|slice|softmax|softplus|split|sqrt|square|squaredDifference|squeeze|stack|sub|sum|tan|tanh|tile|toBool|toFloat|toInt|topk|transpose|unstack|where)$/;

export const TFJS: Library = {
  call(path) {
    const name = path.replace(/^default\./, "");
    if (OWNERS.test(name)) return OWNER;
    if (RUNNERS.test(name)) return RUNS;
    if (name === "keep") return { returns: ["first"] };
    if (HARMLESS.test(name)) return { makes: "promise", holds: ["arguments"] };
    return TENSOR;
  },
  method(kind, name) {
    const runs: Effect = { ...TENSOR, calls: RUNS.calls ?? [] };
    if (name === "dataSync" || name === "data") return { makes: "typed" };
    if (name === "arraySync" || name === "array") {
      return { makes: "opaque", path: "data", holds: ["self"] };
    }
    // It may be a weight of any model.
    if (kind === "tensor" && name === "assign") return { trains: true };
    if (kind === "tensor") return name === "print" || name === "dispose" ? NOTHING : TENSOR;
    if (GIVES_TENSORS.test(name)) return TENSOR;
    if (TRAINS.test(name)) return { ...runs, deep: ["receiver", "arguments"], trains: true };
    if (READS.test(name) || TENSOR_READS.test(name))
      return { ...TENSOR, holds: ["self", "content"] };
    return {
      ...OWNER,
      ...runs,
      path: "owner",
      holds: ["self", "content", "arguments"],
      deep: ["receiver"],
      returns: ["content"],
    };
  },
};
