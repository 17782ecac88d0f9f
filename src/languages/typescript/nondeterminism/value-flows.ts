/**
 * @file What flows where in a program: through variables, properties, arguments, results, and through
 * conditions, for what is done under one depends on it. A property is followed by its name alone,
 * whatever object it is of; that errs to the safe side.
 */
import type { CallExpression, Expression, NewExpression, Node } from "oxc-parser";
import { namesIn, propertyName, unwrap } from "../analysis/lowering/syntax-names.ts";
import { builtinMethod } from "../libraries/builtin-methods.ts";
import { leavesArguments } from "../libraries/library-effects.ts";
import { fillsAtRandom, readsClock, SHOWING } from "../libraries/nondeterministic-calls.ts";
import { printedParts } from "../console-calls.ts";
import { childrenOf, isOnlyType } from "../syntax.ts";
import type { Cause, Flow, FlowGraph } from "./flow-graph.ts";
import { bare, valueOf } from "./flow-graph.ts";
import type { AnyFunction, Scope } from "./function-flows.ts";
import { calledName, declaredBy, exportedName, isFunction } from "./function-flows.ts";
import { FILLING, PASSING } from "./outside-sources.ts";
import type { FlowingText, LoggedCall, Program } from "./chance-sources.ts";
import { ChanceSources } from "./chance-sources.ts";
import { linkNames, PlaceNames } from "./place-names.ts";

type Call = CallExpression | NewExpression;

const THROWN = "thrown";
/** What functions get that are called by nobody knows whom. */
const UNKNOWN_ARGUMENTS = "unknown";

/** The flows of one file. */
export class FileFlows {
  readonly #program: Program;
  readonly #graph: FlowGraph;
  readonly #sources: ChanceSources;
  /** Of calls that log, by their nodes. */
  readonly logged: Map<string, LoggedCall> = new Map();
  readonly #logs: FlowingText["logs"];
  readonly #names: PlaceNames | undefined;
  #scope: Scope;
  /** What decides whether a statement is executed, outermost first. */
  #control: Flow = [];
  #loops: string[] = [];

  constructor(program: Program, scope: Scope, { text, logs, calls }: FlowingText) {
    this.#program = program;
    this.#graph = program.graph;
    this.#scope = scope;
    this.#logs = logs;
    this.#sources = new ChanceSources(program, scope.file, { text, calls });
    const causeAt = (node: Node): Cause => this.#sources.causeAt(node);
    this.#names = program.tellsPlace ? new PlaceNames(program, causeAt) : undefined;
  }

