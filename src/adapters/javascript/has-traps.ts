/**
 * @file Whether an object can only be looked at by executing code of the program, or of Node: a Proxy,
 * or one that inherits from a Proxy, as the exports of a CommonJS module do that is not loaded to its
 * end. Nothing of ours looks into one.
 */
import { types } from "node:util";

/** See above. Of nearly all objects the first prototype says it. */
export function hasTraps(value: object): boolean {
  let at: object | null = value;
  while (at !== null && at !== Object.prototype && at !== Array.prototype) {
    if (types.isProxy(at)) return true;
    at = Object.getPrototypeOf(at) as object | null;
  }
  return false;
}
