/**
 * @file A text, parsed, with the facts that languages share. A language says what single nodes of its
 * syntax are; the walks over whole texts that make facts of that stand here, once for all languages.
 */
import type { Language } from "./language.ts";
import { keepingLast, lazyFacts } from "./lazy-facts.ts";
import type {
  Call,
  Effect,
  LoopHead,
  Member,
  Mutations,
  Named,
  ParsedFile,
  Statement,
  StatementList,
  Syntax,
  Unparsed,
  Uses,
  Write,
} from "./parsed-file.ts";

export interface ParsedText<Program extends Syntax> {
  readonly program: Program;
  /** What is wrong with the text, at most the first problem; null: it parses. */
  readonly problem: { readonly message: string; readonly offset: number } | null;
}

/** What a language says of its syntax. */
export interface SyntaxFacts<Node extends Syntax, Program extends Node = Node> {
  parse(this: void, file: string, text: string): ParsedText<Program>;
  childrenOf(this: void, node: Node): readonly Node[];
  /** The statements of a node that holds a list of them; undefined for any other. */
  listOf(this: void, node: Node): readonly Node[] | undefined;
  /** The members of a class, of its body, where they are no statements. */
  membersOf(this: void, node: Node): readonly Node[] | undefined;
  /** An expression of such a node, before its statements. */
  headOf(this: void, node: Node): Node | null | undefined;
  /** Describes statements of a program. */
  describer(this: void, program: Program): Describe<Node>;
  /** Of a function, a class or a named loop: its own name, or the one that its parent gives to it. */
  nameOf(this: void, node: Node, parent: Node | undefined): string | undefined;
  /** The variable that a statement of the module sets, if it does nothing else: what says so. */
  variableSetBy(this: void, statement: Node): ModuleVariable<Node> | undefined;
  loopHeadOf(this: void, node: Node): LoopHead | undefined;
  callOf(this: void, node: Node): Call | undefined;
  memberOf(this: void, node: Node): Member | undefined;
  writeOf(this: void, node: Node): Write | undefined;
  /** Parts that a node changes besides what it writes to: it deletes them, or they are in a pattern. */
  alsoChangedBy(this: void, node: Node): readonly Node[];
  /** Parts that a node hands to somebody else. */
  passedBy(this: void, node: Node): readonly Node[];
  /** What stands in wrappers that mean nothing. */
  held(this: void, node: Node): Node;
  /** Of `object.name` and of `object[key]` the object. */
  objectOf(this: void, node: Node): Node | undefined;
  effectOf(this: void, node: Node): Effect;
  /** Whether a line break in it belongs to a value. */
  isText(this: void, node: Node): boolean;
  /** The facts that are of the program as a whole. */
  factsOf(this: void, program: Program, text: string, facts: () => ParsedFile): ProgramFacts;
}

type Describe<Node> = (node: Node, owner: Syntax, parent: Statement | null) => Statement;

export interface ModuleVariable<Node> {
  readonly called: string;
  readonly parts: { readonly statement: Node; readonly variable: Node; readonly name: Node };
}

type Shared =
  | "file"
  | "text"
  | "lines"
  | "language"
  | "program"
  | "lists"
  | "members"
  | "statements"
  | "describe"
  | "named"
  | "moduleVariables"
  | "loops"
  | "uses"
  | "mutations"
  | "strings";

type ProgramFacts = { readonly [K in Exclude<keyof ParsedFile, Shared>]: () => ParsedFile[K] };

/** Texts that are kept parsed. */
const KEPT = 4;

/** Reads files for a language. */
export function factsReader<Node extends Syntax, Program extends Node>(
  language: () => Language,
  syntax: SyntaxFacts<Node, Program>,
): Language["read"] {
  return keepingLast(KEPT, (file: string, text: string): ParsedFile | Unparsed => {
    const { program, problem } = syntax.parse(file, text);
    const lines = language().linesOf(text);
    if (problem) {
      return { problem: { line: lines.at(problem.offset).line, message: problem.message } };
    }
    const describe = syntax.describer(program);
    let nodes: readonly Node[] | undefined;
    const all = (): readonly Node[] => (nodes ??= nodesIn(program, syntax));
    const facts: ParsedFile = lazyFacts<ParsedFile>({
      file: () => file,
      text: () => text,
      lines: () => lines,
      language,
      program: () => program,
      lists: () => statementLists(program, syntax, describe),
      members: () => memberLists(all(), syntax, describe),
      statements: () => facts.lists.flatMap(({ statements }) => statements),
      describe: () => {
        const known = new Map(facts.statements.map((one) => [one.node, one]));
        return (node) => known.get(node) ?? describe(node as Node, node, null);
      },
      named: () => namedNodes(program, syntax),
      moduleVariables: () => moduleVariables(program, syntax),
      loops: () => loopHeads(all(), syntax),
      uses: () => usesIn(all(), syntax),
      mutations: () => mutationsIn(all(), syntax),
      strings: () => all().filter(syntax.isText),
      ...syntax.factsOf(program, text, () => facts),
    });
    return facts;
  });
}

