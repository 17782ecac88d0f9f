/**
 * @file A program as steps: statements, and the heads of compound ones, each with the names that it
 * mentions. A function or class is one step with all that is in it, but for the functions around the
 * statement that is asked. Names are not told apart by where they are declared: what has the same
 * name counts as the same, so that aliases are found wherever a statement mentions both.
 */
import type { Function as FunctionNode, Node, Program } from "oxc-parser";
import { childrenOf, fieldOf, isNode, isOnlyType } from "../syntax.ts";
import { GLOBALS, isComputing, isReading } from "./computing-names.ts";

/** Whoever draws random numbers depends on whoever drew before. */
export const RANDOM = " random numbers";

export interface Step {
  readonly file: string;
  readonly nodes: readonly Node[];
  readonly start: number;
  /** The list of statements that it stands in: of the module, or of a function around the asked one. */
  readonly body: Node;
  /** Heads of the statements around it, outermost first. */
  readonly heads: readonly Step[];
  /** Of a head: steps of which none can be taken by itself, as those of a loop or of a `try`. */
  readonly whole: boolean;
  readonly inside: Step[];
  readonly tokens: ReadonlySet<string>;
}

export interface ParsedFile {
  readonly file: string;
  readonly program: Program;
}

export interface StepOptions {
  /** Names that the project declares. */
  readonly declared: ReadonlySet<string>;
  /** Functions, classes and methods of the project. */
  readonly defined: ReadonlySet<string>;
  /** Names of packages, by file. */
  readonly outside: (file: string, name: string) => boolean;
  /** Whether a file has a name from Afterlog. */
  readonly isAfterlog: (file: string, name: string) => boolean;
  readonly isSkipped: (file: string, loop: Node) => boolean;
  /** The statement that is asked. */
  readonly asked: { readonly file: string; readonly at: number };
}

const LOOP = /^(?:For|While|DoWhile)(?:Of|In)?Statement$/;
const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

/** Nodes of code, without types. */
export function* codeIn(node: Node): Generator<Node> {
  if (isOnlyType(node)) {
    for (const key of ["expression", "parameter"]) {
      const inner = fieldOf(node, key);
      if (isNode(inner)) yield* codeIn(inner);
    }
    return;
  }
  yield node;
  for (const child of childrenOf(node)) yield* codeIn(child);
}

export function nameOf(node: Node): string | undefined {
  const isName = node.type === "Identifier" || node.type === "PrivateIdentifier";
  return isName ? (node as unknown as { readonly name: string }).name : undefined;
}

/** The name of a method that is called: `push` of `xs.push(1)`. */
export function calledMethod(node: Node): string | null | undefined {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return undefined;
  const callee = node.callee as Node;
  if (callee.type !== "MemberExpression") return undefined;
  return callee.computed ? null : (nameOf(callee.property) ?? null);
}

export class Steps {
  readonly all: Step[] = [];
  /** Functions that skipped loops make: they may be called later. */
  readonly handed: Step[] = [];
  /** Statements of skipped loops, by the names that they may give another value. */
  readonly skipped: Map<string, Step[]> = new Map();
  readonly #options: StepOptions;
  #file = "";
  #body: Node;

  constructor(files: readonly ParsedFile[], options: StepOptions) {
    this.#options = options;
    this.#body = files[0]?.program as Node;
    for (const { file, program } of files) {
      [this.#file, this.#body] = [file, program];
      this.#statements(program.body, []);
    }
  }

  /** Whether something of Afterlog is called: `al.log`. */
  isOfAfterlog(file: string, node: Node): boolean {
    const callee = fieldOf(node, "callee");
    if (!isNode(callee)) return false;
    const root = callee.type === "MemberExpression" ? callee.object : callee;
    return this.#options.isAfterlog(file, nameOf(root) ?? "");
  }

  /** Whether a step prints or logs, and does nothing else: it cannot connect what it mentions. */
  onlyShows({ file, nodes }: Step): boolean {
    const [node] = nodes;
    if (node?.type !== "ExpressionStatement" || node.expression.type !== "CallExpression") {
      return false;
    }
    const { callee } = node.expression;
    const isConsole = callee.type === "MemberExpression" && nameOf(callee.object) === "console";
    const isLog = calledMethod(node.expression) === "log" || nameOf(callee) === "log";
    if (!isConsole && !(isLog && this.isOfAfterlog(file, node.expression))) return false;
    const [own, ...others] = [...codeIn(node.expression)];
    return own !== undefined && others.every(onlyReads);
  }

  #statements(nodes: readonly (Node | null | undefined)[], heads: readonly Step[]): void {
    for (const node of nodes) if (node) this.#statement(node, heads);
  }

  #statement(node: Node, heads: readonly Step[]): void {
    if (LOOP.test(node.type)) return this.#loop(node, heads);
    switch (node.type) {
      case "BlockStatement":
        return this.#statements(node.body, heads);
      case "IfStatement": {
        const head = this.#add(node, [node.test], heads);
        return this.#statements([node.consequent, node.alternate], [...heads, head]);
      }
      case "TryStatement": {
        const head = this.#add(node, [], heads, true);
        const parts = [node.block, node.handler?.body, node.finalizer];
        return this.#statements(parts, [...heads, head]);
      }
      case "ExportNamedDeclaration":
        if (node.declaration && this.#holdsAsked(node)) {
          return this.#statement(node.declaration, heads);
        }
        break;
      case "FunctionDeclaration":
        if (this.#holdsAsked(node) && node.body) return this.#around(node, heads);
        break;
      default:
    }
    this.#add(node, [node], heads);
  }

