/**
 * @file How the arguments of a call of the console are written, where it shows no name: rewritten
 * sources tell it just before the call, with the last argument on its way.
 */

export class WrittenTexts {
  #told: { readonly texts: readonly string[]; readonly last: unknown } | undefined;

  tell<T>(texts: readonly string[], last: T): T {
    this.#told = { texts, last };
    return last;
  }

  /** Of the call that got these arguments; undefined if nothing is known of it. */
  take(given: readonly unknown[]): readonly string[] | undefined {
    const told = this.#told;
    this.#told = undefined;
    const isOfCall = told?.texts.length === given.length && Object.is(told.last, given.at(-1));
    return isOfCall ? told.texts : undefined;
  }
}
