/**
 * @file What functions made by `bind` hold: nobody can ask them, so it is remembered when they are made.
 */

const held = new WeakMap<Function, readonly object[]>();

/**
 * Remembers from now on what `bind` is given. As a Proxy it looks like the native function to who asks
 * for its name or its text.
 */
export function rememberBound(): void {
  const { prototype } = Function;
  const known = Reflect.get(prototype, "bind") as Function;
  const bind = new Proxy(known, {
    apply(native, target: Function, given: unknown[]): Function {
      const made = Reflect.apply(native, target, given) as Function;
      held.set(made, [target, ...given].filter(isObject));
      return made;
    },
  });
  Object.defineProperty(prototype, "bind", { value: bind });
}

/** The objects that it was made with; none for another function. */
export function heldBy(made: Function): readonly object[] {
  return held.get(made) ?? [];
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
