/** @file Names of flags that say whether a model trains or is evaluated: no framework of the language has one convention. */

/** `training`, `isTraining`, `_training`, `is_training`; `train`, `eval`, … */
const FLAG = /^[_$]?(?:is_?)?(?:training|train|eval|evaluating|evaluation|inference)$/i;
/** `mode = "train"` */
const MODE = /^[_$]?(?:mode|phase)$/i;

/** What a flag of that name holds; undefined: it sounds like none. */
export function flagKind(name: string): "boolean" | "string" | undefined {
  if (FLAG.test(name)) return "boolean";
  return MODE.test(name) ? "string" : undefined;
}
