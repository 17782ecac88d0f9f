/**
 * @file What gives a value: the statements whose value may reach a gap of a block, as reaching definitions over the
 * structured tree of the function, or of the file. An assignment of the whole name takes the place of what came
 * before; one that reads the name, an assignment of a part and a call that changes what it is given add to it.
 */
import type { TreeNode } from "../../tree/index.ts";
import { isLeaving } from "../../tree/index.ts";
import type { Giver, Variable } from "./givers.ts";
import { giversOf } from "./givers.ts";
import type { Side } from "./version-tree.ts";

/** A gap between the statements of a block. */
export interface Gap {
  readonly block: TreeNode;
  readonly index: number;
}

/**
 * Givers whose values may reach a place, and of each whether only an earlier iteration of a loop around the gap
 * leaves it; null: what is around the function, or a parameter.
 */
type State = ReadonlyMap<Giver | null, boolean>;

export interface Reaching {
  /** All that the function has. */
  readonly all: readonly Giver[];
  readonly givers: State;
  /** What may reach each giver that is passed on some way: it takes the place of that, or adds to it. */
  readonly before: ReadonlyMap<Giver, State>;
}

/** What may give a variable its value at a gap; undefined: no way leads there. */
export function reachingAt(side: Side, variable: Variable, gap: Gap): Reaching | undefined {
  const around = functionBlock(gap.block);
  const own = giversOf(side, variable).filter(({ at }) => holds(around, at));
  return new Flow(own, gap).run();
}

/** What leaves a loop, or a branch of `switch`, before its end. */
interface Breakable {
  readonly isLoop: boolean;
  breaks: State | undefined;
  continues: State | undefined;
}

class Flow {
  readonly #givers: readonly Giver[];
  readonly #gap: Gap;
  readonly #around: readonly Breakable[] = [];
  /** Of each `try` around: what any statement in it may leave. */
  readonly #tried: { state: State | undefined }[] = [];
  readonly #before = new Map<Giver, State>();
  #found: State | undefined;

  constructor(givers: readonly Giver[], gap: Gap) {
    this.#givers = givers;
    this.#gap = gap;
  }

  run(): Reaching | undefined {
    this.#block(functionBlock(this.#gap.block), new Map([[null, false]]));
    return this.#found && { all: this.#givers, givers: this.#found, before: this.#before };
  }

  #block(block: TreeNode, start: State | undefined): State | undefined {
    let state = start;
    for (const [at, statement] of block.children.entries()) {
      if (block === this.#gap.block && at === this.#gap.index)
        this.#found = either(this.#found, state);
      state = this.#statement(statement, state);
      for (const one of this.#tried) one.state = either(one.state, state);
    }
    const isEnd = block === this.#gap.block && this.#gap.index >= block.children.length;
    if (isEnd) this.#found = either(this.#found, state);
    return state;
  }

  #statement(node: TreeNode, state: State | undefined): State | undefined {
    const blocks = partsOf(node);
    if (blocks.length === 0) {
      const given = this.#give(node, state);
      if (node.role === "jump") return this.#jump(node, given);
      return isLeaving(node) ? undefined : given;
    }
    if (node.role === "loop") return this.#loop(node, state);
    const head = this.#give(node, state);
    if (/^try/i.test(node.type)) return this.#try(node, head);
    if (/^(?:if_|If|cases|SwitchStatement)/.test(node.type)) return this.#branches(node, head);
    // `with`, a label, braces: one part is executed behind the other.
    return blocks.reduce<State | undefined>((left, part) => this.#part(part, left), head);
  }

  /** A block, or a clause that holds one. */
  #part(part: TreeNode, state: State | undefined): State | undefined {
    return part.role === "block" ? this.#block(part, state) : this.#statement(part, state);
  }

