/** @file Values by what they are made from, each made once. */
export class Memo<Value> {
  readonly #values = new Map<string, { readonly value: Value }>();

  /** `key`: all that the value depends on, as JSON can tell it apart. */
  get(key: readonly unknown[], make: () => Value): Value {
    const text = JSON.stringify(key);
    const known = this.#values.get(text) ?? { value: make() };
    this.#values.set(text, known);
    return known.value;
  }
}