  /** A function around the asked statement: its own statements are steps. */
  #around(node: FunctionNode, heads: readonly Step[]): void {
    this.#add(node, [...(node.id ? [node.id] : []), ...node.params], heads, node.async);
    const outer = this.#body;
    this.#body = node;
    this.#statements(node.body?.body ?? [], heads);
    this.#body = outer;
  }

  #holdsAsked({ start, end }: Node): boolean {
    const { file, at } = this.#options.asked;
    return file === this.#file && start <= at && at < end;
  }

  #loop(node: Node, heads: readonly Step[]): void {
    const parts = ["init", "left", "right", "test", "update"].map((key) => fieldOf(node, key));
    const isSkipped = this.#options.isSkipped(this.#file, node) && !this.#holdsAsked(node);
    const head = this.#add(node, parts.filter(isNode), heads, !isSkipped);
    const body = fieldOf(node, "body") as Node;
    if (isSkipped) this.#handOver(body);
    else this.#statement(body, [...heads, head]);
  }

  /** Whether a step may put a function into what it changes. */
  holdsFunctions({ file, nodes }: Step): boolean {
    return nodes.some((root) => this.#functionsIn(file, root).length > 0);
  }

  /** Functions in a piece of code, and those that it names without calling them. */
  #functionsIn(file: string, root: Node): Node[] {
    const code = [...codeIn(root)];
    const called = new Set(
      code.flatMap((node) => {
        const callee = fieldOf(node, "callee");
        return isNode(callee) ? [callee, fieldOf(callee, "property")] : [];
      }),
    );
    return code.filter((node) => {
      if (FUNCTION.test(node.type) || node.type.startsWith("Class")) return true;
      const name = nameOf(node);
      if (name === undefined || called.has(node)) return false;
      return this.#options.defined.has(name) || this.#options.outside(file, name);
    });
  }

  #handOver(body: Node): void {
    for (const node of this.#functionsIn(this.#file, body)) {
      this.handed.push(this.#step(node, [node]));
    }
    for (const node of codeIn(body)) {
      if (!/^(?:ExpressionStatement|VariableDeclaration)$/.test(node.type)) continue;
      const step = this.#step(node, [node]);
      if (this.onlyShows(step)) continue;
      for (const one of changedNames(node)) {
        this.skipped.set(one, [...(this.skipped.get(one) ?? []), step]);
      }
    }
  }

  #add(node: Node, nodes: readonly Node[], heads: readonly Step[], whole = false): Step {
    const step = this.#step(node, nodes, heads, whole);
    this.all.push(step);
    for (const head of heads) head.inside.push(step);
    return step;
  }

  #step(node: Node, nodes: readonly Node[], heads: readonly Step[] = [], whole = false): Step {
    const tokens = new Set(nodes.flatMap((one) => [...this.#tokens(one)]));
    const [file, body] = [this.#file, this.#body];
    return { file, nodes, start: node.start, body, heads, whole, inside: [], tokens };
  }

  *#tokens(root: Node): Generator<string> {
    if (/^Import|^ExportDefault/.test(root.type)) yield "default";
    const methods = new Set<Node>();
    for (const node of codeIn(root)) {
      const method = calledMethod(node);
      const isOurs = this.isOfAfterlog(this.#file, node);
      const isBuiltIn = method != null && isComputing(method);
      if (method != null && (isOurs || (isBuiltIn && !this.#options.defined.has(method)))) {
        methods.add((node as { callee: { property: Node } }).callee.property);
      }
      const name = nameOf(node);
      if (name === undefined || methods.has(node)) continue;
      if (this.#options.isAfterlog(this.#file, name)) continue;
      const isOwn = this.#options.declared.has(name);
      if (name === "Math" && !isOwn) continue;
      if (isOwn || !GLOBALS.has(name)) yield name;
    }
    if (this.#mayDraw(root)) yield RANDOM;
  }

  /** Packages may, and who calls what has no name here. */
  #mayDraw(root: Node): boolean {
    for (const node of codeIn(root)) {
      const name = nameOf(node);
      if (name === "random" || (name && this.#options.outside(this.#file, name))) return true;
    }
    return false;
  }
}

const ACTING = /^(?:Assignment|Update|Await|Yield|New|TaggedTemplate)Expression$/;

function onlyReads(node: Node): boolean {
  if (ACTING.test(node.type)) return false;
  if (node.type !== "CallExpression") return !FUNCTION.test(node.type);
  const method = calledMethod(node);
  const isClock = method === "now" && node.arguments.length === 0;
  return isClock || (method != null && isReading(method)) || isGlobalCall(node);
}

function isGlobalCall(node: Extract<Node, { type: "CallExpression" }>): boolean {
  return GLOBALS.has(nameOf(node.callee) ?? "");
}

/** Names and properties that a statement gives a value, or calls a method of. */
function changedNames(statement: Node): Set<string> {
  const found = new Set<string>();
  for (const node of codeIn(statement)) {
    const method = calledMethod(node);
    const target =
      method !== undefined
        ? (node as { callee: Node }).callee
        : node.type === "AssignmentExpression"
          ? node.left
          : node.type === "UpdateExpression"
            ? node.argument
            : node.type === "VariableDeclarator"
              ? node.id
              : undefined;
    if (target) for (const one of codeIn(target)) found.add(nameOf(one) ?? "");
  }
  found.delete("");
  return found;
}