  statement(node: Node): void {
    switch (node.type) {
      case "IfStatement":
        return this.#under(this.#expression(node.test), [node.consequent, node.alternate]);
      case "SwitchStatement":
        return this.#under(this.#expression(node.discriminant), node.cases);
      case "ForStatement":
        if (node.init) this.statement(node.init);
        return this.#loop([], [node.test, node.body, node.update]);
      case "WhileStatement":
      case "DoWhileStatement":
        return this.#loop([], [node.test, node.body]);
      case "ForOfStatement":
      case "ForInStatement": {
        const items = [...this.#expression(node.right), ...this.#placeIn(node.right)];
        const { left } = node;
        const target = left.type === "VariableDeclaration" ? left.declarations[0]?.id : left;
        if (target) this.#write(target, items);
        return this.#loop(items, [node.body]);
      }
      case "BreakStatement":
      case "ContinueStatement":
        for (const loop of node.label ? this.#loops : this.#loops.slice(-1)) {
          this.#graph.add(loop, this.#control);
        }
        return;
      case "ReturnStatement":
        this.#graph.add(`${this.#scope.id} called`, this.#control);
        return this.#give(node.argument ? this.#expression(node.argument) : [], node.argument);
      case "ThrowStatement":
        this.#graph.add(`${this.#scope.id} called`, this.#control);
        return this.#graph.add(THROWN, this.#expression(node.argument));
      case "CatchClause":
        if (node.param) this.#write(node.param, [THROWN]);
        return this.statement(node.body);
      case "VariableDeclaration":
        for (const { id, init } of node.declarations) {
          if (init) this.#write(id, this.#expression(init));
          if (init) this.#name(id, init);
        }
        return;
      default:
        return this.#declaration(node);
    }
  }

  #declaration(node: Node): void {
    for (const [name, path] of this.#program.outside.passedOn(node, this.#scope)) {
      const flow = this.#outside(path, node as Expression);
      for (const place of [`:${name}`, `.${name}`]) this.#assign(place, flow);
    }
    switch (node.type) {
      case "ImportDeclaration":
        return;
      case "ExportDefaultDeclaration":
        return this.#assign(":default", this.#expression(node.declaration as Expression));
      case "ExportNamedDeclaration":
        if (node.declaration) this.statement(node.declaration);
        for (const { local, exported } of node.specifiers) {
          this.#link(`:${exportedName(exported)}`, `:${exportedName(local)}`);
          this.#link(`.${exportedName(exported)}`, `:${exportedName(local)}`);
        }
        for (const name of declaredBy(node.declaration)) this.#link(`.${name}`, `:${name}`);
        return;
      default:
        if (isFunction(node) || node.type.startsWith("Class")) {
          this.#expression(node as Expression);
        } else if (/(?:Expression|Literal|Identifier)$/.test(node.type)) {
          this.#expression(node as Expression);
        } else if (!isOnlyType(node)) {
          for (const child of childrenOf(node)) this.statement(child);
        }
    }
  }

  #link(to: string, from: string): void {
    if (to === from) return;
    this.#graph.assign(to, valueOf(from));
    linkNames(this.#graph, to, from);
  }

