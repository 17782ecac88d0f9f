/** @file What landing asks about statements of Python. */
import type { RunMode } from "../../../format/index.ts";
import type { Place } from "../../../tree/index.ts";
import type { VersionPair } from "../../landing/pair.ts";
import type { Binding } from "../../landing/scope.ts";
import type { Refusal, Settled } from "../../landing/settle.ts";
import { awaits } from "./effects.ts";
import { importedNames } from "./imports.ts";
import type { Source } from "./source.ts";
import type { PyNode } from "./syntax.ts";
import {
  argumentsOf,
  assignmentIn,
  callIn,
  definitionIn,
  dotted,
  fieldOf,
  hasToken,
  named,
  stringIn,
} from "./syntax.ts";

export function isSimple({ type }: PyNode): boolean {
  return type === "expression_statement";
}

const LOGGERS = /^(?:log|logger|logging|wandb|writer|mlflow|neptune|tqdm|console|run|self\.log)$/i;
const LOGGING =
  /^(?:log|warn|warning|error|info|debug|critical|exception|print|write|add_\w+|log_\w+)$/i;

/** Whether a statement logs, or decides whether to log, and does nothing else. */
export function isLogOnly(node: PyNode): boolean {
  const call = callIn(node);
  if (call) return isLogCall(call);
  switch (node.type) {
    case "if_statement":
    case "with_statement":
    case "elif_clause":
    case "else_clause": {
      const bodies = named(node).filter(({ type }) => /^(?:block|el\w+_clause)$/.test(type));
      return bodies.every(isLogOnly);
    }
    case "block":
      return named(node).every(isLogOnly);
    default:
      return false;
  }
}

function isLogCall(call: PyNode): boolean {
  const callee = fieldOf(call, "function");
  if (callee?.type === "identifier") return /^(?:print|pprint|log|record)$/.test(callee.text);
  if (callee?.type !== "attribute") return false;
  const [object, method] = [fieldOf(callee, "object"), fieldOf(callee, "attribute")];
  if (!object || !method || !LOGGING.test(method.text)) return false;
  return method.text === "log" || LOGGERS.test(dotted(object));
}

const SDK = "afterlog";

/** For a statement, the call of the SDK's `log` that it is. */
export function sdkLogsIn(source: Source): (node: PyNode) => PyNode | undefined {
  const own = importedNames(source).filter(({ module }) => module === SDK);
  const paths = new Set(
    own.map(({ imported, local }) => (imported === "log" ? local : `${local}.log`)),
  );
  return (node) => {
    const call = callIn(node);
    const callee = call && fieldOf(call, "function");
    return callee && paths.has(dotted(callee)) ? call : undefined;
  };
}

/** Whether a statement logs with the SDK, or prints. */
export function isLog(source: Source, node: PyNode): boolean {
  const call = callIn(node);
  const callee = call && fieldOf(call, "function");
  return sdkLogsIn(source)(node) !== undefined || callee?.text === "print";
}

export function logKeyIn(
  source: Source,
  { handsFree }: RunMode,
): (node: PyNode) => string | undefined {
  const sdkLog = sdkLogsIn(source);
  return (node) => {
    const call = sdkLog(node);
    if (call) return stringIn(argumentsOf(call)[0]);
    const printed = handsFree && isLogOnly(node) ? callIn(node) : undefined;
    const words = printed ? textsIn(printed).join(" ").trim() : "";
    return words === "" ? undefined : JSON.stringify(words);
  };
}

/** The texts that a call writes around its values. */
function textsIn(node: PyNode): string[] {
  if (node.type === "string_content") return [node.text.trim()];
  return named(node).flatMap(textsIn);
}

/** What an `if` without `else`, or a `with`, guards. */
export function branchOf(node: PyNode): PyNode | undefined {
  if (node.type === "with_statement") return fieldOf(node, "body");
  const isPlain = node.type === "if_statement" && !fieldOf(node, "alternative");
  return isPlain ? fieldOf(node, "consequence") : undefined;
}

/** Functions, imports, and names that are set alone. */
export function canBeBrought(node: PyNode, { kind, name }: Binding): boolean {
  if (kind === "parameter") return false;
  const definition = definitionIn(node);
  if (definition) return kind === "function" && definition.type === "function_definition";
  if (/^import(?:_from)?_statement$/.test(node.type)) return kind === "import";
  return assignmentIn(node)?.name.text === name;
}

/** `await` and `yield` that a statement needs and a place does not have. */
export function lacking(pair: VersionPair, node: PyNode, place: Place): Refusal | undefined {
  const needsAwait = holds(node, awaits);
  const needsYield = holds(node, ({ type }) => type === "yield");
  if (!needsAwait && !needsYield) return undefined;
  const around = pair.spotOf(place).scope.function.node as PyNode;
  const isAsync = around.type === "function_definition" && hasToken(around, "async");
  if (needsAwait && !isAsync) {
    return { refusal: "out_of_scope", reason: "it awaits, and that function is not async there" };
  }
  if (needsYield) return { refusal: "effectful_helper", reason: "it yields" };
  return undefined;
}

/** Whether a statement itself is or holds such a node, functions in it left out. */
function holds(node: PyNode, is: (node: PyNode) => boolean): boolean {
  if (is(node)) return true;
  if (/^(?:function_definition|class_definition|lambda)$/.test(node.type)) return false;
  return named(node).some((child) => holds(child, is));
}

/** Strings of several lines: what follows a break in them is no indentation. */
export function multilineStrings(node: PyNode): PyNode[] {
  return node.type === "string" ? [node] : named(node).flatMap(multilineStrings);
}

/**
 * What the SDK executes as a probe is guarded by itself: a log statement, and a name that is set for
 * it. What a condition calls is not.
 */
export function isUnguarded(
  _pair: VersionPair,
  { unit, definitions, unchecked }: Settled,
): boolean {
  const isCalling = unchecked.length > 0 || definitions.some(({ effect }) => effect === "calls");
  return isCalling && callIn(unit.node as PyNode) === undefined;
}
