/**
 * @file Which logged values follow from the state at the end of the outermost loops, if that is
 * restored, and from code that can only compute (semantics, "Marks"). A proof: what cannot be followed
 * is not listed.
 *
 * Each step that mentions a name of a step that counts, counts too, whatever their order; so do the
 * heads of the statements around it. Each may only use what `computing-names.ts` lists. What stands in
 * a loop of the run is not executed when the loop is skipped; what it changes is restored, whatever
 * the steps before it made of it.
 */
import type { Node } from "oxc-parser";
import { Functions } from "../nondeterminism/function-flows.ts";
import { parseSource } from "../parse.ts";
import { fieldOf, isNode } from "../syntax.ts";
import { AFTERLOG, GLOBALS, HIDING, IMPLICIT, isComputing } from "./computing-names.ts";
import type { ParsedFile, Step } from "./program-steps.ts";
import { calledMethod, codeIn, nameOf, RANDOM, Steps } from "./program-steps.ts";

/** A loop of the run: where it stands, and the names that a checkpoint at its end holds. */
export interface RestoredLoop {
  readonly file: string;
  readonly at: number;
  readonly names: ReadonlySet<string>;
}

export interface AskedLog {
  readonly file: string;
  readonly at: number;
}

/** Those of the logs, none of which stands in a loop, whose values follow from what is restored. */
export function computedLogs<Log extends AskedLog>(
  texts: ReadonlyMap<string, string>,
  loops: readonly RestoredLoop[],
  logs: readonly Log[],
): ReadonlySet<Log> {
  if (logs.length === 0) return new Set();
  const files = [...texts].map(([file, text]) => ({ file, ...parseSource(file, text) }));
  const names = new DeclaredNames(files);
  if (files.some(({ program }) => names.isHidden(program))) return new Set();
  const isComputed = (log: Log): boolean => new Proof(files, names, loops, log).holds();
  return new Set(logs.filter(isComputed));
}

/** What the files declare, and what they have from packages. */
class DeclaredNames {
  readonly declared: ReadonlySet<string>;
  readonly defined: ReadonlySet<string>;
  readonly #outside = new Set<string>();
  readonly #afterlog = new Set<string>();

