/**
 * @file What has a name: functions, classes and methods by their qualified names, loops by the names
 * they give to `loop`; variables of the module.
 */
import type { Named } from "../../parsed-file.ts";
import type { PyNode } from "./syntax.ts";
import { argumentsOf, assignmentIn, dotted, fieldOf, named, stringIn } from "./syntax.ts";

/** Functions, classes and named loops by their qualified names. */
export function namedNodes(program: PyNode): Named {
  const found = new Map<string, PyNode[]>();
  const visit = (node: PyNode, path: string): void => {
    const name = ownName(node);
    const inner = name === undefined ? path : `${path}/${name}`;
    if (name !== undefined) found.set(inner, [...(found.get(inner) ?? []), node]);
    for (const child of named(node)) visit(child, inner);
  };
  visit(program, "");
  return found;
}

function ownName(node: PyNode): string | undefined {
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

/** Variables of the module that are set alone, by their names: statement, assignment and name. */
export function moduleVariables(program: PyNode): Named {
  const found = new Map<string, PyNode[]>();
  for (const statement of named(program)) {
    const name = assignmentIn(statement)?.name;
    const [assignment] = named(statement);
    if (!name || !assignment) continue;
    for (const [kind, part] of Object.entries({ statement, variable: assignment, name })) {
      const key = `${kind} ${name.text}`;
      found.set(key, [...(found.get(key) ?? []), part]);
    }
  }
  return found;
}
