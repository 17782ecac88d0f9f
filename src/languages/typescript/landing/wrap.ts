/**
 * @file A definition that calls the model, brought along into an old run, must not be felt by the
 * training: its value is computed by `aside`, which sets generators, training flags and the position
 * in the data back.
 */
import type { Node } from "oxc-parser";
import { logCallOf, sdkNames } from "../log-calls.ts";
import type { VersionPair } from "./pair.ts";
import type { Definition, Settled } from "./settle.ts";
import type { Wrap } from "./statement-text.ts";
import { neededBy } from "./surroundings.ts";

/** What is put around a value of the item; undefined if it needs nothing. */
export function wrapFor(
  pair: VersionPair,
  item: Settled,
  placed: readonly Settled[],
): Wrap | undefined {
  const sdk = placed
    .map((statement) => sdkName(pair, statement))
    .find((name) => name !== undefined);
  const node = sdk === undefined ? undefined : wrappedNode(pair, item);
  if (sdk === undefined || !node) return undefined;
  const { awaits } = neededBy(node);
  const before = awaits ? `await ${sdk}.aside(async () => ` : `${sdk}.aside(() => `;
  return {
    node,
    before: node.type === "ObjectExpression" ? `${before}(` : before,
    after: node.type === "ObjectExpression" ? "))" : ")",
  };
}

/** The value that calls the model: of a constant, or of a statement that calls a function brought along. */
function wrappedNode(pair: VersionPair, item: Settled): Node | undefined {
  const { node } = item.unit;
  if ("effect" in item) {
    if ((item as Definition).effect !== "calls" || node.type !== "VariableDeclaration")
      return undefined;
    const init = node.declarations[0]?.init;
    return init && !isFunction(init) ? init : undefined;
  }
  const calls = item.definitions.some(
    ({ effect, unit }) => effect === "calls" && definesFunction(unit.node),
  );
  if (!calls || node.type !== "ExpressionStatement") return undefined;
  return logCallOf(node, sdkNames(pair.now.source.program))?.arguments[1];
}

function definesFunction(node: Node): boolean {
  if (node.type === "FunctionDeclaration") return true;
  const init = node.type === "VariableDeclaration" ? node.declarations[0]?.init : null;
  return init ? isFunction(init) : false;
}

function isFunction({ type }: Node): boolean {
  return /^(?:Arrow)?Function/.test(type);
}

/** What the old version calls the SDK where a statement logs: `al` of `al.log(…)`. */
function sdkName(pair: VersionPair, { unit, renaming }: Settled): string | undefined {
  if (unit.node.type !== "ExpressionStatement") return undefined;
  const call = logCallOf(unit.node, sdkNames(pair.now.source.program));
  if (call?.callee.type !== "MemberExpression" || call.callee.object.type !== "Identifier") {
    return undefined;
  }
  const reference = pair.now.scopes.referenceOf.get(call.callee.object);
  return (reference && renaming.get(reference)) ?? call.callee.object.name;
}