  constructor(files: readonly ParsedFile[]) {
    const functions = new Functions();
    for (const { file, program } of files) functions.add(file, program);
    this.declared = new Set([...functions.scopes.values()].flatMap(({ names }) => [...names]));
    this.defined = new Set(files.flatMap(({ program }) => [...definedBy(program)]));
    for (const { file, program } of files) {
      for (const node of program.body) {
        if (node.type !== "ImportDeclaration") continue;
        const { value } = node.source;
        if (/^\.{1,2}\//.test(value)) continue;
        for (const one of node.specifiers) {
          const name = one.type === "ImportSpecifier" ? nameOf(one.imported) : undefined;
          const isOurs = value === "afterlog" && (name === undefined || AFTERLOG.has(name));
          (isOurs ? this.#afterlog : this.#outside).add(`${file}\n${one.local.name}`);
        }
      }
    }
  }

  /** Whether it is a name of a package, or one that nobody knows. */
  outside(file: string, name: string): boolean {
    return this.#outside.has(`${file}\n${name}`);
  }

  /** Whether it is what a file has from Afterlog. */
  isAfterlog(file: string, name: string): boolean {
    return this.#afterlog.has(`${file}\n${name}`);
  }

  /** Whether a file does what changes how other code computes, or lets other code run in between. */
  isHidden(program: Node): boolean {
    for (const node of codeIn(program)) {
      const name = nameOf(node);
      if (name !== undefined && HIDING.has(name)) return true;
      if (/^(?:ImportExpression|WithStatement|MetaProperty|Decorator)$/.test(node.type))
        return true;
      if (node.type === "AssignmentExpression" && this.#isForeign(node.left)) return true;
    }
    return [...GLOBALS].some((name) => name !== "arguments" && this.declared.has(name));
  }

  /** A property of what the project does not declare is set. */
  #isForeign(target: Node): boolean {
    if (target.type !== "MemberExpression") return false;
    let root: Node = target;
    while (root.type === "MemberExpression") root = root.object;
    const name = nameOf(root);
    return name !== undefined && !this.declared.has(name);
  }
}

class Unproved extends Error {}

interface Definitions {
  readonly byFirst: ReadonlyMap<string, readonly Step[]>;
  readonly names: ReadonlySet<string>;
}

function addStep(steps: Map<string, Step[]>, name: string, step: Step): void {
  const known = steps.get(name);
  if (known) known.push(step);
  else steps.set(name, [step]);
}

function definitionsIn(steps: readonly Step[]): Definitions {
  const byFirst = new Map<string, Step[]>();
  const names = new Set<string>();
  for (const step of steps) {
    for (const [at, node] of step.nodes.entries()) {
      for (const name of definedBy(node)) {
        names.add(name);
        if (at === 0) addStep(byFirst, name, step);
      }
    }
  }
  return { byFirst, names };
}

class Proof {
  readonly #names: DeclaredNames;
  readonly #steps: Steps;
  readonly #own: Step | undefined;
  readonly #loops: readonly RestoredLoop[];
  readonly #counted = new Set<Step>();
  readonly #read = new Set<Step>();
  readonly #tokens = new Set<string>();
  readonly #restored = new Set<string>();
  readonly #waiting: Step[] = [];
  #defined: Definitions | undefined;

  constructor(
    files: readonly ParsedFile[],
    names: DeclaredNames,
    loops: readonly RestoredLoop[],
    asked: AskedLog,
  ) {
    this.#names = names;
    this.#loops = loops;
    this.#steps = new Steps(files, {
      declared: names.declared,
      defined: names.defined,
      outside: (file, name) => names.outside(file, name),
      isAfterlog: (file, name) => names.isAfterlog(file, name),
      isSkipped: (file, loop) => loops.some((one) => one.file === file && isAt(one.at, loop)),
      asked,
    });
    const holds = ({ start, end }: Node): boolean => start <= asked.at && asked.at < end;
    this.#own = this.#steps.all.findLast(
      ({ file, nodes }) => file === asked.file && nodes.some(holds),
    );
  }

  holds(): boolean {
    // Where it stands in a function that is one step, nobody knows when it runs.
    if (!this.#own || this.#own.nodes[0]?.type !== "ExpressionStatement") return false;
    try {
      this.#run(this.#own);
      return true;
    } catch (error) {
      if (error instanceof Unproved) return false;
      throw error;
    }
  }

  #run(own: Step): void {
    for (const step of this.#steps.handed) this.#count(step);
    for (const token of IMPLICIT) if (this.#names.declared.has(token)) this.#countToken(token);
    for (const step of this.#steps.all) {
      if (step.nodes.some((node) => definesImplicit(node))) this.#count(step);
    }
    this.#count(own);
    if (own.body.type === "FunctionDeclaration" && own.body.id) {
      this.#countToken(own.body.id.name);
    }
    for (let step = this.#waiting.pop(); step; step = this.#waiting.pop()) this.#follow(step);
  }

  #count(step: Step): void {
    if (this.#counted.has(step)) return;
    this.#counted.add(step);
    this.#waiting.push(step);
  }

  #follow(step: Step): void {
    this.#readCode(step);
    for (const head of step.heads) {
      this.#count(head);
      if (head.whole) for (const one of head.inside) this.#count(one);
    }
    for (const token of step.tokens) this.#countToken(token);
  }

  #countToken(token: string): void {
    if (this.#tokens.has(token)) return;
    this.#tokens.add(token);
    for (const step of this.#steps.all) {
      if (!step.tokens.has(token) || this.#isLater(step)) continue;
      const isShown = step !== this.#own && this.#steps.onlyShows(step) && token !== RANDOM;
      if (isShown) continue;
      if (this.#isOverwritten(step, token)) this.#readCode(step);
      else this.#count(step);
    }
    this.#readSkipped(token);
  }

  /** What a skipped loop makes of a name is restored; its methods may be called, so what it is counts. */
  #readSkipped(name: string): void {
    if (this.#restored.has(name)) return;
    this.#restored.add(name);
    for (const step of this.#steps.skipped.get(name) ?? []) {
      this.#readCode(step);
      for (const token of step.tokens) this.#readSkipped(token);
    }
  }

  /** A loop that is surely passed on the way restores the name after the step. */
  #isOverwritten(step: Step, token: string): boolean {
    const own = this.#own;
    if (!own || step.body !== own.body || step.file !== own.file) return false;
    if (this.#steps.holdsFunctions(step)) return false;
    const statements = bodyOf(own.body);
    return this.#loops.some(({ file, at, names }) => {
      const loop = file === own.file && statements.find((one) => isAt(at, one));
      return loop && names.has(token) && step.start < loop.start && loop.start < own.start;
    });
  }

  #isLater(step: Step): boolean {
    const own = this.#own;
    if (!own || own.heads.some(({ whole }) => whole) || !this.#runsOnce(own.body)) return false;
    const isFunction = /^(?:Function|Class|Import|Export)/.test(step.nodes[0]?.type ?? "Import");
    return step.body === own.body && step.start > own.start && !isFunction;
  }

  /** Whether a function is called in one place, and there once. */
  #runsOnce(body: Node): boolean {
    if (body.type === "Program") return true;
    const name = body.type === "FunctionDeclaration" ? body.id?.name : undefined;
    if (name === undefined) return false;
    const isIt = (node: Node): boolean => nameOf(node) === name;
    const naming = this.#steps.all.filter(
      ({ nodes, start }) =>
        start !== body.start && nodes.some((one) => [...codeIn(one)].some(isIt)),
    );
    const [call] = naming;
    const [node] = call?.nodes ?? [];
    const isCall =
      node?.type === "ExpressionStatement" && node.expression.type === "CallExpression";
    if (naming.length !== 1 || !call || !isCall || call.heads.length > 0) return false;
    return call.body.type === "Program" && [...codeIn(node)].filter(isIt).length === 1;
  }

  #readCode(step: Step): void {
    if (this.#read.has(step)) return;
    this.#read.add(step);
    for (const root of step.nodes) {
      if (root.type === "ImportDeclaration") continue;
      const properties = new Set([...codeIn(root)].flatMap(propertyOf));
      for (const node of codeIn(root)) this.#readNode(step, node, properties.has(node));
    }
  }

  #readNode(step: Step, node: Node, isProperty: boolean): void {
    if (/^(?:Await|Yield|Import)Expression$/.test(node.type)) throw new Unproved();
    if (fieldOf(node, "async") === true || fieldOf(node, "await") === true) throw new Unproved();
    const method = calledMethod(node);
    const isKnown =
      method != null &&
      (this.#steps.isOfAfterlog(step.file, node)
        ? AFTERLOG.has(method)
        : isComputing(method) || this.#isOwnMethod(method));
    if (method !== undefined && !isKnown) throw new Unproved();
    const name = nameOf(node);
    if (name === undefined) return;
    if (this.#names.outside(step.file, name)) throw new Unproved();
    const isOwn = this.#names.declared.has(name) || GLOBALS.has(name);
    if (!isProperty && node.type === "Identifier" && !isOwn) throw new Unproved();
    this.#readFunctions(name);
  }

  /** Functions and classes that it names may be called. */
  #readFunctions(name: string): void {
    for (const step of this.#definitions.byFirst.get(name) ?? []) this.#readCode(step);
  }

  #isOwnMethod(method: string): boolean {
    return this.#definitions.names.has(method);
  }

  /** Which steps define a name in their first statement, and all names that are defined. */
  get #definitions(): Definitions {
    return (this.#defined ??= definitionsIn(this.#steps.all));
  }
}

