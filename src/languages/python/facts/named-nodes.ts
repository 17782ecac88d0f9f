/**
 * @file What has a name: functions, classes and methods by their qualified names, loops by the names
 * they give to `loop`; variables of the module.
 */
import type { ModuleVariable } from "../../facts-reader.ts";
import type { PyNode } from "./syntax.ts";
import { argumentsOf, assignmentIn, dotted, fieldOf, namedChildren, stringIn } from "./syntax.ts";

/** Of a function, a class, or a loop that has one. */
export function nameOf(node: PyNode): string | undefined {
  if (/^(?:function|class)_definition$/.test(node.type)) return fieldOf(node, "name")?.text;
  if (node.type !== "for_statement") return undefined;
  const over = fieldOf(node, "right");
  const name = over && loopName(over);
  return name === undefined ? undefined : `loop ${name}`;
}

/** The name in `al.loop("epoch", …)`, also where something goes over that in turn. */
export function loopName(node: PyNode): string | undefined {
  if (node.type !== "call") return undefined;
  const callee = fieldOf(node, "function");
  const last = callee && dotted(callee).split(".").at(-1);
  const [first] = argumentsOf(node);
  return last === "loop" ? stringIn(first) : first && loopName(first);
}

/** The variable that a statement sets, if it does nothing else. */
export function variableSetBy(statement: PyNode): ModuleVariable<PyNode> | undefined {
  const name = assignmentIn(statement)?.name;
  const [variable] = namedChildren(statement);
  return name && variable && { called: name.text, parts: { statement, variable, name } };
}
