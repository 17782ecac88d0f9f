/** @file A text of Python, parsed, with the facts that languages share. */
import type { Language } from "../../language.ts";
import { lazyFacts, once, keepingLast } from "../../lazy-facts.ts";
import { Lines } from "../../lines.ts";
import type {
  LoopHead,
  ParsedFile,
  Shape,
  Statement,
  Syntax,
  Unparsed,
} from "../../parsed-file.ts";
import type { Scope } from "../../scopes.ts";
import { resolveNames } from "../../scopes.ts";
import { statementLists } from "../../statement-lists.ts";
import { loopName, moduleVariables, namedNodes } from "./named-nodes.ts";
import { importedNames, starModules } from "./imports.ts";
import { isBuiltin } from "./described-effects.ts";
import { effectOfFile, givesName } from "./module-facts.ts";
import { syntaxTree } from "./neutral-tree.ts";
import { parsePython } from "./parser.ts";
import { selfDocumentingTexts } from "./self-documenting.ts";
import { walkScopes } from "./scope-walk.ts";
import { describeStatement, logFacts, sdkLogsIn } from "./statement-facts.ts";
import type { PyNode } from "./syntax.ts";
import { fieldOf, hasToken, named, statementsOf } from "./syntax.ts";
import { isSurelySet } from "./surely-set.ts";
import { mutationsIn, usesIn } from "./expression-uses.ts";

/** Texts that are kept parsed. */
const KEPT = 4;
/** Where Python ends a line. */
const BREAKS = /\r\n|[\n\r]/g;

export function linesOf(text: string): Lines {
  return new Lines(text, BREAKS);
}

/** Reads files for a language. */
export function factsReader(language: () => Language): Language["read"] {
  return keepingLast(KEPT, (file: string, text: string): ParsedFile | Unparsed => {
    const { program, problem } = parsePython(text);
    if (!problem) return factsOf(language, { file, text, program });
    return { problem: { line: linesOf(text).at(problem.offset).line, message: problem.message } };
  });
}

function factsOf(
  language: () => Language,
  {
    file,
    text,
    program,
  }: { readonly file: string; readonly text: string; readonly program: PyNode },
): ParsedFile {
  const sdkLog = sdkLogsIn(program);
  const describe = (node: PyNode, owner: Syntax, parent: Statement | null): Statement => {
    return describeStatement(node, { owner, parent, sdkLog });
  };
  const lines = linesOf(text);
  const facts: ParsedFile = lazyFacts<ParsedFile>({
    file: () => file,
    text: () => text,
    lines: () => lines,
    language,
    program: () => program,
    tree: () => syntaxTree(program),
    shape: () => shapeOf(program),
    lists: () =>
      statementLists(program, {
        childrenOf: named,
        listOf: statementsOf,
        headOf: () => undefined,
        describe,
      }),
    statements: () => facts.lists.flatMap(({ statements }) => statements),
    describe: () => {
      const known = new Map(facts.statements.map((one) => [one.node, one]));
      return (node) => known.get(node) ?? describe(node as PyNode, node, null);
    },
    scopes: () => resolveNames(walkScopes(program), new Set(["parameter"])),
    isOpen: () => facts.wildcards.length > 0,
    imports: () => importedNames(program),
    wildcards: () => starModules(program),
    loading: () => effectOfFile(program),
    named: () => namedNodes(program),
    moduleVariables: () => moduleVariables(program),
    loops: () => loopHeads(program),
    uses: () => usesIn(program),
    mutations: () => mutationsIn(program),
    strings: () => stringsIn(program),
    selfDocumenting: () => selfDocumentingTexts(text, program),
    gives: () => (name) => givesName(facts, name),
    logs: () => once((mode) => logFacts(program, mode)),
    surroundingsAt: () => (place) => surroundingsIn(place.scope),
    isSurelySet: () => (binding, gap) => isSurelySet(program, binding, gap),
  });
  return facts;
}

/** To the last token. */
function shapeOf({ type, text, start, end, children }: PyNode): Shape {
  return { start, end, field: "", label: `${type} ${text}`, parts: children.map(shapeOf) };
}

function stringsIn(node: PyNode): PyNode[] {
  return node.type === "string" ? [node] : named(node).flatMap(stringsIn);
}

/** What a `for` sets, and what it goes over. */
function loopHeads(program: PyNode): Map<Syntax, LoopHead> {
  const found = new Map<Syntax, LoopHead>();
  const visit = (node: PyNode): void => {
    const [target, over] = [fieldOf(node, "left"), fieldOf(node, "right")];
    if (node.type === "for_statement" && target && over) {
      const { start, end } = over;
      const iterated = { start, end, name: loopName(over), words: wordsIn(over) };
      const variable = target.type === "identifier" ? target : undefined;
      found.set(node, { variable, target, over: iterated });
    }
    for (const child of named(node)) visit(child);
  };
  visit(program);
  return found;
}

/** Names and attributes, without what Python gives. */
function wordsIn(node: PyNode): string[] {
  if (node.type === "identifier") return isBuiltin(node.text) ? [] : [node.text];
  return named(node).flatMap(wordsIn);
}

/** `this` is a name like others here, and so is a private one. */
function surroundingsIn(scope: Scope): ReturnType<ParsedFile["surroundingsAt"]> {
  const around = scope.function.node as PyNode;
  const awaits = around.type === "function_definition" && hasToken(around, "async");
  return { awaits, yields: true, hasThis: true, privateNames: new Set() };
}