/** Every node of a text, outer ones first. */
function nodesIn<Node extends Syntax>(program: Node, { childrenOf }: SyntaxFacts<Node>): Node[] {
  const found: Node[] = [];
  const visit = (at: Node): void => {
    found.push(at);
    for (const child of childrenOf(at)) visit(child);
  };
  visit(program);
  return found;
}

/** All lists of statements, outer ones first. */
function statementLists<Node extends Syntax>(
  program: Node,
  { childrenOf, listOf, headOf }: SyntaxFacts<Node>,
  describe: Describe<Node>,
): StatementList[] {
  const found: StatementList[] = [];
  const visit = (node: Node, parent: Statement | null): void => {
    const list = listOf(node);
    const own = new Map(list?.map((one) => [one, describe(one, node, parent)]));
    if (list) {
      const head = headOf(node);
      found.push({ owner: node, statements: [...own.values()], ...(head ? { head } : {}) });
    }
    for (const child of childrenOf(node)) visit(child, own.get(child) ?? parent);
  };
  visit(program, null);
  return found;
}

function memberLists<Node extends Syntax>(
  nodes: readonly Node[],
  { membersOf }: SyntaxFacts<Node>,
  describe: Describe<Node>,
): StatementList[] {
  return nodes.flatMap((owner) => {
    const members = membersOf(owner);
    return members ? [{ owner, statements: members.map((one) => describe(one, owner, null)) }] : [];
  });
}

/** Functions, classes and named loops by their qualified names. */
function namedNodes<Node extends Syntax>(program: Node, syntax: SyntaxFacts<Node>): Named {
  const found = new Map<string, Node[]>();
  const visit = (node: Node, parent: Node | undefined, path: string): void => {
    const name = syntax.nameOf(node, parent);
    const inner = name === undefined ? path : `${path}/${name}`;
    if (name !== undefined) found.set(inner, [...(found.get(inner) ?? []), node]);
    for (const child of syntax.childrenOf(node)) visit(child, node, inner);
  };
  visit(program, undefined, "");
  return found;
}

function moduleVariables<Node extends Syntax>(program: Node, syntax: SyntaxFacts<Node>): Named {
  const found = new Map<string, Node[]>();
  for (const { called, parts } of syntax
    .childrenOf(program)
    .flatMap((child) => syntax.variableSetBy(child) ?? [])) {
    for (const [kind, part] of Object.entries(parts)) {
      const key = `${kind} ${called}`;
      found.set(key, [...(found.get(key) ?? []), part]);
    }
  }
  return found;
}

function loopHeads<Node extends Syntax>(
  nodes: readonly Node[],
  { loopHeadOf }: SyntaxFacts<Node>,
): ReadonlyMap<Syntax, LoopHead> {
  const found = new Map<Syntax, LoopHead>();
  for (const node of nodes) {
    const head = loopHeadOf(node);
    if (head) found.set(node, head);
  }
  return found;
}

/** What the expressions of a text do. */
function usesIn<Node extends Syntax>(nodes: readonly Node[], syntax: SyntaxFacts<Node>): Uses {
  const uses = { calls: [] as Call[], members: [] as Member[], writes: [] as Write[] };
  for (const node of nodes) {
    const [call, member, write] = [
      syntax.callOf(node),
      syntax.memberOf(node),
      syntax.writeOf(node),
    ];
    if (call) uses.calls.push(call);
    if (member) uses.members.push(member);
    if (write) uses.writes.push(write);
  }
  return uses;
}

/** Names whose values are changed, or handed to somebody else. */
function mutationsIn<Node extends Syntax>(
  nodes: readonly Node[],
  syntax: SyntaxFacts<Node>,
): Mutations {
  const mutated = new Set<Syntax>();
  const passed = new Set<Syntax>();
  const change = (part: Syntax, isChange: () => boolean = () => true): void => {
    const root = rootOf(part as Node, syntax);
    if (root && isChange()) mutated.add(root);
  };
  for (const node of nodes) {
    const [write, call] = [syntax.writeOf(node), syntax.callOf(node)];
    if (write) change(write.target);
    for (const part of syntax.alsoChangedBy(node)) change(part);
    // What a call does is looked at last: all that it holds counts.
    if (call) change(call.callee, () => syntax.effectOf(node) === "changes");
    for (const part of syntax.passedBy(node)) passed.add(syntax.held(part));
  }
  return { mutated, passed };
}

/** What a chain of members begins with; undefined for what is no member. */
function rootOf<Node extends Syntax>(node: Node, syntax: SyntaxFacts<Node>): Node | undefined {
  const at = syntax.held(node);
  const object = syntax.objectOf(at);
  return object && (rootOf(object, syntax) ?? syntax.held(object));
}
