/**
 * @file Calls of a file whose results are recorded, and given again in replays: of clocks, of entropy,
 * of facts of the process. Which these are is data (`nondeterministic-calls.ts`).
 */
import type { Node } from "oxc-parser";
import type { Span } from "../../../tree/index.ts";
import { isCarried } from "../comparing/carried-marker.ts";
import {
  isClock,
  isGivenAgain,
  mayMention,
  readsClock,
} from "../libraries/nondeterministic-calls.ts";
import { parseSource } from "../parse.ts";
import { childrenOf } from "../syntax.ts";
import type { Scope } from "./function-flows.ts";
import { Functions } from "./function-flows.ts";
import { OutsideNames } from "./outside-sources.ts";

export interface CallSite extends Span {
  /** What is asked: `global|Date.now`. */
  readonly path: string;
  readonly isClock: boolean;
  /** It stands in something that was put into the text besides log statements. */
  readonly isAdded: boolean;
}

/** The sites of a file, in the order of its text. */
export function callSitesOf(file: string, text: string): CallSite[] {
  if (!mayMention(text)) return [];
  const { program } = parseSource(file, text);
  const functions = new Functions();
  const outside = new OutsideNames(functions);
  const scope = functions.add(file, program);
  outside.learn(program, scope);
  return findCallSites({ text, functions, outside }, program, scope);
}

interface Names {
  readonly text: string;
  readonly functions: Functions;
  readonly outside: OutsideNames;
}

/** The same where the names of the file are known. */
export function findCallSites(names: Names, program: Node, module: Scope): CallSite[] {
  const sites: CallSite[] = [];
  const visit = (node: Node, scope: Scope, isAdded: boolean): void => {
    const own = names.functions.scopes.get(node) ?? scope;
    const added = isAdded || isCarried(names.text, node);
    const path = pathOf(node, own, names.outside);
    if (path !== undefined && isGivenAgain(path)) {
      sites.push({
        start: node.start,
        end: node.end,
        path,
        isClock: isClock(path),
        isAdded: added,
      });
    }
    for (const child of childrenOf(node)) visit(child, own, added);
  };
  visit(program, module, false);
  return sites.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

/** What a call asks outside of the project; undefined: nothing. */
function pathOf(node: Node, scope: Scope, outside: OutsideNames): string | undefined {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return undefined;
  const path = isPartOfChain(node) ? undefined : outside.pathOf(node.callee, scope);
  if (path === undefined) return undefined;
  const how = node.type === "NewExpression" ? "new" : "call";
  return readsClock(path, node.arguments.length, how) ? `${path}.now` : path;
}

/** Behind a `?.` it may not be executed: it cannot stand in a call of its own. */
function isPartOfChain(node: Node): boolean {
  if (node.type === "CallExpression") return node.optional || isPartOfChain(node.callee);
  return node.type === "MemberExpression" && (node.optional || isPartOfChain(node.object));
}
