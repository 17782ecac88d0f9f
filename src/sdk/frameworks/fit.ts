/** @file `fit` and `fitCallback`: what a program says to have a training of TensorFlow.js recorded. */
import { AfterlogError } from "../../format/index.ts";
import { current } from "../current.ts";
import { RecordedModel, recordFit } from "./fit-recording.ts";
import type { FitCallbackOptions } from "./fit-callback.ts";
import { FitCallback } from "./fit-callback.ts";
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
  if (model instanceof RecordedModel) return model.record({ data: [x, y], args });
  const session = current();
  const site = session?.sites.find("loop", "epoch", session.frame?.site ?? null, fit) ?? null;
  return recordFit({ session, model, data: [x, y], args, site });
}

/**
 * A callback for a `model.fit` of your own: says how often a checkpoint is taken inside of its epochs.
 * Under `afterlog run` the call is recorded without it, too, and what is taken is used by replays and
 * resumed runs. Where the call is not rewritten, as under plain `node`, it records loops and quantities
 * as `fit` does, and declares the model if given; no replay begins with what it takes then.
 *
 * @example await model.fit(x, y, { epochs: 10, callbacks: al.fitCallback(model, { every: 100 }) });
 */
export function fitCallback(model?: object, options: FitCallbackOptions = {}): FitHandlers {
  return new FitCallback({ session: current(), model }, options);
}
