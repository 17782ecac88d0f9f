/**
 * @file TensorFlow.js tensors (immutable: a new one is bound) and variables (assigned in place).
 *
 * A tensor's `dataId` never changes its content, and `assign` gives a variable another one, so it
 * proves that bytes are unchanged; tensors that share it share one leaf.
 */
import { copyBytes } from "../../format/index.ts";
import type { Adapter, NodeOf, NodeReader, NodeWriter, TensorLeaf } from "../adapter.ts";
import {
  isTfTensor,
  isTfVariable,
  makeTfTensor,
  packStrings,
  tfBytes,
  tfEngine,
  tfLayout,
} from "./tfjs.ts";
import type { TfTensor } from "./tfjs.ts";

const TFJS = "tfjs";
type TensorNode = NodeOf<"tensor">;

function leafOf(tensor: TfTensor, writer: NodeWriter): Omit<TensorLeaf, "name"> {
  const immutable = tensor.dataId;
  const layout = tfLayout(tensor);
  if (layout !== undefined) {
    const bytes =
      tensor.size * (tensor.dtype === "complex64" ? 8 : tensor.dtype === "bool" ? 1 : 4);
    return { ...layout, bytes, immutable, copyTo: (target) => copyBytes(target, tfBytes(tensor)) };
  }
  if (tensor.dtype !== "string") return writer.refuse(`a tensor of type ${tensor.dtype}`);
  const packed = packStrings(tfEngine().readSync(tensor.dataId));
  const bytes = packed.byteLength;
  return {
    dtype: "U8",
    shape: [bytes],
    bytes,
    immutable,
    copyTo: (target) => copyBytes(target, packed),
  };
}

/** Names that tfjs gives by counting differ from process to process and say nothing. */
function isGivenName(name: string): boolean {
  return !/^\d+$/.test(name);
}

function writeTensor(tensor: TfTensor, writer: NodeWriter): TensorNode {
  if (tensor.isDisposed) {
    writer.refuse("a tensor that was disposed", "keep the tensor alive, or leave it out");
  }
  const node = {
    t: "tensor" as const,
    framework: TFJS,
    tensor: writer.identifying ? "" : writer.leaf(leafOf(tensor, writer)),
    dtype: tensor.dtype,
    shape: [...tensor.shape],
  };
  if (!isTfVariable(tensor)) return node;
  const name = isGivenName(tensor.name) ? { name: tensor.name } : {};
  return { ...node, flags: { variable: true, trainable: tensor.trainable, ...name } };
}

function sameLayout(node: TensorNode, tensor: TfTensor): boolean {
  return tensor.dtype === node.dtype && String(tensor.shape) === String(node.shape);
}

/** A variable or tensor made from the node alone. */
function newTensor(node: TensorNode, reader: NodeReader): TfTensor {
  const tensor = makeTfTensor(reader.bytes(node.tensor), node.shape, node.dtype);
  if (node.flags?.["variable"] !== true) return tensor;
  const { name } = node.flags;
  const given = typeof name === "string" ? name : undefined;
  // The variable that had the name was replaced in the loop: it lives on without one.
  if (given !== undefined) delete tfEngine().state.registeredVariables[given];
  const variable = tensor.variable(node.flags["trainable"] === true, given);
  tensor.dispose();
  return variable;
}

/** A tensor that is there and has these very bytes stays: others may hold it too. */
function isUnchanged(node: TensorNode, live: TfTensor, reader: NodeReader): boolean {
  if (live.isDisposed || !sameLayout(node, live) || tfLayout(live) === undefined) return false;
  return Buffer.compare(tfBytes(live), reader.bytes(node.tensor)) === 0;
}

export const tfTensorAdapter: Adapter<TfTensor, TensorNode> = {
  name: "tfjs-tensor",
  matches: isTfTensor,
  write: writeTensor,
  reads: (node): node is TensorNode => node.t === "tensor" && node.framework === TFJS,
  allocate(wanted, live, reader) {
    if (live !== undefined && !isTfTensor(live)) {
      throw reader.mismatch("it was a tensor of TensorFlow.js and is not now");
    }
    if (wanted.flags?.["variable"] !== true) {
      return live !== undefined && isUnchanged(wanted, live, reader)
        ? live
        : newTensor(wanted, reader);
    }
    if (!isTfVariable(live) || live.isDisposed) return newTensor(wanted, reader);
    if (!sameLayout(wanted, live)) {
      const [now, then] = [live, wanted].map(({ dtype, shape }) => `${dtype}[${shape.join(",")}]`);
      throw reader.mismatch(`it is ${now} now, and was ${then}`);
    }
    return live;
  },
  fill(wanted, variable, reader) {
    if (wanted.flags?.["variable"] !== true || !isTfVariable(variable)) return;
    const value = makeTfTensor(reader.bytes(wanted.tensor), wanted.shape, wanted.dtype);
    variable.assign(value);
    value.dispose();
    variable.trainable = wanted.flags["trainable"] === true;
  },
};