function isAt(at: number, loop: Node): boolean {
  const body = fieldOf(loop, "body");
  if (!isNode(body) || !/^(?:For|While|DoWhile)/.test(loop.type)) return false;
  return at === loop.start || (at > loop.start && at < body.start);
}

function bodyOf(node: Node): readonly Node[] {
  if (node.type === "Program") return node.body;
  return node.type === "FunctionDeclaration" ? (node.body?.body ?? []) : [];
}

/** Names that stand for a property, not for a variable. */
function propertyOf(node: Node): Node[] {
  if (fieldOf(node, "computed") === true) return [];
  const property = fieldOf(node, node.type === "MemberExpression" ? "property" : "key");
  return isNode(property) ? [property] : [];
}

const DEFINED = new WeakMap<Node, ReadonlySet<string>>();

/** Functions, classes and methods that a statement defines, by name. */
function definedBy(root: Node): ReadonlySet<string> {
  let found = DEFINED.get(root);
  if (found) return found;
  const names = [...codeIn(root)].flatMap((node) => {
    const key = fieldOf(node, "key") ?? fieldOf(node, "id");
    const value = fieldOf(node, "value") ?? fieldOf(node, "init") ?? node;
    const isCode = isNode(value) && /Function|^Class/.test(value.type);
    return isCode && isNode(key) ? [nameOf(key) ?? ""] : [];
  });
  DEFINED.set(root, (found = new Set(names)));
  return found;
}

/** Operators and formatting call methods that nobody names. */
function definesImplicit(root: Node): boolean {
  for (const node of codeIn(root)) {
    const key = fieldOf(node, "key");
    if (!isNode(key)) continue;
    const isComputed = fieldOf(node, "computed") === true;
    if (isComputed && key.type !== "Literal") return true;
    if (IMPLICIT.has(nameOf(key) ?? "")) return true;
  }
  return false;
}
