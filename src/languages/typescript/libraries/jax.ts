/**
 * @file jax-js. Arrays never change; functions change none of their arguments, and call those that
 * they are given (`jit`, `grad`, `vmap`, `tree.map`). What they return is new: an array, a tree of
 * arrays, or a function around the one given. A tree can be changed by the program that holds it.
 */
import type { Effect, Library } from "./effect.ts";
import { NOTHING } from "./effect.ts";

const VALUE: Effect = { makes: "opaque", path: "jax", holds: ["self"] };
/** A function or a tree with what it was given in it: calling it calls what it holds. */
const AROUND: Effect = { ...VALUE, holds: ["self", "arguments"] };
const WITH_FUNCTIONS: Effect = {
  makes: "opaque",
  path: "jax",
  holds: ["self", "results"],
  calls: [
    ["fields", "elements", "arguments", "self", "results"],
    ["fields", "elements", "arguments", "self", "results"],
    ["fields", "elements", "arguments", "self", "results"],
    ["fields", "elements", "arguments", "self", "results"],
  ],
};

const WRAPPERS =
  /^(?:jit|grad|valueAndGrad|vmap|jvp|vjp|linearize|jacfwd|jacrev|hessian|makeJaxpr|checkpoint|customVjp)$/;
const HARMLESS = /^(?:init|defaultDevice|setDebug|blockUntilReady|tree\.dispose|devices)$/;

export const JAX: Library = {
  call(path) {
    const name = path.replace(/^default\./, "");
    if (HARMLESS.test(name)) return { makes: "promise" };
    if (WRAPPERS.test(name)) return AROUND;
    if (/^tree\.(?:leaves|flatten|unflatten|ref|structure)$/.test(name)) return AROUND;
    return WITH_FUNCTIONS;
  },
  method(_, name) {
    if (name === "dataSync" || name === "data") return { makes: "typed", returns: [] };
    if (name === "js" || name === "jsAsync")
      return { makes: "opaque", path: "data", holds: ["self"] };
    return name === "item" || name === "dispose" ? NOTHING : VALUE;
  },
};
