/** @file A text of TypeScript or JavaScript, parsed, with the facts that languages share. */
import { extname } from "node:path";
import type { Node, Program } from "oxc-parser";
import type { Language } from "../../language.ts";
import { lazyFacts, once, keepingLast } from "../../lazy-facts.ts";
import { Lines } from "../../lines.ts";
import type { LoopHead, ParsedFile, Statement, Syntax, Unparsed } from "../../parsed-file.ts";
import type { BindingKind } from "../../scopes.ts";
import { resolveNames } from "../../scopes.ts";
import { statementLists } from "../../statement-lists.ts";
import { sdkNames } from "../log-calls.ts";
import { parseSource } from "../parse.ts";
import { childrenOf } from "../syntax.ts";
import { moduleVariables, namedNodes } from "./named-nodes.ts";
import { importedNames } from "./imports.ts";
import { logFacts } from "./log-facts.ts";
import { effectOfFile, exportsName } from "./module-facts.ts";
import { syntaxTree } from "./neutral-tree.ts";
import { walkScopes } from "./scope-walk.ts";
import { shapeOf } from "./shape.ts";
import { describeStatement } from "./statement-facts.ts";
import { surroundingsAt } from "./surroundings.ts";
import { mutationsIn, usesIn } from "./expression-uses.ts";

/** Kinds of bindings that have their value wherever they are visible. */
const ALWAYS: ReadonlySet<BindingKind> = new Set(["import", "function", "parameter", "catch"]);

/** Texts that are kept parsed. */
const KEPT = 4;

/** Reads files for a language, if need be as another dialect than their names say. */
export function factsReader(language: () => Language): Language["read"] {
  return keepingLast(KEPT, (file: string, text: string): ParsedFile | Unparsed => {
    // A `.js` file may hold types.
    const typed = `${file.slice(0, file.length - extname(file).length)}.ts`;
    const parsed = parseSource(file, text);
    const { program, problem } = parsed.problem ? parseSource(typed, text) : parsed;
    if (!problem) return factsOf(language, { file, text, program });
    const { message, offset } = parsed.problem ?? problem;
    return { problem: { line: new Lines(text).at(offset).line, message } };
  });
}

function factsOf(
  language: () => Language,
  {
    file,
    text,
    program,
  }: { readonly file: string; readonly text: string; readonly program: Program },
): ParsedFile {
  const names = sdkNames(program);
  const describe = (node: Node, owner: Syntax, parent: Statement | null): Statement => {
    return describeStatement(node, { owner, parent, names, program });
  };
  const lines = new Lines(text);
  const facts: ParsedFile = lazyFacts<ParsedFile>({
    file: () => file,
    text: () => text,
    lines: () => lines,
    language,
    program: () => program,
    tree: () => syntaxTree(program),
    shape: () => shapeOf(program, ""),
    lists: () =>
      statementLists<Node>(program, {
        childrenOf,
        listOf,
        headOf: (node) => (node.type === "SwitchCase" ? node.test : null),
        describe,
      }),
    statements: () => facts.lists.flatMap(({ statements }) => statements),
    describe: () => {
      const known = new Map(facts.statements.map((one) => [one.node, one]));
      return (node) => known.get(node) ?? describe(node as Node, node, null);
    },
    scopes: () => resolveNames(walkScopes(program), ALWAYS),
    isOpen: () => true,
    imports: () => importedNames(program),
    wildcards: () => [],
    loading: () => effectOfFile(program),
    named: () => namedNodes(program),
    moduleVariables: () => moduleVariables(program),
    loops: () => loopHeads(program),
    uses: () => usesIn(program),
    mutations: () => mutationsIn(program),
    strings: () => templatesIn(program),
    // A name that stands for itself in an object is known by its use (`isShorthand`).
    selfDocumenting: () => [],
    gives: () => (name) => exportsName(program, text, name),
    logs: () => once((mode) => logFacts(program, mode)),
    surroundingsAt:
      () =>
      ({ offset }) =>
        surroundingsAt(program, offset),
    // What has no value yet throws, or is `undefined`: the parser's scopes tell.
    isSurelySet: () => () => true,
  });
  return facts;
}

/** The statements of a node that holds a list of them; undefined for any other. */
function listOf(node: Node): readonly Node[] | undefined {
  switch (node.type) {
    case "Program":
    case "BlockStatement":
    case "StaticBlock":
    case "TSModuleBlock":
      return node.body;
    case "SwitchCase":
      return node.consequent;
    default:
      return undefined;
  }
}

/** Template texts. */
function templatesIn(node: Node): Node[] {
  return node.type === "TemplateElement" ? [node] : childrenOf(node).flatMap(templatesIn);
}

/** The variables that heads of loops declare: `for (const x of …)`. */
function loopHeads(program: Node): Map<Syntax, LoopHead> {
  const found = new Map<Syntax, LoopHead>();
  const visit = (node: Node): void => {
    const first = "left" in node && /^For(?:In|Of)/.test(node.type) ? node.left : headOf(node);
    if (first?.type === "VariableDeclaration") {
      const id = first.declarations[0]?.id;
      found.set(node, { variable: id?.type === "Identifier" ? id : undefined });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program);
  return found;
}

function headOf(node: Node): Node | null {
  return node.type === "ForStatement" ? node.init : null;
}