  #branches(node: TreeNode, head: State | undefined): State | undefined {
    const isSwitch = node.type === "SwitchStatement";
    const branches = partsOf(node);
    const within: Breakable = { isLoop: false, breaks: undefined, continues: undefined };
    let [left, fallen, isComplete]: [State | undefined, State | undefined, boolean] = [
      undefined,
      undefined,
      false,
    ];
    const run = (): void => {
      for (const [at, branch] of branches.entries()) {
        // What one case does not leave goes on in the next one.
        fallen = this.#part(branch, isSwitch ? either(head, fallen) : head);
        if (!isSwitch || at === branches.length - 1) left = either(left, fallen);
        isComplete ||= isElse(node, branch, at);
      }
    };
    if (isSwitch) this.#inside(within, run);
    else run();
    return either(either(left, within.breaks), isComplete ? undefined : head);
  }

  #inside(within: Breakable, run: () => void): void {
    const around = this.#around as Breakable[];
    around.push(within);
    run();
    around.pop();
  }

  #loop(node: TreeNode, start: State | undefined): State | undefined {
    const [body, ...others] = partsOf(node);
    const isAround = holds(node, this.#gap.block);
    const within: Breakable = { isLoop: true, breaks: undefined, continues: undefined };
    let [before, after] = [start, start];
    // Until nothing more comes from the iterations before.
    for (;;) {
      this.#inside(within, () => {
        after = this.#give(node, before);
        after = body ? this.#block(body, after) : after;
      });
      const again = either(after, within.continues);
      const next = either(before, isAround ? leftBefore(again) : again);
      if (sizeOf(next) === sizeOf(before)) break;
      before = next;
    }
    const ended = either(this.#give(node, start), either(after, within.continues));
    const last = others.reduce<State | undefined>(
      (left, part) => this.#part(part, left),
      either(start, ended),
    );
    return either(last, within.breaks);
  }

  #try(node: TreeNode, head: State | undefined): State | undefined {
    const parts = partsOf(node);
    const isLast = (part: TreeNode): boolean =>
      part.type === "finally_clause" || (part.role === "block" && part !== parts[0]);
    const isHandler = ({ type }: TreeNode): boolean => /^(?:except|Catch)/.test(type);
    const tried = { state: head };
    this.#tried.push(tried);
    const [first, ...others] = parts;
    let left = first ? this.#part(first, head) : head;
    this.#tried.pop();
    for (const part of others.filter((one) => !isLast(one) && !isHandler(one)))
      left = this.#part(part, left);
    for (const part of others.filter(isHandler)) left = either(left, this.#part(part, tried.state));
    return others
      .filter(isLast)
      .reduce<State | undefined>((state, part) => this.#part(part, state), left);
  }

  #jump(node: TreeNode, state: State | undefined): undefined {
    const isBreak = /^break/i.test(node.type);
    if (!isBreak && !/^continue/i.test(node.type)) return undefined;
    const around = this.#around.findLast(({ isLoop }) => isBreak || isLoop);
    if (around && isBreak) around.breaks = either(around.breaks, state);
    else if (around) around.continues = either(around.continues, state);
    return undefined;
  }

  /** What a statement itself gives, without what its blocks do. */
  #give(node: TreeNode, state: State | undefined): State | undefined {
    if (!state) return undefined;
    let given = state;
    for (const giver of this.#givers) {
      if (!givesAt(giver, node)) continue;
      this.#before.set(giver, either(this.#before.get(giver), given) ?? given);
      const before = giver.isWhole && !isInFunction(giver.at, node) ? [] : given;
      given = new Map([...before, [giver, false]]);
    }
    return given;
  }
}

/** Whether a giver is executed by a statement itself: a function in it is, if it is only handed over. */
function givesAt({ at }: Giver, node: TreeNode): boolean {
  if (!holds(node, at)) return false;
  const parts = partsOf(node);
  return !parts.some((part) => holds(part, at));
}

function isInFunction(at: TreeNode, node: TreeNode): boolean {
  for (let one: TreeNode | null = at; one && one !== node; one = one.parent) {
    if (one.role === "function") return true;
  }
  return false;
}

/** Blocks of a statement, and clauses that have some, in their order; not those of functions. */
function partsOf(node: TreeNode): readonly TreeNode[] {
  if (node.role === "function" || node.role === "class") return [];
  return node.children.filter(
    (child) => child.role === "block" || (isClause(child) && partsOf(child).length > 0),
  );
}

/** `else`, `except`, `case`; a statement that is one itself: `else if`, what has a label. */
function isClause({ type, role }: TreeNode): boolean {
  return (
    role === "loop" || /(?:_clause|CatchClause|SwitchCase|Statement|^cases)$|^else of /.test(type)
  );
}

/** Whether a branch is taken if no other one is. */
function isElse(node: TreeNode, branch: TreeNode, at: number): boolean {
  if (branch.type === "else_clause") return true;
  if (branch.type === "SwitchCase") return branch.children[0]?.role === "block";
  if (branch.type === "case_clause") return branch.children[0]?.label === "_";
  // The second block of `if`, or `else if`, which goes on by itself.
  return node.type === "IfStatement" && at === 1;
}

function holds(outer: TreeNode, { id }: TreeNode): boolean {
  return id >= outer.id && id < outer.id + outer.size;
}

/** The outermost block of the function, class or file around a node. */
export function functionBlock(node: TreeNode): TreeNode {
  let [at, outermost] = [node, node];
  while (at.parent && (at === node || (at.role !== "function" && at.role !== "class"))) {
    if (at.role === "block") outermost = at;
    at = at.parent;
  }
  return at.role === "block" ? at : outermost;
}

/** What one way or the other leaves; what no iteration before is needed for is so on either. */
function either(one: State | undefined, other: State | undefined): State | undefined {
  if (!one || !other) return one ?? other;
  const both = new Map(one);
  for (const [giver, isLeft] of other) both.set(giver, isLeft && (one.get(giver) ?? true));
  return both;
}

function leftBefore(state: State | undefined): State | undefined {
  return state && new Map([...state].map(([giver]) => [giver, true]));
}

/** More givers, or fewer that need an iteration before. */
function sizeOf(state: State | undefined): number {
  const all = [...(state?.values() ?? [])];
  return 2 * all.length - all.filter(Boolean).length;
}
