/** @file Lists of declarations, exported names and branches, which have more in them than before. */
import type { Anatomy, Shape } from "../../../languages/index.ts";
import type { Comparison } from "./comparison.ts";

type Exports = Extract<Anatomy, { kind: "exports" }>;
type Branch = Extract<Anatomy, { kind: "branch" }>;

/** Whether all but the first condition is the same, around the blocks. */
export function areSameBranches({ versions }: Comparison, then: Branch, now: Branch): boolean {
  const { formsThen, formsNow } = versions;
  return (
    then.others.length === now.others.length &&
    then.others.every((one, at) => {
      const other = now.others[at];
      return other && formsThen.aroundBy(one) === formsNow.aroundBy(other);
    })
  );
}

/** `let a = 1, b = 0` for `let a = 1`. */
export function declaresMore(own: Comparison, then: Shape, now: Shape): boolean {
  const [old, items] = [then.parts, now.parts];
  if (then.label !== now.label || items.length <= old.length) return false;
  const isSame = old.every((one, at) => own.areEqual(one, items[at] ?? now));
  own.isMore(items, old.length);
  return (
    isSame &&
    items.slice(old.length).every((one) => {
      const given = own.anatomyNow(one);
      if (given?.kind !== "assignment") return false;
      return own.areNew(given.target) && own.onlyComputes(given.value);
    })
  );
}

/** `export { a, b }` for `export { a }`. */
export function exportsMore(own: Comparison, then: Exports, now: Exports): boolean {
  const { others, then: file } = own.versions;
  const [before, after] = [then.names, now.names];
  if (after.length <= before.length || !others.areTakenByName(file.file)) return false;
  own.isMore(after, before.length);
  return before.every((one, at) => own.areEqual(one, after[at] ?? one));
}