  /** From where an expression may be a name of where the program lies. */
  #placeIn(node: Expression): Flow {
    return this.#names?.of(node, this.#scope) ?? [];
  }

  #name(target: Node, value: Expression): void {
    this.#names?.write(target, this.#placeIn(value), this.#scope);
    this.#names?.take(target, this.#scope);
  }

  #under(condition: Flow, nodes: readonly (Node | null)[]): void {
    const control = this.#control;
    this.#control = [...control, ...this.#graph.whole(condition)];
    for (const node of nodes) if (node) this.statement(node);
    this.#control = control;
  }

  /** What is done in a loop depends on how often it is gone through. */
  #loop(items: Flow, [first, ...rest]: readonly (Node | null)[]): void {
    const loop = this.#graph.node();
    this.#graph.add(loop, items);
    this.#loops.push(loop);
    const control = this.#control;
    this.#control = [...control, loop];
    const isTest = rest.length > 0;
    if (first && isTest) this.#graph.add(loop, this.#expression(first as Expression));
    for (const node of isTest ? rest : [first]) if (node) this.statement(node);
    this.#control = control;
    this.#loops.pop();
  }

  /** What the function that is being gone through gives. */
  #give(flow: Flow, node: Expression | null = null): void {
    if (node) this.#names?.give(this.#scope.id, this.#placeIn(node));
    this.#graph.assign(`${this.#scope.id} gives`, [...flow, ...this.#control]);
  }

  #assign(place: string, flow: Flow): void {
    this.#graph.assign(place, [...flow, ...this.#control]);
  }

  #put(target: Node, flow: Flow): void {
    const inner = unwrap(target as Expression);
    if (inner.type === "MemberExpression") this.#put(inner.object, flow);
    if (inner.type !== "MemberExpression" && inner.type !== "Identifier") return;
    if (this.#program.outside.pathOf(inner, this.#scope) !== undefined) return;
    this.#graph.put(this.#expression(inner), [...flow, ...this.#control]);
  }

  #write(target: Node, flow: Flow): void {
    switch (target.type) {
      case "Identifier":
        return this.#assign(this.#place(target.name), flow);
      case "MemberExpression": {
        const name = propertyName(target.property, target.computed);
        if (name === null) {
          this.#expression(target.property as Expression);
          return this.#put(target.object, flow);
        }
        this.#assign(`.${name}`, flow);
        return this.#put(target.object, this.#graph.field(name, [...flow, ...this.#control]));
      }
      case "AssignmentPattern":
        this.#write(target.left, this.#expression(target.right));
        return this.#write(target.left, flow);
      case "RestElement":
        return this.#write(target.argument, flow);
      case "TSParameterProperty":
        for (const name of namesIn(target)) {
          this.#graph.field(name, []);
          this.#assign(`.${name}`, flow);
        }
        return this.#write(target.parameter, flow);
      case "ArrayPattern":
        for (const element of target.elements) if (element) this.#write(element, flow);
        return;
      case "ObjectPattern":
        for (const property of target.properties) {
          if (property.type === "RestElement") this.#write(property.argument, flow);
          else this.#write(property.value, this.#member(flow, property.key, property.computed));
        }
        return;
      default:
        return this.#write(unwrap(target as Expression), flow);
    }
  }

  #place(name: string): string {
    return this.#program.functions.resolve(this.#scope, name) ?? `global:${name}`;
  }

  #member(object: Flow, key: Node, computed: boolean): Flow {
    const name = propertyName(key as Expression, computed);
    // How many there are depends on what decided whether one was put in.
    if (name === "length" || name === "size") return object;
    if (name !== null && !/^\d+$/.test(name)) return [...bare(object), ...valueOf(`.${name}`)];
    return [...object, ...(name === null ? this.#expression(key as Expression) : [])];
  }

  #expressions(nodes: readonly (Node | null)[]): Flow {
    return nodes.flatMap((node) => (node ? this.#expression(node as Expression) : []));
  }

  #expression(given: Expression): Flow {
    const node = unwrap(given);
    const flow = this.#flowOf(node);
    const cut = this.#names?.cut(node, this.#scope) ?? [];
    return cut.length === 0 ? flow : [...flow, ...cut];
  }

  #flowOf(node: Expression): Flow {
    const path = this.#program.outside.pathOf(node, this.#scope);
    if (path !== undefined) return this.#outside(path, node);
    if (isFunction(node)) return this.#function(node);
    switch (node.type) {
      case "Identifier":
        return valueOf(this.#place(node.name));
      case "Literal":
      case "ThisExpression":
      case "Super":
      case "MetaProperty":
        return [];
      case "MemberExpression":
        return this.#member(this.#expression(node.object), node.property, node.computed);
      case "CallExpression":
      case "NewExpression":
        return this.#call(node);
      case "AssignmentExpression": {
        const value = this.#expression(node.right);
        const isOwn = node.operator === "=";
        const flow = isOwn ? value : [...value, ...this.#expression(node.left as Expression)];
        this.#write(node.left, isOwn ? flow : this.#graph.whole(flow));
        this.#name(node.left, node.right);
        return flow;
      }
      case "UpdateExpression":
        this.#write(node.argument, []);
        return this.#expression(node.argument);
      case "LogicalExpression":
      case "ConditionalExpression":
        return this.#choice(node);
      case "AwaitExpression":
      case "SpreadElement" as never:
        return this.#expression((node as { argument: Expression }).argument);
      case "YieldExpression": {
        const flow = node.argument ? this.#expression(node.argument) : [];
        this.#give(flow);
        return [...flow, UNKNOWN_ARGUMENTS];
      }
      case "SequenceExpression":
        return this.#expressions(node.expressions);
      case "ArrayExpression":
        return this.#graph.holding(this.#expressions(node.elements));
      case "ObjectExpression":
        return this.#graph.holding(node.properties.flatMap((one) => this.#property(one)));
      case "ClassDeclaration" as never:
      case "ClassExpression":
        return this.#class(node as Extract<Node, { type: "ClassExpression" }>);
      default:
        return this.#graph.whole(
          this.#expressions(this.#program.outside.partsOf(node, this.#scope)),
        );
    }
  }

  #choice(node: Extract<Node, { type: "LogicalExpression" | "ConditionalExpression" }>): Flow {
    const isLogical = node.type === "LogicalExpression";
    const test = this.#expression(isLogical ? node.left : node.test);
    const condition = this.#graph.whole(test);
    const control = this.#control;
    this.#control = [...control, ...condition];
    const chosen = this.#expressions(isLogical ? [node.right] : [node.consequent, node.alternate]);
    this.#control = control;
    return [...(isLogical ? test : condition), ...chosen];
  }

  #property(node: Node): Flow {
    if (node.type !== "Property")
      return this.#expression((node as { argument: Expression }).argument);
    const name = propertyName(node.key, node.computed);
    const flow = this.#expression(node.value as Expression);
    if (name === null) return [...flow, ...this.#expression(node.key as Expression)];
    this.#names?.put(name, this.#placeIn(node.value as Expression));
    this.#assign(`.${name}`, flow);
    return this.#graph.field(name, [...flow, ...this.#control]);
  }

  #class(node: Extract<Node, { type: "ClassExpression" | "ClassDeclaration" }>): Flow {
    const flow = node.superClass ? this.#expression(node.superClass) : [];
    for (const member of node.body.body) {
      if (member.type === "StaticBlock") this.statement(member);
      else if ("key" in member && member.value) {
        const name = propertyName(member.key, member.computed);
        const value = this.#expression(member.value);
        if (name === null || name === "constructor") continue;
        this.#graph.field(name, []);
        this.#assign(`.${name}`, value);
        if (member.type === "PropertyDefinition") {
          this.#names?.put(name, this.#placeIn(member.value));
        }
      }
    }
    if (node.id) this.#assign(this.#place(node.id.name), flow);
    return flow;
  }

  /** A function as a value stands for what it gives. */
  #function(node: AnyFunction): Flow {
    const { functions } = this.#program;
    const before = [this.#scope, this.#control, this.#loops] as const;
    const id = functions.idOf(node);
    const scope = functions.scopes.get(node) ?? this.#scope;
    [this.#scope, this.#control, this.#loops] = [scope, [`${id} called`], []];
    for (const [at, parameter] of node.params.entries()) {
      this.#write(parameter, valueOf(`${id} gets ${at}`));
      this.#names?.parameter(parameter, id, at, scope);
    }
    this.#graph.assign(
      `${id}:arguments`,
      node.params.flatMap((_, at) => valueOf(`${id} gets ${at}`)),
    );
    this.#pass(node, [], [UNKNOWN_ARGUMENTS], null);
    if (node.body?.type === "BlockStatement") this.statement(node.body);
    else if (node.body) this.#give(this.#expression(node.body), node.body);
    [this.#scope, this.#control, this.#loops] = before;
    const gives = valueOf(`${id} gives`);
    if (node.type === "FunctionDeclaration" && node.id) {
      this.#graph.assign(this.#place(node.id.name), gives);
    }
    return gives;
  }

  /** Gives arguments to a function; `rest`: to each of its parameters. */
  #pass(node: AnyFunction, args: readonly Flow[], rest: Flow, control: Flow | null): void {
    const id = this.#program.functions.idOf(node);
    for (const at of node.params.keys()) {
      const isLast = at === node.params.length - 1 && node.params[at]?.type === "RestElement";
      const own = isLast ? args.slice(at).flat() : (args[at] ?? []);
      this.#graph.assign(`${id} gets ${at}`, [...own, ...rest]);
    }
    if (control) this.#graph.add(`${id} called`, control);
  }

  /** `whole`: the expression with the call. */
  #outside(path: string, node: Expression, whole: Node = node, call = ""): Flow {
    return this.#sources.given(path, { node, whole, call, control: this.#control });
  }

  #call(node: Call): Flow {
    const args = node.arguments.map((one) => this.#expression(one as Expression));
    const spread = node.arguments.findIndex(({ type }) => type === "SpreadElement");
    const log = this.#logs.get(node.start);
    if (log !== undefined && node.type === "CallExpression") this.#logged(log, node, args.flat());
    const path = this.#program.outside.pathOf(node.callee, this.#scope);
    if (path !== undefined) return this.#outsideCall(path, node, args);
    const callee = unwrap(node.callee);
    const name = calledName(callee);
    const value = this.#expression(callee);
    const { functions } = this.#program;
    const own = functions.named(this.#scope, callee);
    const isClass = node.type === "NewExpression";
    for (const one of own) {
      const [positional, rest] =
        spread < 0 ? [args, []] : [args.slice(0, spread), args.slice(spread)];
      this.#pass(one, positional, rest.flat(), this.#control);
      this.#names?.pass(functions.idOf(one), node.arguments, this.#scope);
    }
    const isBuiltin = name !== null && builtinMethod(name) !== undefined;
    const isFollowed = own.length > 0 && !(callee.type === "MemberExpression" && isBuiltin);
    if (isClass) return [...bare(value), ...this.#graph.holding(args.flat())];
    if (isFollowed) return value;
    return [...value, ...this.#unknownCall(callee, name, node.arguments, args)];
  }

  #logged(log: string, node: CallExpression, given: Flow): void {
    this.#graph.add(log, [...given, ...this.#control]);
    const parts = printedParts(node).map((part) => {
      return { part, node: this.#nodeFor(this.#expression(part)) };
    });
    this.logged.set(log, { call: node, executed: this.#nodeFor(this.#control), parts });
  }

  #nodeFor(flow: Flow): string {
    const node = this.#graph.node();
    this.#graph.add(node, flow);
    return node;
  }

  /** A function or method that nobody has seen; methods of the language's own objects are known. */
  #unknownCall(
    callee: Expression,
    name: string | null,
    nodes: readonly Node[],
    args: readonly Flow[],
  ): Flow {
    if (name !== null && SHOWING.has(name)) return [];
    const object = callee.type === "MemberExpression" ? callee.object : null;
    const base = object ? this.#expression(object) : [];
    const given = args.flat();
    this.#callBack(nodes, [...base, ...given]);
    const effect = name === null ? undefined : builtinMethod(name);
    if (object && effect) {
      if (effect.mutates) this.#put(object, given);
      // What is made by functions holds what they give.
      if (name === "map") return this.#graph.holding([...bare(base), ...given]);
      return [...base, ...given];
    }
    if (object) this.#put(object, given);
    else this.#graph.add(UNKNOWN_ARGUMENTS, [...given, ...this.#control]);
    for (const [at, node] of nodes.entries()) {
      const others = args.flatMap((flow, other) => (other === at ? [] : flow));
      this.#put(node, [...base, ...others]);
    }
    return this.#graph.whole([...base, ...given]);
  }

  /** Functions among the arguments may be called with all that is there; how often depends on `cause`. */
  #callBack(nodes: readonly Node[], flow: Flow, cause: Flow = []): void {
    for (const node of nodes) {
      const called = this.#program.functions.named(this.#scope, unwrap(node as Expression));
      for (const one of called) this.#pass(one, [], flow, [...this.#control, ...cause]);
    }
  }

  #outsideCall(path: string, node: Call, args: readonly Flow[]): Flow {
    const how = node.type === "NewExpression" ? "new" : "call";
    const given = args.flat();
    if (readsClock(path, args.length, how)) {
      return this.#sources.varying(how === "new" ? "new Date()" : "Date()", node);
    }
    if (path === "global|require") return valueOf(".exports");
    const cause = this.#outside(path, node.callee, node, "()");
    const [first, ...others] = node.arguments;
    if (first && fillsAtRandom(path)) this.#put(first, cause);
    if (first && FILLING.test(path)) this.#put(first, this.#expressions(others));
    this.#callBack(node.arguments, given, cause);
    if (!leavesArguments(path, how) && cause.length === 0) {
      for (const one of node.arguments) this.#put(one, given);
    }
    const flow = [...cause, ...given];
    return PASSING.test(path) ? flow : this.#graph.whole(flow);
  }
}
