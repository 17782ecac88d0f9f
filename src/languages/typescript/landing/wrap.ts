/**
 * @file A definition that calls the model, brought along into an old run, must not be felt by the
 * training: its value is computed by `aside`, which sets generators, training flags and the position
 * in the data back (semantics, "Landing"). So is what is logged by calling a function that came
 * along, be it in a file of its own.
 */
import type { Node } from "oxc-parser";
import type { SdkNames } from "../log-calls.ts";
import { logCallsIn, sdkNames } from "../log-calls.ts";
import { childrenOf } from "../syntax.ts";
import { effectOf } from "./effects.ts";
import type { Guard, ImportedName } from "../../landing/grammar.ts";
import type { VersionPair } from "../../landing/pair.ts";
import { reach } from "../../landing/reach.ts";
import type { Definition, Settled } from "../../landing/settle.ts";
import type { Wrap } from "../../landing/statement-text.ts";
import { importedNames, isWhole } from "./imports.ts";
import type { Source } from "./source.ts";
import { neededBy } from "./surroundings.ts";

export function guardOf(pair: VersionPair, placed: readonly Settled[]): Guard {
  const names = sdkNames((pair.now.source as Source).program, pair.mode);
  const logging = placed.filter(({ unit }) => !logCallsIn(unit.node as Node, names).next().done);
  const items = new Set(logging.flatMap((one) => [...one.definitions, one]));
  const guarded = [...items].flatMap((item) => {
    const values = isDefinition(item) ? valueOf(item) : loggedBy(item, names);
    return values.length === 0 ? [] : [{ node: item.unit.node as Node, values }];
  });
  if (guarded.length === 0) return { wraps: new Map(), needs: undefined };
  const { callee, needs } = asideOf(pair, placed);
  const wraps = guarded.map(({ node, values }) => {
    return [node, values.map((value) => wrapped(value, callee))] as const;
  });
  return { wraps: new Map(wraps), needs };
}

/** Whether a statement calls something that came along where nothing can be put around it. */
export function isUnguarded(pair: VersionPair, item: Settled): boolean {
  if (!callsAlong(item)) return false;
  const names = sdkNames((pair.now.source as Source).program, pair.mode);
  const node = item.unit.node as Node;
  return callsBeside(node, new Set(logCallsIn(node, names)), new Set(loggedBy(item, names)));
}

function isDefinition(item: Settled): item is Definition {
  return "effect" in item;
}

/** The value of a constant that calls the model. */
function valueOf({ effect, unit }: Definition): Node[] {
  const node = unit.node as Node;
  if (effect !== "calls" || node.type !== "VariableDeclaration") return [];
  const init = node.declarations[0]?.init;
  return init && !isFunction(init) && isWrappable(init) ? [init] : [];
}

/** What a statement logs by calling, if functions that call the model came along with it. */
function loggedBy(item: Settled, names: SdkNames): Node[] {
  if (!callsAlong(item)) return [];
  return [...logCallsIn(item.unit.node as Node, names)].flatMap((call) => {
    const value = call.arguments[1];
    return value && isWrappable(value) && isCalling(value) ? [value] : [];
  });
}

/** Whether it may call a function that came along, and that is not known to be harmless. */
function callsAlong({ definitions, unchecked }: Settled): boolean {
  const isCalled = ({ effect, unit }: Definition): boolean =>
    effect === "calls" && definesFunction(unit.node as Node);
  return unchecked.length > 0 || definitions.some(isCalled);
}

function isCalling(node: Node): boolean {
  return /^(?:calls|changes)$/.test(effectOf(node));
}

/** Whether an expression can stand in a function of its own. */
function isWrappable(node: Node): boolean {
  return node.type !== "SpreadElement" && !yields(node);
}

function yields(node: Node): boolean {
  if (node.type === "YieldExpression") return true;
  return !isFunction(node) && childrenOf(node).some(yields);
}

/** Whether anything is called besides `log` and what the values call. */
function callsBeside(node: Node, logs: ReadonlySet<Node>, values: ReadonlySet<Node>): boolean {
  if (values.has(node)) return false;
  const isCall = /^(?:Call|New|TaggedTemplate)Expression$/.test(node.type) && !logs.has(node);
  if (isCall && isCalling(node)) return true;
  return childrenOf(node).some((child) => callsBeside(child, logs, values));
}

function definesFunction(node: Node): boolean {
  if (node.type === "FunctionDeclaration") return true;
  const init = node.type === "VariableDeclaration" ? node.declarations[0]?.init : null;
  return init ? isFunction(init) : false;
}

function isFunction({ type }: Node): boolean {
  return /^(?:Arrow)?Function/.test(type);
}

function wrapped(node: Node, callee: string): Wrap {
  const before = neededBy(node).awaits ? `await ${callee}(async () => ` : `${callee}(() => `;
  // Braces would be a body, and a comma would end the function.
  const isBare = !/^(?:Object|Sequence)Expression$/.test(node.type);
  return isBare ? { node, before, after: ")" } : { node, before: `${before}(`, after: "))" };
}

const SDK = "afterlog";

/** What `aside` is called where the statements go: as that version imports it, or is to. */
function asideOf(
  pair: VersionPair,
  placed: readonly Settled[],
): { readonly callee: string; readonly needs: ImportedName | undefined } {
  const { source, scopes } = pair.then;
  const isSeen = ({ local }: ImportedName): boolean =>
    placed.every(({ target }) => {
      const found = reach(scopes, local, pair.spotOf(target.place));
      return found.kind === "reached" && found.binding?.scope.parent === null;
    });
  const own = importedNames(source as Source).filter(({ module }) => module === SDK);
  const brought = placed.flatMap(({ imports }) => imports).filter(({ module }) => module === SDK);
  const given = [...own.filter(isSeen), ...brought];
  const whole = given.find(({ imported }) => isWhole(imported));
  if (whole) return { callee: `${whole.local}.aside`, needs: undefined };
  const same = given.find(({ imported }) => imported === "aside");
  if (same) return { callee: same.local, needs: undefined };
  const local = unusedName(pair, "aside");
  return { callee: local, needs: { module: SDK, imported: "aside", local } };
}

/** The name, or one like it that means nothing in either version. */
function unusedName(pair: Pick<VersionPair, "now" | "then">, name: string): string {
  const isUsed = [pair.now, pair.then].some(({ scopes }) => {
    const isDeclared = [...scopes.bindingOf.values()].some((binding) => binding.name === name);
    return isDeclared || scopes.references.some((reference) => reference.name === name);
  });
  return isUsed ? unusedName(pair, `${name}_`) : name;
}
