/** @file Which differences of the state are a question's doing. */
export class QuestionChanges {
  /** Whether something of the question was executed since the state was equal last. */
  isAsked = false;
  /** Places that differed though nothing was. */
  readonly #different = new Set<string>();

  /** Of places that differ at the end of an iteration or a loop, those that the question changed. */
  among(differs: readonly string[]): readonly string[] {
    if (!this.isAsked) for (const key of differs) this.#different.add(key);
    this.isAsked &&= differs.length > 0;
    return differs.filter((key) => !this.#different.has(key));
  }
}
