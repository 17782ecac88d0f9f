/**
 * @file What executing a definition that is brought along would do to an old run: nothing, read the
 * clock, call code that is not known to be harmless (the model, mostly), or change the training.
 */
import { isTrainingName, worseOf } from "../../effects.ts";
import type { Effect } from "../../parsed-file.ts";
import { effectOfFunction, effectOfMethod, effectOfPath, trains } from "./described-effects.ts";
import type { OwnNames } from "./fresh-names.ts";
import { NOTHING_OWN, ownNames } from "./fresh-names.ts";
import type { PyNode } from "./syntax.ts";
import {
  argumentsOf,
  assignmentIn,
  definitionIn,
  dotted,
  fieldOf,
  hasToken,
  namedChildren,
} from "./syntax.ts";

/** The most harmful thing that a part of a program does when it is executed. */
export function effectOf(node: PyNode): Effect {
  return worstIn(node, NOTHING_OWN);
}

function worstIn(node: PyNode, own: OwnNames): Effect {
  const inner = node.type === "function_definition" ? ownNames(node, own) : own;
  const effects = namedChildren(node).map((child) => worstIn(child, inner));
  return effects.reduce(worseOf, ownEffect(node, inner));
}

function ownEffect(node: PyNode, own: OwnNames): Effect {
  const { containers } = own;
  switch (node.type) {
    case "call":
      return effectOfCall(node, containers);
    case "assignment":
    case "augmented_assignment": {
      const left = fieldOf(node, "left");
      const isChange = left && (changesObject(left, containers) || addsToOthers(node, own));
      return isChange ? "changes" : "none";
    }
    case "delete_statement":
      return namedChildren(node).some((one) => changesObject(one, containers)) ? "changes" : "none";
    case "yield":
      return "changes";
    case "await":
      return "calls";
    default:
      return "none";
  }
}

/** `v /= 2` changes the tensor that was given as `v`; of what the function made itself it may. */
function addsToOthers(node: PyNode, { values }: OwnNames): boolean {
  if (node.type !== "augmented_assignment") return false;
  const left = fieldOf(node, "left");
  return values !== undefined && left?.type === "identifier" && !values.has(left.text);
}

/** Whether assigning to something changes an object, and not only a name. */
function changesObject(target: PyNode, own: ReadonlySet<string>): boolean {
  if (target.type === "identifier") return false;
  if (target.type === "attribute" || target.type === "subscript") {
    return !own.has(rootOf(target));
  }
  return namedChildren(target).some((one) => changesObject(one, own));
}

/** The name that a chain of members begins with; empty if it begins otherwise. */
function rootOf(node: PyNode): string {
  if (node.type === "identifier") return node.text;
  const inner = fieldOf(node, "object") ?? fieldOf(node, "value");
  return inner && /^(?:attribute|subscript)$/.test(node.type) ? rootOf(inner) : "";
}

/** What calling a function does, by its name alone. */
export function effectOfName(callee: PyNode): Effect {
  if (callee.type !== "identifier") return "calls";
  return effectOfFunction(callee.text) ?? (isTrainingName(callee.text) ? "changes" : "calls");
}

export function effectOfCall(node: PyNode, own: ReadonlySet<string> = new Set()): Effect {
  const callee = fieldOf(node, "function");
  if (callee?.type !== "attribute") return callee ? effectOfName(callee) : "calls";
  const object = fieldOf(callee, "object");
  const method = fieldOf(callee, "attribute")?.text ?? "";
  if (argumentsOf(node).some(isPlaceToWrite)) return "changes";
  const positional = argumentsOf(node).filter(({ type }) => type !== "keyword_argument").length;
  const known = effectOfPath(dotted(callee), positional);
  if (known) return known;
  if (object && own.has(rootOf(object))) return "none";
  return effectOfMethod(method, positional) ?? (isTrainingName(method) ? "changes" : "calls");
}

/** `out=x` and `inplace=True` say that a function writes into what it is given. */
function isPlaceToWrite(argument: PyNode): boolean {
  if (argument.type !== "keyword_argument") return false;
  const [name, value] = [fieldOf(argument, "name")?.text, fieldOf(argument, "value")?.type];
  return (name === "out" && value !== "none") || (name === "inplace" && value !== "false");
}

/** Whether executing a node may change an object that it does not name. */
export function changesOthers(node: PyNode): boolean {
  const callee = node.type === "call" ? fieldOf(node, "function") : undefined;
  const method = callee?.type === "attribute" ? fieldOf(callee, "attribute") : callee;
  const name = method?.type === "identifier" ? method.text : "";
  if (trains(name) || isTrainingCall(callee, name)) return true;
  return definitionIn(node) === undefined && namedChildren(node).some(changesOthers);
}

/** A function of the program that trains, by its name: its model may be a variable of the module. */
function isTrainingCall(callee: PyNode | undefined, name: string): boolean {
  return callee?.type === "identifier" && /^(?:train|fit|optimi[sz]e|update|backprop)/.test(name);
}

/** Whether a definition gives an empty container, or a new object of a class. */
export function isEmptyValue(definition: PyNode): boolean {
  const value = assignmentIn(definition)?.value;
  if (!value) return false;
  if (/^(?:list|dictionary|set)$/.test(value.type)) return namedChildren(value).length === 0;
  const callee = value.type === "call" ? fieldOf(value, "function") : undefined;
  const last = callee ? (dotted(callee).split(".").at(-1) ?? "") : "";
  const isContainer = /^(?:list|dict|set|deque|defaultdict)$/.test(last);
  return /^[A-Z]/.test(last) || (isContainer && argumentsOf(value).length === 0);
}

/** Whether it waits: by itself, or as a loop, a comprehension or a `with`. */
export function awaits(node: PyNode): boolean {
  if (node.type === "await") return true;
  return (
    /^(?:for_statement|with_statement|for_in_clause)$/.test(node.type) && hasToken(node, "async")
  );
}
