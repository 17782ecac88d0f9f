/** @file What Python says of its syntax, for the facts that languages share. */
import type { SyntaxFacts } from "../../facts-reader.ts";
import { once } from "../../lazy-facts.ts";
import { Lines } from "../../lines.ts";
import type { LoopHead, ParsedFile } from "../../parsed-file.ts";
import type { Scope } from "../../scopes.ts";
import { resolveNames } from "../../scopes.ts";
import { isBuiltin } from "./described-effects.ts";
import { alsoChangedBy, callOf, memberOf, objectOf, passedBy, writeOf } from "./expression-uses.ts";
import { importedNames, starModules } from "./imports.ts";
import { effectOfFile, givesName } from "./module-facts.ts";
import { loopName, nameOf, variableSetBy } from "./named-nodes.ts";
import { syntaxTree } from "./neutral-tree.ts";
import { parsePython } from "./parser.ts";
import { walkScopes } from "./scope-walk.ts";
import { selfDocumentingTexts } from "./self-documenting.ts";
import { shapeOf } from "./shape.ts";
import { effectOf } from "./statement-effects.ts";
import { describeStatement, logFacts, sdkLogsIn } from "./statement-facts.ts";
import { isSurelySet } from "./surely-set.ts";
import type { PyNode } from "./syntax.ts";
import { fieldOf, hasToken, held, namedChildren, statementsOf } from "./syntax.ts";

/** Where Python ends a line. */
const BREAKS = /\r\n|[\n\r]/g;

export function linesOf(text: string): Lines {
  return new Lines(text, BREAKS);
}

export const PYTHON_SYNTAX: SyntaxFacts<PyNode> = {
  parse: (_file, text) => parsePython(text),
  childrenOf: namedChildren,
  listOf: statementsOf,
  membersOf: () => undefined,
  headOf: () => undefined,
  describer: (program) => {
    const sdkLog = sdkLogsIn(program);
    return (node, owner, parent) => describeStatement(node, { owner, parent, sdkLog });
  },
  nameOf,
  variableSetBy,
  loopHeadOf,
  callOf,
  memberOf,
  writeOf,
  alsoChangedBy,
  passedBy,
  held,
  objectOf,
  effectOf,
  isText: ({ type }) => type === "string",
  factsOf: (program, text, facts) => ({
    // A body on the line of its head is a block as any other.
    bareBodies: () => [],
    tree: () => syntaxTree(program),
    scopes: () => resolveNames(walkScopes(program), new Set(["parameter"])),
    shape: () => shapeOf(program),
    isOpen: () => facts().wildcards.length > 0,
    imports: () => importedNames(program),
    wildcards: () => starModules(program),
    loading: () => effectOfFile(program),
    selfDocumenting: () => selfDocumentingTexts(text, program),
    gives: () => (name) => givesName(facts(), name),
    logs: () => once((mode) => logFacts(program, mode)),
    surroundingsAt: () => (place) => surroundingsIn(place.scope),
    isSurelySet: () => (binding, gap) => isSurelySet(program, binding, gap),
  }),
};

/** What a `for` sets, and what it goes over. */
function loopHeadOf(node: PyNode): LoopHead | undefined {
  const [target, over] = [fieldOf(node, "left"), fieldOf(node, "right")];
  if (node.type !== "for_statement" || !target || !over) return undefined;
  const { start, end } = over;
  const iterated = { start, end, name: loopName(over), words: wordsIn(over) };
  const variable = target.type === "identifier" ? target : undefined;
  return { variable, target, over: iterated };
}

/** Names and attributes, without what Python gives. */
function wordsIn(node: PyNode): string[] {
  if (node.type === "identifier") return isBuiltin(node.text) ? [] : [node.text];
  return namedChildren(node).flatMap(wordsIn);
}

/** `this` is a name like others here, and so is a private one. */
function surroundingsIn(scope: Scope): ReturnType<ParsedFile["surroundingsAt"]> {
  const around = scope.function.node as PyNode;
  const awaits = around.type === "function_definition" && hasToken(around, "async");
  return { awaits, yields: true, hasThis: true, privateNames: new Set() };
}
