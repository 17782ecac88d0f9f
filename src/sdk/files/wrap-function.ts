/**
 * @file A function of Node's that does something of ours first, and is the same to everybody else:
 * its name, its length, and what `util.promisify` finds on it, which no loop over its properties
 * would.
 */
import { promisify } from "node:util";

type NodeFunction = (this: unknown, ...args: unknown[]) => unknown;
/** A module of Node's: what it exports, by name. */
export type NodeFunctions = { [name: string]: NodeFunction | undefined };

/** Other ways to call the same function, kept on it: `promisify(exec)`, `fs.realpath.native`. */
const VARIANTS: readonly (string | symbol)[] = [promisify.custom, "native"];

/** Stands in for `original`; `before` gets the arguments of each call and gives those to be used. */
export function wrapFunction(
  original: NodeFunction,
  before: (args: unknown[]) => unknown[],
): NodeFunction {
  const wrap = (called: NodeFunction): NodeFunction =>
    function (...args) {
      return Reflect.apply(called, this, before(args));
    };
  const wrapped = wrap(original);
  for (const key of Reflect.ownKeys(original)) {
    const property = Reflect.getOwnPropertyDescriptor(original, key);
    const value: unknown = property?.value;
    const isVariant = VARIANTS.includes(key) && typeof value === "function";
    const own = isVariant ? { ...property, value: wrap(value as NodeFunction) } : property;
    // One that cannot be had is not worth the program's function.
    if (own) Reflect.defineProperty(wrapped, key, own);
  }
  return wrapped;
}
