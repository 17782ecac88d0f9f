/** @file Labels, and which statement a `break` leaves. */
import type { BreakStatement, LabeledStatement } from "oxc-parser";
import type { Builder } from "./builder.ts";

export function lowerLabeled(b: Builder, node: LabeledStatement): void {
  const { names, start } = b.labels ?? { names: [], start: node.start };
  b.labels = { names: [...names, node.label.name], start };
  const { type } = node.body;
  if (LOOPS.has(type) || type === "LabeledStatement") return b.walk.statement(b, node.body);
  const target = { labels: takeLabels(b), isPlain: false, breaks: null };
  b.with("targets", [...b.targets, target], () => b.walk.statement(b, node.body));
}

const LOOPS: ReadonlySet<string> = new Set([
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
]);

export function takeLabels(b: Builder): readonly string[] {
  const names = b.labels?.names ?? [];
  b.labels = null;
  return names;
}

/** A `break` that leaves a recorded loop is marked by the rewriting. */
export function noteBreak(b: Builder, { label, start, end }: BreakStatement): void {
  const target = b.targets.findLast(({ labels, isPlain }) =>
    label ? labels.includes(label.name) : isPlain,
  );
  target?.breaks?.push({ start, end });
}
