/** @file Heads of loops that go over the same, and count or show how far they are. */
import type { Anatomy, Shape } from "../../../languages/index.ts";
import type { Comparison, IsSame } from "./comparison.ts";

type Loop = Extract<Anatomy, { kind: "loop" }>;

/** Whether what two loops set is the same, and whether a name stands for what one goes over. */
interface Heads {
  readonly targets: IsSame;
  readonly isNamed: IsSame;
}

export function isSameLoop(
  own: Comparison,
  then: Loop,
  now: Loop,
  { targets, isNamed }: Heads,
): boolean {
  const { inner, isNumbered } = unwrapped(own, now.over);
  if (!own.areEqual(then.over, inner)) {
    const isOwn = own.calledIn(then.over) !== "loop" && isNamed(then.over, now.over);
    return isOwn && targets(then.target, now.target);
  }
  if (inner !== now.over) own.differs(then.over, now.over);
  if (!isNumbered) return targets(then.target, now.target);
  // A loop that names itself counts what it is given, wherever a replay begins.
  if (own.calledIn(then.over) === "loop") return false;
  const target = own.anatomyNow(now.target);
  const [number, item, ...others] = target?.kind === "sequence" ? target.items : [];
  // A name of the run is another matter: whether the run reads its value.
  const isName = number !== undefined && own.anatomyNow(number)?.kind === "name";
  if (!number || !item || others.length > 0 || !(isName || own.areNew(number))) return false;
  own.differs(then.target, now.target);
  return own.isSameTarget(then.target, item);
}

/** What `enumerate`, `entries` and the like go through. */
function unwrapped(
  own: Comparison,
  over: Shape,
): { readonly inner: Shape; readonly isNumbered: boolean } {
  const wrapper = own.versions.now.language.iteratedBy(over);
  if (!wrapper?.callees.every((callee) => isFromElsewhere(own, callee)))
    return { inner: over, isNumbered: false };
  const inside = unwrapped(own, wrapper.inner);
  if (inside.isNumbered && wrapper.isNumbered) return { inner: over, isNumbered: false };
  return { inner: inside.inner, isNumbered: inside.isNumbered || wrapper.isNumbered };
}

/** Whether a name is of the language, or imported. */
function isFromElsewhere({ versions }: Comparison, { start, end }: Shape): boolean {
  const used = versions.now.scopes.references.filter(({ node }) => {
    return start <= node.start && node.end <= end;
  });
  return used.every(({ binding }) => !binding || binding.kind === "import");
}
