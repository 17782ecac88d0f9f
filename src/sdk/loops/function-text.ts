/** @file Lets functions of rewritten source say what their author wrote. */
import { withoutInserted } from "../../format/index.ts";

const { prototype } = Function;
const native = Reflect.get(prototype, "toString");

/** As the native method, also to whoever looks at it. */
const written = function toString(this: unknown): string {
  return this === written ? native.call(native) : withoutInserted(native.call(this));
};

/** From now on, for all functions: nobody can tell which ones a program will ask. */
export function showWrittenText(): void {
  const how = { value: written, writable: true, configurable: true };
  Object.defineProperty(prototype, "toString", how);
}
