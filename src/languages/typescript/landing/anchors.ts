/**
 * @file What has a name keeps it: functions, classes and methods by their qualified names, named
 * loops by the names they give to `loop` (FlorDB §5.3.1: "stable anchor points"), callbacks by the
 * text that they are registered under. Where a name stands once on both sides, the two are the same.
 */
import type { Node } from "oxc-parser";
import type { TreeNode } from "../../../tree/index.ts";
import type { NeutralTree } from "./neutral-tree.ts";
import { childrenOf } from "../syntax.ts";

/** Pairs of nodes that are the same by name. */
export function* namedAnchors(
  now: { readonly program: Node; readonly tree: NeutralTree },
  then: { readonly program: Node; readonly tree: NeutralTree },
): Generator<readonly [TreeNode, TreeNode]> {
  const ours = namedNodes(now.program);
  const theirs = namedNodes(then.program);
  const same = [...onlyPairs(ours, theirs)];
  const taken = new Set(same.flat());
  // A function that became a method, or a loop that went into a function, keeps its own name.
  const moved = onlyPairs(bySimpleName(ours, taken), bySimpleName(theirs, taken));
  const variables = onlyPairs(moduleVariables(now.program), moduleVariables(then.program));
  for (const [node, other] of [...same, ...moved, ...variables]) {
    const [a, b] = [now.tree.nodeOf.get(node), then.tree.nodeOf.get(other)];
    if (!a || !b || a.type !== b.type) continue;
    yield [a, b];
    const [block, otherBlock] = [bodyOf(a), bodyOf(b)];
    if (block && otherBlock) yield [block, otherBlock];
  }
}

type Named = ReadonlyMap<string, readonly Node[]>;

/** Nodes of which each version has one by a name. */
function* onlyPairs(ours: Named, theirs: Named): Generator<readonly [Node, Node]> {
  for (const [name, [node, ...more]] of ours) {
    const [other, ...others] = theirs.get(name) ?? [];
    if (node && other && more.length + others.length === 0) yield [node, other];
  }
}

/** Variables of the module that are declared alone, by their names, and their declarations. */
function moduleVariables(program: Node): Named {
  const found = new Map<string, Node[]>();
  for (const child of childrenOf(program)) {
    const node = child.type === "ExportNamedDeclaration" ? child.declaration : child;
    if (node?.type !== "VariableDeclaration") continue;
    const [only, ...more] = node.declarations;
    if (!only || more.length > 0 || only.id.type !== "Identifier") continue;
    for (const [kind, part] of Object.entries({ statement: node, variable: only, name: only.id })) {
      const key = `${kind} ${only.id.name}`;
      found.set(key, [...(found.get(key) ?? []), part]);
    }
  }
  return found;
}

/** The nodes that are left, by the last part of their names, whatever they are a part of. */
function bySimpleName(named: Named, taken: ReadonlySet<Node>): Named {
  const found = new Map<string, Node[]>();
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
export function namesAround(program: Node, offset: number): string[] {
  return [...namedNodes(program)]
    .filter(([, nodes]) => nodes.some(({ start, end }) => start <= offset && offset < end))
    .map(([name]) => name)
    .filter((name) => !/\/loop [^/]*$/.test(name));
}

/** Functions, classes and named loops by their qualified names. */
export function namedNodes(program: Node): ReadonlyMap<string, readonly Node[]> {
  const found = new Map<string, Node[]>();
  const visit = (node: Node, path: string, given: string | undefined): void => {
    const name = given ?? ownName(node);
    const isNamed = name !== undefined && canHaveName(node);
    const inner = isNamed ? `${path}/${name}` : path;
    if (isNamed) found.set(inner, [...(found.get(inner) ?? []), node]);
    for (const child of childrenOf(node)) visit(child, inner, nameFor(node, child));
  };
  visit(program, "", undefined);
  return found;
}

function canHaveName({ type }: Node): boolean {
  return /^(?:Function|Arrow|Class(?:Decl|Expr)|For)/.test(type);
}

function ownName(node: Node): string | undefined {
  if ("id" in node && node.id && "name" in node.id && typeof node.id.name === "string") {
    return node.id.name;
  }
  if (node.type !== "ForOfStatement" || node.right.type !== "CallExpression") return undefined;
  const { callee, arguments: values } = node.right;
  const isLoop =
    callee.type === "MemberExpression"
      ? "name" in callee.property && callee.property.name === "loop"
      : callee.type === "Identifier" && callee.name === "loop";
  const literal = stringOf(values[0]);
  return isLoop && literal !== undefined ? `loop ${literal}` : undefined;
}

/** The name that a node gives to a function or class that is a part of it. */
function nameFor(node: Node, child: Node): string | undefined {
  switch (node.type) {
    case "VariableDeclarator":
      return child === node.init ? memberName(node.id) : undefined;
    case "AssignmentExpression":
      return child === node.right ? memberName(node.left) : undefined;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition": {
      if (child !== node.value || node.computed) return undefined;
      const kind = node.type === "MethodDefinition" ? `${node.kind} ` : "";
      return kind + (memberName(node.key) ?? stringOf(node.key) ?? "");
    }
    case "CallExpression": {
      const literal = stringOf(node.arguments[0]);
      const callee = memberName(node.callee);
      return literal === undefined || callee === undefined ? undefined : `${callee} ${literal}`;
    }
    default:
      return undefined;
  }
}

function memberName(node: Node): string | undefined {
  switch (node.type) {
    case "Identifier":
    case "PrivateIdentifier":
      return node.name;
    case "ThisExpression":
      return "this";
    case "MemberExpression": {
      if (node.computed) return undefined;
      const object = memberName(node.object);
      return object === undefined ? undefined : `${object}.${memberName(node.property) ?? ""}`;
    }
    default:
      return undefined;
  }
}

function stringOf(node: Node | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}
