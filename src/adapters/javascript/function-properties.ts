/**
 * @file Properties that functions have: a function is captured by its identity, so what is put on it while a
 * loop runs is in no checkpoint, and must at least be noticed.
 */

import { types } from "node:util";

/** Properties of a function with their values. */
export type FunctionProperties = ReadonlyMap<string | symbol, unknown>;

/** Who is asked while a function runs gives something else. */
const OF_THE_CALL: ReadonlySet<string | symbol> = new Set(["arguments", "caller"]);

export function functionProperties(made: Function): FunctionProperties {
  const found = new Map<string | symbol, unknown>();
  // To list them would execute code of the program.
  if (types.isProxy(made)) return found;
  for (const key of Reflect.ownKeys(made)) {
    if (OF_THE_CALL.has(key)) continue;
    const property = Object.getOwnPropertyDescriptor(made, key);
    // Of an accessor only that it is one: to ask it would execute code of the program.
    found.set(key, property && "value" in property ? property.value : "an accessor");
  }
  return found;
}

/** One that the function has not now as it had it then. */
export function changedProperty(
  made: Function,
  then: FunctionProperties,
): string | symbol | undefined {
  const now = functionProperties(made);
  for (const [key, value] of now) {
    if (!then.has(key) || !Object.is(then.get(key), value)) return key;
  }
  return [...then.keys()].find((key) => !now.has(key));
}
