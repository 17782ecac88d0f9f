/** @file Functions that give back more, and are called in other files than theirs. */
import type { FileEdit } from "../align.ts";
import { ObjectUses } from "./object-uses.ts";
import type { OtherFiles } from "./other-files.ts";
import { filesApart, isEverywhere } from "./widened.ts";

/**
 * Of the functions that seem to give back more and that several files mention: those on which all
 * changed files agree are one change each, the others none.
 */
export function agreedAmong(
  edits: readonly FileEdit[],
  others: OtherFiles,
): Map<string, object | undefined> {
  const widened = edits.flatMap((edit) => edit.widened);
  const names = new Set(widened.map((one) => one.function));
  const found = new Map<string, object | undefined>();
  for (const name of names) {
    const homes = edits.filter(({ widened: own }) => {
      return own.some((one) => one.function === name && one.is === "return");
    });
    const apart = filesApart(
      name,
      others,
      homes.map(({ then }) => then.file),
    );
    const files = others.filesWith(name).filter((file) => !apart.includes(file));
    if (files.length < 2) continue;
    const own = edits.filter(({ then }) => files.includes(then.file));
    const isCalledOtherwise = own.some(({ then }) => {
      return then.imports.some(({ imported, local }) => imported === name && local !== name);
    });
    const olders = own.map(({ then }) => ({ then, flow: new ObjectUses(then, others) }));
    const isAgreed =
      own.length === files.length &&
      !isCalledOtherwise &&
      isEverywhere(
        name,
        widened.filter((one) => one.function === name),
        olders,
        apart,
      );
    found.set(name, isAgreed ? {} : undefined);
  }
  return found;
}
