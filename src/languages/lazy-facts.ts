/** @file Facts that are computed when they are first asked for, and once. */

/** An object with these fields. */
export function lazyFacts<T extends object>(fields: { readonly [K in keyof T]: () => T[K] }): T {
  const made = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const get = (): T[keyof T] => {
      const value = fields[key]();
      Object.defineProperty(made, key, { value });
      return value;
    };
    Object.defineProperty(made, key, { get, configurable: true, enumerable: true });
  }
  return made as T;
}

/** A function that answers once for each object that it is asked with. */
export function once<K extends object, V>(answer: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const value = known.get(key) ?? answer(key);
    known.set(key, value);
    return value;
  };
}

/** A function that keeps its last answers: the newest version is asked for with every older one. */
export function keepingLast<A extends readonly string[], T>(
  most: number,
  answer: (...texts: A) => T,
): (...texts: A) => T {
  const last = new Map<string, T>();
  return (...texts) => {
    const key = texts.join("\0");
    const known = last.get(key) ?? answer(...texts);
    // As the last one, so that what is asked for most stays.
    last.delete(key);
    last.set(key, known);
    const [oldest] = last.keys();
    if (last.size > most && oldest !== undefined) last.delete(oldest);
    return known;
  };
}
