/** @file What a run may be called, as errors. It needs no index: a name is looked at before a recording. */
import { AfterlogError, runNameProblem } from "../../format/index.ts";

/** Throws AL009 if a run cannot be called so. */
export function checkRunName(name: string): void {
  const problem = runNameProblem(name);
  if (problem !== undefined) throw cannotBeName(name, problem);
}

export function cannotBeName(name: string, why: string): AfterlogError {
  const plain = name.replaceAll(/[^\p{L}\p{N}_.+-]+/gu, "-").replace(/^[-.+]+|-+$/gu, "");
  const isBetter = plain !== name && plain !== "" && runNameProblem(plain) === undefined;
  return new AfterlogError("AL009", `a run cannot be called ${JSON.stringify(name)}: ${why}`, {
    help: [
      isBetter
        ? `for example  ${plain}`
        : "a name is one word that no other run has, such as  lr-0.1",
      "a sentence about a run is a note:  afterlog note RUN TEXT",
    ],
    data: { name },
  });
}
