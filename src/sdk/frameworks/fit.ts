/** @file `fit` and `fitCallback`: what a program says to have a training of TensorFlow.js recorded. */
import { AfterlogError } from "../../format/index.ts";
import { current } from "../current.ts";
import { FitRecording, recordFit } from "./fit-recording.ts";
import type { FitHandlers } from "./fit-callbacks.ts";
import type { FitArguments, FitHistory, FitModel } from "./fit-recording.ts";

/**
 * `model.fit(x, y, args)`, recorded: loops `epoch` and `batch`, the model and its optimizer
 * declared, each quantity of an epoch logged by its name and of a batch as `batch_<name>`.
 */
export async function fit<M extends FitModel>(
  model: M,
  x: Parameters<M["fit"]>[0],
  y: Parameters<M["fit"]>[1],
  args: FitArguments = {},
): Promise<FitHistory> {
  if (typeof (model as Partial<FitModel>)?.fit !== "function") {
    throw new AfterlogError("AL062", "fit takes a TensorFlow.js model with a fit method", {
      help: ["give the compiled model first:  await al.fit(model, x, y, { epochs: 10 })"],
    });
  }
  const session = current();
  const site = session?.sites.find("loop", "epoch", session.frame?.site ?? null, fit) ?? null;
  return recordFit({ session, model, data: [x, y], args, site });
}

/**
 * A callback for a `model.fit` of your own: records loops and quantities as `fit` does, and
 * declares the model if given. It does not change how the model trains, so the order of later
 * epochs cannot be reached from a checkpoint alone: prefer `fit` where you can.
 */
export function fitCallback(model?: object): FitHandlers {
  const recording = new FitRecording({ session: current(), model, site: null });
  return {
    onTrainBegin: () => recording.trainBegin({}),
    onEpochBegin: (epoch) => recording.epochBegin(epoch),
    onBatchBegin: (batch) => recording.batchBegin(batch),
    onBatchEnd: (_, logs) => recording.batchEnd(logs),
    onEpochEnd: (_, logs) => recording.epochEnd(logs),
    onTrainEnd: () => recording.trainEnd("exhausted"),
  };
}
