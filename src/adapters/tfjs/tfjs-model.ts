/**
 * @file TensorFlow.js models and layers: every weight, trainable or not, the recurrent states of
 * stateful layers, which layers are frozen, and the compiled optimizer.
 */
import type { Adapter, NodeOf } from "../adapter.ts";
import { adaptedClass } from "../javascript/state-dict.ts";
import { isTfVariable } from "./tfjs.ts";
import type { TfTensor, TfVariable } from "./tfjs.ts";
import { isTfOptimizer } from "./tfjs-optimizer.ts";

type AdaptedNode = NodeOf<"adapted">;

interface TfLayer {
  readonly weights: readonly { readonly name: string; readonly val: TfVariable }[];
  readonly layers?: readonly TfLayer[];
  trainable: boolean;
  readonly stateful: boolean;
  states_?: readonly TfTensor[] | null;
  stopTraining_?: boolean;
  optimizer?: object | null;
}

interface ModelState {
  readonly weights: { readonly [name: string]: TfVariable };
  /** Of each layer, in order: names differ from process to process. */
  readonly trainable: readonly boolean[];
  readonly states: readonly (readonly TfTensor[] | null)[];
  readonly stopTraining: boolean | undefined;
  readonly optimizer: object | null;
}

export function isTfLayer(value: object): value is TfLayer {
  const can = (name: string): boolean =>
    name in value && typeof Reflect.get(value, name) === "function";
  if (!can("getWeights") || !can("setWeights") || !can("countParams")) return false;
  if (!("weights" in value) || !Array.isArray(value.weights)) return false;
  return value.weights.every((weight: { val?: unknown } | null) => isTfVariable(weight?.val));
}

/** The layer and all layers inside it, each once. */
function allLayers(root: TfLayer): TfLayer[] {
  const found = new Set<TfLayer>([root]);
  for (const layer of found) for (const inner of layer.layers ?? []) found.add(inner);
  return [...found];
}

function isStateful(layer: TfLayer): boolean {
  return layer.layers === undefined && layer.stateful;
}

function stateOf(model: TfLayer): ModelState {
  const layers = allLayers(model);
  return {
    weights: Object.fromEntries(model.weights.map(({ name, val }) => [name, val])),
    trainable: layers.map(({ trainable }) => trainable),
    states: layers.map((layer) => (isStateful(layer) ? (layer.states_ ?? null) : null)),
    stopTraining: model.stopTraining_,
    optimizer: isTfOptimizer(model.optimizer) ? model.optimizer : null,
  };
}

export const tfModelAdapter: Adapter<TfLayer, AdaptedNode> = {
  name: "tfjs-model",
  matches: isTfLayer,
  write(value, writer) {
    const state = stateOf(value);
    // What is met here first has the short path: `model.dense_Dense1/kernel`.
    writer.value(state.weights, "");
    return {
      t: "adapted",
      adapter: "tfjs-model",
      ...adaptedClass(value),
      state: writer.value(state, ""),
    };
  },
  reads: (node): node is AdaptedNode => node.t === "adapted" && node.adapter === "tfjs-model",
  allocate(_node, live, reader) {
    if (live === undefined) {
      throw reader.mismatch(
        "it is a model that was made in the loop",
        "make the model before the loop",
      );
    }
    if (!isTfLayer(live)) throw reader.mismatch("it was a model of TensorFlow.js and is not now");
    return live;
  },
  load(node, model, reader) {
    const state = reader.value(node.state) as ModelState;
    const now = new Set(model.weights.map(({ val }) => val));
    const captured = Object.entries(state.weights);
    for (const [name, variable] of captured) {
      if (!now.has(variable)) {
        throw reader.mismatch(
          `its weight ${name} was made in the loop`,
          "build the model before the loop: give its first layer an inputShape",
        );
      }
    }
    if (captured.length !== now.size) {
      throw reader.mismatch(`it has ${now.size} weights now, and had ${captured.length}`);
    }
    const layers = allLayers(model);
    if (layers.length !== state.trainable.length) {
      throw reader.mismatch(
        `it has ${layers.length} layers now, and had ${state.trainable.length}`,
      );
    }
    loadLayers(layers, state);
    if (model.stopTraining_ !== state.stopTraining)
      model.stopTraining_ = state.stopTraining ?? false;
    if (state.optimizer !== null && model.optimizer !== state.optimizer) {
      model.optimizer = state.optimizer;
    }
  },
};

function loadLayers(layers: readonly TfLayer[], state: ModelState): void {
  for (const [i, layer] of layers.entries()) {
    const trainable = state.trainable[i] ?? layer.trainable;
    if (layer.trainable !== trainable) layer.trainable = trainable;
    if (isStateful(layer)) layer.states_ = state.states[i] ?? null;
  }
}
