/** Runs a program and tells which of its variables differ after the loop from before. */

/** `al` of the programs, without any recording. */
const al = {
  loop: <T>(_: string, items: T): T => items,
  log: <T>(_: string, value: T): T => value,
  checkpointing: <T>(record: T): T => record,
  range: (stop: number): number[] => Array.from({ length: stop }, (_, index) => index),
};

type AsyncProgram = (
  api: typeof al,
  see: (name: string, get: () => unknown) => void,
  before: () => void,
  after: () => void,
) => Promise<void>;

const AsyncFunction = (async (): Promise<void> => undefined).constructor as new (
  ...parts: string[]
) => AsyncProgram;

/** Names of variables that the loop changed: set, or an object that can be got from them. */
export async function changedBy(observed: string): Promise<Set<string>> {
  const seen: { name: string; get: () => unknown; before?: string }[] = [];
  const changed = new Set<string>();
  const picture = new Pictures();
  const run = new AsyncFunction("al", "__see", "__before", "__after", observed);
  const ended = { loop: false };
  // One that fails before its loop has nothing to tell.
  await run(
    al,
    (name, get) => {
      if (!ended.loop) seen.push({ name, get });
    },
    () => {
      for (const one of seen) one.before = picture.of(one.get);
    },
    () => {
      ended.loop = true;
      for (const { name, get, before } of seen) {
        // Made in the loop: there is no before.
        if (before !== undefined && picture.of(get) !== before) changed.add(name);
      }
    },
  ).catch(() => undefined);
  return changed;
}

/** Texts of object graphs, in which the same object always has the same number. */
class Pictures {
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;

  of(get: () => unknown): string {
    const parts: string[] = [];
    const seen = new Set<object>();
    try {
      this.#draw(get(), parts, seen);
    } catch (error) {
      return `unbound ${String(error)}`;
    }
    return parts.join(" ");
  }

  #draw(value: unknown, parts: string[], seen: Set<object>): void {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) {
      parts.push(String(value));
      return;
    }
    let number = this.#numbers.get(value);
    if (number === undefined) this.#numbers.set(value, (number = this.#count++));
    parts.push(`#${number}`);
    // What functions hold is seen as variables of its own.
    if (seen.has(value) || typeof value === "function") return;
    seen.add(value);
    const inside: unknown[] = [];
    if (value instanceof Map) inside.push(...[...value].flat());
    if (value instanceof Set) inside.push(...value);
    for (const key of Object.keys(value)) {
      const { value: field } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      inside.push(key, field);
    }
    const { constructor } = value as { constructor?: { peek?: (object: object) => unknown[] } };
    if (constructor?.peek) inside.push(...constructor.peek(value));
    parts.push("(");
    for (const held of inside) this.#draw(held, parts, seen);
    parts.push(")");
  }
}
