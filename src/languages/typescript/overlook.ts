/**
 * @file A seam for tests: one name that the analysis is to overlook, as if it had a hole there. What
 * then goes wrong must be found out by the audit of the recording, or by the deferred check.
 *
 * `AFTERLOG_OVERLOOK='train.ts#2 train.ts:0:ema'`: the changes of the loop with ordinal 2 in that
 * file lose the name with that key, in every process that analyses the program.
 */
import type { ChangedName } from "../source-model.ts";

/** The changes that are not overlooked. */
export function withoutOverlooked(
  changes: ChangedName[],
  { file, ordinal }: { readonly file: string; readonly ordinal: number },
): ChangedName[] {
  const asked = process.env["AFTERLOG_OVERLOOK"];
  if (asked === undefined) return changes;
  return changes.filter(({ key }) => asked !== `${file}#${ordinal} ${key}`);
}
