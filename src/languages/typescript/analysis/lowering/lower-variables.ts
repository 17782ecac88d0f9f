/** @file Declarations of variables to operations. */
import type { VariableDeclaration } from "oxc-parser";
import type { Builder } from "./builder.ts";
import type { Var } from "./ir.ts";
import { unwrap } from "./syntax-names.ts";

export function lowerVariables(b: Builder, node: VariableDeclaration): void {
  if (node.declare) return;
  for (const { id, init } of node.declarations) {
    if (!init) continue;
    if (id.type === "Identifier") b.named = { expression: unwrap(init), name: id.name };
    const value = b.walk.expression(b, init);
    // `var` has had a value before where the declaration runs again.
    b.walk.pattern(b, id, value, node.kind === "var");
    if (node.kind === "await using") b.lowered.waits = true;
    if (node.kind === "using" || node.kind === "await using") {
      if (value) disposeOf(b, value, node.start);
    }
  }
}

function disposeOf(b: Builder, receiver: Var, at: number): void {
  for (const method of ["@@dispose", "@@asyncDispose"]) {
    const callee = b.value(at, (to) => ({ op: "load", object: receiver, field: method, to }));
    const rest = { how: "call", awaited: true, known: false } as const;
    b.value(at, (to) => ({ op: "call", callee, receiver, method, args: [], to, ...rest }));
  }
}
