/** @file What the exit codes of `afterlog` mean. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, "done"],
  [1, "error"],
  [2, "the command line cannot be understood"],
  [3, "some runs failed"],
  [4, "would need confirmation"],
  [5, "a landing needs review"],
  [130, "interrupted"],
];
