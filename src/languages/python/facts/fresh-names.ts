/**
 * @file Names of a function for things that it made itself: to fill or to add to these changes nothing
 * else. What it was given, or took out of something, may be the training's own.
 */
import type { PyNode } from "./syntax.ts";
import { dotted, fieldOf, namedChildren } from "./syntax.ts";

export interface OwnNames {
  /** Names for new lists, tables and sets, and never for anything else. */
  readonly containers: ReadonlySet<string>;
  /** Names for new values of any kind; undefined outside of functions, where nobody asks. */
  readonly values: ReadonlySet<string> | undefined;
}

export const NOTHING_OWN: OwnNames = { containers: new Set(), values: undefined };

/** Those of a function; it sees what functions around it made, too. */
export function ownNames(definition: PyNode, around: OwnNames): OwnNames {
  const set = new Map<string, (PyNode | undefined)[]>();
  const note = (name: string, value: PyNode | undefined): void => {
    set.set(name, [...(set.get(name) ?? []), value]);
  };
  for (const name of givenNames(definition)) note(name, undefined);
  const body = fieldOf(definition, "body");
  if (body) noteAssignments(body, note);
  const those = (is: (value: PyNode) => boolean): string[] => {
    const all = [...set].filter(([, values]) => values.every((one) => one && is(one)));
    return all.map(([name]) => name);
  };
  return {
    containers: new Set([...around.containers, ...those(isContainer)]),
    values: new Set([...(around.values ?? []), ...those(isNew)]),
  };
}

/** Parameters, but for those that get another value before anything is done with them. */
function givenNames(definition: PyNode): string[] {
  const parameters = fieldOf(definition, "parameters");
  const body = fieldOf(definition, "body");
  const names = parameters ? identifiersIn(parameters) : [];
  return names.filter((name) => {
    const first =
      body && namedChildren(body).find((statement) => identifiersIn(statement).includes(name));
    const [assignment] = first?.type === "expression_statement" ? namedChildren(first) : [];
    const isReplaced =
      assignment?.type === "assignment" && fieldOf(assignment, "left")?.text === name;
    return !isReplaced;
  });
}

function identifiersIn(node: PyNode): string[] {
  return node.type === "identifier" ? [node.text] : namedChildren(node).flatMap(identifiersIn);
}

type Note = (name: string, value: PyNode | undefined) => void;

/** Tells every name that is set in a node, with its value where that is written there. */
function noteAssignments(node: PyNode, note: Note): void {
  switch (node.type) {
    case "assignment":
      noteTarget(fieldOf(node, "left"), lastValue(node), note);
      break;
    case "named_expression":
      noteTarget(fieldOf(node, "name"), fieldOf(node, "value"), note);
      break;
    case "for_statement":
      noteTarget(fieldOf(node, "left"), undefined, note);
      break;
    case "as_pattern":
      noteTarget(fieldOf(node, "alias"), undefined, note);
      break;
    case "global_statement":
    case "nonlocal_statement":
      for (const one of namedChildren(node)) note(one.text, undefined);
      break;
    default:
  }
  for (const child of namedChildren(node)) noteAssignments(child, note);
}

/** Of `a = b = value` the value. */
function lastValue(node: PyNode): PyNode | undefined {
  const right = fieldOf(node, "right");
  return right?.type === "assignment" ? lastValue(right) : right;
}

function noteTarget(target: PyNode | undefined, value: PyNode | undefined, note: Note): void {
  if (!target) return;
  if (target.type === "identifier") {
    note(target.text, value);
    return;
  }
  if (/^(?:attribute|subscript)$/.test(target.type)) return;
  const [parts, values] = [namedChildren(target), value ? namedChildren(value) : []];
  const isSpelled = /^(?:expression_list|tuple)$/.test(value?.type ?? "");
  const isEven = isSpelled && parts.length === values.length;
  for (const [at, part] of parts.entries()) noteTarget(part, isEven ? values[at] : undefined, note);
}

function isContainer(value: PyNode): boolean {
  if (/^(?:list|dictionary|set)$/.test(value.type) || value.type.endsWith("_comprehension")) {
    return true;
  }
  const callee = value.type === "call" ? fieldOf(value, "function") : undefined;
  return /^(?:list|dict|set|(?:collections\.)?(?:Counter|defaultdict|deque|OrderedDict))$/.test(
    callee ? dotted(callee) : "",
  );
}

/** Calls that may give back what they were given, or a part of it. */
const ALIASING = new Set(
  (
    "getattr max min next iter reversed vars super detach cpu cuda to float double half bfloat16 int " +
    "long bool type contiguous view view_as reshape flatten ravel squeeze unsqueeze t transpose permute " +
    "expand select narrow unbind chunk split numpy diag diagonal get pop values items keys asarray " +
    "as_tensor from_numpy requires_grad_ setdefault"
  ).split(" "),
);

/** Whether an expression makes its value anew, whatever it is made of. */
function isNew(value: PyNode): boolean {
  if (isContainer(value)) return true;
  switch (value.type) {
    case "integer":
    case "float":
    case "string":
    case "concatenated_string":
    case "true":
    case "false":
    case "none":
    case "tuple":
    case "unary_operator":
    case "binary_operator":
    case "comparison_operator":
    case "not_operator":
    case "generator_expression":
      return true;
    case "parenthesized_expression":
      return namedChildren(value).every(isNew);
    case "conditional_expression": {
      const [first, , last] = namedChildren(value);
      return first !== undefined && last !== undefined && isNew(first) && isNew(last);
    }
    case "call": {
      const callee = fieldOf(value, "function");
      const last = callee?.type === "attribute" ? fieldOf(callee, "attribute") : callee;
      return last?.type === "identifier" && !ALIASING.has(last.text);
    }
    default:
      return false;
  }
}
