/**
 * @file Leaves out the name that a test asks the analysis to miss, in every process that analyses
 * the program (`host/test-seams.ts`).
 */
import { ownEnvironment, testSeams } from "../../../../host/index.ts";
import type { ChangedName } from "../../../source-model.ts";

/** The changes that are not overlooked. */
export function withoutOverlooked(
  changes: ChangedName[],
  { file, ordinal }: { readonly file: string; readonly ordinal: number },
): ChangedName[] {
  const { overlooked } = testSeams(ownEnvironment);
  if (overlooked === undefined) return changes;
  return changes.filter(({ key }) => overlooked !== `${file}#${ordinal} ${key}`);
}
