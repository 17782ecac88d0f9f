/**
 * @file What is found while two statements are compared part by part: which parts of the newer one are
 * new, with what the older one says there. The questions that every comparison asks are here, too.
 */
import type { Anatomy, Edit, Shape, Statement } from "../../../languages/index.ts";
import { methodOfCalled } from "./called-objects.ts";
import { isHarmless, onlyComputes } from "./only-computes.ts";
import type { Extended } from "./extended.ts";
import type { OldNames } from "./old-names.ts";
import type { Versions, Widened } from "./shapes.ts";

/** Whether two expressions are the same, or one is the other with more to see; notes what is new. */
export type IsSame = (then: Shape, now: Shape) => boolean;

export class Comparison {
  readonly versions: Versions;
  readonly oldNames: OldNames;
  /** The statement of the older version. */
  readonly then: Statement;
  readonly undo: Edit[] = [];
  readonly same: (readonly [Shape, Shape])[] = [];
  /** Names that nothing reads, and that have others now. */
  readonly unset: string[] = [];
  readonly extended: Extended[] = [];
  /** Keys that a mapping has in addition. */
  readonly keys: string[] = [];
  readonly widened: Widened[] = [];
  /** Names that only a whole run gives their values. */
  readonly carried: string[] = [];
  /** Functions that it has around it now. */
  readonly decorators: string[] = [];
  /** The function whose result has a name now, and was ignored. */
  result: string | undefined;

  constructor(versions: Versions, oldNames: OldNames, then: Statement) {
    this.versions = versions;
    this.oldNames = oldNames;
    this.then = then;
  }

  /** Tries a comparison; nothing stays noted where it fails. */
  tried(compare: () => boolean): boolean {
    const { undo, same, unset, extended, keys, widened, carried, decorators } = this;
    const lists = [undo, same, unset, extended, keys, widened, carried, decorators];
    const kept = lists.map((list) => [list, list.length] as const);
    if (compare()) return true;
    for (const [list, length] of kept) list.splice(length);
    return false;
  }

  /** Whether two parts say the same. */
  areEqual(then: Shape, now: Shape): boolean {
    const { formsThen, formsNow } = this.versions;
    const isSame = formsThen.saidBy(then) === formsNow.saidBy(now);
    if (isSame) this.same.push([then, now]);
    return isSame;
  }

  /** `a, b` and `(a, b)` are the same. */
  isSameTarget(then: Shape, now: Shape): boolean {
    if (this.areEqual(then, now)) return true;
    const [old, own] = [this.anatomyThen(then), this.anatomyNow(now)];
    if (old?.kind !== "sequence" || own?.kind !== "sequence") return false;
    if (old.items.length !== own.items.length) return false;
    return old.items.every((item, at) => this.isSameTarget(item, own.items[at] ?? now));
  }

  onlyComputes(shape: Shape): boolean {
    return onlyComputes(this.versions, shape);
  }

  /** Whether a call is known to change nothing. */
  isHarmless(shape: Shape): boolean {
    return isHarmless(this.versions, shape);
  }

  /** Whether a target sets names only, and none that the older version means something by there. */
  areNew(target: Shape): boolean {
    const anatomy = this.anatomyNow(target);
    if (anatomy?.kind === "name") return !this.oldNames.has(anatomy.name, this.then.node);
    const parts =
      anatomy?.kind === "sequence"
        ? anatomy.items
        : anatomy?.kind === "mapping"
          ? anatomy.entries.map((entry) => entry.parts.at(-1) ?? entry)
          : [];
    return parts.length > 0 && parts.every((part) => this.areNew(part));
  }

  /** The name of the function or method whose result an expression of the older version is. */
  calledIn(value: Shape): string | undefined {
    const anatomy = this.anatomyThen(value);
    if (anatomy?.kind === "plain" && /^await/i.test(value.label)) {
      return this.calledIn(value.parts.at(-1) ?? value);
    }
    if (anatomy?.kind !== "call") return undefined;
    const callee = this.anatomyThen(anatomy.callee);
    if (callee?.kind === "member") return callee.name;
    const isName = callee?.kind === "name";
    return isName ? (methodOfCalled(this.versions.then, anatomy.callee) ?? callee.name) : undefined;
  }

  /** Notes that the value of a name is not known where loops are left out. */
  carries(name: Shape): true {
    const anatomy = this.anatomyNow(name);
    if (anatomy?.kind === "name") this.carried.push(anatomy.name);
    return true;
  }

  /** Notes that one part stands for another. */
  differs(then: Shape, now: Shape): void {
    const { start, end } = now;
    this.undo.push({ start, end, text: this.versions.then.text.slice(then.start, then.end) });
  }

  /** Notes that a list has more than so many. */
  isMore(list: readonly Shape[], before: number): void {
    const start = list[before - 1]?.end ?? list[before]?.start ?? 0;
    this.undo.push({ start, end: list.at(-1)?.end ?? start, text: "" });
  }

  anatomyThen(shape: Shape): Anatomy | undefined {
    return this.versions.then.language.anatomyOf(shape);
  }

  anatomyNow(shape: Shape): Anatomy | undefined {
    return this.versions.now.language.anatomyOf(shape);
  }
}
