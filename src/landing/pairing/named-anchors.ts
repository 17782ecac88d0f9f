/**
 * @file What has a name keeps it: functions, classes and methods by their qualified names, named
 * loops by the names they give to `loop` (FlorDB §5.3.1: "stable anchor points"). Where a name stands
 * once on both sides, the two are the same.
 */
import type { TreeNode } from "../../tree/index.ts";
import type { Named, ParsedFile, Syntax } from "../../languages/index.ts";
import type { Side } from "./version-tree.ts";

/** Pairs of nodes that are the same by name. */
export function* namedAnchors(now: Side, then: Side): Generator<readonly [TreeNode, TreeNode]> {
  const { named: ours } = now.source;
  const { named: theirs } = then.source;
  const same = [...onlyPairs(ours, theirs)];
  const taken = new Set(same.flat());
  // A function that became a method, or a loop that went into a function, keeps its own name.
  const moved = onlyPairs(bySimpleName(ours, taken), bySimpleName(theirs, taken));
  const variables = onlyPairs(now.source.moduleVariables, then.source.moduleVariables);
  for (const [node, other] of [...same, ...moved, ...variables]) {
    const [a, b] = [now.tree.nodeOf.get(node), then.tree.nodeOf.get(other)];
    if (!a || !b || a.type !== b.type) continue;
    yield [a, b];
    const [block, otherBlock] = [bodyOf(a), bodyOf(b)];
    if (block && otherBlock) yield [block, otherBlock];
  }
}

/** Nodes of which each version has one by a name. */
function* onlyPairs(ours: Named, theirs: Named): Generator<readonly [Syntax, Syntax]> {
  for (const [name, [node, ...more]] of ours) {
    const [other, ...others] = theirs.get(name) ?? [];
    if (node && other && more.length + others.length === 0) yield [node, other];
  }
}

/** The nodes that are left, by the last part of their names, whatever they are a part of. */
function bySimpleName(named: Named, taken: ReadonlySet<Syntax>): Named {
  const found = new Map<string, Syntax[]>();
  for (const [path, nodes] of named) {
    const name = simpleName(path);
    const left = nodes.filter((node) => !taken.has(node));
    if (name !== "") found.set(name, [...(found.get(name) ?? []), ...left]);
  }
  return found;
}

/** `Server.prototype._print`, `method print` and `print` are `print`; a loop is `loop NAME`. */
function simpleName(path: string): string {
  const last = path.slice(path.lastIndexOf("/") + 1);
  if (last.startsWith("loop ")) return last;
  return /^(?:method )?(?:[\w$]+\.)*[_#]*([\w$]+)$/.exec(last)?.[1] ?? "";
}

function bodyOf({ children }: TreeNode): TreeNode | undefined {
  return children.findLast(({ role, type }) => role === "block" || type === "ClassBody");
}

/** Qualified names of the functions and classes around an offset, outermost first. */
export function namesAround({ named }: ParsedFile, offset: number): string[] {
  return [...named]
    .filter(([, nodes]) => nodes.some(({ start, end }) => start <= offset && offset < end))
    .map(([name]) => name)
    .filter((name) => !/\/loop [^/]*$/.test(name));
}
