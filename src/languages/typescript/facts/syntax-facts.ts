/** @file What TypeScript and JavaScript say of their syntax, for the facts that languages share. */
import { extname } from "node:path";
import type { Node, Program } from "oxc-parser";
import type { SyntaxFacts } from "../../facts-reader.ts";
import { once } from "../../lazy-facts.ts";
import type { LoopHead } from "../../parsed-file.ts";
import type { BindingKind } from "../../scopes.ts";
import { resolveNames } from "../../scopes.ts";
import { sdkNames } from "../log-calls.ts";
import type { ParsedSource } from "../parse.ts";
import { parseSource } from "../parse.ts";
import { childrenOf, statementsOf } from "../syntax.ts";
import { bareBodies } from "./bare-bodies.ts";
import {
  alsoChangedBy,
  callOf,
  held,
  memberOf,
  objectOf,
  passedBy,
  writeOf,
} from "./expression-uses.ts";
import { importedNames } from "./imports.ts";
import { logFacts } from "./log-facts.ts";
import { effectOfFile, exportsName } from "./module-facts.ts";
import { nameOf, variableSetBy } from "./named-nodes.ts";
import { syntaxTree } from "./neutral-tree.ts";
import { walkScopes } from "./scope-walk.ts";
import { shapeOf } from "./shape.ts";
import { effectOf } from "./statement-effects.ts";
import { describeStatement } from "./statement-facts.ts";
import { surroundingsAt } from "./surroundings.ts";

/** Kinds of bindings that have their value wherever they are visible. */
const ALWAYS: ReadonlySet<BindingKind> = new Set(["import", "function", "parameter", "catch"]);

export const TYPESCRIPT_SYNTAX: SyntaxFacts<Node, Program> = {
  parse: parseAnyDialect,
  childrenOf,
  listOf: statementsOf,
  membersOf: (node) => (node.type === "ClassBody" ? node.body : undefined),
  headOf: (node) => (node.type === "SwitchCase" ? node.test : null),
  describer: (program) => {
    const names = sdkNames(program);
    return (node, owner, parent) => describeStatement(node, { owner, parent, names, program });
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
  isText: ({ type }) => type === "TemplateElement",
  factsOf: (program, text, facts) => ({
    bareBodies: () => bareBodies(program, facts()),
    tree: () => syntaxTree(program),
    scopes: () => resolveNames(walkScopes(program), ALWAYS),
    shape: () => shapeOf(program, ""),
    isOpen: () => true,
    imports: () => importedNames(program),
    wildcards: () => [],
    loading: () => effectOfFile(program),
    // A name that stands for itself in an object is known by its use (`isShorthand`).
    selfDocumenting: () => [],
    gives: () => (name) => exportsName(program, text, name),
    logs: () => once((mode) => logFacts(program, mode)),
    surroundingsAt: () => (place) => surroundingsAt(program, place.offset),
    // What has no value yet throws, or is `undefined`: the parser's scopes tell.
    isSurelySet: () => () => true,
  }),
};

/** Parses a text, if need be as another dialect than its name says: a `.js` file may hold types. */
function parseAnyDialect(file: string, text: string): ParsedSource {
  const parsed = parseSource(file, text);
  if (!parsed.problem) return parsed;
  const typed = parseSource(`${file.slice(0, file.length - extname(file).length)}.ts`, text);
  return typed.problem ? parsed : typed;
}

/** The variables that heads of loops declare: `for (const x of …)`. */
function loopHeadOf(node: Node): LoopHead | undefined {
  const isOver = "left" in node && /^For(?:In|Of)/.test(node.type);
  const first = isOver ? node.left : node.type === "ForStatement" ? node.init : null;
  if (first?.type !== "VariableDeclaration") return undefined;
  const id = first.declarations[0]?.id;
  return { variable: id?.type === "Identifier" ? id : undefined };
}
